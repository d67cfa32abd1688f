// Room `device`: architectures, guarded memory, parameters of a launch.
//
// May include: compiler/target, runtime/emulator/formats.
#pragma once
