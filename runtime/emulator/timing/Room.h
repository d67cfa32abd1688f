// Room `timing`: a model of the machine: how long a launch takes.
//
// May include: compiler/text, compiler/isa, compiler/target, runtime/emulator/wave, runtime/emulator/watch.
#pragma once
