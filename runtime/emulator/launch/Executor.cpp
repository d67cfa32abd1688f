// The inner loop, and a second one that counts.
#include "runtime/emulator/watch/ProfileCounters.h"

namespace fly::emulator {

template <bool Counted> static void run(Wave &wave, uint64_t quantum) {
  wave.stop = Stop::None;
  wave.code = wave.program->code(wave.codeState);
  uint64_t count = 0;
  do {
    wave.at = wave.pc;
    const Inst &inst = wave.code[wave.pc++];
    if ((wave.pendingVector & inst.vectorUse) | (wave.pendingScalar & inst.scalarUse)) [[unlikely]]
      if (!mayUse(wave, inst)) break;
    if (inst.hazard && (inst.beginsHazard || !wave.hazards.empty())) [[unlikely]]
      if (!mayFollow(wave, inst)) break;
    if constexpr (Counted) wave.counters->execute(inst, wave.exec() & wave.laneMask);
    inst.run(wave, inst);
    ++count;
  } while (wave.stop == Stop::None && count < quantum);
  wave.executed += count;
  if (wave.stop == Stop::None) wave.stop = Stop::Quantum;
}

void runWave(Wave &wave, uint64_t quantum) {
  if (wave.counters) run<true>(wave, quantum);
  else run<false>(wave, quantum);
}

} // namespace fly::emulator
