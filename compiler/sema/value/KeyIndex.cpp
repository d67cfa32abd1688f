// Hashes of keys and their index.
#include "compiler/sema/value/KeyIndex.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/Support/xxhash.h"

namespace fly::sema {

constexpr size_t smallDict = 8; ///< up to here a walk over the keys is as fast

/// Equal for equal values, as 1 and 1.0 and True are; the same in each run.
static uint64_t hashOf(const Value &value) {
  auto mixed = [](uint64_t x) { return (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u + 0x9e3779b97f4a7c15u; };
  if (value.isNumber()) {
    if (auto *d = value.as<double>()) {
      auto whole = exactInteger(*d);
      return whole ? hashOf(Value(*whole)) : mixed(llvm::bit_cast<uint64_t>(*d));
    }
    auto small = toInt64(value);
    return small ? mixed(uint64_t(*small)) : llvm::xxh3_64bits(toText(value));
  }
  if (auto *text = value.as<std::string>())
    return llvm::xxh3_64bits(*text);
  if (auto *type = value.as<Type>())
    return mixed(uint64_t(type->number) * 1000003 + type->lanes);
  uint64_t hash = mixed(value.storage.index());
  if (auto *parts = value.parts())
    for (auto &part : *parts)
      hash = mixed(hash ^ hashOf(part));
  return hash;
}

KeyIndex::KeyIndex(const Values &keys) {
  for (size_t i = 0; i < keys.size(); ++i)
    add(keys[i], i);
}

void KeyIndex::add(const Value &key, size_t at) { places.insert({hashOf(key), at}); }

std::optional<size_t> KeyIndex::find(const Values &keys, const Value &key) const {
  auto [begin, end] = places.equal_range(hashOf(key));
  for (auto place = begin; place != end; ++place)
    if (equal(keys[place->second], key).value_or(false))
      return place->second;
  return std::nullopt;
}

size_t KeyIndex::candidates(const Value &key) const { return places.count(hashOf(key)); }

std::optional<size_t> findKey(const Values &keys, std::shared_ptr<KeyIndex> &index, const Value &key) {
  if (keys.size() > smallDict) {
    if (!index)
      index = std::make_shared<KeyIndex>(keys);
    return index->find(keys, key);
  }
  for (size_t i = 0; i < keys.size(); ++i)
    if (equal(keys[i], key).value_or(false))
      return i;
  return std::nullopt;
}

std::optional<size_t> findKey(const DictValue &dict, const Value &key) { return findKey(*dict.keys, dict.index, key); }

} // namespace fly::sema
