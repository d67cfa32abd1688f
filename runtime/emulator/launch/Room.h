// Room `launch`: code objects are loaded, waves started and scheduled.
//
// May include: runtime, compiler/target, runtime/emulator/formats, runtime/emulator/wave, runtime/emulator/watch,
// runtime/emulator/timing.
#pragma once
