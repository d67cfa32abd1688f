// Private: steps 3 and 4 of FixedOrder.h, on machine code.
#pragma once

namespace fly::codegen {

/// Has every later run of the backend keep and check the order.
void installFixedOrder();

} // namespace fly::codegen
