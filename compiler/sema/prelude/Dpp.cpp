// `dpp(x, FORM=, row_mask=, bank_mask=, old=, bound_ctrl=)`, and its forms as a table.
//
// Codes: llvm/lib/Target/AMDGPU/SIDefines.h (DppCtrl) and the ISA manuals ("DPP16"). row_share is what gfx90a and
// later gfx9 call row_newbcast.
#include "compiler/sema/prelude/Dpp.h"
#include "compiler/sema/number/Conversions.h"

namespace fly::sema {

static const DppControl controls[] = {
    {"quad_perm", DppControl::Lanes4, 0x000},
    {"row_shl", DppControl::Amount, 0x100, 1, 15, nullptr, true},
    {"row_shr", DppControl::Amount, 0x110, 1, 15, nullptr, true},
    {"row_ror", DppControl::Amount, 0x120, 1, 15},
    {"row_mirror", DppControl::Flag, 0x140},
    {"row_half_mirror", DppControl::Flag, 0x141},
    {"row_share", DppControl::Amount, 0x150, 0, 15, "dpp_row_share"},
    {"row_xmask", DppControl::Amount, 0x160, 0, 15, "dpp_row_xmask"},
    {"row_bcast", DppControl::Amount, 0x142, 15, 31, "dpp_row_bcast", true},
    {"wave_shl", DppControl::Amount, 0x130, 1, 1, "dpp_wave_shr", true},
    {"wave_rol", DppControl::Amount, 0x134, 1, 1, "dpp_wave_shr"},
    {"wave_shr", DppControl::Amount, 0x138, 1, 1, "dpp_wave_shr", true},
    {"wave_ror", DppControl::Amount, 0x13c, 1, 1, "dpp_wave_shr"},
    {"dpp8", DppControl::Lanes8, 0, 0, 0, "dpp_row_xmask"},
};
static constexpr const char *signature =
    "x, *, quad_perm=, row_shl=, row_shr=, row_ror=, row_mirror=, row_half_mirror=, row_share=, row_xmask=, "
    "row_bcast=, "
    "wave_shl=, wave_rol=, wave_shr=, wave_ror=, dpp8=, row_mask=, bank_mask=, old=, bound_ctrl=";
static constexpr size_t rowMask = 15, bankMask = 16, oldValue = 17, boundControl = 18; // places in it

const DppControl &dppControl(llvm::StringRef name) {
  return *llvm::find_if(controls, [&](auto &control) { return name == control.name; });
}

static int32_t codeOf(const DppControl &control, int64_t amount) {
  switch (control.code) {
  case 0x142: return amount == 31 ? 0x143 : 0x142;
  case 0x130:
  case 0x134:
  case 0x138:
  case 0x13c: return control.code; // the shift by one is part of the code
  default: return control.code + int32_t(amount);
  }
}

mlir::Value emitDpp(Elaborator &e, llvm::StringRef control, int32_t amount, mlir::Value x, SourceRange range) {
  return emitWave(e, ir::WaveAction::Dpp, {x, x}, {codeOf(dppControl(control), amount), 15, 15, 1}, range)[0];
}

mlir::Value emitDpp(Elaborator &e, llvm::StringRef control, int32_t amount, mlir::Value x, mlir::Value old,
                    SourceRange range) {
  return emitWave(e, ir::WaveAction::Dpp, {old, x}, {codeOf(dppControl(control), amount), 15, 15, 0}, range)[0];
}

/// The bits that the suffix of the form's name adds to the code.
static int64_t argumentOf(Elaborator &e, const DppControl &control, const Value &value, SourceRange range) {
  std::string what = "`" + std::string(control.name) + "=`";
  auto refuse = [&](const std::string &wanted) { e.fail(diag::wrong_value, range, {what, wanted, toText(value)}); };
  if (control.argument == DppControl::Flag) {
    auto *flag = value.as<bool>();
    if (!flag || !*flag)
      refuse("True");
    return 0;
  }
  if (control.argument == DppControl::Amount) {
    int64_t amount = requireInt(e, value, range, what);
    bool isBroadcast = control.code == 0x142;
    if (isBroadcast ? amount != 15 && amount != 31 : control.low == control.high && amount != control.low)
      refuse(isBroadcast ? "15 or 31" : std::to_string(control.low));
    if (!isBroadcast && (amount < control.low || amount > control.high))
      e.fail(range, diag::out_of_range{.what = what, .low = control.low, .high = control.high, .found = toText(value)});
    return amount;
  }
  size_t lanes = control.argument == DppControl::Lanes4 ? 4 : 8, bits = lanes == 4 ? 2 : 3;
  auto *elements = value.sequence();
  std::string wanted = "a tuple of " + std::to_string(lanes) + " numbers from 0 to " + std::to_string(lanes - 1);
  if (!elements || elements->size() != lanes)
    refuse(wanted);
  int64_t selectors = 0;
  for (size_t i = 0; i < lanes; ++i) {
    int64_t lane = requireInt(e, (*elements)[i], range, what);
    if (lane < 0 || lane >= int64_t(lanes))
      refuse(wanted);
    selectors |= lane << (bits * i);
  }
  return selectors;
}

static int32_t maskOf(Elaborator &e, BoundCall &call, size_t place, const char *name) {
  if (!call.given[place])
    return 15;
  int64_t mask = requireInt(e, call[place], call.ranges[place], name);
  if (mask < 0 || mask > 15)
    e.fail(
        call.ranges[place],
        diag::out_of_range{.what = std::string("`") + name + "=`", .low = 0, .high = 15, .found = toText(call[place])});
  return int32_t(mask);
}

static Value makeDpp(Elaborator &e, BoundCall &call) {
  const DppControl *control = nullptr;
  size_t place = 0;
  for (size_t i = 0; i < std::size(controls); ++i)
    if (call.given[i + 1]) {
      if (control)
        e.fail(diag::wrong_value, call.ranges[i + 1],
               {"the form of `dpp`", "given once", "a second one after `" + std::string(control->name) + "=`"});
      control = &controls[i], place = i + 1;
    }
  if (!control)
    e.fail(diag::missing_argument, call.range,
           {"dpp", "quad_perm=`, `row_shr=` or another form of move, such as `row_mirror"});
  if (control->feature && !e.target.has(control->feature))
    notOnTarget(e, "`dpp` with `" + std::string(control->name) + "=`", call.ranges[place],
                [&](auto &target) { return target.has(control->feature); });
  int64_t argument = argumentOf(e, *control, call[place], call.ranges[place]);
  int32_t rows = maskOf(e, call, rowMask, "row_mask"), banks = maskOf(e, call, bankMask, "bank_mask");
  bool bounded = call.given[boundControl] && truth(e, call[boundControl], call.ranges[boundControl]);
  if (control->argument == DppControl::Lanes8) {
    for (size_t i : {rowMask, bankMask, oldValue, boundControl})
      if (call.given[i])
        e.fail(diag::wrong_value, call.ranges[i], {"`dpp8=`", "alone", "beside another keyword"});
    return overWords(e, call[0], call, [&](mlir::Value x) {
      return emitWave(e, ir::WaveAction::Dpp8, x, int32_t(argument), call.range)[0];
    });
  }
  // Where every lane has a source, `old` is out of sight.
  if (!control->mayMiss && !call.given[oldValue])
    bounded = true;
  const Value &old = call.given[oldValue] ? call[oldValue] : call[0];
  return overWords(e, {&old, &call[0]}, 1, call, [&](llvm::ArrayRef<mlir::Value> words) {
    return emitWave(e, ir::WaveAction::Dpp, words, {codeOf(*control, argument), rows, banks, bounded}, call.range);
  })[0];
}

const Builtin dppBuiltin = {"dpp", signature,
                            "x of another lane of the row; a lane without a source, or whose row or bank is masked "
                            "off, keeps `old`, which is x itself if not given",
                            makeDpp};

} // namespace fly::sema
