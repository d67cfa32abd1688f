// OptionTable: values as words of a command line.
#include "compiler/commands/OptionTable.h"

#include <gtest/gtest.h>

namespace fly::driver {
namespace {

using Words = std::vector<std::string>;

struct Sample {
  bool flag = false, on = true;
  std::string text, alone;
  unsigned number = 3;
  double ratio = -1;
  std::vector<std::string> each, separated, paths;

  void declare(OptionTable &table) {
    table.add("file", paths, "Files");
    table.add("-f,--flag", flag, "A flag");
    table.add("--no-on", on, "Turns it off");
    table.add("-t,--text", text, "A text");
    table.add("--alone", alone, "With or without a value").orAlone("yes");
    table.add("--number", number, "A number").own();
    table.add("--ratio", ratio, "A number with a point");
    table.add("-D", each, "May be repeated");
    table.add("--separated", separated, "One word").separatedBy(',');
  }
};

TEST(OptionTable, DefaultsGiveNoWords) {
  Sample sample;
  OptionTable table;
  sample.declare(table);
  EXPECT_EQ(table.toArguments(), Words{});
}

TEST(OptionTable, ArgumentsComeFirst) {
  Words words = argumentsLike(Sample(), [](Sample &sample) { sample.flag = true, sample.paths = {"a", "b"}; });
  EXPECT_EQ(words, (Words{"a", "b", "--flag"}));
}

TEST(OptionTable, FlagTurnsOffWhatIsOn) {
  EXPECT_EQ(argumentsLike(Sample(), [](Sample &sample) { sample.on = false; }), Words{"--no-on"});
}

TEST(OptionTable, ListsAreRepeatedOrSeparated) {
  Words words = argumentsLike(Sample(), [](Sample &sample) {
    sample.each = {"A=1", "B=2"};
    sample.separated = {"x", "y"};
  });
  EXPECT_EQ(words, (Words{"-D", "A=1", "-D", "B=2", "--separated", "x,y"}));
}

TEST(OptionTable, ValueLikeAnOptionStaysWithItsName) {
  Words words = argumentsLike(Sample(), [](Sample &sample) { sample.text = "-x", sample.each = {"-y"}; });
  EXPECT_EQ(words, (Words{"--text=-x", "-D-y"}));
}

TEST(OptionTable, OptionalValueIsOneWord) {
  EXPECT_EQ(argumentsLike(Sample(), [](Sample &sample) { sample.alone = "json"; }), Words{"--alone=json"});
}

TEST(OptionTable, NumbersReadBackToTheSame) {
  EXPECT_EQ(argumentsLike(Sample(), [](Sample &sample) { sample.ratio = 0.1; }), (Words{"--ratio", "0.1"}));
}

TEST(OptionTable, ChildrenDoNotGetOwnOptions) {
  Sample sample;
  OptionTable table;
  sample.declare(table);
  sample.number = 7;
  EXPECT_EQ(table.toArguments(), Words{});
  EXPECT_EQ(table.toArguments(/*withOwn=*/true), (Words{"--number", "7"}));
}

TEST(OptionTable, SpelledOptionsAreAlwaysThere) {
  Sample sample;
  OptionTable table;
  sample.declare(table);
  table.at("--ratio").spelled();
  EXPECT_EQ(table.toArguments(), Words{"--ratio=-1"}) << "a word of its own would be an option";
}

TEST(OptionTable, FindsEverySpelling) {
  Sample sample;
  OptionTable table;
  sample.declare(table);
  EXPECT_EQ(table.find("-t"), table.find("--text"));
  EXPECT_EQ(table.find("-t")->name(), "--text");
  EXPECT_EQ(table.find("--none"), nullptr);
}

} // namespace
} // namespace fly::driver
