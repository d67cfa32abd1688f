// Host arrays in checks: operands, subscripts and methods, on top of compiler/host/HostArray.h.
#include "compiler/sema/check/HostSubscripts.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/elaborator/ArrayValues.h"

#include "compiler/host/HostArrayTake.h"
#include "compiler/sema/elaborator/Suggest.h"

namespace fly::sema {

std::vector<host::Subscript> hostSubscripts(Elaborator &e, const Values &items, SourceRange range) {
  std::vector<host::Subscript> out;
  for (auto &item : items) {
    host::Subscript subscript;
    if (auto *slice = item.as<SliceValue>()) {
      subscript.isSlice = true;
      auto part = [&](size_t i) -> std::optional<int64_t> {
        if ((*slice->parts)[i].isNone())
          return std::nullopt;
        return requireInt(e, (*slice->parts)[i], range, "a bound of a slice");
      };
      subscript.start = part(0), subscript.stop = part(1), subscript.step = part(2);
    } else
      subscript.at = requireInt(e, item, range, "an index");
    out.push_back(subscript);
  }
  return out;
}

Value indexArray(Elaborator &e, const ArrayValue &array, const Values &items, SourceRange range) {
  auto isArray = [](const Value &item) { return item.is<ArrayValue>(); };
  const auto first = llvm::find_if(items, isArray);
  if (first == items.end())
    return fromArray(e, host::subscript(*array.array, hostSubscripts(e, items, range)), range);
  const auto last = std::find_if(items.rbegin(), items.rend(), isArray).base();
  // The numbers and slices around the arrays first; a number among the arrays is one that broadcasts.
  Values around = items;
  std::vector<host::HostArray> indices;
  for (auto at = first; at != last; ++at) {
    if (at->is<SliceValue>())
      e.fail(diag::bad_index, range, {"a host array", "arrays on both sides of a slice"});
    indices.push_back(arrayOperand(e, *at, range));
    around[size_t(at - items.begin())] = Value(SliceValue{std::make_shared<Values>(3)});
  }
  const auto slices = std::count_if(items.begin(), first, [](const Value &item) { return item.is<SliceValue>(); });
  auto rest = host::subscript(*array.array, hostSubscripts(e, around, range));
  return fromArray(e, rest.ok() ? host::take(rest.value, size_t(slices), indices) : rest, range);
}

Value arrayMethod(Elaborator &e, const ArrayValue &array, llvm::StringRef name, Arguments &arguments,
                  SourceRange range) {
  const host::HostArray &x = *array.array;
  auto keyword = [&](llvm::StringRef key, size_t position) -> const Argument * {
    size_t seen = 0;
    for (auto &a : arguments) {
      if (a.keyword == key)
        return &a;
      if (a.keyword.empty() && seen++ == position)
        return &a;
    }
    return nullptr;
  };
  auto allow = [&](std::initializer_list<llvm::StringRef> keys) {
    if (arguments.size() > keys.size())
      e.fail(diag::wrong_argument_count, range,
             {name.str(), "up to " + std::to_string(keys.size()) + " arguments", std::to_string(arguments.size())});
    for (auto &a : arguments)
      if (!a.keyword.empty() && !llvm::is_contained(keys, a.keyword))
        failUnknown(e, diag::unknown_keyword, a.range, name.str(), a.keyword,
                    std::vector<std::string>(keys.begin(), keys.end()));
  };
  auto integers = [&](const Argument *a, llvm::StringRef what) {
    if (!a)
      e.fail(diag::missing_argument, range, {name.str(), what.str()});
    std::vector<int64_t> out;
    for (auto &v : a->value.sequence() ? *a->value.sequence() : Values{a->value})
      out.push_back(requireInt(e, v, a->range, what));
    return out;
  };
  if (auto reduction = host::reductionByName(name)) {
    allow({"axis", "keep"});
    std::optional<int64_t> axis;
    if (auto *a = keyword("axis", 0); a && !a->value.isNone())
      axis = requireInt(e, a->value, a->range, "axis");
    auto *keep = keyword("keep", 1);
    return fromArray(e, host::reduce(*reduction, x, axis, keep && truth(e, keep->value, keep->range)), range);
  }
  if (name == "cumsum") {
    allow({"axis"});
    auto *a = keyword("axis", 0);
    return fromArray(e, host::cumsum(x, a ? requireInt(e, a->value, a->range, "axis") : -1), range);
  }
  if (name == "repeat") {
    allow({"count", "axis"});
    auto *a = keyword("axis", 1);
    return fromArray(
        e,
        host::repeat(x, integers(keyword("count", 0), "count")[0], a ? requireInt(e, a->value, a->range, "axis") : -1),
        range);
  }
  if (name == "reshape") {
    allow({"shape"});
    return fromArray(e, host::reshape(x, integers(keyword("shape", 0), "shape")), range);
  }
  if (name == "transpose") {
    allow({"order"});
    return fromArray(
        e, host::transpose(x, keyword("order", 0) ? integers(keyword("order", 0), "order") : std::vector<int64_t>{}),
        range);
  }
  allow({"type", "saturate"});
  auto *saturate = keyword("saturate", 1);
  auto *type = keyword("type", 0);
  if (!type)
    e.fail(diag::missing_argument, range, {name.str(), "type"});
  return fromArray(e,
                   host::to(x, requireType(e, type->value, type->range, "the type").number,
                            saturate ? std::optional(truth(e, saturate->value, saturate->range)) : std::nullopt),
                   range);
}

} // namespace fly::sema
