// See Snapshot.h.
#include "compiler/editor/Snapshot.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

namespace fly::editor {

namespace {

FileId readInto(driver::Session &session, const std::string &path, std::string text) {
  const FileId file = session.sources.add(path, std::move(text));
  session.openWhatIsGood(path, file);
  return file;
}

bool holds(const ast::DefStmt &def, uint32_t offset) { return def.range.begin <= offset && offset <= def.range.end; }

} // namespace

Snapshot::Snapshot(const SnapshotContext &context, const std::string &path, std::string text)
    : session(context.options), notes(readInto(session, path, std::move(text)), context.stop),
      compilation(session, *context.target) {
  compilation.loader.unsaved = context.unsaved;
  compilation.loader.parsed = context.parsed;
  compilation.elaborator.watcher = &notes;
  compilation.elaborator.printTo = &llvm::nulls();
}

Snapshot::~Snapshot() = default;

void Snapshot::runModule() {
  if (std::exchange(hasRun, true))
    return;
  // Where statements are missing, errors are about what is not there: elaboration is for its values alone.
  if (tree().hasErrors)
    session.diags.suspend();
  compilation.run();
  try {
    instances = sema::exportedInstances(compilation.elaborator, *compilation.main);
  } catch (sema::Failed &) {
  }
  elaborated.assign(instances.size(), false);
}

void Snapshot::elaborate(size_t index) {
  elaborated[index] = true;
  for (auto &each : compilation.evaluate(instances[index]))
    unfinished.push_back(std::move(each));
}

void Snapshot::finish() {
  for (auto &each : std::exchange(unfinished, {}))
    if (!wasStopped())
      compilation.finish(each);
}

void Snapshot::elaborateAt(uint32_t offset) {
  runModule();
  for (size_t i = 0; i < instances.size(); ++i) {
    auto &kernel = *instances[i].kernel.kernel;
    if (kernel.module != compilation.main || !holds(*kernel.def, offset))
      continue;
    if (!elaborated[i])
      elaborate(i);
    return;
  }
}

std::set<const sema::KernelDefinition *> Snapshot::begun() const {
  std::set<const sema::KernelDefinition *> begun;
  for (size_t i = 0; i < instances.size(); ++i)
    if (elaborated[i])
      begun.insert(instances[i].kernel.kernel);
  return begun;
}

bool Snapshot::hasFirstInstances() const {
  const auto kernels = begun();
  return hasRun && isFinished() &&
         llvm::all_of(instances, [&](auto &instance) { return kernels.count(instance.kernel.kernel); });
}

bool Snapshot::elaborateNext() {
  runModule();
  if (!isFinished() && !wasStopped()) {
    finish();
    return true;
  }
  const auto kernels = begun();
  std::optional<size_t> next;
  for (size_t i = 0; i < instances.size(); ++i)
    if (!elaborated[i] &&
        (!next || (kernels.count(instances[*next].kernel.kernel) && !kernels.count(instances[i].kernel.kernel))))
      next = i;
  if (!next || wasStopped())
    return false;
  elaborate(*next);
  return true;
}

std::pair<unsigned, std::string> Snapshot::instancesAt(uint32_t offset) {
  runModule();
  std::pair<unsigned, std::string> result;
  for (auto &instance : instances)
    if (instance.kernel.kernel->module == compilation.main && holds(*instance.kernel.kernel->def, offset))
      if (result.first++ == 0)
        result.second = instance.symbol;
  return result;
}

std::vector<Snapshot::Kernel> Snapshot::kernels() {
  runModule();
  std::vector<Kernel> result;
  for (auto &instance : instances) {
    auto &kernel = *instance.kernel.kernel;
    if (kernel.module == compilation.main && !kernel.isLaunch &&
        llvm::none_of(result, [&](const Kernel &known) { return known.def == kernel.def; }))
      result.push_back({kernel.def, instance.symbol});
  }
  return result;
}

size_t Snapshot::textHash() {
  runModule();
  llvm::hash_code hash = llvm::hash_value(text());
  for (auto &module : modules())
    if (module->tree)
      hash = llvm::hash_combine(hash, session.sources.text(module->file));
  return hash;
}

} // namespace fly::editor
