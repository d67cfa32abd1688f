// See TightenedWaits.h.
#include "compiler/object_checks/TightenedWaits.h"

#include "compiler/analysis/SourcePlaces.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/object_checks/PlacedCode.h"

#include "mlir/IR/BuiltinOps.h"

namespace fly::driver {

namespace {

std::optional<isa::Counter> counterCalled(llvm::StringRef name) {
  for (unsigned i = 0; i < isa::counterCount; ++i)
    if (isa::name(isa::Counter(i)) == std::string_view(name))
      return isa::Counter(i);
  return std::nullopt;
}

void lower(isa::Waits &waits, const isa::Waits &by) {
  for (unsigned i = 0; i < isa::counterCount; ++i)
    waits.limit[i] = std::min(waits.limit[i], by.limit[i]); // `none` is the largest
}

isa::Waits waitsOf(ir::WaitOp op) {
  isa::Waits waits;
  for (unsigned i = 0; i <= ir::getMaxEnumValForWaitCounter(); ++i) {
    const auto counter = ir::WaitCounter(i);
    auto known = counterCalled(ir::stringifyWaitCounter(counter));
    if (auto count = op.countOf(counter); count && known)
      waits.limit[unsigned(*known)] = uint8_t(*count);
  }
  return waits;
}

/// "vmcnt(0)", of the counters for which the source names a larger count.
std::string tightened(const isa::Waits &written, const isa::Waits &found) {
  std::string text;
  for (unsigned i = 0; i < isa::counterCount; ++i)
    if (written.limit[i] != isa::Waits::none && found.limit[i] < written.limit[i])
      text += (text.empty() ? "" : " ") + std::string(isa::name(isa::Counter(i))) + "(" +
              std::to_string(found.limit[i]) + ")";
  return text;
}

} // namespace

std::vector<WrittenWait> writtenWaits(mlir::ModuleOp module, const SourceManager &sources,
                                      const std::function<std::string(FileId)> &fileName) {
  const analysis::SourcePlaces places(sources, fileName);
  std::vector<WrittenWait> all;
  module.walk([&](ir::WaitOp op) {
    const SourceRange range = places.of(op.getLoc());
    auto known = llvm::find_if(
        all, [&](const WrittenWait &each) { return each.range.file == range.file && each.range.begin == range.begin; });
    if (known == all.end())
      known = all.insert(known, {range, {}});
    lower(known->waits, waitsOf(op));
  });
  return all;
}

void reportTightenedWaits(DiagnosticEngine &diags, const std::function<std::string(FileId)> &fileName,
                          llvm::StringRef codeObject, llvm::ArrayRef<WaitsOf> instances) {
  if (llvm::all_of(instances, [](const WaitsOf &each) { return each.waits->empty(); }))
    return;
  auto object = isa::CodeObject::read(codeObject);
  if (!object)
    return llvm::consumeError(object.takeError()); // linked by us: promises, which must be kept, report this
  for (const WaitsOf &instance : instances) {
    const isa::Kernel *kernel = object->find(instance.info->symbol);
    if (instance.waits->empty() || !kernel)
      continue;
    auto code = placedCode(*object, *kernel);
    if (!code)
      continue;
    for (const WrittenWait &wait : *instance.waits) {
      const LineColumn begin = diags.sources.lineColumn(wait.range.file, wait.range.begin);
      const std::string file = fileName(wait.range.file);
      isa::Waits found;
      for (const isa::Instruction &instruction : *code) {
        const isa::SourceLocation &at = instruction.location;
        if (instruction.is(isa::Class::Wait) && at.valid() && at.file < object->files().size() &&
            at.line == begin.line && at.column == begin.column && object->files()[at.file] == file)
          lower(found, instruction.waits);
      }
      if (const std::string text = tightened(wait.waits, found); !text.empty())
        diags.report(wait.range, diag::tightened_wait{.kernel = instance.info->symbol, .found = text})
            .help(
                "LLVM waits for what is used before the next wait: registers that a load fills, or LDS that a copy may "
                "still write. Use it after a later wait, or write the smaller count that covers it");
    }
  }
}

} // namespace fly::driver
