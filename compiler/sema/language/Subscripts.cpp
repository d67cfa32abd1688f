// `base[items]`: elements and slices of sequences, parts of tensors and arrays, and the subscripts that make
// types (`In[f32, (n,)]`, `vec[f16, 8]`) or instances (`vec_add[T=f16]`).
#include "compiler/sema/check/HostSubscripts.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/tensor/Tensors.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/elaborator/Carriers.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/sema/tensor/Coordinates.h"
#include "compiler/sema/elaborator/Dicts.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/elaborator/Kinds.h"
#include "compiler/sema/elaborator/LlvmOptions.h"
#include "compiler/sema/tensor/LayoutValues.h"
#include "compiler/sema/value/Object.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/number/Vectors.h"

#include "llvm/ADT/ScopeExit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::sema {

Value Evaluator::index(const Value &base, const Values &items, SourceRange range,
                       const std::vector<SourceRange> &itemRanges) {
  auto itemRange = [&](size_t i) { return i < itemRanges.size() ? itemRanges[i] : range; };
  if (auto *tensor = base.as<TensorValue>()) {
    checkCoordinates(*this, *tensor, items, itemRange);
    return tensorSlice(*this, *tensor, items, range);
  }
  if (auto *pointer = base.as<PointerValue>()) {
    checkOffset(*this, *pointer, items, itemRange(0));
    PointerValue place = elementOf(*this, *pointer, items, range);
    return loadFrom(*this, place.value, *place.element, {}, range);
  }
  if (auto *array = base.as<ArrayValue>())
    return indexArray(*this, *array, items, range);
  if (base.is<BuiltinValue>() || base.is<FunctionValue>()) // `shared[f32, 64]`
    report(diag::bad_index, range, {describe(base), "`[...]`"}).help("`(...)` calls it"), throw Failed{};
  if (auto *object = base.as<LayoutValue>())
    return layoutMode(*this, *object, items, range, itemRanges);
  if (auto *object = base.as<ObjectValue>())
    return object->object->index(*this, items, range);
  if (auto *memory = base.as<HostTensorValue>())
    if (auto view = role->slice(*memory->tensor, items, range))
      return *view;
  if (items.size() != 1)
    fail(diag::bad_index, range, {describe(base), std::to_string(items.size()) + " indices"});
  const Value &item = items[0];
  if (auto *elements = base.sequence()) {
    int64_t size = int64_t(elements->size());
    if (auto *at = item.as<MachineValue>(); at && at->type.isInteger()) {
      auto builder = report(diag::not_compile_time, itemRange(0), {"an index into " + describe(base), at->type.text()});
      labelCarrier(*this, builder, *at);
      builder.help("a " + std::string(base.is<TupleValue>() ? "tuple" : "list") +
                   " lives in registers, which have no addresses: index it in `for i in unroll(...)`");
      builder.help("numbers that a machine value picks from go into a `vec[T, N]`, or into `shared(T, shape)`");
      throw Failed{};
    }
    if (auto *slice = item.as<SliceValue>()) {
      Values out;
      for (int64_t i : slicePositions(*this, *slice, size, itemRange(0)))
        out.push_back((*elements)[size_t(i)]);
      return base.is<TupleValue>() ? makeTuple(std::move(out)) : makeList(std::move(out));
    }
    return (*elements)[size_t(elementPosition(*this, item, size, describe(base), itemRange(0)))];
  }
  if (auto *text = base.as<std::string>()) {
    int64_t size = int64_t(text->size());
    if (auto *slice = item.as<SliceValue>()) {
      std::string out;
      for (int64_t i : slicePositions(*this, *slice, size, itemRange(0)))
        out += (*text)[size_t(i)];
      return Value(out);
    }
    return Value(std::string(1, (*text)[size_t(elementPosition(*this, item, size, describe(base), itemRange(0)))]));
  }
  if (auto *dict = base.as<DictValue>()) {
    if (auto at = findKey(*dict, item))
      return (*dict->values)[*at];
    if (auto *m = item.as<MachineValue>())
      fail(diag::not_compile_time, itemRange(0), {"a key", m->type.text()});
    fail(diag::index_out_of_range, itemRange(0), {toText(item, true), describe(base)});
  }
  if (auto *m = base.as<MachineValue>(); m && m->type.isVector())
    return vectorIndex(*this, *m, item, range, itemRange(0));
  if (auto run = KnownRange::of(base)) {
    int64_t size = run->size();
    if (auto *slice = item.as<SliceValue>()) {
      Values out;
      for (int64_t i : slicePositions(*this, *slice, size, itemRange(0))) {
        step(range);
        out.push_back(Value((*run)[i]));
      }
      return makeList(std::move(out));
    }
    return Value((*run)[elementPosition(*this, item, size, toText(base), itemRange(0))]);
  }
  auto builder = report(diag::bad_index, range, {describe(base), describe(item)});
  if (base.is<HostTensorValue>())
    builder.note("only the shape and the strides of a tensor are known at launch, not its elements");
  throw Failed{};
}

