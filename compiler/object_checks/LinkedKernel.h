// What the checks of linked code ask of one of its kernels: what was compiled, and what its source says.
#pragma once

#include "compiler/object_checks/NarrowAccesses.h"
#include "compiler/object_checks/Promises.h"
#include "compiler/object_checks/TightenedWaits.h"

namespace fly::driver {

struct LinkedKernel {
  const artifact::InstanceInfo *info;
  const Promises *promises;
  const std::vector<analysis::NeighbouringAccesses> *neighbours; ///< that LLVM might have joined
  const std::vector<WrittenWait> *waits;
  SourceRange at;          ///< the kernel's name
  uint32_t vgprBudget = 0; ///< of `vgprs=`; 0: none
  SourceRange vgprBudgetAt = {};
  bool isExact = false;       ///< with `isa=True`: the verifier has been asked, at the source's lines
  bool allowsScratch = false; ///< a fragment was made with `allow_scratch=True`
};

} // namespace fly::driver
