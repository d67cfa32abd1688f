// Part of a file as ANTLR's character stream: characters are bytes, positions are byte offsets of the file.
//
// ANTLR's own stream decodes UTF-8 into code points, throws on bytes that are not UTF-8, and its positions would
// have to be mapped back. Here a token's start and stop are already what a SourceRange holds, also when only the
// inside of an f-string's braces is read.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <antlr4-runtime.h>

namespace fly {

class ByteStream final : public antlr4::CharStream {
public:
  /// Reads text[begin, end); `index()` starts at `begin`.
  ByteStream(llvm::StringRef text, size_t begin, size_t end) : text(text), begin(begin), end(end), position(begin) {}

  void consume() override { ++position; }
  size_t LA(ssize_t offset) override {
    // LA(1) is the next character, LA(-1) the one before; LA(0) is undefined.
    size_t at = offset > 0 ? position + static_cast<size_t>(offset) - 1 : position - static_cast<size_t>(-offset);
    if (at < begin || at >= end)
      return IntStream::EOF;
    return static_cast<unsigned char>(text[at]);
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  size_t index() override { return position; }
  void seek(size_t index) override { position = index; }
  size_t size() override { return end; }
  std::string getSourceName() const override { return "file"; }
  std::string getText(const antlr4::misc::Interval &interval) override {
    if (interval.a < 0 || interval.b < interval.a)
      return "";
    return text.slice(static_cast<size_t>(interval.a), static_cast<size_t>(interval.b) + 1).str();
  }
  std::string toString() const override { return text.slice(begin, end).str(); }

private:
  llvm::StringRef text;
  size_t begin, end, position;
};

} // namespace fly
