// See ShadowStalls.h. A block is followed instruction by instruction: each takes the wave's turn, a matrix instruction
// also the time after which packed ones start. What other waves do is not known, so this is the least.
#include "compiler/object_checks/ShadowStalls.h"

#include "compiler/isa/CodeObject.h"
#include "compiler/isa/ControlFlow.h"
#include "compiler/isa/Decoder.h"
#include "compiler/object_checks/PlacedCode.h"
#include "compiler/isa/InstructionClasses.h"
#include "runtime/emulator/timing/Cost.h"

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
  static std::optional<KernelCode> read(const isa::CodeObject &object, const isa::Kernel &kernel) {
    auto code = placedCode(object, kernel);
    if (!code)
      return std::nullopt;
    auto decoder = llvm::cantFail(isa::Decoder::create(object.architecture(), kernel.waveSize)); // it has read the code
    KernelCode out;
    emulator::Trace trace; // its code alone
    for (const isa::Instruction &each : *code) {
      trace.code.push_back({each, decoder->print(each), {}, {}, false});
      out.mnemonics.push_back(isa::mnemonic(trace.code.back().text).str());
    }
    for (emulator::Cost cost : emulator::costsOf(trace, *emulator::machineOf(object.architecture()), kernel.waveSize)) {
      cost.ranges = nullptr; // they end with the trace
      out.costs.push_back(cost);
    }
    out.instructions = std::move(*code);
    return out;
  }

  std::map<Place, Stalls> stalls() const {
    isa::ControlFlow flow(instructions);
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
      const emulator::Cost &cost = costs[i];
      if (cost.matrix) {
        now = std::max(now, matrixFree);
        matrixFree = now + cost.busy, packedFree = now + cost.packedGap;
      } else if (cost.packed && packedFree > now) {
        const auto &at = instructions[i].location;
        Stalls &stalls = found[at.valid() ? Place(at.file, at.line) : Place(~0u, 0)];
        if (!stalls.count++)
          stalls.mnemonic = mnemonics[i];
        stalls.cycles += packedFree - now;
        now = packedFree;
      }
      now += std::max(turn, cost.matrix ? turn : cost.busy);
    }
  }

  std::vector<isa::Instruction> instructions;
  std::vector<std::string> mnemonics;
  std::vector<emulator::Cost> costs;
};

std::optional<FileId> fileCalled(const SourceManager &sources, const std::function<std::string(FileId)> &fileName,
                                 llvm::StringRef name) {
  for (FileId file = 1; file <= sources.fileCount(); ++file)
    if (fileName(file) == name)
      return file;
  return std::nullopt;
}

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
    auto code = kernel ? KernelCode::read(*object, *kernel) : std::nullopt;
    if (!code)
      continue;
    for (auto &[place, stalls] : code->stalls()) {
      if (place.first >= object->files().size())
        continue;
      const auto file = fileCalled(diags.sources, fileName, object->files()[place.first]);
      if (!file)
        continue;
      llvm::StringRef line = diags.sources.line(*file, place.second).trim();
      const auto begin = uint32_t(line.data() - diags.sources.text(*file).data());
      diags
          .report(SourceRange{*file, begin, begin + uint32_t(line.size())},
                  diag::perf_waits_for_product{.arch = object->architecture(),
                                               .count = int64_t(stalls.count),
                                               .mnemonic = stalls.mnemonic,
                                               .cycles = int64_t(stalls.cycles)})
          .help("single instructions start beside a matrix instruction; or move this to where no wave of the SIMD "
                "multiplies");
    }
  }
}

} // namespace fly::driver
