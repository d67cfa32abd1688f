// The order of the checks, and its reasons:
//
//   1. scratch memory and spills     warnings; they say why a promise about registers may fail next
//   2. promises of `@expect`         errors about what the author has asked for
//   3. the verifier                  errors; code that waits for too little is not handed out
//   4. waits that LLVM tightened     performance: only of code that is right
//   5. packed instructions that      likewise
//      wait for matrix instructions
//   6. work in a shadow that is     likewise
//      longer than it
//   7. accesses that stayed narrow   likewise
//
// 1 to 3 end the compilation at their first error, so that nothing is said about the speed of code that is wrong.
#include "compiler/object_checks/Pipeline.h"

#include "compiler/object_checks/ScratchUse.h"
#include "compiler/object_checks/ShadowStalls.h"
#include "compiler/object_checks/ShadowWork.h"
#include "compiler/object_checks/VerifyBuild.h"

#include <chrono>

namespace fly::driver {

bool ObjectChecks::run(llvm::StringRef codeObject, llvm::ArrayRef<LinkedKernel> kernels) const {
  reportScratch(diags, codeObject, kernels);
  std::vector<Promised> promised;
  for (auto &kernel : kernels)
    promised.push_back({kernel.promises, kernel.info});
  if (!keepPromises(diags, fileName, codeObject, promised))
    return false;
  if (verifiesBuilds(rulesOff)) {
    const auto start = std::chrono::steady_clock::now();
    const bool isProved = verifyBuild(diags, rulesOff, codeObject, kernels);
    verifierTook(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    if (!isProved)
      return false;
  }
  std::vector<NeighboursOf> neighbours;
  std::vector<WaitsOf> waits;
  for (auto &kernel : kernels) {
    neighbours.push_back({kernel.neighbours, kernel.info});
    waits.push_back({kernel.waits, kernel.info});
  }
  std::vector<const artifact::InstanceInfo *> infos;
  for (auto &kernel : kernels)
    infos.push_back(kernel.info);
  const unsigned errors = diags.errorCount();
  reportShadowStalls(diags, fileName, codeObject, infos);
  reportShadowWork(diags, fileName, codeObject, infos);
  reportTightenedWaits(diags, fileName, codeObject, waits);
  reportNarrowAccesses(diags, fileName, codeObject, neighbours);
  return diags.errorCount() == errors; // else by -Werror
}

} // namespace fly::driver
