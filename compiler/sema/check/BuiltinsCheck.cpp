// The vocabulary of `@check`: host arrays, and what is expected of them.
#include "compiler/host/HostArrayTake.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/elaborator/ArrayValues.h"
#include "compiler/sema/check/Families.h"
#include "compiler/host/HostAttention.h"
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/number/Constants.h"
#include "compiler/sema/value/LayoutObject.h"

namespace fly::sema {

namespace {
host::Shape shapeOf(Elaborator &e, const Value &value, SourceRange range) {
  host::Shape shape;
  for (auto &extent : value.sequence() ? *value.sequence() : Values{value}) {
    shape.push_back(requireInt(e, extent, range, "an extent"));
    if (shape.back() < 0)
      e.fail(range, diag::negative_value{.what = "an extent", .found = std::to_string(shape.back())});
  }
  return shape;
}

void onHost(Elaborator &e, BoundCall &call) {
  if (e.onDevice())
    e.fail(call.range, diag::not_on_device{.name = call.builtin->name});
}

std::optional<host::Scalar> scalarOf(Elaborator &e, const Value &value, SourceRange range) {
  if (value.isNone())
    return std::nullopt;
  if (auto *b = value.as<bool>())
    return host::Scalar::ofBool(*b);
  if (auto *d = value.as<double>())
    return host::Scalar::ofFloat(*d);
  if (auto large = toHostInt(value))
    return host::Scalar::ofInt(*large);
  return host::Scalar::ofInt(requireInt(e, value, range, "a number"));
}

host::Number numberOf(Elaborator &e, const Value &value, SourceRange range) {
  Type type = requireType(e, value, range, "the element type");
  if (type.isVector())
    e.fail(diag::not_a_type, range, {"`" + type.text() + "`, but only an element type is allowed here"});
  return type.number;
}

Value random(Elaborator &e, BoundCall &call) {
  onHost(e, call);
  auto number = numberOf(e, call[1], call.ranges[1]);
  uint64_t seed = call.given[2] ? uint64_t(requireInt(e, call[2], call.ranges[2], "the seed")) : 0;
  return fromArray(e,
                   host::random(shapeOf(e, call[0], call.ranges[0]), number, seed, scalarOf(e, call[3], call.ranges[3]),
                                scalarOf(e, call[4], call.ranges[4])),
                   call.range);
}

Value zeros(Elaborator &e, BoundCall &call) {
  onHost(e, call);
  return fromArray(e, host::zeros(shapeOf(e, call[0], call.ranges[0]), numberOf(e, call[1], call.ranges[1])),
                   call.range);
}

Value empty(Elaborator &e, BoundCall &call) {
  onHost(e, call);
  return fromArray(e, host::empty(shapeOf(e, call[0], call.ranges[0]), numberOf(e, call[1], call.ranges[1])),
                   call.range);
}

Value full(Elaborator &e, BoundCall &call) {
  onHost(e, call);
  std::optional<host::Number> number;
  if (call.given[2])
    number = numberOf(e, call[2], call.ranges[2]);
  auto shape = shapeOf(e, call[0], call.ranges[0]);
  if (call[1].is<ArrayValue>()) // full(shape, x.sum())
    return fromArray(e, host::broadcastTo(*call[1].as<ArrayValue>()->array, shape), call.range);
  auto scalar = scalarOf(e, call[1], call.ranges[1]);
  if (!scalar)
    e.fail(call.ranges[1], diag::not_a_number{.what = diag::argument("value", "full"), .found = describe(call[1])});
  return fromArray(e, host::full(shape, *scalar, number), call.range);
}

Value arange(Elaborator &e, BoundCall &call) {
  onHost(e, call);
  auto zero = host::Scalar::ofInt(0), one = host::Scalar::ofInt(1);
  auto number = [&](size_t i) {
    auto scalar = scalarOf(e, call[i], call.ranges[i]);
    if (!scalar)
      e.fail(call.ranges[i], diag::not_a_number{.what = diag::argument(i == 0   ? "start"
                                                                       : i == 1 ? "stop"
                                                                                : "step",
                                                                       "arange"),
                                                .found = describe(call[i])});
    return *scalar;
  };
  std::optional<host::Number> type;
  if (call.given[3])
    type = numberOf(e, call[3], call.ranges[3]);
  auto first = number(0);
  if (!call.given[1])
    return fromArray(e, host::arange(zero, first, one, type), call.range);
  return fromArray(e, host::arange(first, number(1), call.given[2] ? number(2) : one, type), call.range);
}

/// The extents of nested sequences; every one of a level has as many elements.
void collectElements(Elaborator &e, const Value &value, size_t depth, host::Shape &shape,
                     std::vector<host::Scalar> &elements, SourceRange range) {
  const Values *parts = value.sequence();
  if (!parts) {
    auto scalar =
        depth == shape.size() && (value.isNumber() || value.is<bool>()) ? scalarOf(e, value, range) : std::nullopt;
    if (!scalar)
      e.fail(range, diag::not_a_number{.what = "an element of `array`", .found = describe(value)});
    return elements.push_back(*scalar);
  }
  const auto size = int64_t(parts->size());
  if (depth == shape.size() && elements.empty())
    shape.push_back(size);
  if (depth == shape.size() || shape[depth] != size)
    e.fail(diag::bad_array, range, {"the lists of `array` have different lengths"});
  for (auto &part : *parts)
    collectElements(e, part, depth + 1, shape, elements, range);
}

Value array(Elaborator &e, BoundCall &call) {
  onHost(e, call);
  std::optional<host::Number> number;
  if (call.given[1])
    number = numberOf(e, call[1], call.ranges[1]);
  if (auto *given = call[0].as<ArrayValue>())
    return number ? fromArray(e, host::to(*given->array, *number), call.range) : call[0];
  host::Shape shape;
  std::vector<host::Scalar> elements;
  collectElements(e, call[0], 0, shape, elements, call.ranges[0]);
  return fromArray(e, host::arrayOf(shape, elements, number), call.range);
}

Value ulp(Elaborator &e, BoundCall &call) {
  auto number = numberOf(e, call[0], call.ranges[0]);
  if (!host::format(number).isFloat())
    e.fail(diag::wrong_argument_type, call.ranges[0], {"ulp", "a float type", "type", describe(call[0])});
  return Value(host::ulp(number));
}

const ArrayValue &arrayArgument(Elaborator &e, BoundCall &call) {
  onHost(e, call);
  auto *array = call[0].as<ArrayValue>();
  if (!array)
    e.fail(diag::wrong_argument_type, call.ranges[0], {call.builtin->name, "a host array", "array", describe(call[0])});
  return *array;
}

Value raw(Elaborator &e, BoundCall &call) {
  auto array = arrayArgument(e, call);
  if (array.array->shape.size() != 1)
    e.fail(diag::wrong_value, call.ranges[0], {"raw memory", "an array of one axis", describe(call[0])});
  array.raw = true; // the same array: a kernel writes it
  return Value(array);
}

host::Profile profileOf(const layout::IntTuple &tuple) {
  host::Profile out;
  for (auto &mode : tuple.modes())
    out.parts.push_back(profileOf(mode));
  return out;
}

/// The axes of an array whose elements a layout places.
host::HostAxes axesOf(Elaborator &e, const LayoutObject &object, const host::HostArray &array, SourceRange range) {
  auto *plain = object.as<layout::Layout>();
  if (!plain || !plain->isStatic() || plain->stride().hasBasis())
    e.fail(range, diag::layout_expected{.what = diag::argument("strides", "stored"),
                                        .also = " of numbers",
                                        .found = object.description()});
  auto values = [](const layout::IntTuple &tuple) {
    host::Shape out;
    tuple.forEachLeaf([&](const layout::Leaf &leaf) { out.push_back(leaf.value); });
    return out;
  };
  host::Profiles modes = profileOf(plain->shape()).parts;
  auto axes = host::hostAxes(modes, values(plain->shape()), values(plain->stride()));
  if (!axes.error.empty())
    e.fail(diag::bad_array, range, {"the layout has " + axes.error});
  if (axes.modes != array.shape)
    e.fail(range, diag::array_shape{.what = diag::argument("array", "stored"),
                                    .wanted = host::toText(axes.modes),
                                    .found = host::toText(array.shape)});
  return axes;
}

Value stored(Elaborator &e, BoundCall &call) {
  auto &array = *arrayArgument(e, call).array;
  if (!array.type)
    e.fail(diag::wrong_value, call.ranges[0],
           {"an array in memory", "of a number type, which `.to(T)` gives it", describe(call[0])});
  host::HostAxes axes{array.shape, array.shape, {}, {}};
  if (auto *object = call[1].as<LayoutValue>(); object && call.given[1])
    axes = axesOf(e, *object->object, array, call.ranges[1]);
  else
    axes.strides = call.given[1] ? shapeOf(e, call[1], call.ranges[1]) : host::rowMajorStrides(array.shape);
  auto bytes = host::toBytes(axes.extents == array.shape ? array : host::reshape(array, axes.extents).value,
                             *array.type, axes.strides);
  if (!bytes.ok())
    e.fail(diag::bad_array, call.range, {bytes.error});
  auto span = host::elementSpan(axes.extents, axes.strides);
  return fromArray(e, host::fromBytes(bytes.value, *array.type, {span.value}, {1}), call.range);
}

/// The tolerance given as parameter `index` of `expect_close`, else 0.
double tolerance(Elaborator &e, BoundCall &call, unsigned index, llvm::StringRef name) {
  if (!call.given[index])
    return 0;
  if (!call[index].isNumber())
    e.fail(call.ranges[index],
           diag::not_a_number{.what = ("the tolerance `" + name + "`").str(), .found = describe(call[index])});
  double value = toDouble(e, call[index], call.ranges[index]);
  if (!(value >= 0))
    e.fail(call.ranges[index],
           diag::negative_value{.what = ("the tolerance `" + name + "`").str(), .found = host::toText(value)});
  return value;
}

Value expect(Elaborator &e, BoundCall &call) {
  onHost(e, call);
  KernelRunner &runner = e.role->runner(e, call.builtin->name, call.range);
  bool isClose = llvm::StringRef(call.builtin->name) == "expect_close";
  auto got = arrayOperand(e, call[0], call.ranges[0]), expected = arrayOperand(e, call[1], call.ranges[1]);
  host::Comparison comparison;
  if (isClose) {
    double rtol = tolerance(e, call, 2, "rtol"), atol = tolerance(e, call, 3, "atol"),
           ulps = tolerance(e, call, 4, "ulp");
    comparison = host::compareClose(got, expected, rtol, atol, {}, ulps);
  } else
    comparison = host::compareEqual(got, expected);
  runner.expectation(comparison, call.range);
  return Value();
}

/// -1 or a number of keys, of each side.
std::pair<int64_t, int64_t> windowOf(Elaborator &e, const Value &value, SourceRange range) {
  const Values *sides = value.sequence();
  if (!sides || sides->size() != 2)
    e.fail(diag::bad_array, range, {"`window` must be two numbers, of keys before and after a query"});
  int64_t window[2];
  for (size_t side = 0; side < 2; ++side) {
    window[side] = requireInt(e, (*sides)[side], range, "a side of `window`");
    if (window[side] < -1)
      e.fail(range,
             diag::out_of_range{
                 .what = "a side of `window`", .low = -1, .high = INT32_MAX, .found = std::to_string(window[side])});
  }
  return {window[0], window[1]};
}

Value attentionReference(Elaborator &e, BoundCall &call) {
  onHost(e, call);
  std::vector<host::HostArray> arrays;
  arrays.reserve(7);
  auto array = [&](size_t i) { return &arrays.emplace_back(arrayOperand(e, call[i], call.ranges[i])); };
  auto number = [&](size_t i, const char *what) {
    auto scalar = scalarOf(e, call[i], call.ranges[i]);
    if (!scalar)
      e.fail(call.ranges[i],
             diag::not_a_number{.what = diag::argument(what, "attention_reference"), .found = describe(call[i])});
    return scalar->toDouble();
  };
  auto isGiven = [&](size_t i) { return call.given[i] && !call[i].isNone(); };
  const host::HostArray *q = array(0), *k = array(1), *v = array(2);
  host::Attention how;
  if (isGiven(3))
    how.scale = number(3, "scale");
  how.causal = isGiven(4) && truth(e, call[4], call.ranges[4]);
  if (isGiven(5))
    std::tie(how.left, how.right) = windowOf(e, call[5], call.ranges[5]);
  if (isGiven(6))
    how.softcap = number(6, "softcap");
  const host::HostArray **const optional[] = {&how.sink, &how.alibi, &how.bias, &how.mask};
  for (size_t i = 0; i < std::size(optional); ++i)
    if (isGiven(7 + i))
      *optional[i] = array(7 + i);
  auto result = host::attend(*q, *k, *v, how, e.role->work("attention_reference"));
  if (!result.ok())
    e.fail(diag::bad_array, call.range, {"`attention_reference`: " + result.error});
  return makeTuple({fromArray(e, {std::move(result.value.output), ""}, call.range),
                    fromArray(e, {std::move(result.value.lse), ""}, call.range)});
}

const Builtin checkRows[] = {
    {"random", "shape, type, seed=, lo=, hi=",
     "a host array of random numbers; the same seed gives the same numbers on every machine", random},
    {"zeros", "shape, type", "a host array of zeros", zeros},
    {"empty", "shape, type", "a host array for results; elements that the kernel does not write fail the check", empty},
    {"full", "shape, value, type=", "a host array whose elements are all `value`", full},
    {"arange", "start, stop=, step=, type=", "a host array of evenly spaced numbers", arange},
    {"array", "elements, type=", "a host array of the numbers in a sequence, or in sequences of sequences", array},
    {"raw", "array", "an array with one axis, passed as the memory of a tensor whatever the layout of the parameter is",
     raw},
    {"stored", "array, strides=",
     "the memory of an array, with its elements placed by strides or by a layout, row-major by default; gaps are "
     "unwritten",
     stored},
    {"attention_reference", "q, k, v, *, scale=, causal=, window=, softcap=, sink=, alibi=, bias=, mask=",
     "what attention computes, in double, as a tuple: the output and the natural logarithm of each row's sum (LSE)",
     attentionReference},
    {"ulp", "type", "the spacing of a float type at 1", ulp},
    {"expect_close", "got, expected, rtol=, atol=, ulp=",
     "fails the check unless, for every element, |got - expected| <= atol + rtol * |expected|, or the two differ by "
     "at most `ulp` units in the last place of the type of `got`",
     expect},
    {"expect_equal", "got, expected", "fails the check unless all elements are equal", expect},
};
} // namespace

llvm::ArrayRef<Builtin> checkBuiltins() { return checkRows; }

} // namespace fly::sema
