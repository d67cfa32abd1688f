// Room `decode`: an instruction of compiler/isa becomes one that executes.
//
// May include: runtime/emulator/formats, runtime/emulator/wave, runtime/emulator/lanes, runtime/emulator/ops/matrix.
#pragma once
