// See ScratchUse.h.
//
// Which values share the blame is read from the machine code, at the place where most VGPRs are live: each of them was
// written at an earlier place and is needed until a later one. The longest such spans are those of values that could be
// loaded or computed again, or kept elsewhere, so their source lines are named.
#include "compiler/object_checks/ScratchUse.h"

#include "compiler/report/Liveness.h"
#include "compiler/text/Words.h"

#include <map>

namespace fly::driver {

namespace {

/// VGPRs written at one source line that are live at the peak.
struct Span {
  unsigned registers = 0;
  uint32_t length = 0; ///< instructions from the write to the last use, of the longest
  std::string neededUntil;
};

std::string lineOf(const isa::CodeObject &object, const isa::Instruction &instruction) {
  const isa::SourceLocation &at = instruction.location;
  if (!at.valid() || at.line == 0 || at.file >= object.files().size())
    return "";
  return object.files()[at.file] + ":" + std::to_string(at.line);
}

void explain(DiagnosticBuilder &builder, const isa::CodeObject &object, const report::Code &code) {
  const report::Liveness live(code);
  const uint32_t peak = live.peak().vgprsAt;
  const llvm::BitVector registers = live.registersBefore(peak);
  std::map<unsigned, uint32_t> written, used; // by register
  for (uint32_t i = 0; i < code.instructions.size(); ++i) {
    const report::RegisterEffects effects = report::effectsOf(code, i);
    if (i < peak)
      for (unsigned k : effects.writes)
        written[k] = i;
    else
      for (unsigned k : effects.reads)
        used.try_emplace(k, i);
  }
  std::map<std::string, Span> lines;
  unsigned vgprs = 0;
  for (unsigned k : registers.set_bits()) {
    if (k >= report::unit::firstSgpr)
      break;
    vgprs += k < report::unit::firstAgpr;
    const auto from = written.find(k), to = used.find(k);
    const std::string line = from == written.end() ? "" : lineOf(object, code.instructions[from->second]);
    if (line.empty())
      continue;
    Span &span = lines[line];
    ++span.registers;
    const uint32_t until = to == used.end() ? uint32_t(code.instructions.size()) - 1 : to->second; // around a loop
    if (until - from->second >= span.length) {
      span.length = until - from->second;
      span.neededUntil = lineOf(object, code.instructions[until]);
    }
  }
  std::vector<std::pair<std::string, Span>> longest(lines.begin(), lines.end());
  llvm::sort(longest, [](auto &a, auto &b) {
    const auto sizeOf = [](const Span &span) { return uint64_t(span.length) * span.registers; };
    return std::pair(sizeOf(b.second), a.first) < std::pair(sizeOf(a.second), b.first);
  });
  longest.resize(std::min<size_t>(longest.size(), 3));
  const std::string where = lineOf(object, code.instructions[peak]);
  builder.note("most registers are in use " + (where.empty() ? "in this kernel" : "at " + where) + ": " +
               std::to_string(vgprs) + " VGPRs");
  for (auto &[line, span] : longest)
    builder.note(counted(span.registers, "of them holds a value", "of them hold values") + " of " + line +
                 (span.neededUntil.empty() ? "" : ", needed until " + span.neededUntil));
}

} // namespace

static bool isUnasked(const LinkedKernel &kernel) {
  const bool isPromised = llvm::any_of(kernel.promises->list, [](auto &promise) { return promise.key == "scratch"; });
  return kernel.info->resources.scratchBytes && !kernel.vgprBudget && !kernel.allowsScratch && !isPromised;
}

static bool spills(const LinkedKernel &kernel) { return kernel.vgprBudget && kernel.info->resources.vgprSpills; }

void reportScratch(DiagnosticEngine &diags, llvm::StringRef codeObject, llvm::ArrayRef<LinkedKernel> kernels) {
  if (llvm::none_of(kernels, [](auto &kernel) { return isUnasked(kernel) || spills(kernel); }))
    return;
  auto object = isa::CodeObject::read(codeObject);
  if (!object)
    return llvm::consumeError(object.takeError()); // linked by us: promises, which must be kept, report this
  const auto explainCode = [&](DiagnosticBuilder &builder, const std::string &symbol) {
    auto code = report::readCode(*object, symbol);
    if (!code)
      llvm::consumeError(code.takeError());
    else if (!code->empty())
      explain(builder, *object, code->front());
  };
  for (auto &kernel : kernels) {
    const std::string &symbol = kernel.info->symbol;
    if (spills(kernel)) {
      auto builder =
          diags.report(kernel.vgprBudgetAt, diag::register_spills{.budget = kernel.vgprBudget,
                                                                  .kernel = symbol,
                                                                  .arch = object->architecture(),
                                                                  .spilled = kernel.info->resources.vgprSpills});
      explainCode(builder, symbol);
      builder.help("raise the budget, or keep fewer values at the same time");
    } else if (isUnasked(kernel)) {
      auto builder = diags.report(kernel.at, diag::scratch_used{.kernel = symbol,
                                                                .bytes = kernel.info->resources.scratchBytes,
                                                                .arch = object->architecture()});
      explainCode(builder, symbol);
      builder.help("keep fewer values at the same time; `@expect(scratch=(0, N))` accepts it");
    }
  }
}

} // namespace fly::driver
