// Kernels with `isa=True`: the body is elaborated into a stream of instructions, and that becomes an object at once.
#pragma once

#include "compiler/sema/kernel/Signature.h"

namespace fly::sema {

/// Whether `isa=` of the decorator says so; what does not go with it is refused. Throws Failed.
bool isIsaKernel(Elaborator &e, const KernelValue &kernel, const std::map<std::string, Value> &constants);

/// Elaborates the body. Throws Failed; errors that were reported without it are in `e.failures`.
IsaCode elaborateIsa(Elaborator &e, const KernelValue &kernel, const std::map<std::string, Value> &constants,
                     const Signature &signature, artifact::InstanceInfo &info);

/// `matmul[STAGES=3]`: as the author wrote the instance.

} // namespace fly::sema
