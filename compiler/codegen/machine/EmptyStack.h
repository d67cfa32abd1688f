// A stack that nothing uses.
//
// LLVM keeps scalar registers that it spills in lanes of a vector register. The slots that they would have had in scratch
// memory stay in the frame, and so does one for emergencies. The frame is then not empty, the kernel asks for scratch
// memory, and no instruction touches it.
#pragma once

namespace fly::codegen {

struct BackendPass;

BackendPass emptyStackPass();

} // namespace fly::codegen
