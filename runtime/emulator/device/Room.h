// Room `device`: architectures, guarded memory, what a launch is asked for.
//
// May include: runtime/emulator/formats.
#pragma once
