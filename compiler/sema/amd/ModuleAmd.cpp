// `fly.amd`, a module that is part of the compiler: `dpp`, and `isa` with instructions under their own names.
//
// A row of `instructions` names the parameters in the order of the intrinsic's operands. `x`, `y`, `old` and `value`
// are exchanged values of any type, one instruction per word; the others are single i32 words, uniform where the
// instruction needs them in scalar registers. All names exist on every target, so that a missing instruction is
// reported with the targets that have it.
#include "compiler/sema/amd/ModuleAmd.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/amd/ExactInstructions.h"
#include "compiler/sema/amd/Scheduling.h"
#include "compiler/sema/atom/Families.h"
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/isa/Stream.h"
#include "compiler/sema/prelude/Dpp.h"
#include "compiler/sema/module/ModuleLoader.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::sema {

namespace {
struct Exchange {
  Builtin builtin;
  ir::WaveAction action;
  const char *operands;
};

Value exchange(Elaborator &e, BoundCall &call);

#define EXCHANGE(name, signature, doc, action, operands)                                                               \
  {{name, signature, doc, exchange}, ir::WaveAction::action, operands}
const Exchange instructions[] = {
    EXCHANGE("v_readlane_b32", "x, lane", "x of one lane", ReadLane, "x lane"),
    EXCHANGE("v_readfirstlane_b32", "x", "x of the first active lane", ReadFirstLane, "x"),
    EXCHANGE("v_writelane_b32", "value, lane, old", "`old`, but `value` in one lane", WriteLane, "value lane old"),
    EXCHANGE("v_mbcnt_lo_u32_b32", "mask, base", "base + the set bits of lanes 0-31 below this one", MbcntLo,
             "mask base"),
    EXCHANGE("v_mbcnt_hi_u32_b32", "mask, base", "base + the set bits of lanes 32-63 below this one", MbcntHi,
             "mask base"),
    EXCHANGE("ds_bpermute_b32", "address, x", "x of lane address / 4", Bpermute, "address x"),
    EXCHANGE("ds_permute_b32", "address, x", "sends x to lane address / 4", Permute, "address x"),
    EXCHANGE("ds_swizzle_b32", "x, offset", "x of the lane that the pattern `offset` gives", Swizzle, "x"),
    EXCHANGE("v_permlane16_b32", "x, low, high, *, old=, fi=, bound_ctrl=",
             "x of a lane of the same row; low and high hold 4 bits for each of its lanes", Permlane16,
             "old x low high"),
    EXCHANGE("v_permlanex16_b32", "x, low, high, *, old=, fi=, bound_ctrl=",
             "x of a lane of the other row of the two; low and high hold 4 bits for each lane", PermlaneX16,
             "old x low high"),
    EXCHANGE("v_permlane16_var_b32", "x, lane, *, old=, fi=, bound_ctrl=", "x of a lane of the same row", Permlane16Var,
             "old x lane"),
    EXCHANGE("v_permlanex16_var_b32", "x, lane, *, old=, fi=, bound_ctrl=", "x of a lane of the other row of the two",
             PermlaneX16Var, "old x lane"),
    EXCHANGE("v_permlane64_b32", "x", "x of the other half of a wave of 64; x itself in a wave of 32", Permlane64, "x"),
    EXCHANGE("v_permlane16_swap_b32", "x, y, *, fi=, bound_ctrl=",
             "(x, y) with odd rows of x and even rows of y exchanged", Permlane16Swap, "x y"),
    EXCHANGE("v_permlane32_swap_b32", "x, y, *, fi=, bound_ctrl=",
             "(x, y) with the upper half of x and the lower one of y exchanged", Permlane32Swap, "x y"),
    EXCHANGE("v_permlane_bcast_b32", "x, n, width", "x of lane n of each group", PermlaneBcast, "x n width"),
    EXCHANGE("v_permlane_up_b32", "x, n, width", "x of lane - n", PermlaneUp, "x n width"),
    EXCHANGE("v_permlane_down_b32", "x, n, width", "x of lane + n", PermlaneDown, "x n width"),
    EXCHANGE("v_permlane_xor_b32", "x, n, width", "x of lane ^ n", PermlaneXor, "x n width"),
};
#undef EXCHANGE

bool isExchanged(llvm::StringRef parameter) {
  return parameter == "x" || parameter == "y" || parameter == "old" || parameter == "value";
}

/// A parameter's place in the signature; the arguments are bound in its order.
std::optional<size_t> placeOf(const Builtin &builtin, llvm::StringRef parameter) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(builtin.signature).split(names, ", ");
  llvm::erase(names, "*");
  auto found = llvm::find_if(names, [&](llvm::StringRef name) { return name.rtrim('=') == parameter; });
  return found == names.end() ? std::nullopt : std::optional(size_t(found - names.begin()));
}

