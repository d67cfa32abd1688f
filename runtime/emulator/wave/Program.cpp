// Decoding on demand and the arrays of Insts; see Program.h.
#include "runtime/emulator/wave/Program.h"

#include "compiler/isa/HazardPaths.h"
#include "runtime/emulator/formats/Text.h"

#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>

namespace fly::emulator {

/// Memory with ECC writes whole registers, so a D16 load makes the other half 0 (CDNA5 ISA, 13.1.5; LLVM's
/// d16PreservesUnusedBits). Where machines with and without exist, the object's SRAMECC flag says which it was compiled
/// for: code for "any" must be right with and without, so it may not look at that half.
static OtherHalf otherHalfOf(const isa::CodeObject &object, const ArchitectureRow &arch) {
  if (arch.registerEcc != target::RegisterEcc::Either)
    return arch.registerEcc == target::RegisterEcc::Yes ? OtherHalf::Zero : OtherHalf::Kept;
  switch (object.flags() & llvm::ELF::EF_AMDGPU_FEATURE_SRAMECC_V4) {
  case llvm::ELF::EF_AMDGPU_FEATURE_SRAMECC_ON_V4: return OtherHalf::Zero;
  case llvm::ELF::EF_AMDGPU_FEATURE_SRAMECC_ANY_V4: return OtherHalf::Poison;
  default: return OtherHalf::Kept;
  }
}

Program::Program(const isa::CodeObject &object, const ArchitectureRow &arch, std::string kernel, RegisterLimits limits,
                 unsigned waveSize, uint64_t loadBias, const Interpreter &interpreter)
    : object(object), arch(arch), kernel(std::move(kernel)), limits(limits), waveSize(waveSize),
      interpreter(interpreter), loadBias(loadBias), otherHalf(otherHalfOf(object, arch)) {
  auto made = isa::Decoder::create(std::string(arch.name), waveSize);
  if (made) decoder = std::move(*made);
  else llvm::consumeError(made.takeError());
  instructions.emplace_back(); // entry 0: where a jump to nowhere lands
  variants[0];
}

Program::Program(const Program &other)
    : Program(other.object, other.arch, other.kernel, other.limits, other.waveSize, other.loadBias, other.interpreter) {
  instructions = other.instructions;
  indices = other.indices;
  broken = other.broken;
  waitStates = other.waitStates;
}

void Program::breakOp(const Breakage &breakage) {
  broken = breakage;
  variants.clear();
  variants[0];
}

uint32_t Program::indexOf(uint64_t deviceAddress) {
  uint64_t address = deviceAddress - loadBias;
  auto it = indices.find(address);
  if (it != indices.end()) return it->second;
  decodeFunction(address);
  it = indices.find(address);
  return it == indices.end() ? 0 : it->second;
}

void Program::decodeFunction(uint64_t address) {
  if (!decoder || (address & 3)) return;
  // The function that holds the address; without one, the rest of the executable segment.
  uint64_t begin = 0, end = 0;
  for (const isa::Symbol &s : object.symbols())
    if (s.defined && s.type == llvm::ELF::STT_FUNC && address >= s.address && address - s.address < s.size) {
      begin = s.address;
      end = s.address + s.size;
      if (indices.count(begin)) begin = address; // an address between instructions: decode from it
      break;
    }
  if (!end)
    for (const isa::Segment &s : object.segments())
      if (s.execute && address >= s.address && address - s.address < s.data.size()) {
        begin = address;
        end = s.address + s.data.size();
      }
  if (!end) return;
  bool bounded = begin != address;
  const auto first = static_cast<uint32_t>(instructions.size());
  while (begin < end) {
    auto bytes = object.bytesAt(begin, end - begin);
    if (bytes.empty()) break;
    if (indices.count(begin) && !bounded) break; // met code that is there already
    isa::Instruction inst;
    if (auto decoded = decoder->decodeOne(bytes, begin)) inst = std::move(*decoded);
    else {
      llvm::consumeError(decoded.takeError());
      inst.address = begin;
      inst.size = 4;
      for (unsigned k = 0; k < 4 && k < bytes.size(); ++k) inst.bytes[k] = bytes[k];
    }
    inst.location = object.locationOf(begin);
    indices.emplace(begin, static_cast<uint32_t>(instructions.size()));
    begin += inst.size ? inst.size : 4;
    bool stop = !bounded && inst.isTerminator() && instructions.size() > 100000;
    instructions.push_back(std::move(inst));
    if (stop) break;
  }
  // Running off the end of what was decoded.
  isa::Instruction off;
  off.address = begin;
  instructions.push_back(off);
  watchDistances(first);
}

void Program::watchDistances(uint32_t first) {
  if (!isa::hasWaitStates(arch)) return;
  const auto code = llvm::ArrayRef(instructions).drop_front(first);
  if (waitStates.empty() && isa::findWaitStates(code, isa::ControlFlow(code), arch).empty()) return;
  waitStates.resize(first);
  for (const isa::Instruction &i : code) waitStates.push_back(isa::waitStateUse(i, arch));
}

const Inst *Program::code(uint32_t state) {
  std::vector<Inst> &array = variants[state];
  if (array.size() < instructions.size()) {
    // Branches decode their targets' functions, which appends instructions: continue until nothing is added.
    while (array.size() < instructions.size()) resolveFrom(array, static_cast<uint32_t>(array.size()), state);
  }
  return array.data();
}

void Program::resolveFrom(std::vector<Inst> &array, uint32_t first, uint32_t state) {
  size_t count = instructions.size();
  array.resize(count);
  for (size_t n = first; n < count; ++n) {
    array[n].number = static_cast<uint32_t>(n);
    isa::Instruction copy = instructions[n]; // resolve may append to `instructions`
    interpreter.resolve(*this, copy, static_cast<uint32_t>(n), state, array[n]);
  }
}

const uint32_t *Program::broadcast(uint32_t low, uint32_t high) {
  auto &block = broadcasts[low | static_cast<uint64_t>(high) << 32];
  if (!block) {
    block = std::make_unique<Broadcast>();
    std::fill_n(block->words, laneStride, low);
    std::fill_n(block->words + laneStride, laneStride, high);
  }
  return block->words;
}

std::string Program::text(uint32_t index) {
  const isa::Instruction &inst = instructions[index];
  if (inst.op == isa::Op::Invalid || !decoder) {
    std::string t = "undecodable bytes";
    for (unsigned k = 0; k < inst.size; ++k) {
      static const char digits[] = "0123456789abcdef";
      t += ' ';
      t += digits[inst.bytes[k] >> 4];
      t += digits[inst.bytes[k] & 15];
    }
    return t;
  }
  return decoder->print(inst);
}

std::string registerText(const Program &program, bool scalar, unsigned reg) {
  if (scalar) {
    if (reg < slot::vcc) return "s" + std::to_string(reg);
    return reg < slot::exec ? "VCC" : reg == slot::m0 ? "M0" : reg == slot::scc ? "SCC" : "a scalar register";
  }
  const RegisterLimits &limits = program.limits;
  return reg < limits.firstAgpr || !limits.agprs ? "v" + std::to_string(reg)
                                                 : "a" + std::to_string(reg - limits.firstAgpr);
}

} // namespace fly::emulator
