// See FixedRegions.h.
#include "compiler/codegen/ir/FixedRegions.h"

#include "compiler/codegen/Refusal.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"

namespace fly::codegen {

std::string textOf(const std::vector<FixedRegion> &regions) {
  std::string text;
  for (const FixedRegion &region : regions)
    text += (text.empty() ? "" : " ") + std::to_string(region.first) + ":" + std::to_string(region.last);
  return text;
}

std::vector<FixedRegion> regionsOf(const llvm::Function &function, llvm::StringRef attribute) {
  std::vector<FixedRegion> regions;
  if (!function.hasFnAttribute(attribute))
    return regions;
  for (llvm::StringRef word : llvm::split(function.getFnAttribute(attribute).getValueAsString(), ' ')) {
    auto [first, last] = word.split(':');
    FixedRegion &region = regions.emplace_back();
    (void)first.getAsInteger(10, region.first), (void)last.getAsInteger(10, region.last);
  }
  return regions;
}

void refuseRegion(const llvm::Function &function, const llvm::DebugLoc &at, const llvm::Twine &message) {
  refuse(function, at, "in `sched.fixed()`: " + message);
}

} // namespace fly::codegen
