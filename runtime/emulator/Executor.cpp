// The inner loop.
#include "runtime/emulator/Program.h"

namespace fly::emulator {

void runWave(Wave &wave, uint64_t quantum) {
  wave.stop = Stop::None;
  wave.code = wave.program->code(wave.codeState);
  uint64_t count = 0;
  do {
    wave.at = wave.pc;
    const Inst &inst = wave.code[wave.pc++];
    if ((wave.pendingVector & inst.vectorUse) | (wave.pendingScalar & inst.scalarUse)) [[unlikely]]
      if (!mayUse(wave, inst)) break;
    inst.run(wave, inst);
    ++count;
  } while (wave.stop == Stop::None && count < quantum);
  wave.executed += count;
  if (wave.stop == Stop::None) wave.stop = Stop::Quantum;
}

} // namespace fly::emulator
