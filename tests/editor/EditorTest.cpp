// Places in UTF-16 and UTF-8, changes of a text, names of files, and calls around the cursor.
#include "compiler/editor/CallContext.h"
#include "compiler/editor/Documents.h"
#include "compiler/editor/WorkQueue.h"

#include "gtest/gtest.h"

using namespace fly::editor;

namespace {

/// An empty authority may be left out, as VS Code does.
TEST(Documents, TheLibraryHasOnePathHoweverItsUriIsWritten) {
  EXPECT_EQ(pathOfUri("fly-std:/fly/reduce.fly"), pathOfUri("fly-std:///fly/reduce.fly"));
  EXPECT_EQ(uriOfPath(pathOfUri("fly-std:/fly/reduce.fly")), "fly-std:///fly/reduce.fly");
}

TEST(Positions, CountTheUnitsOfTheirEncoding) {
  const std::string text = "a\xC3\xA9\xF0\x9D\x84\x9Ez\r\n\xE2\x82\xAC\rx\n"; // a, 2 bytes, 4 bytes, z; 3 bytes; x
  const TextPositions utf16(text, PositionEncoding::Utf16), utf8(text, PositionEncoding::Utf8);
  struct Row {
    size_t offset;
    uint64_t line, in16, in8;
  };
  for (const Row &row : {Row{0, 0, 0, 0},
                         {1, 0, 1, 1},
                         {3, 0, 2, 3},
                         {7, 0, 4, 7},
                         {8, 0, 5, 8},
                         {10, 1, 0, 0},
                         {13, 1, 1, 3},
                         {14, 2, 0, 0},
                         {15, 2, 1, 1},
                         {16, 3, 0, 0}}) {
    EXPECT_EQ(utf16.at(row.offset).line, row.line) << row.offset;
    EXPECT_EQ(utf16.at(row.offset).character, row.in16) << row.offset;
    EXPECT_EQ(utf8.at(row.offset).character, row.in8) << row.offset;
    EXPECT_EQ(utf16.offset({row.line, row.in16}), row.offset);
    EXPECT_EQ(utf8.offset({row.line, row.in8}), row.offset);
  }
  EXPECT_EQ(utf16.offset({0, 99}), 8u);  // the line's end, without the line ending
  EXPECT_EQ(utf16.offset({99, 0}), 16u); // the text's end
  EXPECT_EQ(utf16.offset({0, 3}), 7u);   // never inside a character
  EXPECT_EQ(utf16.at(1000).line, 3u);
}

TEST(Changes, AreAppliedInTurn) {
  std::string text = "ab\ncd\n";
  auto change = [&](const char *json) {
    auto value = llvm::json::parse(json);
    return applyChange(text, *value->getAsObject(), PositionEncoding::Utf16);
  };
  EXPECT_TRUE(change(R"({"range":{"start":{"line":0,"character":1},"end":{"line":1,"character":1}},"text":"X"})"));
  EXPECT_EQ(text, "aXd\n");
  EXPECT_TRUE(change(R"({"range":{"start":{"line":9,"character":0},"end":{"line":9,"character":9}},"text":"end"})"));
  EXPECT_EQ(text, "aXd\nend");
  EXPECT_FALSE(change(R"({"range":{"start":{"line":1,"character":0},"end":{"line":0,"character":0}},"text":""})"));
  EXPECT_FALSE(change(R"({"range":{"start":{"line":1}},"text":""})"));
  EXPECT_FALSE(change(R"({})"));
  EXPECT_EQ(text, "aXd\nend");
  EXPECT_TRUE(change(R"({"text":"all"})"));
  EXPECT_EQ(text, "all");
}

TEST(Uris, NameFilesAndTheLibrary) {
  EXPECT_EQ(pathOfUri("file:///a%20b/%C3%A9.fly"), "/a b/\xC3\xA9.fly");
  EXPECT_EQ(uriOfPath("/a b/\xC3\xA9.fly"), "file:///a%20b/%C3%A9.fly");
  EXPECT_EQ(pathOfUri("file://host/a.fly"), "/a.fly");
  EXPECT_EQ(pathOfUri("fly-std:///fly/math.fly"), "<stdlib>/fly/math.fly");
  EXPECT_EQ(uriOfPath("<stdlib>/fly/math.fly"), "fly-std:///fly/math.fly");
  EXPECT_EQ(uriOfPath("untitled:Untitled-1"), "untitled:Untitled-1");
  EXPECT_EQ(pathOfUri("file:///a%2"), "/a%2");
}

/// "callee argument keyword" at the `|` of a text.
std::string callIn(std::string text) {
  const size_t at = text.find('|');
  text.erase(at, 1);
  auto call = callAt(text, uint32_t(at));
  return call ? call->callee + " " + std::to_string(call->argument) + " " + call->keyword : "none";
}

TEST(Calls, AreFoundAroundTheCursor) {
  EXPECT_EQ(callIn("f(|"), "f 0 ");
  EXPECT_EQ(callIn("f(a, g(b), |"), "f 2 ");
  EXPECT_EQ(callIn("f(a, g(b, |"), "g 1 ");
  EXPECT_EQ(callIn("x = m.f(a, (1, 2, |3), b)"), "m.f 1 ");
  EXPECT_EQ(callIn("k[T=f16, N=|"), "k 1 N");
  EXPECT_EQ(callIn("f(a)|"), "none");
  EXPECT_EQ(callIn("def f(a|"), "none");
  EXPECT_EQ(callIn("x = f(1,\ndef g():\n    h(|"), "h 0 ");
  EXPECT_EQ(callIn("x = f(1,\nreturn |"), "none");
  EXPECT_EQ(closersAt("f(a, [b, {c", 11), "}])");
}

TEST(WorkQueue, KnowsWhatWasCancelledAndChanged) {
  WorkQueue queue;
  queue.add({"first", nullptr, llvm::json::Value(1), false});
  queue.add({"change", nullptr, std::nullopt, true});
  queue.cancel(1);
  queue.cancel(7); // never asked
  EXPECT_TRUE(queue.hasNewerText());
  EXPECT_TRUE(queue.wasCancelled(1));
  EXPECT_FALSE(queue.wasCancelled(1));
  EXPECT_FALSE(queue.wasCancelled(7));
  EXPECT_EQ(queue.take(true)->method, "first");
  EXPECT_EQ(queue.take(true)->method, "change");
  EXPECT_FALSE(queue.hasNewerText());
  EXPECT_FALSE(queue.take(false));
  queue.close();
  EXPECT_FALSE(queue.take(true));
}

} // namespace
