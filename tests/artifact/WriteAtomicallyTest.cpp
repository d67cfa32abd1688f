// Files appear whole or not at all.
#include "SampleModule.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace fly::artifact;
using namespace fly::artifact::testing;

namespace {
size_t entries(const std::filesystem::path &path) {
  return std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator());
}
} // namespace

TEST(WriteAtomically, WritesAllFilesAndMakesTheDirectory) {
  TemporaryDirectory directory;
  std::string error = writeAtomically({{directory.file("new/a"), "one"}, {directory.file("new/b"), ""}});
  EXPECT_EQ(error, "");
  EXPECT_EQ(readText(directory.file("new/a")), "one");
  EXPECT_EQ(entries(directory.path / "new"), 2u);
}

TEST(WriteAtomically, ReplacesAndLeavesNothingElse) {
  TemporaryDirectory directory;
  writeText(directory.file("a"), "old");
  EXPECT_EQ(writeAtomically({{directory.file("a"), "new"}}), "");
  EXPECT_EQ(readText(directory.file("a")), "new");
  EXPECT_EQ(entries(directory.path), 1u);
}

TEST(WriteAtomically, ChangesNothingWhenOneFileCannotBeWritten) {
  TemporaryDirectory directory;
  writeText(directory.file("a"), "old");
  std::filesystem::create_directory(directory.file("b"));
  std::string error =
      writeAtomically({{directory.file("a"), "new"}, {directory.file("c"), "x"}, {directory.file("b"), "x"}});
  EXPECT_NE(error.find("is a directory"), std::string::npos) << error;
  EXPECT_EQ(readText(directory.file("a")), "old");
  EXPECT_EQ(entries(directory.path), 2u);
}

TEST(WriteAtomically, ReportsAFileInPlaceOfADirectory) {
  TemporaryDirectory directory;
  writeText(directory.file("a"), "old");
  EXPECT_NE(writeAtomically({{directory.file("a/b"), "x"}}), "");
  EXPECT_EQ(readText(directory.file("a")), "old");
}

TEST(WriteAtomically, WritesToADeviceAndLeavesIt) {
  TemporaryDirectory directory;
  std::filesystem::create_symlink("/dev/null", directory.file("null"));
  EXPECT_EQ(writeAtomically({{directory.file("null"), "x"}, {directory.file("a"), "y"}}), "");
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("null")));
  EXPECT_TRUE(std::filesystem::is_character_file(directory.file("null")));
  EXPECT_EQ(readText(directory.file("a")), "y");
}

TEST(WriteAtomically, FilesHaveTheRightsOfTheProcess) {
  TemporaryDirectory directory;
  const mode_t mask = umask(027);
  EXPECT_EQ(writeAtomically({{directory.file("a"), "x"}}), "");
  umask(mask);
  EXPECT_EQ(std::filesystem::status(directory.file("a")).permissions(), std::filesystem::perms(0640));
}