mlir::Value wordOf(Elaborator &e, BoundCall &call, size_t place, llvm::StringRef name) {
  auto range = call.ranges[place];
  if (auto *m = call[place].as<MachineValue>()) {
    if (!m->type.isVector() && m->type.isInteger() && m->type.format().bits == 32)
      return m->value;
    e.fail(range, diag::argument_of_type{
                      .what = diag::argument(name, call.builtin->name), .type = "i32", .found = m->type.text()});
  }
  int64_t known = requireInt(e, call[place], range, "`" + name.str() + "`");
  if (known < INT32_MIN || known > int64_t(UINT32_MAX))
    e.fail(diag::literal_out_of_range, range, {std::to_string(known), "an i32", "-2147483648 to 4294967295"});
  return word(e, int32_t(uint32_t(known)), range);
}

Value exchange(Elaborator &e, BoundCall &call) {
  llvm::StringRef name = call.builtin->name;
  auto &row = *llvm::find_if(instructions, [&](auto &i) { return name == i.builtin.name; });
  e.ir(call.range, name);
  // All targets use gfx9's names for the LDS crossbar.
  if (!e.target.has(name.str()))
    notOnTarget(e, "`" + name.str() + "`", call.range, [&](auto &target) { return target.has(row.builtin.name); });
  auto place = [&](llvm::StringRef parameter) { return placeOf(*call.builtin, parameter); };
  auto flag = [&](llvm::StringRef parameter) {
    auto at = place(parameter);
    return at && call.given[*at] && truth(e, call[*at], call.ranges[*at]);
  };
  llvm::SmallVector<int32_t> immediates;
  if (row.action == ir::WaveAction::Swizzle) {
    int64_t offset = requireInt(e, call[1], call.ranges[1], "`offset`");
    if (offset < 0 || offset > 0xffff)
      e.fail(call.ranges[1],
             diag::out_of_range{.what = "`offset`", .low = 0, .high = 0xffff, .found = toText(call[1])});
    immediates.push_back(int32_t(offset));
  } else if (place("fi")) {
    // Nobody sees `old` if it is not given: lanes without a source get 0 then.
    auto old = place("old");
    bool forgets = old && !call.given[*old];
    immediates = {flag("fi"), forgets || flag("bound_ctrl")};
  }
  llvm::SmallVector<llvm::StringRef> operands;
  llvm::StringRef(row.operands).split(operands, ' ');
  llvm::SmallVector<const Value *> exchanged;
  llvm::SmallVector<mlir::Value> words(operands.size());
  for (auto [operand, w] : llvm::zip(operands, words)) {
    size_t at = *place(operand);
    if (!isExchanged(operand))
      w = wordOf(e, call, at, operand);
    else
      exchanged.push_back(call.given[at] ? &call[at] : &call[*place("x")]);
  }
  llvm::SmallVector<Elaborator::RangedArgument> ranges;
  for (llvm::StringRef operand : operands)
    if (size_t at = *place(operand); call.given[at])
      ranges.push_back({operand, call.ranges[at]});
  const mlir::Location location = e.location(call.range, name, ranges);
  auto one = [&](llvm::ArrayRef<mlir::Value> values) {
    auto all = words;
    size_t next = 0;
    for (auto [operand, w] : llvm::zip(operands, all))
      if (isExchanged(operand))
        w = values[next++];
    return emitWave(e, row.action, all, immediates, location);
  };
  if (exchanged.empty())
    return Value(MachineValue{one({})[0], Type::scalar(host::Number::I32)});
  Values results = overWords(e, exchanged, ir::info(row.action).results, call, one);
  return results.size() == 1 ? results[0] : makeTuple(std::move(results));
}
} // namespace

ModuleScope *amdModuleOf(ModuleLoader &loader, llvm::StringRef dotted) {
  if (dotted != amdModule && dotted != isaModule && dotted != "fly.amd.sched" && dotted != "fly.amd.reg")
    return nullptr;
  for (auto &module : loader.all())
    if (module->name == dotted && module->path.empty() && module->isBuiltin)
      return module.get();
  ModuleScope *module = loader.nameSpace(dotted);
  module->isBuiltin = true;
  if (dotted == amdModule) {
    module->names["dpp"] = Value(BuiltinValue{&dppBuiltin});
    module->names["isa"] = Value(ModuleValue{amdModuleOf(loader, isaModule)});
    module->names["reg"] = Value(ModuleValue{amdModuleOf(loader, "fly.amd.reg")});
    module->names["abi"] = abiValue();
    module->names["sched"] = Value(ModuleValue{amdModuleOf(loader, "fly.amd.sched")});
    for (auto family : {bufferBuiltins(), bufferAccessBuiltins(), ldsCopyBuiltins(), tensorMoveBuiltins(),
                        atomicCopyBuiltins(), mmaAtomBuiltins(), waitBuiltins()})
      for (auto &builtin : family)
        module->names[builtin.name] = Value(BuiltinValue{&builtin});
  } else if (dotted == "fly.amd.sched") {
    for (auto &builtin : schedulingBuiltins())
      module->names[builtin.name] = Value(BuiltinValue{&builtin});
  } else if (dotted == "fly.amd.reg") {
    module->names = registerNames();
  } else {
    for (auto &instruction : instructions)
      module->names[instruction.builtin.name] = Value(BuiltinValue{&instruction.builtin});
    for (auto &builtin : isaBuiltins())
      module->names[builtin.name] = Value(BuiltinValue{&builtin});
  }
  return module;
}

} // namespace fly::sema
