// Room `watch`: races, values that were never written, profiles, fault reports.
//
// May include: compiler/target, runtime/emulator/formats, runtime/emulator/device, runtime/emulator/wave.
#pragma once
