// A Program without a code object, to which single instructions are appended; see StepBench.h.
#include "tests/emulator/StepBench.h"
#include "runtime/emulator/launch/Executor.h"
#include "runtime/emulator/ops/scalar/Rows.h"

#include "runtime/emulator/wave/Pending.h"

#include <algorithm>
#include <cassert>

namespace fly::emulator::test {

namespace {

template <class T> std::unique_ptr<T> expect(llvm::Expected<std::unique_ptr<T>> made) {
  if (made) return std::move(*made);
  llvm::report_fatal_error(made.takeError()); // a test's typo
}

} // namespace

StepBench::StepBench(const std::string &name, StepOptions options) : arch(name), row(*findArchitecture(name)) {
  unsigned waveSize = options.waveSize ? options.waveSize : row.waveSize;
  vgprs = options.vgprs ? options.vgprs : row.maxVgprs;
  agprs = isGfx12(row) ? 0 : options.agprs ? options.agprs : 256;
  encoder = expect(isa::Encoder::create(name, waveSize));
  decoder = expect(isa::Decoder::create(name, waveSize));
  prog = std::make_unique<Program>(empty, row, "step", RegisterLimits{vgprs, agprs, isGfx12(row) ? 106u : 102u, vgprs},
                                   waveSize, 0, interpreter);
  registers.resize(static_cast<size_t>(prog->registerCount()) * laneStride);
  lds.resize(options.ldsBytes);
  scratch.resize(static_cast<size_t>(waveSize) * options.scratchBytes);
  group.lds = lds.data();
  group.ldsBytes = options.ldsBytes;
  group.waves = 1;
  state = std::make_unique<Wave>();
  Wave &w = *state;
  w.vector = registers.data();
  w.scratch = scratch.data();
  w.scratchBytes = options.scratchBytes;
  w.lanes = waveSize;
  w.laneMask = waveSize == 64 ? ~0ull : 0xffffffffull;
  w.program = prog.get();
  w.group = &group;
  w.memory = &memory;
  setPoison();
  w.hazards = isa::HazardState(row.cdna5Arithmetic);
  w.waitStates = isa::WaitStateQueue(isa::WaitStateQueue::machineOf(row));
  w.mode.useRulesOf(row.generation);
  w.mode.set(0x3f0 & (isGfx12(row) ? 0xff : 0x1ff));
  w.setScalar64(slot::flatScratch, static_cast<uint64_t>(row.globalScratch ? globalScratchBase : privateAperture)
                                       << 32);
  w.setScalar64(slot::exec, w.laneMask);
}

StepBench::~StepBench() = default;

void StepBench::setPoison() {
  Wave &w = *state;
  std::fill(registers.begin(), registers.end(), poisonWord);
  std::fill(lds.begin(), lds.end(), poisonByte);
  std::fill(scratch.begin(), scratch.end(), poisonByte);
  std::fill(std::begin(w.scalar), std::begin(w.scalar) + slot::exec, poisonWord);
  std::memset(w.scalar + slot::zero, 0, 32 * 4);
  w.scalar[slot::m0] = poisonWord;
  w.scalar[slot::scc] = 0;
}

int StepBench::add(const std::string &text) {
  if (auto it = byText.find(text); it != byText.end()) return it->second;
  auto code = encoder->assemble(text + "\n");
  if (!code || code->size() != 1) {
    why = code ? "`" + text + "` is not one instruction" : "`" + text + "`: " + llvm::toString(code.takeError());
    return -1;
  }
  int number = add(code->front());
  if (number >= 0) byText[text] = number;
  return number;
}

int StepBench::add(llvm::ArrayRef<uint8_t> bytes) {
  auto decoded = decoder->decodeOne(bytes, nextAddress);
  if (!decoded) {
    why = llvm::toString(decoded.takeError());
    return -1;
  }
  nextAddress += 64;
  prog->instructions.push_back(std::move(*decoded));
  return static_cast<int>(prog->instructions.size() - 1);
}

const isa::Instruction &StepBench::instruction(int number) const {
  return prog->instructions[static_cast<size_t>(number)];
}
std::string StepBench::print(int number) { return decoder->print(instruction(number)); }

bool StepBench::known(int number) {
  Handler run = prog->code(state->codeState)[number].run;
  return run != runUnknown && run != runBadRegister && run != runBadJump;
}

bool StepBench::step(int number) {
  Wave &w = *state;
  if (number < 0) return false;
  w.pc = static_cast<uint32_t>(number);
  w.fault = Fault();
  w.hazards.clear();
  w.sgprs = isa::SgprState();
  w.waitStates.clear();
  why.clear();
  runWave(w, 1);
  if (w.stop != Stop::Fault) drainPending(w);
  if (w.stop != Stop::Fault) return true;
  why = print(number) + ": " + w.fault.what;
  if (w.fault.what.empty()) why += "fault " + std::to_string(static_cast<int>(w.fault.kind));
  return false;
}

bool StepBench::run(const std::string &text) { return step(add(text)); }

int StepBench::addSequence(const std::vector<std::string> &texts) {
  int first = -1;
  for (const std::string &text : texts) {
    auto code = encoder->assemble(text + "\n");
    if (!code || code->size() != 1) {
      why = code ? "`" + text + "` is not one instruction" : "`" + text + "`: " + llvm::toString(code.takeError());
      return -1;
    }
    int number = add(code->front());
    if (number < 0) return -1;
    if (first < 0) first = number;
  }
  prog->watchDistances(static_cast<uint32_t>(first));
  return first;
}

bool StepBench::runSequence(int first, unsigned count) {
  Wave &w = *state;
  if (first < 0) return false;
  w.pc = static_cast<uint32_t>(first);
  w.fault = Fault();
  w.hazards.clear();
  w.sgprs = isa::SgprState();
  w.waitStates.clear();
  why.clear();
  // A barrier or a sleep ends a run, not the sequence.
  for (uint64_t end = w.executed + count; w.executed < end;) {
    runWave(w, end - w.executed);
    if (w.stop == Stop::Fault) {
      why = print(static_cast<int>(w.at)) + ": " + w.fault.what;
      return false;
    }
    if (w.stop == Stop::End) break;
  }
  return true;
}

void StepBench::forgetPending() {
  if (state->pending) state->pending->reset();
  state->pendingVector = state->pendingScalar = 0;
}

uint64_t StepBench::allocate(uint64_t bytes, uint8_t **host) {
  uint64_t address = memory.allocate(bytes, "step");
  if (host) *host = memory.host(address, bytes);
  return address;
}

} // namespace fly::emulator::test
