// `gemm(mma, d, a, b, c)`: checks the fragments of a product and emits one `fly.mma` for all of it.
#include "compiler/sema/atom/TiledMma.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/text/Words.h"

namespace fly::sema {

using layout::IntTuple;
using layout::Layout;

namespace {

/// An operand as the operation takes it: of three modes, those of one element where they are missing.
struct Operand {
  mlir::Value fragment;
  int64_t first, second; ///< sizes of modes 1 and 2
};

Operand operandOf(Elaborator &e, BoundCall &call, size_t argument, host::Number element, int64_t values) {
  const Value &given = call[argument];
  const SourceRange range = call.ranges[argument];
  const std::string name = argumentName(call, argument);
  const std::string operand = "`" + parameterName(*call.builtin, argument) + "`";
  auto refuse = [&](const std::string &wanted, const std::string &found) {
    e.fail(range, diag::gemm_operand{.operand = operand, .wanted = wanted, .found = found});
  };
  auto *fragment = objectAs<Fragment>(given);
  if (!fragment)
    refuse("be a fragment: `make_fragment_A`, `make_fragment_B` or `make_fragment_C` of a thread's part makes one",
           describe(given));
  if (fragment->storage->element != element)
    refuse("have elements of " + std::string(host::format(element).name),
           host::format(fragment->storage->element).name);
  Layout domain = layout::domainOf(fragment->layout);
  if (domain.rank() < 1 || domain.rank() > 3)
    refuse("have the modes (values, repeats, repeats)", "`" + domain.text() + "`");
  const int64_t ofAtom = staticSize(domain.rank() == 1 ? domain : domain.mode(0));
  if (ofAtom != values)
    refuse("have " + counted(values, "value") + " of an atom in mode 0", "`" + domain.text() + "`");
  Fragment view(fragment->storage, fragment->layout, fragment->start);
  if (domain.rank() < 3) {
    auto *plain = std::get_if<Layout>(&view.layout);
    if (!plain)
      refuse("have three modes if its layout is composed", "`" + domain.text() + "`");
    std::vector<Layout> modes = plain->shape().isLeaf() ? std::vector<Layout>{*plain} : plain->modes();
    modes.resize(3, Layout(1, 0));
    view.layout = layout::layoutOfModes(modes);
    domain = layout::domainOf(view.layout);
  }
  return {view.asOperand(e, range), staticSize(domain.mode(1)), staticSize(domain.mode(2))};
}

std::string orderOf(Elaborator &e, BoundCall &call, size_t argument) {
  if (!call.given[argument])
    return "NMK";
  auto *order = call[argument].as<std::string>();
  diag::Choices choices = {"KMN", "KNM", "MKN", "MNK", "NKM", "NMK"};
  if (!order || !llvm::is_contained(choices, *order))
    e.fail(call.ranges[argument], diag::unknown_choice{.what = argumentName(call, argument),
                                                       .choices = choices,
                                                       .found = order ? *order : describe(call[argument])});
  return *order;
}

} // namespace

Value emitGemm(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "gemm");
  auto atom = mmaAtomOf(call[0]);
  if (!atom)
    e.report(call.ranges[0],
             diag::mma_expected{.what = argumentName(call, 0), .also = " or a tiled MMA", .found = describe(call[0])})
        .help("use, for example, `tiled_mma(MFMA(16, 16, 16, f16))`"),
        throw Failed{};
  const size_t sum = call.given[4] ? 4 : 1;
  auto operand = [&](size_t argument, MmaOperand which) {
    return operandOf(e, call, argument, argument == 1 ? atom->typeOfD() : atom->typeOf(which), atom->valuesOf(which));
  };
  if (sum == 1 && atom->typeOfD() != atom->typeOf(MmaOperand::C))
    e.fail(diag::missing_argument, call.range, {"gemm", "c"}); // D's registers cannot hold C
  const Operand d = operand(1, MmaOperand::C), x = operand(2, MmaOperand::A), y = operand(3, MmaOperand::B);
  const Operand c = sum == 1 ? d : operand(4, MmaOperand::C);
  auto refuse = [&](size_t argument, const std::string &wanted, const Operand &found) {
    e.fail(call.ranges[argument],
           diag::gemm_operand{.operand = "`" + parameterName(*call.builtin, argument) + "`",
                              .wanted = wanted,
                              .found = std::to_string(found.first) + " x " + std::to_string(found.second)});
  };
  auto atoms = [](int64_t n, int64_t m) {
    return "repeat the atom " + std::to_string(n) + " x " + std::to_string(m) + " times";
  };
  if (y.second != x.second)
    refuse(3, atoms(y.first, x.second) + ", as often along K as `a`", y);
  for (auto [argument, each] : {std::pair(size_t(1), d), std::pair(sum, c)})
    if (each.first != x.first || each.second != y.first)
      refuse(argument, atoms(x.first, y.first) + ", M of `a` by N of `b`", each);
  if (x.second > 1 && atom->typeOfD() != atom->typeOf(MmaOperand::C))
    refuse(2, "have one atom along K, because C and D have different types", x);
  if (x.first * y.first * x.second > ir::MmaOp::maximumAtoms)
    e.report(call.range, diag::out_of_range{.what = "the number of atoms of a `gemm`",
                                            .low = 1,
                                            .high = ir::MmaOp::maximumAtoms,
                                            .found = std::to_string(x.first * y.first * x.second)})
        .help("use a tile of more waves, or several `gemm` calls over parts of K"),
        throw Failed{};

