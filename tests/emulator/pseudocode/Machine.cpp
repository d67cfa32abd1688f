// Runs a text: once for each active lane, or once for the wave where it moves data between lanes or belongs to the
// scalar unit. See Machine.h.
#include "tests/emulator/pseudocode/MachineParts.h"

#include <cstring>

namespace fly::pseudocode {

const Text *Machine::instruction(const std::string &name) {
  const Instruction *i = library.find(name);
  if (!i) i = functions.find(name);
  return i && i->text ? &*i->text : nullptr;
}

Value Machine::readVgpr(unsigned lane, unsigned index) {
  size_t at = static_cast<size_t>(index) * stride + lane;
  if (at >= vector.size() || lane >= bench.lanes()) throw Unsupported("a register that does not exist");
  Value v({Type::Bits, 32}, vector[at]);
  v.open = open[at];
  return v;
}

void Machine::writeVgpr(unsigned lane, unsigned index, const Value &v) {
  size_t at = static_cast<size_t>(index) * stride + lane;
  if (at >= vector.size() || lane >= bench.lanes()) throw Unsupported("a register that does not exist");
  vector[at] = static_cast<uint32_t>(v.v);
  open[at] = static_cast<uint32_t>(v.open);
}

void Machine::expect(const Instruction &what, const isa::Instruction &inst) {
  size_t count = static_cast<size_t>(bench.vgprCount() + bench.agprCount()) * stride;
  before.assign(bench.wave().vector, bench.wave().vector + count);
  vector = before;
  open.assign(count, 0);
  std::memcpy(scalar, bench.wave().scalar, sizeof scalar);
  std::memcpy(scalarBefore, scalar, sizeof scalar);
  std::memset(scalarOpen, 0, sizeof scalarOpen);
  lds = bench.lds;
  scratch = bench.scratch;
  if (isMemory(inst)) {
    ldsOpen.assign(lds.size(), 0);
    scratchOpen.assign(scratch.size(), 0);
    memoryOpen.assign(memory.size(), 0);
  }
  std::memcpy(memory.data(), memoryHost, memory.size());
  approximate.clear();
  maskResult = vccResult = execResult = d1Result = 0;
  jumps = jumpTaken = false;
  modeAfter = bench.mode();
  const Text &text = *what.text;
  const Shape &shape = what.shape;
  const Operand *dst = inst.find(Role::Dst);
  bool scalarUnit = inst.cls == isa::Class::Scalar || inst.cls == isa::Class::Branch ||
                    inst.cls == isa::Class::ScalarMemory || inst.cls == isa::Class::Hint;
  if (inst.form == Form::VOPD && inst.components.size() == 2) {
    const Instruction *move = functions.find("v_dual_mov_b32");
    vectorLanes(what, inst.components[0]);
    vectorLanes(*move, inst.components[1]);
    return;
  }
  if (!scalarUnit && !shape.wave && (!dst || isVector(*dst) || shape.maskResult)) return vectorLanes(what, inst);
  Interpreter run(text, *this);
  prepare(run, what, inst);
  prepareLane(run, what, inst, 0);
  run.run();
  if (!shape.wave || (dst && !isVector(*dst))) collect(run, what, inst, 0);
  if (!scalarUnit) return;
  if (shape.writes.count("SCC")) scalar[slot::scc] = run.cell("SCC")->value.truth();
  if (shape.writes.count("M0")) scalar[slot::m0] = static_cast<uint32_t>(run.cell("M0")->value.v);
  if (shape.writes.count("EXEC"))
    for (unsigned k = 0; k < 2; ++k)
      scalar[slot::exec + k] = static_cast<uint32_t>(run.cell("EXEC")->value.v >> 32 * k);
  if (shape.writes.count("HW_REGISTERS")) modeAfter = static_cast<uint32_t>(run.cell("HW_REGISTERS")->elements[1].v);
  for (auto [name, bit] : {std::pair{"WAVE_MODE.GPR_IDX_EN", 27}, std::pair{"VSKIP", 28}})
    if (Cell *c = shape.writes.count(name) ? run.cell(name) : nullptr)
      modeAfter = (modeAfter & ~(1u << bit)) | static_cast<uint32_t>(c->value.v & 1) << bit;
  if (shape.writes.count("PC")) {
    jumps = true;
    jumpTarget = static_cast<uint64_t>(run.cell("PC")->value.v);
    jumpTaken = jumpTarget != inst.next();
  }
}

void Machine::vectorLanes(const Instruction &what, const isa::Instruction &inst) {
  const Shape &shape = what.shape;
  const Operand *dst = inst.find(Role::Dst), *sdst = inst.find(Role::Sdst);
  uint64_t exec = bench.exec() & bench.laneMask();
  unsigned maskBits = bench.lanes();
  Interpreter run(*what.text, *this);
  prepare(run, what, inst);
  const std::vector<Cell> shared = run.state();
  for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
    if (!(exec >> lane & 1)) continue;
    run.restore(shared);
    prepareLane(run, what, inst, lane);
    run.run();
    collect(run, what, inst, lane);
  }
  if (shape.maskResult) {
    const Operand *to = sdst ? sdst : dst && !isVector(*dst) ? dst : nullptr;
    if (to && !to->isSpecial(Special::EXEC)) writeScalarOperand(*to, Value({Type::Bits, 64}, maskResult), maskBits);
  }
  if (shape.writes.count("EXEC")) {
    scalar[slot::exec] = static_cast<uint32_t>(execResult);
    if (maskBits == 64) scalar[slot::exec + 1] = static_cast<uint32_t>(execResult >> 32);
  }
  if (shape.writes.count("VCC") && sdst) writeScalarOperand(*sdst, Value({Type::Bits, 64}, vccResult & exec), maskBits);
  if (shape.writes.count("D1") && sdst) writeScalarOperand(*sdst, Value({Type::Bits, 64}, d1Result), maskBits);
}

} // namespace fly::pseudocode
