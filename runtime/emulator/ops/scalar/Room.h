// Room `ops/scalar`: rows of scalar instructions, branches, barriers.
//
// May include: compiler/text, runtime/emulator/formats, runtime/emulator/wave, runtime/emulator/lanes.
#pragma once
