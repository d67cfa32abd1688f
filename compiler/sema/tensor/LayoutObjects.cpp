// Layouts in expressions: literals, calls, subscripts, attributes, methods, arithmetic of steps.
#include "compiler/sema/tensor/Views.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/tensor/LayoutCalls.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/text/Words.h"

namespace fly::sema {

using layout::AnyFunction;
using layout::AnyLayout;
using layout::ComposedLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::Swizzle;
using layout::Tile;

Value layoutLiteral(Elaborator &e, const ast::SubscriptExpr &expr) {
  if (expr.items.size() != 1 || !expr.items[0].keyword.empty())
    e.report(diag::wrong_argument_count, expr.brackets, {"layout", "`shape:stride`", std::to_string(expr.items.size())})
        .help("write tuples in parentheses: `layout[(4, 8):(1, 4)]`"),
        throw Failed{};
  const ast::Expr *item = expr.items[0].value;
  MachineArithmetic arithmetic(e, expr.range);
  auto *slice = llvm::dyn_cast<ast::SliceExpr>(item);
  if (!slice) { // a shape alone
    auto made = layout::columnMajor(toTuple(e, e.eval(*item), item->range, "a shape"), arithmetic);
    if (!made)
      e.fail(diag::bad_layout, item->range, {made.text()});
    return makeLayoutValue(AnyLayout(*made));
  }
  if (slice->step || !slice->start || !slice->stop)
    e.fail(item->range, diag::layout_form{.found = e.diags.sources.text(item->range).str()});
  IntTuple shape = toTuple(e, e.eval(*slice->start), slice->start->range, "a shape");
  IntTuple stride = toTuple(e, e.eval(*slice->stop), slice->stop->range, "a stride");
  auto made = layout::makeLayout(std::move(shape), std::move(stride));
  if (!made)
    e.fail(diag::bad_layout, item->range, {made.text()});
  return makeLayoutValue(AnyLayout(*made));
}

Value layoutOfText(Elaborator &e, const Arguments &arguments, SourceRange range) {
  if (arguments.size() != 1 || !arguments[0].keyword.empty())
    e.report(diag::wrong_argument_count, range, {"layout", "1 argument", std::to_string(arguments.size())})
        .help("write `layout(\"((8),4):((1),8)\")` for text, `layout[(8, 4):(1, 8)]` for a literal, or "
              "`make_layout(shape, stride)` for values"),
        throw Failed{};
  auto *text = arguments[0].value.as<std::string>();
  if (!text)
    e.report(arguments[0].range,
             diag::not_a_string{.what = diag::argument("text", "layout"), .found = describe(arguments[0].value)})
        .help("`make_layout(shape, stride)` makes a layout of values"),
        throw Failed{};
  auto function = layout::parseFunction(*text);
  if (!function)
    e.fail(arguments[0].range, diag::bad_layout_text{.what = "layout", .problem = function.text()});
  return makeLayoutValue(*function);
}

/// The arguments of a call as one coordinate, and their place; none has a keyword, and there is one at least.
static std::pair<Value, SourceRange> together(Elaborator &e, const Arguments &arguments, const std::string &callee,
                                              const std::string &text, const char *wanted, SourceRange range) {
  for (auto &argument : arguments)
    if (!argument.keyword.empty())
      failUnknown(e, diag::unknown_keyword, argument.range, callee, argument.keyword, {});
  if (arguments.empty())
    e.fail(diag::wrong_argument_count, range, {text, wanted, "0"});
  Values parts;
  for (auto &argument : arguments)
    parts.push_back(argument.value);
  SourceRange place = arguments[0].range;
  place.end = arguments.back().range.end;
  return {parts.size() == 1 ? parts[0] : makeTuple(parts), place};
}

Value callLayout(Elaborator &e, const LayoutValue &callee, const Arguments &arguments, SourceRange range) {
  auto function = callee.object->function();
  if (!function)
    e.fail(diag::not_callable, range, {callee.object->description()});
  auto [whole, place] =
      together(e, arguments, callee.object->description(), callee.object->text(), "a coordinate", range);

  MachineArithmetic arithmetic(e, range);
  IntTuple coordinate = readCoordinate(e, whole, *function, place);
  auto any = callee.object->layout();
  if (any && coordinate.hasKeep()) { // L(_, 2): the part that is left open
    auto part = taken(e, layout::sliceAndOffset(coordinate, *any, arithmetic), callee.object->text() + "(...)", place);
    return makeLayoutValue(part.layout);
  }
  return fromTuple(
      taken(e, layout::evaluate(coordinate, *function, arithmetic), callee.object->text() + "(...)", place));
}

Value layoutMode(Elaborator &e, const LayoutValue &base, const Values &items, SourceRange range,
                 const std::vector<SourceRange> &itemRanges) {
  auto any = base.object->layout();
  auto *tile = base.object->as<Tile>();
  if (!any && !tile)
    e.fail(diag::bad_index, range, {base.object->description(), describe(items[0])});
  Tile entry = tile ? *tile : Tile();
  for (size_t i = 0; i < items.size(); ++i) {
    SourceRange place = i < itemRanges.size() ? itemRanges[i] : range;
    if (items[i].is<SliceValue>() || items[i].sequence() || items[i].isNone())
      e.report(diag::bad_index, place, {base.object->description(), describe(items[i])})
          .help("`L[i]` is mode i; use `L(_, 2)` for a part of a layout, `select(L, [0, 2])` or `take(L, 0, 2)` for "
                "several modes"),
          throw Failed{};
    int64_t mode = requireInt(e, items[i], place, "the number of a mode");
    int64_t rank = int64_t(any ? layout::domainOf(*any).rank() : entry.rank());
    if (mode < -rank || mode >= rank)
      e.fail(diag::index_out_of_range, place,
             {std::to_string(mode), (any ? "the layout `" + layout::textOf(*any) : "the tile `" + entry.text()) +
                                        "`, which has " + counted(rank, "mode")});
    mode += mode < 0 ? rank : 0;
    if (tile)
      entry = Tile(entry.mode(size_t(mode)));
    else
      any = taken(
          e,
          layout::changeDomain(*any, [&](const Layout &l) -> layout::Result<Layout> { return l.mode(size_t(mode)); }),
          base.object->text() + "[...]", place);
  }
  if (any)
    return makeLayoutValue(*any);
  if (entry.kind() == Tile::Kind::Keep)
    return keepValue();
  if (entry.kind() == Tile::Kind::Extent)
    return fromTuple(entry.layout().shape());
  return entry.isTuple() ? makeLayoutValue(LayoutObject::Kind(entry)) : makeLayoutValue(AnyLayout(entry.layout()));
}

std::optional<Values> layoutModes(const LayoutValue &value) {
  auto any = value.object->layout();
  if (!any)
    return std::nullopt;
  Values modes;
  for (size_t i = 0; i < layout::domainOf(*any).rank(); ++i)
    if (auto mode = layout::changeDomain(*any, [&](const Layout &l) -> layout::Result<Layout> { return l.mode(i); }))
      modes.push_back(makeLayoutValue(*mode));
  return modes;
}

namespace {

using Read = Value (*)(Elaborator &, const LayoutObject &, SourceRange);
struct Attribute {
  const char *name;
  Read read;
};

Layout domain(const LayoutObject &object) { return layout::domainOf(*object.layout()); }

const Attribute layoutAttributes[] = {
    {"shape", [](Elaborator &, const LayoutObject &o, SourceRange) { return fromTuple(domain(o).shape()); }},
    {"rank", [](Elaborator &, const LayoutObject &o, SourceRange) { return Value(int64_t(domain(o).rank())); }},
    {"depth", [](Elaborator &, const LayoutObject &o, SourceRange) { return Value(int64_t(domain(o).depth())); }},
    {"size",
     [](Elaborator &e, const LayoutObject &o, SourceRange range) {
       MachineArithmetic arithmetic(e, range);
       return fromTuple(taken(e, layout::size(domain(o), arithmetic), "size", range));
     }},
    {"cosize",
     [](Elaborator &e, const LayoutObject &o, SourceRange range) {
       MachineArithmetic arithmetic(e, range);
       return fromTuple(taken(e, layout::cosize(*o.layout(), arithmetic), "cosize", range));
     }},
    {"is_static", [](Elaborator &, const LayoutObject &o, SourceRange) { return Value(domain(o).isStatic()); }},
};
const Attribute plainAttributes[] = {
    {"stride", [](Elaborator &, const LayoutObject &o, SourceRange) { return fromTuple(domain(o).stride()); }},
};
const Attribute composedAttributes[] = {
    {"inner",
     [](Elaborator &, const LayoutObject &o, SourceRange) { return makeLayoutValue(o.as<ComposedLayout>()->inner()); }},
    {"offset",
     [](Elaborator &, const LayoutObject &o, SourceRange) { return fromTuple(o.as<ComposedLayout>()->offset()); }},
    {"outer",
     [](Elaborator &, const LayoutObject &o, SourceRange) { return makeLayoutValue(o.as<ComposedLayout>()->outer()); }},
};
const Attribute swizzleAttributes[] = {
    {"bits", [](Elaborator &, const LayoutObject &o, SourceRange) { return Value(int64_t(o.as<Swizzle>()->bits)); }},
    {"base", [](Elaborator &, const LayoutObject &o, SourceRange) { return Value(int64_t(o.as<Swizzle>()->base)); }},
    {"shift", [](Elaborator &, const LayoutObject &o, SourceRange) { return Value(int64_t(o.as<Swizzle>()->shift)); }},
};
const Attribute tileAttributes[] = {
    {"rank", [](Elaborator &, const LayoutObject &o, SourceRange) { return Value(int64_t(o.as<Tile>()->rank())); }},
};
const Attribute stepAttributes[] = {
    {"value",
     [](Elaborator &, const LayoutObject &o, SourceRange) {
       Leaf leaf = *o.as<Leaf>();
       leaf.path.clear();
       return fromTuple(leaf);
     }},
    {"mode",
     [](Elaborator &, const LayoutObject &o, SourceRange) {
       Values path;
       for (uint32_t mode : o.as<Leaf>()->path)
         path.push_back(Value(int64_t(mode)));
       return makeTuple(std::move(path));
     }},
};
const char *const layoutMethods[] = {"get_hier_coord", "get_flat_coord", "get_1d_coord", "with_shape", "compose"};

std::vector<llvm::ArrayRef<Attribute>> attributesOf(const LayoutObject &object) {
  if (object.as<Layout>())
    return {layoutAttributes, plainAttributes};
  if (object.as<ComposedLayout>())
    return {layoutAttributes, composedAttributes};
  if (object.as<Swizzle>())
    return {swizzleAttributes};
  if (object.as<Tile>())
    return {tileAttributes};
  return {stepAttributes};
}

} // namespace

Value layoutAttribute(Elaborator &e, const LayoutValue &base, llvm::StringRef name, SourceRange range,
                      SourceRange nameRange) {
  std::vector<std::string> known;
  for (auto table : attributesOf(*base.object))
    for (auto &attribute : table) {
      if (name == attribute.name)
        return attribute.read(e, *base.object, range);
      known.push_back(attribute.name);
    }
  if (base.object->layout()) {
    if (llvm::is_contained(layoutMethods, name))
      return Value(MethodValue{std::make_shared<const Value>(base), name.str()});
    known.insert(known.end(), std::begin(layoutMethods), std::end(layoutMethods));
  }
  if (base.object->as<ComposedLayout>() && name == "stride")
    e.report(diag::unknown_attribute, nameRange, {base.object->description(), "stride", ""})
        .help("the strides are those of the layout inside: `.outer.stride`"),
        throw Failed{};
  failUnknown(e, diag::unknown_attribute, nameRange, base.object->description(), name, known);
}

Value layoutMethod(Elaborator &e, const LayoutValue &self, llvm::StringRef name, const Arguments &arguments,
                   SourceRange range) {
  auto [given, place] = together(e, arguments, name.str(), name.str(), "1 argument", range);
  MachineArithmetic arithmetic(e, range);
  AnyLayout any = *self.object->layout();
  Layout plain = layout::domainOf(any);
  if (name == "compose" || name == "with_shape") {
    if (name == "with_shape") {
      Layout shaped = taken(e, layout::columnMajor(toTuple(e, given, place, "a shape"), arithmetic), name.str(), place);
      return makeLayoutValue(
          taken(e, layout::composition(layout::functionOf(any), AnyLayout(shaped), arithmetic), name.str(), place));
    }
    Tile tile = readTile(e, given, place);
    return makeLayoutValue(
        taken(e, layout::changeDomain(any, [&](const Layout &l) { return layout::composition(l, tile, arithmetic); }),
              name.str(), place));
  }
  IntTuple coordinate = readCoordinate(e, given, plain, place);
  Leaf index = taken(e, flatIndex(coordinate, plain.shape(), arithmetic), name.str(), place);
  if (name == "get_1d_coord")
    return fromTuple(index);
  IntTuple shape = plain.shape();
  if (name == "get_flat_coord")
    shape = taken(e, layout::productEach(shape, arithmetic), name.str(), place);
  return fromTuple(taken(e, layout::idx2crd(index, shape, arithmetic), name.str(), place));
}

Value layoutBinary(Elaborator &e, ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range) {
  auto leafOf = [&](const Value &value) -> std::optional<Leaf> {
    if (auto *object = value.as<LayoutValue>()) {
      auto *leaf = object->object->as<Leaf>();
      return leaf && !leaf->isKeep() ? std::optional<Leaf>(*leaf) : std::nullopt;
    }
    auto number = value.is<Int>() ? toInt64(value) : std::nullopt;
    return number ? std::optional<Leaf>(Leaf::known(*number)) : std::nullopt;
  };
  auto a = leafOf(lhs), b = leafOf(rhs);
  const char *name = ast::spelling(op);
  bool isSum = op == ast::BinaryOp::Add, isProduct = op == ast::BinaryOp::Mul;
  if ((!a && !(isSum && lhs.sequence())) || (!b && !(isSum && rhs.sequence())) || (!isSum && !isProduct))
    e.fail(diag::bad_operand, range, {name, describe(lhs.is<LayoutValue>() ? lhs : rhs)});
  MachineArithmetic arithmetic(e, range);
  if (isProduct)
    return fromTuple(taken(e, arithmetic.multiply(*a, *b), name, range));
  auto tupleOf = [&](const Value &value, const std::optional<Leaf> &leaf) {
    return leaf ? IntTuple(*leaf) : toTuple(e, value, range, "a coordinate");
  };
  if (a && b && a->path == b->path)
    return fromTuple(taken(e, arithmetic.add(*a, *b), name, range));
  return fromTuple(taken(e, layout::addCoordinates(tupleOf(lhs, a), tupleOf(rhs, b), arithmetic), name, range));
}

} // namespace fly::sema
