// A function of the language, as a row of a table: its signature, a sentence for the manual, and the function that
// elaborates a call.
#pragma once

#include "compiler/sema/value/Value.h"

#include "llvm/ADT/StringMap.h"

namespace fly::sema {

/// The arguments of a builtin's call after binding: one value a parameter, None where left out.
struct BoundCall {
  const Builtin *builtin;
  Values values;
  std::vector<SourceRange> ranges; ///< of the arguments; the call's where left out
  std::vector<bool> given;
  Arguments rest;        ///< for a signature that ends in `*rest`
  SourceRange range;     ///< of the call
  Value *self = nullptr; ///< of a method
  const Value &operator[](size_t i) const { return values[i]; }
};

/// A keyword that a function takes besides those of its signature.
enum class Takes : uint8_t { Nothing, FastMath };

struct Builtin {
  const char *name;
  /// Python's notation: "x, y", "start, stop=, step=", "*values, key=", "x, *, axis=", "**named" (keywords that are
  /// left join `rest`). `=` marks what may be left out.
  const char *signature;
  const char *doc;
  Value (*elaborate)(Elaborator &, BoundCall &);
  Takes takes = Takes::Nothing;
};

/// A section of the manual's list.
struct BuiltinFamily {
  const char *title;
  llvm::ArrayRef<Builtin> rows;
};

/// Functions by name.
class BuiltinTable {
public:
  explicit BuiltinTable(llvm::ArrayRef<BuiltinFamily> families);
  const Builtin *find(llvm::StringRef name) const { return byName.lookup(name); }
  const std::vector<const Builtin *> &all() const { return rows; } ///< in the order of their families

private:
  std::vector<const Builtin *> rows;
  llvm::StringMap<const Builtin *> byName;
};

} // namespace fly::sema