/// `In[f32, (m, k):(lda, 1), align=4]`.
static Value tensorType(Elaborator &e, Generic generic, const ast::SubscriptExpr &expr) {
  std::string name = generic == Generic::In ? "In" : generic == Generic::Out ? "Out" : "InOut";
  TensorTypeValue type;
  type.access = generic == Generic::In ? Access::Read : generic == Generic::Out ? Access::Write : Access::ReadWrite;
  std::vector<const ast::Argument *> positional;
  for (auto &item : expr.items) {
    if (item.keyword.empty()) {
      positional.push_back(&item);
      continue;
    }
    if (item.keyword != "align")
      failUnknown(e, diag::unknown_keyword, item.range, name, item.keyword, {"align"});
    int64_t align = requireInt(e, e.eval(*item.value), item.value->range, "the alignment");
    if (align < 1 || align > 4096 || (align & (align - 1)))
      e.fail(item.value->range, diag::not_a_power_of_two{.what = "the alignment", .limit = 4096, .found = align});
    type.alignment = uint32_t(align);
  }
  if (positional.size() != 2)
    e.fail(diag::wrong_argument_count, expr.brackets,
           {name, "an element type and a shape", std::to_string(positional.size())});
  Type element = requireType(e, e.eval(*positional[0]->value), positional[0]->value->range, "the element type");
  if (element.isVector())
    e.fail(diag::not_a_type, positional[0]->value->range,
           {"`" + element.text() + "`, but only an element type is allowed here"});
  type.element = element.number;
  const ast::Expr *layout = positional[1]->value;
  Value shape, stride;
  if (auto *slice = llvm::dyn_cast<ast::SliceExpr>(layout)) { // shape:stride
    if (slice->step || !slice->start || !slice->stop)
      e.fail(layout->range, diag::layout_form{.found = e.diags.sources.text(layout->range).str()});
    shape = e.eval(*slice->start);
    stride = e.eval(*slice->stop);
    type.stride = std::make_shared<const Value>(stride);
  } else
    shape = e.eval(*layout);
  type.shape = std::make_shared<const Value>(shape);
  return Value(type);
}

static Value instance(Elaborator &e, const KernelValue &kernel, const ast::SubscriptExpr &expr) {
  auto constants = *kernel.constants;
  for (auto &item : expr.items) {
    if (item.keyword.empty()) {
      // The parameter at this place, of those that a subscript gives.
      auto &parameters = kernel.kernel->def->parameters;
      size_t place = size_t(&item - expr.items.data());
      auto meant = llvm::find_if(parameters, [&](auto &each) { return each.keywordOnly && place-- == 0; });
      const std::string written =
          meant == parameters.end() ? "T=f16" : meant->name + "=" + e.diags.sources.text(item.range).str();
      auto report =
          e.report(diag::wrong_argument_count, item.range,
                   {kernel.kernel->name + "[...]",
                    "keywords only, as in `" + kernel.kernel->name + "[" + written + "]`", "a positional one"});
      if (meant != parameters.end())
        report.help("name the parameter: `" + written + "`", Fix::possible(item.range, written));
      throw Failed{};
    }
    if (item.keyword == llvmConstant && !kernel.kernel->isLaunch && takesLlvmOptions(*kernel.kernel)) {
      Value options = e.eval(*item.value);
      LlvmOptions checked;
      readLlvmOptions(e, options, item.value->range, item.value, checked);
      constants[item.keyword] = options;
      continue;
    }
    std::vector<std::string> names;
    for (auto &p : kernel.kernel->def->parameters)
      if (p.keywordOnly)
        names.push_back(p.name);
    if (!llvm::is_contained(names, item.keyword))
      failUnknown(e, diag::unknown_keyword, item.range, kernel.kernel->name, item.keyword, names);
    Value value = e.eval(*item.value);
    if (!value.isCompileTime())
      e.fail(diag::not_compile_time, item.value->range, {"a Constexpr argument", describe(value)});
    auto &parameters = kernel.kernel->def->parameters;
    auto parameter = llvm::find_if(parameters, [&](auto &p) { return p.name == item.keyword; });
    if (llvm::isa_and_present<ast::SubscriptExpr>(parameter->annotation)) {
      auto outer = e.frame;
      e.frame = std::make_shared<Frame>();
      e.frame->module = kernel.kernel->module;
      llvm::scope_exit restore([&] { e.frame = outer; });
      value = checkConstant(e, kernel.kernel->name, *parameter, std::move(value), item.value->range);
    }
    constants[item.keyword] = value;
  }
  return Value(KernelValue{kernel.kernel, std::make_shared<const std::map<std::string, Value>>(std::move(constants)),
                           kernel.byShape});
}

