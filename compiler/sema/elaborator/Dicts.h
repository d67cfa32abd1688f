// Building dicts of compile-time keys without copies.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"
#include "compiler/sema/value/KeyIndex.h"

namespace fly::sema {

/// The elements, moved out if they have no other owner.
Values takeElements(std::shared_ptr<const Values> &elements);

class DictBuilder {
public:
  DictBuilder() = default;
  /// Goes on from a dict, without a copy if it is the only holder of its parts.
  explicit DictBuilder(DictValue dict);
  /// The same for the dict in a variable, which holds nothing from then on.
  static DictBuilder take(Value &variable);
  static void checkKey(Elaborator &e, const Value &key, SourceRange range);
  /// Adds a pair or replaces the value of a key. Refuses keys that are not compile-time values or contain such.
  void set(Elaborator &e, const Value &key, Value value, SourceRange range);
  void setAll(Elaborator &e, const DictValue &other, SourceRange range);
  Value remove(size_t at);
  Value done();

private:
  Values keys, values;
  uint64_t weight = 1;
  std::shared_ptr<KeyIndex> index;
};

} // namespace fly::sema
