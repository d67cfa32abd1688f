// See ShadowStalls.h. A block is followed instruction by instruction: each takes the wave's turn, a matrix instruction
// also the time after which packed ones start. What other waves do is not known, so this is the least.
#include "compiler/object_checks/ShadowStalls.h"

#include "compiler/isa/CodeObject.h"
#include "compiler/isa/ControlFlow.h"
#include "compiler/object_checks/CostedCode.h"

#include <map>

namespace fly::driver {

namespace {

constexpr uint32_t turn = 4; ///< cycles from an instruction of a wave to its next (CDNA 3 white paper)

struct Stalls {
  unsigned count = 0;
  uint64_t cycles = 0;
  std::string mnemonic; ///< of the first
};
using Place = std::pair<uint32_t, uint32_t>; ///< file and line of the line table

class KernelCode {
public:
  explicit KernelCode(CostedCode code) : code(std::move(code)) {}

  std::map<Place, Stalls> stalls() const {
    isa::ControlFlow flow(code.instructions);
    std::vector<bool> isInLoop(flow.blocks().size());
    for (const isa::ControlFlow::Loop &loop : flow.loops()) {
      const std::vector<uint32_t> cold = flow.outOfLine(loop.header, loop.latches, loop.blocks);
      for (uint32_t block : loop.blocks)
        if (!llvm::is_contained(cold, block))
          isInLoop[block] = true;
    }
    std::map<Place, Stalls> found;
    for (uint32_t block = 0; block < isInLoop.size(); ++block)
      if (isInLoop[block])
        follow(flow.blocks()[block].first, flow.blocks()[block].last, found);
    return found;
  }

private:
  void follow(uint32_t first, uint32_t last, std::map<Place, Stalls> &found) const {
    uint64_t now = 0, matrixFree = 0, packedFree = 0;
    for (uint32_t i = first; i < last; ++i) {
      const emulator::Cost &cost = code.costs[i];
      if (cost.matrix) {
        now = std::max(now, matrixFree);
        matrixFree = now + cost.busy, packedFree = now + cost.packedGap;
      } else if (cost.packed && packedFree > now) {
        const auto &at = code.instructions[i].location;
        Stalls &stalls = found[at.valid() ? Place(at.file, at.line) : Place(~0u, 0)];
        if (!stalls.count++)
          stalls.mnemonic = code.mnemonics[i];
        stalls.cycles += packedFree - now;
        now = packedFree;
      }
      now += std::max(turn, cost.matrix ? turn : cost.busy);
    }
  }

  CostedCode code;
};

} // namespace

void reportShadowStalls(DiagnosticEngine &diags, const std::function<std::string(FileId)> &fileName,
                        llvm::StringRef codeObject, llvm::ArrayRef<const artifact::InstanceInfo *> instances) {
  if (!diags.isWanted(diag::perf_waits_for_product::kind))
    return;
  auto object = isa::CodeObject::read(codeObject);
  if (!object)
    return llvm::consumeError(object.takeError());
  for (const artifact::InstanceInfo *instance : instances) {
    const isa::Kernel *kernel = object->find(instance->symbol);
    auto code = kernel ? costedCode(*object, *kernel) : std::nullopt;
    if (!code)
      continue;
    for (auto &[place, stalls] : KernelCode(std::move(*code)).stalls()) {
      const auto line = lineAt(diags.sources, fileName, *object, place.first, place.second);
      if (!line)
        continue;
      diags
          .report(*line, diag::perf_waits_for_product{.arch = object->architecture(),
                                                      .count = int64_t(stalls.count),
                                                      .mnemonic = stalls.mnemonic,
                                                      .cycles = int64_t(stalls.cycles)})
          .help("single instructions start beside a matrix instruction; or move this to where no wave of the SIMD "
                "multiplies");
    }
  }
}

} // namespace fly::driver
