// Room `ops/matrix`: rows of matrix instructions: layouts, plans, kernels.
//
// May include: runtime/emulator/formats, runtime/emulator/wave.
#pragma once
