// f-strings: text and expressions in braces.
//
//     f"width {w:>4} of {f(a, b=1)!r}, {{literal}}, {x=}, {x:>{w}}"
//
// The end of an expression is found by counting brackets and skipping strings inside it; the expression itself is
// then parsed from the same text at its own offset, so that its ranges and its errors point into the f-string.
#include "compiler/syntax/ASTBuilder.h"

#include "llvm/ADT/StringExtras.h"

namespace fly {

using namespace ast;

namespace {

/// The first of `}`, `:` and `!` (not of `!=`) outside of brackets and strings; `end` if there is none.
size_t endOfExpression(llvm::StringRef text, size_t begin, size_t end) {
  unsigned depth = 0;
  for (size_t i = begin; i < end; ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const size_t close = text.find(c, i + 1);
      if (close == llvm::StringRef::npos || close >= end)
        return end;
      i = close;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (depth == 0 && (c == '}' || c == ':' || (c == '!' && (i + 1 >= end || text[i + 1] != '=')))) {
      return i;
    } else if (depth > 0 && (c == ')' || c == ']' || c == '}')) {
      --depth;
    }
  }
  return end;
}

} // namespace

void ASTBuilder::fstring(const Quoted &quoted, std::vector<FStringExpr::Part> &parts) {
  const llvm::StringRef text = session.text;
  size_t textBegin = quoted.begin;
  auto flush = [&](size_t until) {
    if (until > textBegin)
      parts.push_back({decode(textBegin, until, quoted.raw), nullptr, ""});
  };
  for (size_t i = quoted.begin; i < quoted.end && !session.giveUp;) {
    const char c = text[i];
    if (c == '\\' && !quoted.raw) {
      i += 2;
      continue;
    }
    if (c != '{' && c != '}') {
      ++i;
      continue;
    }
    if (i + 1 < quoted.end && text[i + 1] == c) { // a doubled brace: keep the first, skip the second
      flush(i + 1);
      i += 2;
      textBegin = i;
      continue;
    }
    if (c == '}') {
      session.report(diag::bad_fstring, session.range(i, i + 1))
          .arg("a single `}` in an f-string; write `}}` for the character");
      return;
    }
    flush(i);
    const size_t begin = i + 1, end = endOfExpression(text, begin, quoted.end);
    if (end == quoted.end) {
      session.report(diag::bad_fstring, session.range(i, i + 1))
          .arg("`{` is never closed in this f-string; write `{{` for the character");
      return;
    }
    FStringExpr::Part part;
    size_t close = end;
    if (text[close] == '!') {
      close = text.find_first_of(":}", close);
      if (close == llvm::StringRef::npos || close >= quoted.end || (close != end + 2) ||
          !llvm::StringRef("rsa").contains(text[end + 1])) {
        session.report(diag::bad_fstring, session.range(end, end + 1))
            .arg("expected `r` or `s` after `!`, then `:` or `}`");
        return;
      }
      part.spec = text.slice(end, close).str();
    }
    if (text[close] == ':') {
      const size_t spec = close;
      unsigned depth = 0;
      for (++close; close < quoted.end && (depth > 0 || text[close] != '}'); ++close)
        depth += text[close] == '{' ? 1 : text[close] == '}' ? -1 : 0;
      if (close >= quoted.end) {
        session.report(diag::bad_fstring, session.range(i, i + 1))
            .arg("`{` is never closed in this f-string; write `{{` for the character");
        return;
      }
      if (text.slice(spec + 1, close).contains('{')) { // `{x:>{width}}`: fields inside the specification
        if (session.fstringNesting == maxFStringNesting) {
          session.report(diag::nested_too_deeply, session.range(begin, close))
              .arg(llvm::Twine(maxFStringNesting))
              .arg("nested f-strings")
              .arg("give a part a name");
          return;
        }
        ++session.fstringNesting;
        auto *format = make<FStringExpr>(session.range(spec + 1, close));
        fstring({spec + 1, close, quoted.raw, true}, format->parts);
        --session.fstringNesting;
        part.format = format;
      }
      part.spec += text.slice(part.spec.empty() ? spec + 1 : spec, close).str();
    }
    size_t valueEnd = end;
    llvm::StringRef inside = text.slice(begin, end).rtrim();
    if (inside.size() > 1 && inside.ends_with("=") && !llvm::StringRef("=!<>").contains(inside[inside.size() - 2])) {
      parts.push_back({text.slice(begin, end).str(), nullptr, ""}); // `{x=}` shows the expression too
      valueEnd = begin + inside.size() - 1;
    }
    const size_t backslash = inside.find('\\');
    if (inside.trim().empty()) {
      session.report(diag::bad_fstring, session.range(i, close + 1))
          .arg("an empty `{}` in an f-string; write `{{}}` for the characters");
    } else if (backslash != llvm::StringRef::npos) {
      session.report(diag::bad_fstring, session.range(begin + backslash, begin + backslash + 1))
          .arg("a backslash in the braces of an f-string; assign the value to a name first");
    } else if (session.fstringNesting == maxFStringNesting) {
      session.report(diag::nested_too_deeply, session.range(begin, end))
          .arg(llvm::Twine(maxFStringNesting))
          .arg("nested f-strings")
          .arg("give a part a name");
    } else {
      ++session.fstringNesting;
      part.value = parseExpressionRange(session, module, begin, valueEnd);
      --session.fstringNesting;
      if (!part.value)
        part.value = make<NoneExpr>(session.range(begin, end));
      parts.push_back(std::move(part));
    }
    i = close + 1;
    textBegin = i;
  }
  flush(quoted.end);
}

} // namespace fly
