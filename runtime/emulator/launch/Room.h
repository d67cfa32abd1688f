// Room `launch`: code objects are loaded, waves started and scheduled.
//
// May include: runtime, runtime/emulator/formats, runtime/emulator/wave, runtime/emulator/watch.
#pragma once
