// Private: what the two halves of FixedOrder.h share.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace llvm {
class DebugLoc;
class Function;
} // namespace llvm

namespace fly::codegen {

/// Numbers of a region of one function: those of the barriers at its ends. Its instructions have those in between.
struct FixedRegion {
  unsigned first = 0, last = 0;
};

/// The attribute of a function that has regions: "1:5 6:9".
constexpr llvm::StringRef fixedRegions = "fly-fixed-regions";

/// The same of those in the shadow of a matrix instruction, by the numbers of their ends.
constexpr llvm::StringRef shadowRegions = "fly-shadow-regions";

std::string textOf(const std::vector<FixedRegion> &regions);
std::vector<FixedRegion> regionsOf(const llvm::Function &function, llvm::StringRef attribute = fixedRegions);

/// `refuse` for a region (Refusal.h).
void refuseRegion(const llvm::Function &function, const llvm::DebugLoc &at, const llvm::Twine &message);

} // namespace fly::codegen
