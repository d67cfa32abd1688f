// Room `lanes`: arithmetic lane by lane, operands and their modifiers.
//
// May include: runtime/emulator/formats, runtime/emulator/wave.
#pragma once
