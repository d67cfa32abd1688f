// The functions that a module offers: a list over all architectures, for what is written for callers outside of C.
//
// A kernel or launch function has one for each of its names, in the order of the C header. The architectures share its
// parameters; sizes and preconditions may differ between them.
#pragma once

#include "compiler/artifact/ModuleInfo.h"

namespace fly::artifact {

/// Where a caller's tensor tells a scalar that was left out: the extent or stride of a dimension is the scalar itself.
struct ScalarSource {
  unsigned tensor = 0;         ///< parameter
  unsigned mode = 0, leaf = 0; ///< the mode is this one leaf
  bool isStride = false;
  bool operator==(const ScalarSource &) const = default;
};

/// A function on one architecture.
struct FunctionOnArch {
  size_t arch = 0; ///< in ModuleInfo::archs
  const std::vector<ParameterInfo> *parameters = nullptr;
  const std::vector<RequirementInfo> *requirements = nullptr;
  std::vector<ParameterInfo> named; ///< what expressions use: parameters, then the numbers in structs
  std::vector<bool> isUsed;         ///< of each parameter; false also where only some launches use it
};

struct ModuleFunction {
  std::string symbol;
  std::string source; ///< name of the kernel or launch function in the source
  std::vector<std::pair<std::string, std::string>> constants;
  bool hasWorkspace = false;                      ///< of a launch function on any architecture
  std::vector<FunctionOnArch> archs;              ///< where it is there; not empty
  std::vector<std::vector<ScalarSource>> sources; ///< of each parameter; none: it cannot be left out

  const std::vector<ParameterInfo> &parameters() const { return *archs.front().parameters; }
  /// A tensor that the function does not use, on some architecture or for some arguments.
  bool mayBeAbsent(size_t parameter) const;
};

/// Of each parameter, whether the Python package finds its value if it was left out: it solves what the extents and
/// strides of tensors say, as long as there is one unknown, under sums and products.
std::vector<bool> solvable(const ModuleFunction &function);

/// They refer to `module`.
std::vector<ModuleFunction> functionsOf(const ModuleInfo &module);

/// The mode of a tensor with several elements in a byte that runs through the bytes: the one with stride 1.
unsigned packedMode(const ParameterInfo &parameter);

} // namespace fly::artifact
