// Parts that several expressions of a launch function have in common, as C functions of their own. The guard of each step
// of a plan says that the steps before it were not taken, so without them the text grows with the square of the steps.
//
//     static inline int64_t m_gemm_e3(int32_t m, ..., int64_t *fly_memo, unsigned char *fly_known, int *fly_faults)
//
// computes part 3 at most once per launch, where it is first needed: what `&&` and `?:` do not look at is not computed.
#pragma once

#include "compiler/artifact/ModuleInfo.h"

#include <memory>
#include <string>
#include <vector>

namespace fly::artifact {

class HeaderSharing {
public:
  /// `prefix`: of the functions' names ("m_gemm"). `plans`: of one launch function by architecture; null where it is not there.
  /// `declarations`, `names`: the scalars and structs that all functions take, as C parameters and as arguments.
  HeaderSharing(std::string prefix, const std::vector<const LaunchInfo *> &plans, std::vector<std::string> declarations,
                std::vector<std::string> names, bool asksDevice);
  ~HeaderSharing();

  /// The plans, in whose expressions `shared` names the common parts; null as before.
  std::vector<std::unique_ptr<LaunchInfo>> plans;
  /// The functions, each before those that call it. Empty if nothing is shared.
  std::string functions() const;
  /// What a function that uses the plans declares first: memory for the values.
  std::string locals() const;

private:
  class Parts;
  std::unique_ptr<Parts> parts;
  std::string prefix;
  std::vector<std::string> declarations, names;
  std::vector<ParameterInfo> parameters; ///< that expressions name; all plans have the same
};

} // namespace fly::artifact
