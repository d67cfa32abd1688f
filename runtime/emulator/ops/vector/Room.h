// Room `ops/vector`: rows of vector instructions.
//
// May include: runtime/emulator/formats, runtime/emulator/lanes.
#pragma once
