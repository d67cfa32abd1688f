// Waits as assembly: what is inserted where one is missing.
#pragma once

#include "compiler/isa/Instruction.h"
#include "compiler/target/Target.h"

#include <string>
#include <vector>

namespace fly::isa {

/// One instruction on gfx9; on gfx12 one per counter, or one for the two of loads and LDS.
std::vector<std::string> waitTexts(const Waits &waits, target::Generation generation);

/// `s_nop`s of as many wait states. On gfx12 an instruction is one, whatever its number.
std::vector<std::string> nopTexts(unsigned states, target::Generation generation);

} // namespace fly::isa
