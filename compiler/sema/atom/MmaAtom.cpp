// See MmaAtom.h. `MFMA` and `WMMA` look for a row by shape and types; what they do not find is an error that lists what
// the target has.
#include "compiler/sema/atom/MmaAtom.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/atom/Families.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/prelude/Words.h"
#include "compiler/sema/tensor/LayoutCalls.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::Layout;

static std::string nameOf(host::Number number) { return host::format(number).name; }

static std::string shapeText(const atom::MmaRow &row) {
  return std::to_string(row.m) + ", " + std::to_string(row.n) + ", " + std::to_string(row.k);
}

/// What `acc=` is without being given.
static llvm::StringRef usualSum(llvm::StringRef a) {
  return a == "f64" ? "f64" : a.starts_with("i") || a.starts_with("u") ? "i32" : "f32";
}

/// As the author writes it: `MFMA(16, 16, 16, f16)`.
static std::string callText(const atom::MmaRow &row, const std::string &a, const std::string &b) {
  if (row.call == atom::MmaCall::Fma)
    return "UniversalFMA(" + a + ")";
  std::string text = std::string(row.isMfma() ? "MFMA(" : "WMMA(") + shapeText(row) + ", " + a;
  if (b != a)
    text += ", " + b;
  if (usualSum(a) != row.c)
    text += std::string(", acc=") + row.c;
  if (row.d)
    text += std::string(", result=") + row.d;
  if (row.blocks > 1)
    text += ", blocks=" + std::to_string(row.blocks);
  if (row.isScaled())
    text += ", scale_block=" + std::to_string(row.scaleBlock);
  return text + ")";
}

std::string MmaAtom::text() const { return callText(row, nameOf(a), nameOf(b)); }

bool MmaAtom::equals(const Object &other) const {
  auto *atom = dynamic_cast<const MmaAtom *>(&other);
  return atom && &atom->row == &row && atom->a == a && atom->b == b;
}

Layout MmaAtom::layoutOf(MmaOperand operand) const {
  const atom::MmaLayouts all = layouts();
  return operand == MmaOperand::A ? all.a : operand == MmaOperand::B ? all.b : all.c;
}

host::Number MmaAtom::typeOf(MmaOperand operand) const {
  if (operand == MmaOperand::A)
    return a;
  if (operand == MmaOperand::B)
    return b;
  return row.call == atom::MmaCall::Fma ? a : *host::numberByName(row.c);
}
host::Number MmaAtom::typeOfD() const { return row.d ? *host::numberByName(row.d) : typeOf(MmaOperand::C); }

int64_t MmaAtom::valuesOf(MmaOperand operand) const {
  const atom::MmaLayouts all = layouts();
  return operand == MmaOperand::A ? all.valuesOfA() : operand == MmaOperand::B ? all.valuesOfB() : all.valuesOfC();
}

ir::MmaAtomAttr MmaAtom::attr(mlir::MLIRContext &context) const {
  return ir::MmaAtomAttr::get(&context, row.name, nameOf(a), nameOf(b));
}

Value MmaAtom::attribute(Elaborator &e, const Value &, llvm::StringRef name, SourceRange, SourceRange nameRange) const {
  if (name == "name")
    return Value(std::string(row.name));
  if (name == "shape_MNK")
    return makeTuple({Value(row.m), Value(row.n), Value(row.k)});
  if (name == "blocks")
    return Value(row.blocks);
  if (name == "scale_block")
    return Value(row.scaleBlock);
  if (name == "threads")
    return Value(row.threads());
  if (name == "thr_id")
    return makeLayoutValue(AnyLayout(Layout(row.threads(), 1)));
  if (name == "tv_layout_A" || name == "tv_layout_B" || name == "tv_layout_C")
    return makeLayoutValue(AnyLayout(layoutOf(MmaOperand(name.back() - 'A'))));
  if (name == "type_A" || name == "type_B" || name == "type_C")
    return Value(Type::scalar(typeOf(MmaOperand(name.back() - 'A'))));
  if (name == "type_D")
    return Value(Type::scalar(typeOfD()));
  if (name == "cycles") {
    const int64_t cycles = atom::cyclesOf(row, e.target.name, nameOf(a), nameOf(b));
    return cycles ? Value(cycles) : Value();
  }
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name,
              {"name", "shape_MNK", "blocks", "scale_block", "threads", "thr_id", "tv_layout_A", "tv_layout_B",
               "tv_layout_C", "type_A", "type_B", "type_C", "type_D", "cycles"});
}

