// What a call in a `@launch` function binds: the callee's parameters in terms of this function's.
#pragma once

#include "compiler/sema/kernel/Launches.h"

namespace fly::sema {

struct PlanBuilder::Bound {
  std::vector<host::ExprRef> scalars; ///< by parameter, null for tensors; then by field of structs
  std::vector<artifact::ArgumentInfo> arguments;
  Values values; ///< by parameter, as a launch function sees them
  std::vector<artifact::RequirementInfo> requirements;

  host::ExprRef expression(const host::ExprRef &of) const {
    return host::substitute(of, [&](const host::ExprRef &leaf) {
      return leaf->op == host::ExprOp::Parameter ? scalars[leaf->parameter] : leaf;
    });
  }
};

} // namespace fly::sema
