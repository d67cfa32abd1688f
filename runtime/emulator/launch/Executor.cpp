// The inner loop, and others that count, record, or look for values that were never written.
#include "runtime/emulator/launch/Executor.h"

#include "runtime/emulator/decode/Resolve.h"
#include "runtime/emulator/timing/Trace.h"
#include "runtime/emulator/watch/ProfileCounters.h"
#include "runtime/emulator/wave/Watcher.h"

namespace fly::emulator {

template <bool Counted, bool Init> static void run(Wave &wave, uint64_t quantum) {
  wave.stop = Stop::None;
  wave.code = wave.program->code(wave.codeState);
  uint64_t count = 0;
  do {
    wave.at = wave.pc;
    const Inst &inst = wave.code[wave.pc++];
    if ((wave.pendingVector & inst.vectorUse) | (wave.pendingScalar & inst.scalarUse)) [[unlikely]]
      if (!mayUse(wave, inst)) break;
    if (inst.keepsDistance && (inst.beginsHazard || !wave.hazards.empty() || !wave.waitStates.empty())) [[unlikely]]
      if (!mayFollow(wave, inst)) break;
    if constexpr (Counted) {
      if (wave.counters) wave.counters->execute(inst, wave.exec() & wave.laneMask);
      if (wave.recorder) wave.recorder->execute(wave, inst);
    }
    if constexpr (Init) {
      if ((wave.unsetVector & inst.vectorUse) | (wave.unsetScalar & inst.scalarUse)) wave.init->execute(wave, inst);
      else inst.run(wave, inst);
    } else inst.run(wave, inst);
    ++count;
  } while (wave.stop == Stop::None && count < quantum);
  wave.executed += count;
  if (wave.stop == Stop::None) wave.stop = Stop::Quantum;
}

void execute(Wave &wave, uint64_t quantum) {
  const bool counted = wave.counters || wave.recorder;
  if (wave.init) counted ? run<true, true>(wave, quantum) : run<false, true>(wave, quantum);
  else if (counted) run<true, false>(wave, quantum);
  else run<false, false>(wave, quantum);
}

const Interpreter interpreter{resolve, execute};

} // namespace fly::emulator
