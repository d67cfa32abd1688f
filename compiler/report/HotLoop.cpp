// See HotLoop.h. Loops come with parents before what they hold, so a walk from the back sees inner loops first.
#include "compiler/report/HotLoop.h"

#include <tuple>

namespace fly::report {

namespace {

bool isMatrix(const isa::Instruction &i) { return i.is(isa::Class::Matrix); }
bool isWork(const isa::Instruction &i) {
  switch (i.cls) {
  case isa::Class::Vector:
  case isa::Class::Transcendental:
  case isa::Class::VectorMemory:
  case isa::Class::ScalarMemory:
  case isa::Class::Lds: return true;
  default: return false;
  }
}

int most(const Code &code, llvm::ArrayRef<Loop> loops, bool (*counts)(const isa::Instruction &)) {
  std::vector<uint32_t> number(loops.size()); // of instructions outside inner loops
  std::vector<bool> inside(loops.size());     // whether an inner loop has some
  int best = -1;
  for (size_t i = loops.size(); i > 0; --i) {
    const Loop &loop = loops[i - 1];
    for (uint32_t block : loop.ownBlocks)
      for (uint32_t k = code.flow.blocks()[block].first; k < code.flow.blocks()[block].last; ++k)
        number[i - 1] += counts(code.instructions[k]);
    if (loop.parent >= 0 && (inside[i - 1] || number[i - 1]))
      inside[loop.parent] = true;
    if (!number[i - 1] || inside[i - 1])
      continue;
    if (best < 0 || std::tuple(number[i - 1], loop.depth) >= std::tuple(number[best], loops[best].depth))
      best = int(i - 1);
  }
  return best;
}

} // namespace

int hotLoop(const Code &code, llvm::ArrayRef<Loop> loops) {
  int matrix = most(code, loops, isMatrix);
  return matrix >= 0 ? matrix : most(code, loops, isWork);
}

} // namespace fly::report