  mlir::Value scaleA, scaleB;
  if (atom->row.isScaled()) {
    const int64_t words = atom->row.scaleBlock == 16 ? 2 : 1;
    for (size_t argument : {6, 7}) {
      if (!call.given[argument])
        e.fail(diag::missing_argument, call.range, {"gemm", parameterName(*call.builtin, argument)});
      const Operand scale = operandOf(e, call, argument, host::Number::I32, words), &of = argument == 6 ? x : y;
      if (scale.first != of.first || scale.second != of.second)
        refuse(argument, atoms(of.first, of.second), scale);
      (argument == 6 ? scaleA : scaleB) = scale.fragment;
    }
  } else {
    for (size_t argument : {6, 7})
      if (call.given[argument])
        e.fail(call.ranges[argument], diag::gemm_operand{.operand = "`" + parameterName(*call.builtin, argument) + "`",
                                                         .wanted = "be left out: `" + atom->text() + "` has no scales",
                                                         .found = describe(call[argument])});
  }
  llvm::SmallVector<mlir::NamedAttribute> modifiers;
  for (size_t argument = 8; argument < call.values.size(); ++argument) {
    if (!call.given[argument])
      continue;
    const std::string name = parameterName(*call.builtin, argument);
    const auto known = atom::modifiersOf(atom->row);
    auto modifier = llvm::find_if(known, [&](auto &m) { return m.name == name; });
    if (modifier == known.end())
      e.fail(call.ranges[argument],
             diag::gemm_operand{.operand = "`" + name + "`",
                                .wanted = "be left out: `" + std::string(atom->row.name) + "` does not have it",
                                .found = describe(call[argument])});
    const int64_t number = requireInt(e, call[argument], call.ranges[argument], argumentName(call, argument));
    if (number < 0 || number > modifier->limit)
      e.fail(call.ranges[argument], diag::out_of_range{.what = argumentName(call, argument),
                                                       .low = 0,
                                                       .high = modifier->limit,
                                                       .found = std::to_string(number)});
    if (number)
      modifiers.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(number)));
  }
  const auto numberOf = [&](llvm::StringRef name) {
    auto found = llvm::find_if(modifiers, [&](mlir::NamedAttribute m) { return m.getName() == name; });
    return found == modifiers.end() ? 0 : llvm::cast<mlir::IntegerAttr>(found->getValue()).getInt();
  };
  if (const int64_t shared = int64_t(1) << numberOf("cbsz"), from = numberOf("abid"); from >= shared)
    e.fail(call.ranges[9],
           diag::out_of_range{.what = argumentName(call, 9) + " with `cbsz=" + std::to_string(numberOf("cbsz")) + "`",
                              .low = 0,
                              .high = shared - 1,
                              .found = std::to_string(from)});
  const auto location = e.location(call.range);
  if (atom->row.threads() > 1)
    ir::TogetherOp::create(b, e.location(call.range, "gemm"), int32_t(atom->row.threads()));
  ir::MmaOp::create(b, location, atom->attr(e.context), x.fragment, y.fragment, c.fragment, d.fragment, scaleA, scaleB,
                    b.getStringAttr(orderOf(e, call, 5)),
                    modifiers.empty() ? mlir::DictionaryAttr() : b.getDictionaryAttr(modifiers));
  return Value();
}

} // namespace fly::sema
