// Methods of lists, dicts, tuples and ranges, and the ones that change a variable.
#include "compiler/sema/number/Containers.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/elaborator/Dicts.h"
#include "compiler/sema/number/TextMethods.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>
#include <numeric>

namespace fly::sema {

void forEach(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef purpose,
             llvm::function_ref<bool(const Value &)> visit) {
  if (auto run = KnownRange::of(value)) {
    for (int64_t i = 0, size = run->size(); i < size; ++i) {
      e.step(range);
      if (!visit(Value((*run)[i])))
        return;
    }
    return;
  }
  Values elements = e.iterate(value, range, purpose);
  for (auto &element : elements)
    if (!visit(element))
      return;
}

Value apply(Elaborator &e, const Value &function, Values arguments, SourceRange range) {
  Arguments given;
  for (auto &argument : arguments)
    given.push_back({"", std::move(argument), range});
  return e.call(function, std::move(given), range);
}

void sortValues(Elaborator &e, Values &values, const Value &key, bool descending, SourceRange range) {
  std::vector<std::pair<Value, Value>> pairs; // what to compare, what to sort
  for (auto &value : values)
    pairs.push_back({key.isNone() ? value : apply(e, key, {value}, range), value});
  auto less = [&](const Value &x, const Value &y) {
    e.step(range);
    return truth(e, e.compare(ast::CompareOp::Lt, x, y, range, range), range);
  };
  // Our own merge sort: it stays in bounds whatever a comparison returns (for example with NaN), and moves only
  // indices.
  std::vector<size_t> order(values.size()), merged(values.size());
  std::iota(order.begin(), order.end(), 0);
  auto goesFirst = [&](size_t x, size_t y) {
    return descending ? less(pairs[x].first, pairs[y].first) : less(pairs[y].first, pairs[x].first);
  };
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t begin = 0; begin < order.size(); begin += 2 * width) {
      size_t middle = std::min(begin + width, order.size()), end = std::min(begin + 2 * width, order.size());
      for (size_t x = begin, y = middle, out = begin; out < end; ++out)
        merged[out] = x < middle && (y == end || !goesFirst(order[x], order[y])) ? order[x++] : order[y++];
    }
    order.swap(merged);
  }
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::move(pairs[order[i]].second);
}