std::pair<Values, std::vector<SourceRange>> Evaluator::subscriptItems(const ast::SubscriptExpr &expr) {
  Values items;
  std::vector<SourceRange> ranges;
  auto add = [&](Value item, SourceRange range) {
    items.push_back(std::move(item));
    ranges.push_back(range);
  };
  for (auto &item : expr.items)
    if (auto *star = llvm::dyn_cast<ast::StarredExpr>(item.value)) { // `t[*row, i]`
      for (auto &value : iterate(eval(*star->value), star->range, "`*`"))
        add(value, star->range);
    } else
      add(eval(*item.value), item.value->range);
  return {std::move(items), std::move(ranges)};
}

Value Evaluator::subscript(const Value &base, const ast::SubscriptExpr &expr) {
  if (base.is<ErrorValue>())
    throw Failed{};
  if (auto *kernel = base.as<KernelValue>())
    return instance(*this, *kernel, expr);
  if (auto *generic = base.as<GenericValue>()) {
    if (generic->generic == Generic::In || generic->generic == Generic::Out || generic->generic == Generic::InOut)
      return tensorType(*this, generic->generic, expr);
    if (generic->generic == Generic::Pointer)
      return pointerType(*this, expr);
    if (generic->generic == Generic::Layout)
      return layoutLiteral(*this, expr);
    for (auto &item : expr.items)
      if (!item.keyword.empty())
        failUnknown(*this, diag::unknown_keyword, item.range, diags.sources.text(expr.base->range).str(), item.keyword,
                    {});
    if (generic->generic == Generic::Constexpr) {
      if (expr.items.size() != 1)
        fail(diag::wrong_argument_count, expr.brackets,
             {"Constexpr", "one kind of constant", std::to_string(expr.items.size())});
      Value kind = eval(*expr.items[0].value);
      if (!isKind(kind))
        fail(diag::wrong_value, expr.items[0].range,
             {"the kind of a constant", "int, float, bool, str, type, tuple, list, dict, a struct or a machine type",
              describe(kind)});
      return Value(GenericValue{Generic::Constexpr, std::make_shared<const Value>(kind)});
    }
    if (expr.items.size() != 2)
      fail(diag::wrong_argument_count, expr.brackets,
           {"vec", "an element type and a count", std::to_string(expr.items.size())});
    Type element = requireType(*this, eval(*expr.items[0].value), expr.items[0].range, "the element type");
    int64_t lanes = requireInt(*this, eval(*expr.items[1].value), expr.items[1].range, "the count");
    if (element.isVector() || lanes < 1 || lanes > 256)
      fail(diag::wrong_value, expr.range,
           {"the subscript of `vec`", "a scalar type and a count from 1 to 256",
            "`" + diags.sources.text(expr.range).str() + "`"});
    if (lanes * element.format().bits % 8)
      fail(expr.items[1].range, diag::not_a_multiple{.what = "the count of a vector of " + element.text(),
                                                     .unit = 8 / std::gcd(8u, element.format().bits),
                                                     .found = lanes});
    return Value(Type::vector(element.number, uint32_t(lanes)));
  }
  for (auto &item : expr.items)
    if (!item.keyword.empty())
      failUnknown(*this, diag::unknown_keyword, item.range, describe(base), item.keyword, {});
  auto [items, ranges] = subscriptItems(expr);
  if (auto *record = base.as<StructValue>(); record && record->definition->methods.count("__getitem__")) {
    Arguments arguments;
    for (size_t i = 0; i < items.size(); ++i)
      arguments.push_back({"", items[i], ranges[i]});
    return callStructMethod(*record, "__getitem__", std::move(arguments), expr.range);
  }
  // A tuple as the only index is a coordinate: `t[(i, j)]` is `t[i, j]` on arrays and tensors.
  return index(base, items, expr.range, ranges);
}

} // namespace fly::sema
