// Memory as a text sees it: the address of a lane's access, the data operands under the names that each kind of
// instruction gives them, and copies of the bench's memories in which bits may be undetermined.
#include "tests/emulator/pseudocode/MachineParts.h"

namespace fly::pseudocode {

Value Machine::readMemory(uint64_t address, unsigned bytes) {
  Value v({Type::Bits, static_cast<uint16_t>(8 * bytes)}, 0);
  const std::vector<uint8_t> &from = space == Space::Lds ? lds : space == Space::Scratch ? scratch : memory;
  uint64_t at = space == Space::Global    ? address - memoryBase
                : space == Space::Scratch ? address + currentLane * bench.wave().scratchBytes
                                          : address & 0xffffffffu;
  if (at + bytes > from.size()) throw Unsupported("an address outside of the test's memory");
  const std::vector<uint8_t> &undetermined = space == Space::Lds       ? ldsOpen
                                             : space == Space::Scratch ? scratchOpen
                                                                       : memoryOpen;
  for (unsigned k = bytes; k-- > 0;) {
    v.v = v.v << 8 | from[at + k];
    v.open = v.open << 8 | undetermined[at + k];
  }
  return v;
}

void Machine::writeMemory(uint64_t address, unsigned bytes, const Value &v) {
  std::vector<uint8_t> &to = space == Space::Lds ? lds : space == Space::Scratch ? scratch : memory;
  uint64_t at = space == Space::Global    ? address - memoryBase
                : space == Space::Scratch ? address + currentLane * bench.wave().scratchBytes
                                          : address & 0xffffffffu;
  if (at + bytes > to.size()) throw Unsupported("an address outside of the test's memory");
  std::vector<uint8_t> &undetermined = space == Space::Lds       ? ldsOpen
                                       : space == Space::Scratch ? scratchOpen
                                                                 : memoryOpen;
  for (unsigned k = 0; k < bytes; ++k) {
    to[at + k] = static_cast<uint8_t>(v.v >> 8 * k);
    undetermined[at + k] = static_cast<uint8_t>(v.open >> 8 * k);
  }
}

Value Machine::convertFromFormat(uint64_t address, unsigned channel) {
  unsigned select = selects >> 3 * channel & 7;
  Value none({Type::Bits, static_cast<uint16_t>(formatHalf ? 16 : 32)}, 0);
  if (select < 4) return select == 1 ? format.one(formatHalf) : none;
  channel = select - 4;
  unsigned width = format.bits[channel], at = format.position(channel);
  if (!width) return channel == 3 ? format.one(formatHalf) : none; // what the format lacks is 0, 0, 1
  Value bytes = readMemory(address, format.bytes());
  return format.decode(slice(bytes, at, width), formatHalf);
}
void Machine::convertToFormat(uint64_t address, unsigned channel, const Value &v) {
  if (!format.bits[channel]) return;
  Value bytes = readMemory(address, format.bytes());
  if (channel == 0) bytes = Value(bytes.type, 0); // components that are not stored: 0
  insert(bytes, format.position(channel), format.bits[channel], format.encode(v, channel, formatHalf));
  writeMemory(address, format.bytes(), bytes);
}

uint64_t Machine::fullAddress(const isa::Instruction &inst, unsigned lane, bool withOffset) {
  uint64_t a = withOffset ? static_cast<uint64_t>(static_cast<int64_t>(inst.modifiers.offset)) : 0;
  const Operand *vaddr = inst.find(Role::Vaddr), *saddr = inst.find(Role::Saddr), *srsrc = inst.find(Role::Srsrc),
                *soffset = inst.find(Role::Soffset);
  if (inst.form == Form::DS) return (a + static_cast<uint64_t>(fetchBits(*vaddr, lane, 32).v)) & 0xffffffffu;
  if (vaddr && vaddr->isRegister())
    a += static_cast<uint64_t>(fetchBits(*vaddr, lane, vaddr->width >= 2 && !srsrc ? 64 : 32).v);
  if (saddr && saddr->isRegister() && !saddr->isSpecial(Special::Null))
    a += static_cast<uint64_t>(fetchBits(*saddr, lane, saddr->width >= 2 ? 64 : 32).v);
  if (saddr && saddr->width == 4) a &= 0xffffffffffffull; // a buffer of s_buffer_load
  if (srsrc) a += static_cast<uint64_t>(fetchBits(*srsrc, lane, 64).v) & 0xffffffffffffull;
  if (soffset && (soffset->isImmediate() || !soffset->isSpecial(Special::Null)))
    a += static_cast<uint64_t>(fetchBits(*soffset, lane, 32).v);
  return a;
}

void Machine::memoryOperands(Interpreter &run, const isa::Instruction &inst, unsigned lane) {
  space = inst.form == Form::DS ? Space::Lds : inst.form == Form::SCRATCH ? Space::Scratch : Space::Global;
  currentLane = lane;
  auto give = [&](const char *name, const Operand *o, bool number = false) {
    if (!o || !run.cell(name)) return;
    if (number) run.provide(name, makeUnsigned(registerOf(*o)));
    else run.provide(name, fetchBits(*o, lane, std::max(32u, 32u * o->width)));
  };
  const Operand *dst = inst.find(Role::Dst), *data = inst.find(Role::Vdata), *data1 = inst.find(Role::Vdata1),
                *vaddr = inst.find(Role::Vaddr);
  bool numbers = run.cell("VGPR") != nullptr;
  if (const Operand *resource = inst.find(Role::Srsrc)) {
    bool typed = inst.form == Form::MTBUF;
    uint32_t word3 = static_cast<uint32_t>(fetchBits(*resource, lane, 128).v >> 96);
    format = formats[typed                                ? inst.modifiers.format
                     : emulator::test::isGfx12(bench.row) ? word3 >> 12 & 63
                                                          : (word3 >> 15 & 15) | (word3 >> 12 & 7) << 4];
    selects = word3 & 0xfff;
    formatHalf = std::string_view(isa::name(inst.op)).find("D16") != std::string_view::npos;
  }
  if (inst.form == Form::DS && vaddr) { // ds_condxchg32 names them as an arithmetic instruction does
    give("S0", vaddr);
    give("S1", data);
  }
  give("RETURN_DATA", dst);
  if (!dst && run.cell("RETURN_DATA")) run.provide("RETURN_DATA", Value({Type::Bits, 64}, 0));
  give("SDATA", dst ? dst : data);
  give("VDATA", data ? data : dst, numbers);
  give("DATA", data);
  give("DATA0", data, numbers);
  give("DATA2", data1);
  give("DATA1", data1);
  uint64_t full = inst.form == Form::DS && !vaddr ? 0 : fullAddress(inst, lane, true),
           plain = inst.form == Form::DS && !vaddr ? 0 : fullAddress(inst, lane, false);
  Value address({Type::Unsigned, 64}, full), bare({Type::Unsigned, 64}, plain);
  for (const char *name : {"CalcDsAddr", "CalcFlatAddr", "CalcGlobalAddr", "CalcScratchAddr", "CalcBufferAddr",
                           "CalcScalarGlobalAddr", "CalcScalarBufferAddr"})
    if (Cell *c = run.cell(name)) c->elements = {address, bare};
  if (Cell *c = run.cell("ADDR")) {
    run.provide("ADDR", vaddr ? numbers ? makeUnsigned(registerOf(*vaddr)) : fetchBits(*vaddr, lane, 32) : bare);
    c->elements = {address};
  }
  if (vaddr) give("ADDR_BASE", vaddr);
  if (inst.form == Form::DS)
    run.provide("offset", Value({Type::Bits, 32}, static_cast<uint32_t>(inst.modifiers.offset)));
  run.provide("OFFSET", Value({Type::Bits, 32}, static_cast<uint32_t>(inst.modifiers.offset)));
  bool pair = std::string_view(isa::name(inst.op)).find("2") != std::string_view::npos;
  run.provide("OFFSET0", Value({Type::Bits, 8}, pair ? static_cast<uint32_t>(inst.modifiers.offset) & 255
                                                     : static_cast<uint32_t>(inst.modifiers.offset) & 255));
  run.provide("OFFSET1",
              Value({Type::Bits, 8}, inst.modifiers.offset1 ? inst.modifiers.offset1
                                                            : static_cast<uint32_t>(inst.modifiers.offset) >> 8));
  for (const char *name :
       {"vgpr_a", "offset", "v_addr", "s_saddr", "v_addr_off", "s_saddr_off", "sgpr_base", "sgpr_o", "SBASE", "SOFFSET",
        "SADDR", "VADDR", "SRSRC", "flat_scratch", "IOFFSET", "S0", "S1", "S2", "SDATA"})
    // Arguments of Calc..Addr and of prefetches.
    if (Cell *c = run.cell(name); c && !c->set) run.provide(name, Value({Type::Bits, 64}, 0));
}

} // namespace fly::pseudocode
