// Private: each lane's atomic addition of a float is one of its own.
//
// LLVM's atomic optimizer lets one lane add for all lanes of a wave that add to one place: value * lanes, or a sum that
// it makes by a scan. No order of the single additions need give that sum (llvm-project issues 96479, 223608). It does so
// where the address is the same for all lanes. Here such an address gets a zero that could be another in each lane.
// Additions that may be reassociated (fast-math `reassoc`), and those of integers, stay as they are.
#pragma once

#include "compiler/codegen/BackendPass.h"

namespace fly::codegen {

BackendPass floatAtomicsPass();

} // namespace fly::codegen
