// See ShadowWork.h. The cycles are those of the time model, of a wave alone.
#include "compiler/object_checks/ShadowWork.h"

#include "compiler/isa/CodeObject.h"
#include "compiler/object_checks/CostedCode.h"
#include "runtime/emulator/timing/Machine.h"

#include <cmath>

namespace fly::driver {

namespace {

/// A matrix instruction, and the instructions [first, last) behind it.
struct Shadow {
  uint32_t product, first, last;
};

std::vector<Shadow> shadowsOf(const CostedCode &code) {
  std::vector<Shadow> shadows;
  uint32_t product = ~0u, number = 0;
  for (uint32_t i = 0; i < code.instructions.size(); ++i) {
    const uint32_t here = code.instructions[i].location.discriminator;
    if (here && product != ~0u) {
      if (here != number)
        shadows.push_back({product, i, i});
      shadows.back().last = i + 1; // with what has no place: waits that LLVM adds
    }
    if (here || code.costs[i].matrix)
      number = here;
    if (code.costs[i].matrix)
      product = i;
  }
  return shadows;
}

/// Cycles after a matrix instruction in which others can start beside it.
uint32_t cyclesOf(const emulator::Cost &product, uint32_t turn) {
  if (product.window)
    return uint32_t(llvm::count(*product.window, 'I'));
  return product.busy - std::min(product.busy, std::max(turn, product.head));
}

} // namespace

void reportShadowWork(DiagnosticEngine &diags, const std::function<std::string(FileId)> &fileName,
                      llvm::StringRef codeObject, llvm::ArrayRef<const artifact::InstanceInfo *> instances) {
  if (!diags.isWanted(diag::perf_beyond_shadow::kind))
    return;
  auto object = isa::CodeObject::read(codeObject);
  if (!object)
    return llvm::consumeError(object.takeError());
  const auto turn = uint32_t(std::lround(emulator::machineOf(object->architecture())->turn));
  for (const artifact::InstanceInfo *instance : instances) {
    const isa::Kernel *kernel = object->find(instance->symbol);
    auto code = kernel ? costedCode(*object, *kernel) : std::nullopt;
    if (!code)
      continue;
    for (const Shadow &shadow : shadowsOf(*code)) {
      const uint32_t cycles = cyclesOf(code->costs[shadow.product], turn);
      uint32_t taken = 0;
      for (uint32_t i = shadow.first; i < shadow.last; ++i)
        taken += std::max(turn, code->costs[i].busy) + code->costs[i].pause;
      auto &at = code->instructions[shadow.product].location;
      const auto line = taken > cycles ? lineAt(diags.sources, fileName, *object, at.file, at.line) : std::nullopt;
      if (!line)
        continue;
      diags
          .report(*line, diag::perf_beyond_shadow{.arch = object->architecture(),
                                                  .mnemonic = code->mnemonics[shadow.product],
                                                  .cycles = int64_t(cycles),
                                                  .taken = int64_t(taken)})
          .help("move some of it into the shadow of another matrix instruction");
    }
  }
}

} // namespace fly::driver