namespace {

/// Whether a row is found by shape and types, and not by its name alone.
bool isOffered(const atom::MmaRow &row, const target::Target &target) {
  const atom::MmaTarget *on = row.on(target.name);
  return on && on->inManual;
}

/// Whether a row multiplies this type on the target, whose 8-bit floats are of one flavour.
bool takes(const target::Target &target, std::string_view known, llvm::StringRef type) {
  if (type.contains("FNUZ") != (target.fp8 == target::Fp8Flavour::Fnuz) && type.starts_with("f8"))
    return false;
  return llvm::is_contained(atom::typesOf(known), std::string_view(type));
}

struct Wanted {
  int64_t m, n, k;
  std::string a, b, c, d;
  int64_t blocks, scaleBlock;
};

bool matches(const atom::MmaRow &row, const Wanted &x, const target::Target &target, bool isMfma) {
  return row.isMfma() == isMfma && row.isWmma() == !isMfma && isOffered(row, target) && row.m == x.m && row.n == x.n &&
         row.k == x.k && row.blocks == x.blocks && row.scaleBlock == x.scaleBlock && takes(target, row.a, x.a) &&
         takes(target, row.b, x.b) && row.c == x.c && row.typeOfD() == x.d;
}

} // namespace

std::vector<std::string> mmaCalls(const target::Target &target) {
  std::vector<std::string> calls;
  for (const atom::MmaRow &row : atom::mmaRows()) {
    if (!isOffered(row, target) || (!row.isMfma() && !row.isWmma()))
      continue;
    for (std::string_view a : atom::typesOf(row.a))
      for (std::string_view b : atom::typesOf(row.b))
        if (takes(target, row.a, std::string(a)) && takes(target, row.b, std::string(b)))
          if (std::string call = callText(row, std::string(a), std::string(b)); !llvm::is_contained(calls, call))
            calls.push_back(std::move(call));
  }
  return calls;
}

