// See PairHazards.h.
#include "compiler/codegen/check/PairHazards.h"

#include "compiler/codegen/check/FunctionCode.h"
#include "compiler/isa/HazardPaths.h"

namespace fly::codegen {

bool mayHavePairHazards(const target::Target &target) { return target.cdna5Arithmetic; }

bool hasPairHazards(llvm::StringRef bytes, const target::Target &target) {
  for (const DecodedFunction &function : decodedFunctionsOf(bytes, target))
    for (const isa::Hazard &h :
         isa::findHazards(function.code, isa::ControlFlow(function.code), target, isa::HazardBound::Manual))
      if (function.code[h.instruction].components.size() == 2)
        return true;
  return false;
}

} // namespace fly::codegen