namespace {

size_t findElement(Elaborator &e, BoundCall &call, const Values &values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (equal(values[i], call[0]).value_or(false))
      return i;
  e.fail(diag::index_out_of_range, call.ranges[0], {toText(call[0], true), describe(*call.self)});
}

Value sequenceIndex(Elaborator &e, BoundCall &call) {
  return Value(int64_t(findElement(e, call, *call.self->sequence())));
}

Value sequenceCount(Elaborator &, BoundCall &call) {
  return Value(
      int64_t(llvm::count_if(*call.self->sequence(), [&](auto &v) { return equal(v, call[0]).value_or(false); })));
}

Value copy(Elaborator &, BoundCall &call) { return *call.self; }

const Builtin tupleMethods[] = {
    {"index", "value", "the index of the first equal element", sequenceIndex},
    {"count", "value", "how many elements are equal to it", sequenceCount},
};
const Builtin listMethods[] = {
    {"index", "value", "the index of the first equal element", sequenceIndex},
    {"count", "value", "how many elements are equal to it", sequenceCount},
    {"copy", "", "the list itself: lists are values", copy},
};

Value rangeIndex(Elaborator &e, BoundCall &call) {
  auto run = KnownRange::of(*call.self);
  auto at = run ? run->find(call[0]) : std::nullopt;
  if (!at)
    e.fail(diag::index_out_of_range, call.ranges[0], {toText(call[0], true), toText(*call.self)});
  return Value(*at);
}
Value rangeCount(Elaborator &, BoundCall &call) {
  auto run = KnownRange::of(*call.self);
  return Value(int64_t(run && run->find(call[0])));
}
const Builtin rangeMethods[] = {
    {"index", "value", "the index of the value", rangeIndex},
    {"count", "value", "1 if it is one of the range's", rangeCount},
};

Value dictGet(Elaborator &, BoundCall &call) {
  auto &dict = *call.self->as<DictValue>();
  auto at = findKey(dict, call[0]);
  return at ? (*dict.values)[*at] : call[1];
}
Value dictKeys(Elaborator &, BoundCall &call) { return makeList(*call.self->as<DictValue>()->keys); }
Value dictValues(Elaborator &, BoundCall &call) { return makeList(*call.self->as<DictValue>()->values); }
Value dictItems(Elaborator &, BoundCall &call) {
  Values items;
  for (auto [key, value] : llvm::zip(*call.self->as<DictValue>()->keys, *call.self->as<DictValue>()->values))
    items.push_back(makeTuple({key, value}));
  return makeList(std::move(items));
}
const Builtin dictMethods[] = {
    {"get", "key, default=", "the value of the key, or the default", dictGet},
    {"keys", "", "a list of the keys", dictKeys},
    {"values", "", "a list of the values", dictValues},
    {"items", "", "a list of (key, value)", dictItems},
    {"copy", "", "the dict itself: dicts are values", copy},
};

// ---- what changes its variable: `self` is taken out of it, changed, and put back

struct ListEdit {
  Values elements;
  uint64_t weight;
  explicit ListEdit(Value &self) {
    auto list = *self.as<ListValue>();
    self = Value();
    weight = list.weight;
    elements = takeElements(list.elements);
  }
  void add(const Value &value) {
    weight = std::min<uint64_t>(weight + value.weight(), uint64_t(1) << 40);
    elements.push_back(value);
  }
  Value done() { return makeList(std::move(elements), weight); }
};

int64_t position(Elaborator &e, BoundCall &call, size_t argument, int64_t size, bool clamp) {
  int64_t at = requireInt(e, call[argument], call.ranges[argument], "an index");
  if (clamp)
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  if (at < -size || at >= size)
    e.fail(diag::index_out_of_range, call.ranges[argument], {std::to_string(at), describe(*call.self)});
  return at < 0 ? at + size : at;
}

Value append(Elaborator &, BoundCall &call) {
  ListEdit edit(*call.self);
  edit.add(call[0]);
  *call.self = edit.done();
  return Value();
}
Value extend(Elaborator &e, BoundCall &call) {
  Values more = e.iterate(call[0], call.ranges[0], "`extend`");
  ListEdit edit(*call.self);
  for (auto &value : more)
    edit.add(value);
  *call.self = edit.done();
  return Value();
}
Value insert(Elaborator &e, BoundCall &call) {
  int64_t at = position(e, call, 0, int64_t(call.self->sequence()->size()), true);
  ListEdit edit(*call.self);
  edit.add(call[1]);
  std::rotate(edit.elements.begin() + at, edit.elements.end() - 1, edit.elements.end());
  *call.self = edit.done();
  return Value();
}
Value removeAt(BoundCall &call, int64_t at) {
  ListEdit edit(*call.self);
  Value removed = std::move(edit.elements[size_t(at)]);
  edit.weight -= removed.weight();
  edit.elements.erase(edit.elements.begin() + at);
  *call.self = edit.done();
  return removed;
}
Value pop(Elaborator &e, BoundCall &call) {
  int64_t size = int64_t(call.self->sequence()->size());
  if (!call.given[0])
    call.values[0] = Value(int64_t(-1));
  return removeAt(call, position(e, call, 0, size, false));
}
Value removeElement(Elaborator &e, BoundCall &call) {
  removeAt(call, int64_t(findElement(e, call, *call.self->sequence())));
  return Value();
}
Value clear(Elaborator &, BoundCall &call) {
  *call.self = call.self->is<ListValue>() ? makeList({}) : makeDict({}, {});
  return Value();
}
Value reverse(Elaborator &, BoundCall &call) {
  ListEdit edit(*call.self);
  std::reverse(edit.elements.begin(), edit.elements.end());
  *call.self = edit.done();
  return Value();
}
Value sort(Elaborator &e, BoundCall &call) {
  Values sorted = *call.self->sequence();
  sortValues(e, sorted, call[0], call.given[1] && truth(e, call[1], call.ranges[1]), call.range);
  *call.self = makeList(std::move(sorted));
  return Value();
}
const Builtin listMutators[] = {
    {"append", "value", "adds an element at the end", append},
    {"extend", "values", "adds the elements of a sequence at the end", extend},
    {"insert", "index, value", "adds an element before the index", insert},
    {"pop", "index=", "removes an element, the last by default, and returns it", pop},
    {"remove", "value", "removes the first equal element", removeElement},
    {"clear", "", "removes all elements", clear},
    {"reverse", "", "reverses the order", reverse},
    {"sort", "*, key=, reverse=", "sorts; equal elements keep their order", sort},
};

Value update(Elaborator &e, BoundCall &call) {
  auto *other = call[0].as<DictValue>();
  if (!other)
    e.fail(call.ranges[0], diag::not_a_dict{.what = diag::argument("other", "update"), .found = describe(call[0])});
  DictBuilder dict = DictBuilder::take(*call.self);
  dict.setAll(e, *other, call.ranges[0]);
  *call.self = dict.done();
  return Value();
}
Value dictPop(Elaborator &e, BoundCall &call) {
  auto at = findKey(*call.self->as<DictValue>(), call[0]);
  if (!at && call.given[1])
    return call[1];
  if (!at)
    e.fail(diag::index_out_of_range, call.ranges[0], {toText(call[0], true), describe(*call.self)});
  DictBuilder dict = DictBuilder::take(*call.self);
  Value removed = dict.remove(*at);
  *call.self = dict.done();
  return removed;
}
Value setDefault(Elaborator &e, BoundCall &call) {
  if (auto at = findKey(*call.self->as<DictValue>(), call[0]))
    return (*call.self->as<DictValue>()->values)[*at];
  DictBuilder::checkKey(e, call[0], call.ranges[0]);
  DictBuilder dict = DictBuilder::take(*call.self);
  dict.set(e, call[0], call[1], call.ranges[0]);
  *call.self = dict.done();
  return call[1];
}
const Builtin dictMutators[] = {
    {"update", "other", "adds the pairs of another dict", update},
    {"pop", "key, default=", "removes a key and returns its value", dictPop},
    {"setdefault", "key, default=", "the value of the key, which is added with the default if it is new", setDefault},
    {"clear", "", "removes all keys", clear},
};

llvm::ArrayRef<Builtin> methodsOf(const Value &self) {
  if (self.is<std::string>())
    return textMethods();
  if (self.is<TupleValue>())
    return tupleMethods;
  if (self.is<ListValue>())
    return listMethods;
  if (self.is<DictValue>())
    return dictMethods;
  if (self.is<RangeValue>())
    return rangeMethods;
  if (self.is<Int>() || self.is<double>())
    return numberMethods();
  return {};
}
llvm::ArrayRef<Builtin> mutatorsOf(const Value &self) {
  if (self.is<ListValue>())
    return listMutators;
  if (self.is<DictValue>())
    return dictMutators;
  return {};
}

const Builtin *named(llvm::ArrayRef<Builtin> table, llvm::StringRef name) {
  auto row = llvm::find_if(table, [&](auto &method) { return name == method.name; });
  return row == table.end() ? nullptr : row;
}

} // namespace

