// A name that is not among the known ones: one message, one guess, one fix, wherever names are looked up.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// The range of the name in `name=value`, where `range` covers all of it or, as in the arguments of a call, the value.
/// If the name is not found (because of a comment in between), `range` itself.
inline SourceRange keywordIn(const SourceManager &sources, SourceRange range, llvm::StringRef name) {
  llvm::StringRef before = sources.text(range.file).take_front(range.begin).rtrim(" \t("); // `name=(value)` too
  if (before.consume_back("=") && (before = before.rtrim()).ends_with(name)) {
    const auto end = static_cast<uint32_t>(before.size());
    return {range.file, end - static_cast<uint32_t>(name.size()), end};
  }
  if (sources.text(range).starts_with(name))
    range.end = range.begin + static_cast<uint32_t>(name.size());
  return range;
}

/// The name that stands where an editor asks what could stand there.
inline constexpr llvm::StringLiteral completionMarker = "fly_completion_marker";

/// Fails with "`{of}` has no `{name}`; did you mean `...`?"; the guess is also a fix of the name.
[[noreturn]] inline void failUnknown(Elaborator &e, diag::Kind kind, SourceRange range, const std::string &of,
                                     llvm::StringRef name, const std::vector<std::string> &known) {
  if (e.offered && name == completionMarker)
    e.offered->insert(e.offered->end(), known.begin(), known.end());
  auto guess = didYouMean(name, known);
  if (kind == diag::unknown_keyword && range.valid())
    range = keywordIn(e.diags.sources, range, name);
  e.report(kind, range, {of, name.str(), guess ? "; did you mean `" + *guess + "`?" : ""}).suggest(range, name, guess);
  throw Failed{};
}

} // namespace fly::sema
