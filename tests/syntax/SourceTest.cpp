// Lines, columns and ranges of source text.
#include "compiler/diagnostics/Source.h"

#include "gtest/gtest.h"

using namespace fly;

TEST(Source, LinesEndWithEitherKindOfLineEnd) {
  SourceManager sources;
  FileId file = sources.add("a.fly", "one\r\ntwo\n\nfour");
  EXPECT_EQ(sources.lineCount(file), 4u);
  EXPECT_EQ(sources.line(file, 1), "one");
  EXPECT_EQ(sources.line(file, 2), "two");
  EXPECT_EQ(sources.line(file, 3), "");
  EXPECT_EQ(sources.line(file, 4), "four");
  EXPECT_EQ(sources.line(file, 5), "");
  EXPECT_EQ(sources.line(file, 0), "");
}

TEST(Source, ColumnsCountCodePoints) {
  SourceManager sources;
  FileId file = sources.add("a.fly", "x\nöä = y\n");
  LineColumn place = sources.lineColumn(file, 9); // y: 2 for the first line, 4 bytes of letters, " = "
  EXPECT_EQ(place.line, 2u);
  EXPECT_EQ(place.column, 6u);
}

TEST(Source, OffsetsPastTheEndAreTheEnd) {
  SourceManager sources;
  FileId file = sources.add("a.fly", "abc");
  EXPECT_EQ(sources.lineColumn(file, 100).column, 4u);
  EXPECT_EQ(sources.text({file, 2, 100}), "c");
}

TEST(Source, LineAndColumnLeadBackToTheOffset) {
  SourceManager sources;
  const std::string text = "x\n\u00f6\u00e4 = y\r\n\nlast";
  FileId file = sources.add("a.fly", text);
  for (uint32_t offset = 0; offset <= text.size(); ++offset)
    if (offset == text.size() || (static_cast<unsigned char>(text[offset]) & 0xC0) != 0x80)
      EXPECT_EQ(sources.offset(file, sources.lineColumn(file, offset)), offset);
  EXPECT_EQ(sources.offset(file, {5, 1}), 0u);
  EXPECT_EQ(sources.offset(file, {4, 100}), text.size());
}

TEST(Source, NoFileIsEmpty) {
  SourceManager sources;
  EXPECT_EQ(sources.name(0), "");
  EXPECT_EQ(sources.text(FileId(7)), "");
  EXPECT_EQ(sources.lineColumn(0, 3).line, 0u);
}

TEST(Source, JoinIsTheSmallestRangeThatHoldsBoth) {
  SourceRange joined = join({1, 5, 7}, {1, 2, 6});
  EXPECT_EQ(joined.begin, 2u);
  EXPECT_EQ(joined.end, 7u);
  EXPECT_EQ(join({}, {1, 2, 3}).begin, 2u);
  EXPECT_EQ(join({1, 2, 3}, {2, 0, 9}).end, 3u);
}
