// Room `device`: architectures, guarded memory, what a launch is asked for.
//
// May include: compiler/target, runtime/emulator/formats.
#pragma once
