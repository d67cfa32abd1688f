// Look-up in dicts of compile-time keys: by hash in large ones.
//
// A dict is a value: two arrays in the order of first assignment. Its index is built at the first look-up that is worth
// it and belongs to the array of keys, so dicts that differ only in values share it. Hashes have no visible effect: a
// key that is found is compared, and the order is that of the arrays.
#pragma once

#include "compiler/sema/value/Value.h"

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

/// The position of `key` in `keys`; makes the index of a large dict.
std::optional<size_t> findKey(const Values &keys, std::shared_ptr<KeyIndex> &index, const Value &key);
/// The position of a key of the dict.
std::optional<size_t> findKey(const DictValue &dict, const Value &key);

} // namespace fly::sema