namespace {

/// What the target has for these types, or if there is nothing, the types that it has.
std::string alternatives(const Wanted &x, const target::Target &target, bool isMfma) {
  std::vector<std::string> shapes, types;
  auto add = [](std::vector<std::string> &to, std::string text) {
    if (!llvm::is_contained(to, text))
      to.push_back(std::move(text));
  };
  for (const atom::MmaRow &row : atom::mmaRows()) {
    if (!isOffered(row, target) || row.isMfma() != isMfma)
      continue;
    if (takes(target, row.a, x.a) && takes(target, row.b, x.b))
      add(shapes, "`" + callText(row, x.a, x.b) + "`");
    for (std::string_view type : atom::typesOf(row.a))
      if (takes(target, row.a, std::string(type)))
        add(types, std::string(type));
  }
  if (!shapes.empty())
    return "for these types it has " + llvm::join(shapes, ", ");
  return types.empty() ? "" : "it multiplies " + llvm::join(types, ", ");
}

std::string elementName(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef what) {
  Type type = requireType(e, value, range, what);
  if (type.isVector())
    e.fail(diag::not_a_type, range, {"`" + type.text() + "`, but only an element type is allowed here"});
  return type.format().name;
}

Value find(Elaborator &e, BoundCall &call, bool isMfma) {
  const std::string arch(e.target.name), name = call.builtin->name;
  Wanted x;
  int64_t *const extents[] = {&x.m, &x.n, &x.k};
  for (size_t i = 0; i < 3; ++i)
    *extents[i] = requireInt(e, call[i], call.ranges[i], argumentName(call, i));
  x.a = elementName(e, call[3], call.ranges[3], "the type of A");
  x.b = call.given[4] ? elementName(e, call[4], call.ranges[4], "the type of B") : x.a;
  x.c = call.given[5] ? elementName(e, call[5], call.ranges[5], "the type of C") : usualSum(x.a).str();
  x.d = call.given[6] ? elementName(e, call[6], call.ranges[6], "the type of D") : x.c;
  x.blocks = isMfma && call.given[7] ? requireInt(e, call[7], call.ranges[7], "`blocks`") : 1;
  const size_t scale = isMfma ? 8 : 7;
  x.scaleBlock = call.given[scale] ? requireInt(e, call[scale], call.ranges[scale], "`scale_block`") : 0;
  if (!e.target.has(isMfma ? "mfma" : "wmma"))
    notOnTarget(e, "`" + name + "`", call.range, [&](auto &target) { return target.has(isMfma ? "mfma" : "wmma"); });
  const auto &rows = atom::mmaRows();
  auto found = llvm::find_if(rows, [&](const atom::MmaRow &row) { return matches(row, x, e.target, isMfma); });
  if (found == rows.end()) {
    std::string shape = std::to_string(x.m) + "x" + std::to_string(x.n) + "x" + std::to_string(x.k);
    if (x.blocks != 1)
      shape += " in " + std::to_string(x.blocks) + " blocks";
    if (x.scaleBlock)
      shape += ", scaled by blocks of " + std::to_string(x.scaleBlock) + ",";
    auto builder = e.report(
        call.range, diag::no_mma_atom{.arch = arch, .name = name, .shape = shape, .a = x.a, .b = x.b, .c = x.c});
    if (std::string known = alternatives(x, e.target, isMfma); !known.empty())
      builder.note(known);
    throw Failed{};
  }
  return makeObject<MmaAtom>(*found, *host::numberByName(x.a), *host::numberByName(x.b));
}

Value findMfma(Elaborator &e, BoundCall &call) { return find(e, call, true); }
Value findWmma(Elaborator &e, BoundCall &call) { return find(e, call, false); }

Value findByName(Elaborator &e, BoundCall &call) {
  auto *name = call[0].as<std::string>();
  if (!name)
    e.fail(call.ranges[0], diag::not_a_string{.what = argumentName(call, 0), .found = describe(call[0])});
  const atom::MmaRow *row = atom::findMma(*name);
  if (!row || row->call == atom::MmaCall::Fma || !row->on(e.target.name)) {
    std::vector<std::string> known;
    for (const atom::MmaRow &each : atom::mmaRows())
      if (each.on(e.target.name))
        known.emplace_back(each.name);
    auto guess = didYouMean(*name, known);
    auto builder =
        e.report(call.ranges[0], diag::no_mma_instruction{.arch = std::string(e.target.name), .name = *name});
    if (guess)
      builder.help("did you mean `" + *guess + "`?");
    else
      builder.help("`flyc targets " + std::string(e.target.name) + "` lists the matrix instructions");
    throw Failed{};
  }
  if (!row->on(e.target.name)->inManual)
    e.report(call.ranges[0], diag::undocumented_instruction{.name = *name, .arch = std::string(e.target.name)})
        .note("LLVM's assembler encodes it; whether the hardware executes it is not known");
  auto typeOf = [&](size_t i, std::string_view known, llvm::StringRef what) {
    std::vector<std::string_view> types;
    for (std::string_view type : atom::typesOf(known))
      if (takes(e.target, known, std::string(type)))
        types.push_back(type);
    if (!call.given[i]) {
      if (types.size() > 1)
        e.fail(diag::missing_argument, call.range, {"MMA", parameterName(*call.builtin, i)});
      return *host::numberByName(std::string(types[0]));
    }
    const std::string given = elementName(e, call[i], call.ranges[i], what);
    if (!llvm::is_contained(types, std::string_view(given)))
      e.fail(call.ranges[i], diag::unknown_choice{.what = what.str() + " in `" + row->name + "`",
                                                  .choices = diag::Choices(types.begin(), types.end()),
                                                  .found = given});
    return *host::numberByName(given);
  };
  const host::Number a = typeOf(1, row->a, "the type of A");
  const host::Number b =
      call.given[1] && !call.given[2] && std::string_view(row->a) == row->b ? a : typeOf(2, row->b, "the type of B");
  return makeObject<MmaAtom>(*row, a, b);
}

Value universalFma(Elaborator &e, BoundCall &call) {
  const std::string type = elementName(e, call[0], call.ranges[0], "the type");
  const atom::MmaRow &row = *atom::findMma("universal_fma");
  if (!llvm::is_contained(atom::typesOf(row.a), std::string_view(type))) {
    const auto types = atom::typesOf(row.a);
    e.fail(call.ranges[0], diag::unknown_choice{.what = "the type of `UniversalFMA`",
                                                .choices = diag::Choices(types.begin(), types.end()),
                                                .found = type});
  }
  return makeObject<MmaAtom>(row, *host::numberByName(type), *host::numberByName(type));
}

const Builtin mmaAtomRows[] = {
    {"MFMA", "m, n, k, type, type_b=, acc=, result=, blocks=, scale_block=",
     "the MMA atom of a `v_mfma` instruction of a wave of 64 lanes: m x n x k, A of `type`, B of `type_b` or the "
     "same, C "
     "and D of `acc` (f32; i32 for integers, f64 for f64). `blocks=` for products side by side, `scale_block=32` for "
     "scaled ones",
     findMfma},
    {"WMMA", "m, n, k, type, type_b=, acc=, result=, scale_block=",
     "the MMA atom of a `v_wmma` instruction of a wave of 32 lanes; `result=` if the types of D and C differ, "
     "`scale_block=32` or 16 for scaled ones",
     findWmma},
    {"MMA", "name, type=, type_b=",
     "the MMA atom of an instruction by its name: `MMA(\"v_mfma_f32_16x16x16_f16\")`; give types if it has several",
     findByName},
};
const Builtin universal[] = {
    {"UniversalFMA", "type", "the MMA atom of a fused multiply-add within a thread, 1 x 1 x 1: f16, f32 or f64",
     universalFma},
};

} // namespace

llvm::ArrayRef<Builtin> mmaAtomBuiltins() { return mmaAtomRows; }
llvm::ArrayRef<Builtin> universalFmaBuiltins() { return universal; }

} // namespace fly::sema
