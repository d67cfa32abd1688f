// Room `timing`: how long a launch takes, by a model of the machine.
//
// May include: compiler/isa, compiler/target, runtime/emulator/wave, runtime/emulator/watch.
#pragma once
