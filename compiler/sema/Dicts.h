// Dicts of compile-time keys: look-up by hash in large ones, and building without copies.
//
// A dict is a value: two arrays in the order of first assignment. Its index is made at the first look-up that is worth
// it and belongs to the array of keys, so that dicts which differ in values only share it. Hashes decide nothing that
// can be seen: what is found is compared, and the order is that of the arrays.
#pragma once

#include "compiler/sema/Elaborator.h"

#include <unordered_map>

namespace fly::sema {

class KeyIndex {
public:
  explicit KeyIndex(const Values &keys);
  void add(const Value &key, size_t at);
  std::optional<size_t> find(const Values &keys, const Value &key) const;
  /// How many keys a look-up compares with.
  size_t candidates(const Value &key) const;

private:
  std::unordered_multimap<uint64_t, size_t> places;
};

/// Where the key is.
std::optional<size_t> findKey(const DictValue &dict, const Value &key);

/// The elements, moved out if nobody else holds them.
Values takeElements(std::shared_ptr<const Values> &elements);

class DictBuilder {
public:
  DictBuilder() = default;
  /// Goes on from a dict, without a copy if it is the only holder of its parts.
  explicit DictBuilder(DictValue dict);
  /// The same for the dict in a variable, which holds nothing from then on.
  static DictBuilder take(Value &variable);
  static void checkKey(Elaborator &e, const Value &key, SourceRange range);
  /// Adds a pair or replaces the value of a key. Refuses keys that are no values of compile time, or that hold others.
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
