// Private: the table of a bit operation of three operands of 16 bits stays where it is read from.
//
// gcn-dpp-combine makes V_BITOP3_B16_e64_dpp of a move with DPP and V_BITOP3_B16. It adds `op_sel` before the table of the
// operation; the instruction has them the other way round. So the table is 0, and so is the result:
//
//     v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2]            v_bitop3_b16_e64_dpp v0, v1, v3, v4 quad_perm:[1,0,3,2]
//     v_bitop3_b16 v0, v2, v3, v4 bitop3:0x96
//
// Here the two change places. `op_sel` is always 0 beside DPP, so a right instruction stays as it is.
#pragma once

#include "compiler/codegen/BackendPass.h"

namespace fly::codegen {

BackendPass dppBitOperationsPass();

} // namespace fly::codegen
