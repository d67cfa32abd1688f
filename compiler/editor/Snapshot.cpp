// See Snapshot.h.
#include "compiler/editor/Snapshot.h"

#include "compiler/sema/kernel/Launches.h"

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
    : session(context.options), notes(readInto(session, path, std::move(text)), context.stop), waits(context.waits),
      compilation(session, *context.target), chosen(context.chosen) {
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
    for (auto &exported : sema::exportedInstances(compilation.elaborator, *compilation.main))
      instances.push_back({exported, sema::displayName(exported.kernel)});
  } catch (sema::Failed &) {
  }
}

bool Snapshot::isAt(const Known &instance, uint32_t offset) const {
  auto &kernel = *instance.exported.kernel.kernel;
  return kernel.module == compilation.main && holds(*kernel.def, offset);
}

size_t Snapshot::shownOf(const sema::KernelDefinition &kernel) const {
  auto wanted = chosen.find(kernel.module == compilation.main ? kernel.name : "");
  std::optional<size_t> first;
  for (size_t i = 0; i < instances.size(); ++i) {
    if (instances[i].exported.kernel.kernel != &kernel)
      continue;
    if (wanted == chosen.end() || instances[i].exported.symbol == wanted->second)
      return i;
    if (!first)
      first = i;
  }
  return *first;
}

void Snapshot::elaborate(size_t index) {
  Known &instance = instances[index];
  if (std::exchange(instance.isElaborated, true))
    return;
  if (instance.exported.kernel.kernel->isLaunch)
    planLaunch(instance);
  else
    for (auto &each : compilation.evaluate(instance.exported))
      unfinished.push_back(std::move(each));
}

void Snapshot::finish() {
  for (auto &each : std::exchange(unfinished, {}))
    if (!wasStopped())
      compilation.finish(each);
}

/// The kernels that a function launches become instances, of other modules, too.
void Snapshot::planLaunch(Known &launch) {
  launch.isElaborated = true;
  try {
    auto plan = sema::planLaunch(compilation.elaborator, launch.exported.kernel, launch.exported.range);
    for (auto &needed : plan.kernels) {
      const std::string text = sema::displayName(needed.kernel);
      if (llvm::none_of(instances, [&](const Known &each) {
            return each.exported.kernel.kernel == needed.kernel.kernel && each.text == text;
          }))
        instances.push_back(
            {{sema::instanceSymbol(compilation.elaborator, needed.kernel, needed.range), needed.kernel, needed.range},
             text});
    }
  } catch (sema::Failed &) {
    ++compilation.elaborator.failures;
  }
}

/// Until the kernel at the offset has an instance. A kernel that the module exports needs none.
void Snapshot::planLaunchesFor(uint32_t offset) {
  auto isKnown = [&] { return llvm::any_of(instances, [&](const Known &each) { return isAt(each, offset); }); };
  auto inKernel = [&](auto &kernel) { return !kernel->isLaunch && holds(*kernel->def, offset); };
  if (isKnown() || llvm::none_of(compilation.main->kernels, inKernel))
    return;
  for (size_t i = 0; i < instances.size() && !wasStopped(); ++i)
    if (instances[i].exported.kernel.kernel->isLaunch && !instances[i].isElaborated) {
      planLaunch(instances[i]);
      if (isKnown())
        return;
    }
}

void Snapshot::elaborateAt(uint32_t offset) {
  runModule();
  planLaunchesFor(offset);
  for (const Known &instance : instances)
    if (isAt(instance, offset))
      return elaborate(shownOf(*instance.exported.kernel.kernel));
}

void Snapshot::elaborateAt(uint32_t offset, SourceRange wanted) {
  runModule();
  notes.endAt(wanted);
  elaborateAt(offset);
  notes.endAt({});
}

bool Snapshot::hasFirstInstances() const {
  return hasRun && isFinished() && llvm::all_of(instances, [&](const Known &each) {
           return each.isElaborated || instances[shownOf(*each.exported.kernel.kernel)].isElaborated;
         });
}

bool Snapshot::elaborateNext() {
  runModule();
  if (!isFinished() && !wasStopped()) {
    finish();
    return true;
  }
  std::optional<size_t> next;
  for (size_t i = 0; i < instances.size(); ++i) {
    if (instances[i].isElaborated)
      continue;
    const size_t shown = shownOf(*instances[i].exported.kernel.kernel);
    if (!instances[shown].isElaborated) {
      next = shown;
      break;
    }
    if (!next)
      next = i;
  }
  if (!next || wasStopped())
    return false;
  elaborate(*next);
  return true;
}

Snapshot::InstanceList Snapshot::instancesAt(uint32_t offset) {
  runModule();
  planLaunchesFor(offset);
  InstanceList result;
  for (size_t i = 0; i < instances.size(); ++i) {
    if (!isAt(instances[i], offset))
      continue;
    auto &kernel = *instances[i].exported.kernel.kernel;
    result.def = kernel.def;
    if (shownOf(kernel) == i)
      result.shown = result.symbols.size();
    result.symbols.push_back(instances[i].exported.symbol);
  }
  return result;
}

std::string Snapshot::displayName(const InstanceList &list, const std::string &symbol) {
  for (const Known &each : instances)
    if (each.exported.symbol == symbol && each.exported.kernel.kernel->def == list.def)
      return each.text;
  return symbol;
}

std::vector<Snapshot::Kernel> Snapshot::kernels() {
  runModule();
  std::vector<Kernel> result;
  for (const Known &instance : instances) {
    auto &kernel = *instance.exported.kernel.kernel;
    if (kernel.module == compilation.main && !kernel.isLaunch &&
        llvm::none_of(result, [&](const Kernel &known) { return known.def == kernel.def; }))
      result.push_back({kernel.def, instances[shownOf(kernel)].exported.symbol});
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
