// Hashes of keys, their index, and building.
#include "compiler/sema/Dicts.h"

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

static std::optional<size_t> findIn(const Values &keys, std::shared_ptr<KeyIndex> &index, const Value &key) {
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

std::optional<size_t> findKey(const DictValue &dict, const Value &key) { return findIn(*dict.keys, dict.index, key); }

Values takeElements(std::shared_ptr<const Values> &elements) {
  if (elements.use_count() > 1)
    return *elements;
  Values out = std::move(const_cast<Values &>(*elements)); // made as a Values that is not const (Value.cpp)
  elements.reset();
  return out;
}

DictBuilder::DictBuilder(DictValue dict) : weight(dict.weight) {
  if (dict.index && dict.index.use_count() == 1)
    index = std::move(dict.index);
  keys = takeElements(dict.keys);
  values = takeElements(dict.values);
}

DictBuilder DictBuilder::take(Value &variable) {
  DictValue dict = *variable.as<DictValue>();
  variable = Value();
  return DictBuilder(std::move(dict));
}

void DictBuilder::checkKey(Elaborator &e, const Value &key, SourceRange range) {
  if (auto *m = key.as<MachineValue>())
    e.fail(diag::not_compile_time, range, {"a key", m->type.text()});
  if (!key.isCompileTime() || key.is<ListValue>() || key.is<DictValue>() || key.is<ArrayValue>())
    e.fail(diag::wrong_value, range, {"a key", "a number, a string, a type, or a tuple of them", describe(key)});
}

void DictBuilder::set(Elaborator &e, const Value &key, Value value, SourceRange range) {
  checkKey(e, key, range);
  auto at = findIn(keys, index, key);
  if (index) // keys that are no two equal but hash alike (NaNs, closures) cost what comparing them costs
    for (size_t compared = index->candidates(key) / 8; compared; --compared)
      e.step(range);
  weight = std::min<uint64_t>(weight + value.weight() + (at ? 0 : key.weight()), uint64_t(1) << 40);
  if (at) {
    weight -= std::min(weight, values[*at].weight());
    values[*at] = std::move(value);
    return;
  }
  if (index)
    index->add(key, keys.size());
  keys.push_back(key);
  values.push_back(std::move(value));
}

void DictBuilder::setAll(Elaborator &e, const DictValue &other, SourceRange range) {
  for (auto [key, value] : llvm::zip(*other.keys, *other.values))
    set(e, key, value, range);
}

Value DictBuilder::remove(size_t at) {
  Value removed = values[at];
  index.reset(); // the places behind it move
  weight -= std::min(weight, removed.weight() + keys[at].weight());
  keys.erase(keys.begin() + int64_t(at));
  values.erase(values.begin() + int64_t(at));
  return removed;
}

Value DictBuilder::done() {
  return Value(DictValue{std::make_shared<Values>(std::move(keys)), std::make_shared<Values>(std::move(values)),
                         std::max<uint64_t>(weight, 1), std::move(index)});
}

} // namespace fly::sema
