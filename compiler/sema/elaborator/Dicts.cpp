// See Dicts.h.
#include "compiler/sema/elaborator/Dicts.h"

namespace fly::sema {

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
  auto at = findKey(keys, index, key);
  if (index) // keys that are all different but hash alike (NaNs, closures) cost as much as comparing them
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
  index.reset(); // the positions after it shift
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
