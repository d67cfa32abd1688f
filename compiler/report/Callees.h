// Which functions a piece of code calls, where the address of the call is in the code itself.
//
//     s_getpc_b64 s[8:9]; s_add_u32 s8, s8, lo; s_addc_u32 s9, s9, hi; ...; s_swappc_b64 s[30:31], s[8:9]
//
// Addresses that come from memory or through a spill are not followed: such calls are unknown.
#pragma once

#include "compiler/report/Code.h"

#include <map>

namespace fly::report {

/// The number of call instructions per target address; key ~0: unknown.
std::map<uint64_t, uint32_t> calleesOf(const Code &code);

} // namespace fly::report
