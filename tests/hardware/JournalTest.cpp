// The journal of a long run: what a process that was killed leaves, and what the next one makes of it.
#include "compiler/hardware/Journal.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace fly::hardware;

namespace {

struct JournalFile : testing::Test {
  const std::string path = testing::TempDir() + "journal-test-" + std::to_string(getpid());
  void SetUp() override { (void)std::remove(path.c_str()); }
  void TearDown() override { (void)std::remove(path.c_str()); }
  void append(const std::string &text) { std::ofstream(path, std::ios::app) << text; }
};

TEST_F(JournalFile, GoesOnWhereItStopped) {
  {
    Journal first(path, "a");
    first.begin("one");
    first.end({"one", "same", "", 1.5, "V_ADD_F32"});
    first.begin("two", "V_MUL_F32");
  }
  JournalReader reader(path);
  EXPECT_TRUE(reader.update());
  EXPECT_EQ(reader.tasks["a"].running, "two");
  EXPECT_EQ(reader.tasks["a"].runningSubject, "V_MUL_F32");
  ASSERT_EQ(reader.tasks["a"].results.size(), 1u);
  EXPECT_EQ(reader.tasks["a"].results[0].subject, "V_ADD_F32");
  EXPECT_FALSE(reader.tasks["a"].isDone);

  Journal second(path, "a"), other(path, "b");
  EXPECT_TRUE(second.has("one"));
  EXPECT_FALSE(second.has("two"));
  EXPECT_FALSE(other.has("one"));
  second.end({"two", "hung", "a \"quoted\"\nline"});
  second.done();
  EXPECT_TRUE(reader.update());
  EXPECT_EQ(reader.tasks["a"].running, "");
  EXPECT_TRUE(reader.tasks["a"].isDone);
  EXPECT_EQ(reader.tasks["a"].find("two")->detail, "a \"quoted\"\nline");
  EXPECT_FALSE(reader.update());
}

TEST_F(JournalFile, ALineThatIsBeingWrittenIsReadLater) {
  append("{\"task\":\"a\",\"begin\":\"one\",\"of\":\"\"}\n{\"task\":\"a\",\"name\":\"on");
  JournalReader reader(path);
  reader.update();
  EXPECT_EQ(reader.error, "");
  EXPECT_EQ(reader.tasks["a"].running, "one");
  append("e\",\"outcome\":\"same\",\"detail\":\"\",\"ms\":1,\"of\":\"\"}\n");
  reader.update();
  EXPECT_EQ(reader.tasks["a"].results.size(), 1u);
}

TEST_F(JournalFile, OtherFilesAreRefused) {
  for (const char *line : {"hello", "{}", "[1]", "{\"task\":1}", "{\"task\":\"a\",\"name\":\"b\"}"}) {
    SetUp();
    append("{\"task\":\"a\",\"done\":true}\n" + std::string(line) + "\n");
    JournalReader reader(path);
    reader.update();
    EXPECT_EQ(reader.error, "line 2 is not of a journal") << line;
  }
}

} // namespace
