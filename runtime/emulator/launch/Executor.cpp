// The inner loop, and others: for observers of instructions, and for one that executes some of them itself.
#include "runtime/emulator/launch/Executor.h"

#include "runtime/emulator/decode/Resolve.h"
#include "runtime/emulator/wave/Observer.h"

namespace fly::emulator {

template <bool Observed, bool Shared> static void run(Wave &wave, uint64_t quantum) {
  wave.stop = Stop::None;
  wave.code = wave.program->code(wave.codeState);
  const std::span<WaveObserver *const> observers = wave.observers.of(Hook::Instruction);
  WaveObserver *const executor = wave.observers.executor();
  uint64_t count = 0;
  do {
    wave.at = wave.pc;
    const Inst &inst = wave.code[wave.pc++];
    if ((wave.pendingVector & inst.vectorUse) | (wave.pendingScalar & inst.scalarUse)) [[unlikely]]
      if (!mayUse(wave, inst)) break;
    if (inst.keepsDistance && (inst.beginsHazard || !wave.hazards.empty() || !wave.waitStates.empty())) [[unlikely]]
      if (!mayFollow(wave, inst)) break;
    if constexpr (Observed)
      for (WaveObserver *each : observers) each->instruction(wave, inst);
    if constexpr (Shared) {
      if ((wave.unsetVector & inst.vectorUse) | (wave.unsetScalar & inst.scalarUse)) executor->execute(wave, inst);
      else inst.run(wave, inst);
    } else inst.run(wave, inst);
    ++count;
  } while (wave.stop == Stop::None && count < quantum);
  wave.executed += count;
  if (wave.stop == Stop::None) wave.stop = Stop::Quantum;
}

void execute(Wave &wave, uint64_t quantum) {
  const bool observed = wave.observers.want(Hook::Instruction);
  if (wave.observers.executor()) observed ? run<true, true>(wave, quantum) : run<false, true>(wave, quantum);
  else if (observed) run<true, false>(wave, quantum);
  else run<false, false>(wave, quantum);
}

const Interpreter interpreter{resolve, execute};

} // namespace fly::emulator
