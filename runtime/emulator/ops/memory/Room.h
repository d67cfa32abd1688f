// Room `ops/memory`: rows of memory instructions: buffers, LDS, flat and global, asynchronous, the tensor mover.
//
// May include: runtime/emulator/formats, runtime/emulator/wave, runtime/emulator/lanes.
#pragma once