const Builtin *findMethod(const Value &self, llvm::StringRef name) { return named(methodsOf(self), name); }

std::vector<std::string> methodNames(const Value &self) {
  std::vector<std::string> names;
  for (auto table : {methodsOf(self), mutatorsOf(self)})
    for (auto &method : table)
      names.push_back(method.name);
  return names;
}

bool isMutator(llvm::StringRef name) { return named(listMutators, name) || named(dictMutators, name); }

Value callMethodOf(Elaborator &e, const Builtin &method, const Value &self, Arguments &arguments, SourceRange range) {
  BoundCall bound = bindBuiltin(e, method, arguments, range);
  Value copy = self;
  bound.self = &copy;
  return method.elaborate(e, bound);
}

/// The frame that holds the names of the current function; comprehensions have their own frames inside it.
static Frame *functionFrame(Elaborator &e, const std::string &name) {
  Frame *frame = e.frame.get();
  while (frame->isComprehension && !frame->variables.count(name) && frame->enclosing)
    frame = frame->enclosing.get();
  return frame;
}

static const ast::NameExpr *rootName(const ast::Expr &target) {
  const ast::Expr *at = &target;
  while (true) {
    if (auto *item = llvm::dyn_cast<ast::SubscriptExpr>(at))
      at = item->base;
    else if (auto *field = llvm::dyn_cast<ast::AttributeExpr>(at))
      at = field->base;
    else
      return llvm::dyn_cast<ast::NameExpr>(at);
  }
}

void checkOwned(Elaborator &e, const ast::Expr &target) {
  auto *name = rootName(target);
  if (!name) {
    e.report(diag::bad_target, target.range, {"a part of a value without a name", ""})
        .help("give the value a name first");
    throw Failed{};
  }
  Frame *frame = functionFrame(e, name->name);
  if (frame->isModule ? frame->module->names.count(name->name) : frame->variables.count(name->name))
    return;
  e.report(diag::bad_target, name->range, {"a part of `" + name->name + "`", ", which is a name outside this function"})
      .help("pass `" + name->name + "` to the function as a parameter and return the new value");
  throw Failed{};
}

std::optional<Value> mutate(Elaborator &e, const ast::CallExpr &call, const ast::AttributeExpr &callee, Value base,
                            const std::function<Arguments()> &arguments) {
  auto *method = named(mutatorsOf(base), callee.name);
  if (!method)
    return std::nullopt;
  checkOwned(e, *callee.base);
  Arguments given = arguments();
  SourceRange statement = e.statement;
  BoundCall bound = bindBuiltin(e, *method, given, call.range);
  Value self = base;
  auto *name = llvm::dyn_cast<ast::NameExpr>(callee.base);
  Frame *owner = name ? functionFrame(e, name->name) : nullptr;
  Value *variable = owner ? &binding(*owner, name->name) : nullptr;
  if (variable) { // the only holder of its elements changes them in place
    base = self = Value();
    self = std::move(*variable);
    *variable = Value();
    bound.self = &self;
    Value result;
    try {
      result = method->elaborate(e, bound);
    } catch (Failed &) {
      binding(*owner, name->name) = std::move(self);
      throw;
    }
    e.checkSize(self, call.range);
    Value &slot = binding(*owner, name->name);
    slot = std::move(self);
    slot.assigned = statement;
    return result;
  }
  bound.self = &self;
  Value result = method->elaborate(e, bound);
  e.assign(*callee.base, self);
  return result;
}

} // namespace fly::sema
