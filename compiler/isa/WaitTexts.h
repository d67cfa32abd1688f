// Waits as assembly: what is inserted where one is missing.
#pragma once

#include "compiler/isa/Instruction.h"
#include "compiler/target/Target.h"

#include <string>
#include <vector>

namespace fly::isa {

/// One instruction with the counts of s_waitcnt and one for vscnt; or, with split counters, one per counter and one for
/// the two of loads and LDS.
std::vector<std::string> waitTexts(const Waits &waits, const target::Generation &generation);

/// `s_nop`s of as many wait states (`nopStates`: on gfx12 an instruction is one, whatever its number).
std::vector<std::string> nopTexts(unsigned states, const target::Generation &generation);

} // namespace fly::isa
