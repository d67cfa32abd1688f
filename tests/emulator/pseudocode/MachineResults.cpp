// From what a text assigned to what the registers hold afterwards: omod and clamp, 16-bit results in 32-bit registers,
// second results, masks.
#include "tests/emulator/pseudocode/MachineParts.h"

#include "runtime/emulator/device/Architecture.h"

namespace fly::pseudocode {

void Machine::writeScalarOperand(const Operand &o, const Value &v, unsigned bits) {
  int s = scalarSlot(o);
  if (s < 0) return;
  for (unsigned k = 0; k < (bits + 31) / 32; ++k) {
    scalar[s + static_cast<int>(k)] = static_cast<uint32_t>(slice(v, 32 * k, 32).v);
    scalarOpen[s + static_cast<int>(k)] = k < 4 ? static_cast<uint32_t>(v.open >> 32 * k) : 0;
  }
}

/// omod, then clamp, of a float result in bits `bits`.
void Machine::finishFloat(const isa::Instruction &inst, Value &v, unsigned bits, Type::Kind kind,
                          const FloatMode &mode) {
  const isa::Modifiers &m = inst.modifiers;
  if (!m.omod && !m.clamp) return;
  Type t{kind, static_cast<uint16_t>(bits)};
  Value f = slice(v, 0, bits);
  f.type = t;
  f.ulps = v.ulps;
  f.absolute = v.absolute;
  // "Output modifiers are not compatible with output denormals: if output denormals are enabled, then output modifiers
  // are ignored. If output denormals are disabled, then the output modifier is applied and denormals are flushed to
  // zero. [...] -0 is flushed to +0. Output modifiers are ignored if the IEEE mode bit is set to 1." (RDNA ISA
  // documents) CDNA5's apply in every mode, and flush denormals likewise (its ISA document, 7.2.3.1).
  const bool always = bench.row.cdna5Arithmetic;
  bool keepsDenormals = !always && bench.mode() >> (bits == 32 ? 5 : 7) & 1;
  bool modifies = m.omod && !keepsDenormals && !bench.wave().mode.ieee;
  if (modifies && isZero(f, mode)) f = Value(t, 0);
  else if (modifies && !isNan(f, mode)) f = scaleTo(f, m.omod == 3 ? -1 : m.omod, t, mode);
  if (modifies && always && biasedExponent(f, mode) == 0) f = Value(t, 0);
  if (m.clamp) {
    bool nanToZero = bench.wave().mode.dx10Clamp;
    Value one = fromInteger(1, t, FloatMode());
    if (isNan(f, mode)) {
      if (nanToZero) f = Value(t, 0);
    } else if (signOf(f) || isZero(f, mode)) f = Value(t, 0);
    else if (compare(f, one, mode) > 0) f = one;
  }
  insert(v, 0, bits, f);
}

/// What a 16-bit load leaves in the half that it does not load: with error correction nobody's business on gfx9, whose
/// machines have it or not, and zero on CDNA5, which always has it (its ISA document, 13.1.5).
void Machine::otherHalf(const Instruction &what, const isa::Instruction &inst, Value &v, unsigned bits) {
  auto ends = [&](std::string_view end) {
    return what.name.size() > end.size() && what.name.compare(what.name.size() - end.size(), end.size(), end) == 0;
  };
  const bool loads = isMemory(inst) && !inst.mayStore && what.name.find("d16") != std::string::npos;
  if (!loads || ends("_xy") || ends("_xyzw") || (emulator::test::isGfx12(bench.row) && !bench.row.cdna5Arithmetic))
    return;
  const unsigned at = bits - (what.name.find("d16_hi") != std::string::npos ? 32 : 16);
  insert(v, at, 16, Value({Type::Bits, 16}, 0));
  if (!emulator::test::isGfx12(bench.row)) v.open |= Wide(0xffff) << at;
}

void Machine::collect(Interpreter &run, const Instruction &what, const isa::Instruction &inst, unsigned lane) {
  const Text &text = *what.text;
  const Operand *dst = inst.find(Role::Dst);
  if (Cell *c = run.cell("VCC")) vccResult |= static_cast<uint64_t>(c->value.v >> lane & 1) << lane;
  if (Cell *c = run.cell("EXEC")) execResult |= static_cast<uint64_t>(c->value.v >> lane & 1) << lane;
  if (Cell *c = run.cell("D1")) d1Result |= static_cast<uint64_t>(c->value.v & 1) << lane;
  Cell *d = what.shape.writes.count("D0") ? run.cell("D0") : what.shape.writes.count("D") ? run.cell("D") : nullptr;
  if (isMemory(inst))
    for (const char *name : {"RETURN_DATA", "SDATA", "VDATA"})
      if (run.cell(name) && what.shape.writes.count(name)) d = run.cell(name);
  if (what.shape.maskResult) {
    maskResult |= static_cast<uint64_t>(d->value.v >> lane & 1) << lane;
    return;
  }
  if (run.cell("S0") && what.shape.writes.count("S0"))
    if (const Operand *second = inst.find(Role::Dst1)) {
      Value old({Type::Bits, 32}, before[registerOf(*second) * stride + lane]);
      unsigned lo = second->half == isa::Half::High ? 16 : 0,
               width = text.uses("D0") && what.name.find("b16") != std::string::npos ? 16 : 32;
      insert(old, lo, width, run.cell("S0")->value);
      vector[registerOf(*second) * stride + lane] = static_cast<uint32_t>(old.v);
    }
  if (!d || !dst || (isMemory(inst) && inst.isAtomic && !dst)) return;
  Value v = d->value;
  if (d->array) { // RETURN_DATA as an array
    v = Value({Type::Bits, 0}, 0);
    for (size_t k = 0; k < d->elements.size(); ++k) insert(v, 32 * static_cast<unsigned>(k), 32, d->elements[k]);
  }
  unsigned bits = std::max(32u, 32u * dst->width);
  Type result = d->elements.empty() ? Type{Type::Bits, 0} : d->elements[0].type;
  if (result.isFloat() && !isMemory(inst) && (inst.baseForm != Form::VOP3P || d->typedBits == 32))
    finishFloat(inst, v, result.bits, result.kind, run.mode);
  else if (inst.modifiers.clamp && inst.baseForm == Form::VOP3P && what.shape.floatBits[0] == 16 &&
           what.shape.resultBits <= 32 && !isMix(inst))
    for (unsigned k = 0; k < 32; k += 16) {
      Value half = slice(v, k, 16);
      finishFloat(inst, half, 16, what.shape.bfloat[0] ? Type::BFloat : Type::Float, run.mode);
      insert(v, k, 16, half);
    }
  else if (inst.modifiers.clamp && inst.baseForm == Form::VOP3P && what.shape.floatBits[0] == 32)
    for (unsigned k = 0; k < bits; k += 32) {
      Value half = slice(v, k, 32);
      finishFloat(inst, half, 32, Type::Float, run.mode);
      insert(v, k, 32, half);
    }
  else if ((inst.modifiers.clamp || inst.modifiers.omod) && bits == 64 && inst.baseForm != Form::VOP3P &&
           what.shape.resultFloat && result.bits == 0)
    for (unsigned k = 0; k < bits; k += 32) { // two f32 (v_cvt_pk_f32_fp8)
      Value half = slice(v, k, 32);
      finishFloat(inst, half, 32, Type::Float, run.mode);
      insert(v, k, 32, half);
    }
  else if (inst.modifiers.clamp && isMix(inst)) {
    bool high = what.name.find("mixhi") != std::string::npos, whole = what.name.find("mix_") != std::string::npos;
    Value part = slice(v, high ? 16 : 0, whole ? 32 : 16);
    const bool bfloat = !whole && what.name.find("bf16") != std::string::npos;
    finishFloat(inst, part, whole ? 32 : 16, bfloat ? Type::BFloat : Type::Float, run.mode);
    insert(v, high ? 16 : 0, whole ? 32 : 16, part);
  }
  otherHalf(what, inst, v, bits);
  if (!isVector(*dst)) {
    // A 16-bit result of the scalar unit: the documents do not say what becomes of bits 31:16.
    if (d->typedBits == 16) v.open |= Wide(0xffff) << 16;
    writeScalarOperand(*dst, v, bits);
    if ((v.ulps > 0 || v.absolute > 0) && scalarSlot(*dst) >= 0)
      approximate.push_back({static_cast<size_t>(scalarSlot(*dst)), true, 1, 0, result, v.ulps, v.absolute});
    return;
  }
  if (d->typedBits == 16 && inst.baseForm != Form::VOP3P) {
    bool high = dst->half == isa::Half::High || dst->opSel;
    Value whole({Type::Bits, 32}, before[registerOf(*dst) * stride + lane]);
    insert(whole, high ? 16 : 0, 16, v);
    // The high half: cleared on gfx9 except by what that generation introduced (LLVM's zeroesHigh16BitsOfDest), kept on
    // gfx12. Of v_cvt_scalef32_*, LLVM's intrinsics take the old register.
    static const std::set<std::string> keep = {"v_fma_f16",
                                               "v_mad_f16",
                                               "v_mad_u16",
                                               "v_mad_i16",
                                               "v_div_fixup_f16",
                                               "v_min3_f16",
                                               "v_max3_f16",
                                               "v_med3_f16",
                                               "v_min3_i16",
                                               "v_max3_i16",
                                               "v_med3_i16",
                                               "v_min3_u16",
                                               "v_max3_u16",
                                               "v_med3_u16",
                                               "v_cvt_scalef32_f16_fp8",
                                               "v_cvt_scalef32_f16_bf8"};
    // Not in that list, which is by experiment.
    static const std::set<std::string> unknown = {"v_add_i16", "v_sub_i16", "v_bitop3_b16"};
    if (!high && bench.row.zeroesHigh16 && !keep.count(mnemonicOf(what.name)) && !isMemory(inst))
      insert(whole, 16, 16, Value({Type::Bits, 16}, 0));
    if (!high && bench.row.zeroesHigh16 && unknown.count(mnemonicOf(what.name))) whole.open |= Wide(0xffff) << 16;
    whole.ulps = v.ulps;
    whole.absolute = v.absolute;
    v = whole;
    if (v.ulps > 0 || v.absolute > 0)
      approximate.push_back({registerOf(*dst) * stride + lane, false, 1, high ? 16u : 0u, result, v.ulps, v.absolute});
  } else if (v.ulps > 0 || v.absolute > 0)
    approximate.push_back({registerOf(*dst) * stride + lane, false, bits / 32, 0, result, v.ulps, v.absolute});
  for (unsigned k = 0; k < bits / 32; ++k) {
    size_t at = (registerOf(*dst) + k) * stride + lane;
    vector[at] = static_cast<uint32_t>(slice(v, 32 * k, 32).v);
    open[at] = static_cast<uint32_t>(slice(v, 32 * k, 32).open);
  }
}

} // namespace fly::pseudocode
