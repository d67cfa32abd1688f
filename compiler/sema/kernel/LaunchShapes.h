// The layout of a tensor in terms of launch-time numbers: of a parameter, and of a part of the workspace.
//
//     b: In[f16, (n, k)]                          shape n, k; strides k, 1
//     b: In[f16, (n, k):(lda, 1)]
//     b: In[f16, ((16, n // 16), k):((1, 16 * k), 16)]
//                                                 nested: shape 16, n // 16, k, whose modes are a pair and a number
//     b: In[f16, preshuffled(n, k)]               what a function returns: a layout
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

struct LaunchShape {
  std::vector<host::ExprRef> shape, strides; ///< one per leaf
  host::Profiles modes;                      ///< how the leaves are grouped; empty: each mode is one number
  unsigned bits = 32;                        ///< that the widest of the numbers needs
};

/// `stride` is None where none was given: storage is row-major. Fails where the two are not nested in the same way.
LaunchShape readLaunchShape(Elaborator &e, const Value &shape, const Value &stride, SourceRange range);
/// `shape:stride`, nested as written.
std::string layoutText(const std::vector<host::ExprRef> &shape, const std::vector<host::ExprRef> &strides,
                       const host::Profiles &modes);

} // namespace fly::sema
