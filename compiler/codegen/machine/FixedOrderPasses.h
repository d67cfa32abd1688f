// Private: steps 3 and 4 of FixedOrder.h, on machine code.
#pragma once

namespace fly::codegen {

struct BackendPass;

/// Keeps what is needed only in later blocks from being computed there.
BackendPass fixedOrderUsesPass();
/// Refuses spills of scalar registers.
BackendPass fixedOrderSpillsPass();
/// Writes M0 an instruction earlier.
BackendPass fixedOrderM0Pass();
/// Compares the numbers, and removes them.
BackendPass fixedOrderCheckPass();

} // namespace fly::codegen
