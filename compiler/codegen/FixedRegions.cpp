// See FixedRegions.h.
#include "compiler/codegen/FixedRegions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"

namespace fly::codegen {

std::string textOf(const std::vector<FixedRegion> &regions) {
  std::string text;
  for (const FixedRegion &region : regions)
    text += (text.empty() ? "" : " ") + std::to_string(region.first) + ":" + std::to_string(region.last);
  return text;
}

std::vector<FixedRegion> regionsOf(const llvm::Function &function) {
  std::vector<FixedRegion> regions;
  if (!function.hasFnAttribute(fixedRegions))
    return regions;
  for (llvm::StringRef word : llvm::split(function.getFnAttribute(fixedRegions).getValueAsString(), ' ')) {
    auto [first, last] = word.split(':');
    FixedRegion &region = regions.emplace_back();
    (void)first.getAsInteger(10, region.first), (void)last.getAsInteger(10, region.last);
  }
  return regions;
}

void refuseRegion(const llvm::Function &function, const llvm::DebugLoc &at, const llvm::Twine &message) {
  std::string where;
  if (const llvm::DILocation *location = at.get())
    where = (location->getFilename() + ":" + llvm::Twine(location->getLine()) + ":" +
             llvm::Twine(location->getColumn()) + ": ")
                .str();
  function.getContext().diagnose(llvm::DiagnosticInfoGeneric(where + "in `sched.fixed()`: " + message));
}

} // namespace fly::codegen
