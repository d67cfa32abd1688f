// See ArchCompilation.h.
#include "compiler/compilation/ArchCompilation.h"
#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/sema/Sema.h"
#include "compiler/sema/kernel/Launches.h"
#include "compiler/compilation/Evaluate.h"
#include "compiler/compilation/ExternBitcode.h"
#include "compiler/compilation/GivenLlvmOptions.h"
#include "compiler/compilation/PlacedFly.h"
#include "compiler/object_checks/Pipeline.h"
#include "compiler/transforms/PlantedFault.h"

#include "mlir/Bytecode/BytecodeWriter.h"

#include <map>

namespace fly::driver {

ArchCompilation::ArchCompilation(Session &session, const target::Target &target)
    : session(session), target(target), loader(session.diags, session.searchPath, sema::environment()),
      elaborator(session.diags, target, loader, session.context()),
      tables(session.diags, loader, std::string(target.name)) {
  elaborator.tuning = &tables;
  elaborator.llvmOptions = &llvmOptionList();
  loader.stdlib = session.stdlib;
  // Every operation has a location, and a name takes questions to the file system.
  elaborator.locationNames = [&session, known = std::map<FileId, std::string>()](FileId file) mutable {
    auto [entry, isNew] = known.try_emplace(file);
    if (isNew)
      entry->second = session.locationName(file);
    return entry->second;
  };
}

bool ArchCompilation::run() {
  auto timer = session.times.measure("elaborate");
  main = loader.addMain(session.moduleName, session.mainPath, session.mainFile, session.mainTree);
  if (!main->tree || !readDefinitions(session, elaborator) || !readGivenLlvmOptions(session, elaborator))
    return false;
  elaborator.runModule(*main);
  return main->state == sema::ModuleScope::State::Ready;
}

/// The instance's IR, as the backend's job.
bool ArchCompilation::keepIr(sema::Instance &instance, CompiledInstance &compiled, const sema::KernelValue &kernel,
                             std::vector<Promise> promises) {
  BackendJob &job = compiled.job;
  const Keep &keep = job.keep;
  if (auto found = kernel.kernel->options.find("vgprs"); found != kernel.kernel->options.end()) {
    compiled.vgprBudget = (*instance.module->getOps<ir::KernelOp>().begin()).getVgprs().value_or(0);
    compiled.vgprBudgetAt = found->second->range;
  }
  compiled.promises = {std::move(promises), namedLoops(*instance.module)};
  if (keep.object) {
    compiled.neighbours = std::move(instance.neighbours);
    compiled.waits = writtenWaits(*instance.module, session.sources, elaborator.locationNames);
  }
  if (keep.fly) {
    llvm::raw_string_ostream os(compiled.fly);
    instance.module->print(os);
    os << '\n';
  }
  if (keep.page || keep.places)
    compiled.placedFly = placedFly(*instance.module);
  if (keep.page)
    compiled.accesses = std::move(instance.accesses);
  job.options.keepLlvmIr = keep.llvmIr;
  job.options.keepPlacedIr = keep.page;
  const std::vector<std::string> known = codegen::passNames();
  for (const std::string &pass : keep.after())
    if (llvm::is_contained(known, pass))
      job.options.keepAfter.push_back(pass);
  if (keep.printAll)
    job.options.keepAfter = known;
  if (llvm::is_contained(known, keep.stopAfter))
    job.options.stopAfter = keep.stopAfter;
  const bool needsLlvm = keep.object || keep.llvmIr || !job.options.stopAfter.empty();
  job.options.emitObject = keep.object || !job.options.stopAfter.empty();
  job.options.timeout = session.options.llvmTimeout;
  job.options.rulesOff = session.verifyOff;
  job.options.without = session.options.without;
  for (auto &[name, value] : compiled.info.llvmOptions) {
    const bool isAttribute = codegen::kindOfLlvmOption(name) == codegen::LlvmOptionKind::Attribute;
    (isAttribute ? job.options.attributes : job.options.globals)[name] = value;
  }
  if (!instance.externs.empty() && needsLlvm) {
    auto files = collectBitcode(session, target, instance.externs);
    if (!files)
      return false;
    job.options.bitcode = std::move(*files);
  }
  job.plantFault = session.options.plantFault;
  if (job.plantFault == "fly-finish-kernel")
    ir::plantFault(*instance.module);
  llvm::raw_string_ostream bytecode(job.bytecode);
  if (mlir::failed(mlir::writeBytecodeToFile(*instance.module, bytecode))) {
    session.diags.report(diag::backend_failure, compiled.at)
        .arg(compiled.info.symbol)
        .arg("its IR cannot be written as bytecode");
    return false;
  }
  if (keep.reference)
    compiled.reference = {std::move(instance.elaborated), job.bytecode, job.plantFault};
  return true;
}

std::unique_ptr<CompiledInstance> ArchCompilation::elaborate(const sema::KernelValue &kernel, std::string symbol,
                                                             SourceRange range, const Keep &keep) {
  auto start = std::chrono::steady_clock::now();
  auto timer = session.times.measure("elaborate");
  auto compiled = std::make_unique<CompiledInstance>();
  auto instance = sema::instantiate(elaborator, kernel, std::move(symbol), range, {keep.page, keep.reference});
  if (!instance)
    return nullptr;
  compiled->info = std::move(instance->info);
  compiled->allowsScratch = instance->allowsScratch;
  compiled->llvmOptionsAt = std::move(instance->llvmOptionsAt);
  compiled->at = kernel.kernel->def->nameRange;
  auto promises = readPromises(elaborator, kernel, range);
  if (!promises)
    return nullptr;
  BackendJob &job = compiled->job;
  job.target = &target;
  job.keep = keep;
  if (instance->isa) {
    compiled->info.llvmOptions.clear(); // LLVM has no part in it
    const unsigned before = elaborator.failures;
    for (auto &finding : instance->isa->unproved)
      if (!session.verifyOff.count(finding.rule))
        finding.report();
    if (elaborator.failures != before)
      return nullptr;
    std::vector<NamedLoop> loops;
    for (auto &loop : instance->isa->loops)
      loops.push_back({loop.name, loop.file, loop.line});
    compiled->promises = {std::move(*promises), std::move(loops)};
    compiled->isExact = true;
    job.object = std::move(instance->isa->object);
    if (keep.fly)
      compiled->fly =
          "// " + compiled->info.symbol + ": live registers, instructions, places\n" + instance->isa->listing();
  } else if (!keepIr(*instance, *compiled, kernel, std::move(*promises))) {
    return nullptr;
  }
  compiled->info.compileMs =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

std::vector<ArchCompilation::Unfinished> ArchCompilation::evaluate(const sema::ExportedInstance &exported) {
  std::vector<Unfinished> all;
  sema::Kept kept;
  kept.unfinished = true;
  auto instantiate = [&](const sema::KernelValue &kernel, std::string symbol, SourceRange range) {
    if (auto instance = sema::instantiate(elaborator, kernel, std::move(symbol), range, kept))
      all.push_back({kernel, std::move(instance)});
  };
  if (!exported.kernel.kernel->isLaunch) {
    instantiate(exported.kernel, exported.symbol, exported.range);
    return all;
  }
  try {
    for (auto &needed : sema::planLaunch(elaborator, exported.kernel, exported.range).kernels)
      instantiate(needed.kernel, needed.kernel.kernel->name, needed.range);
  } catch (sema::Failed &) {
    ++elaborator.failures;
  }
  return all;
}

void ArchCompilation::finish(Unfinished &unfinished) {
  if (sema::finish(elaborator, unfinished.kernel, *unfinished.instance) && unfinished.instance->isa)
    for (auto &finding : unfinished.instance->isa->unproved)
      if (!session.verifyOff.count(finding.rule))
        finding.report();
}

void ArchCompilation::diagnose(const sema::ExportedInstance &exported) {
  for (Unfinished &unfinished : evaluate(exported))
    finish(unfinished);
}

/// Where the source says it.
static std::optional<SourceRange> rangeOf(const Session &session, const codegen::Refusal &refusal) {
  for (FileId file = 1; refusal.line != 0 && file <= session.sources.fileCount(); ++file)
    if (session.locationName(file) == refusal.file) {
      const uint32_t begin = session.sources.offset(file, {refusal.line, refusal.column});
      return SourceRange{file, begin, begin + 1};
    }
  return std::nullopt;
}

bool ArchCompilation::accept(CompiledInstance &instance) {
  const BackendResult &result = instance.result;
  for (auto [phase, ms] : {std::pair{"passes", result.passesMs}, std::pair{"LLVM", result.llvmMs},
                           std::pair{"cache", result.cacheMs}, std::pair{"LLVM's process", result.processMs}})
    if (ms > 0)
      session.times.add(phase, ms);
  instance.info.compileMs += result.total();
  instance.job = {}; // bytecode is large
  if (!result.failure)
    return true;
  if (auto &option = result.failure->option; !option.empty()) {
    session.diags.report(instance.llvmOptionsAt[option],
                         diag::bad_llvm_option{.name = option,
                                               .value = instance.info.llvmOptions[option],
                                               .problem = result.failure->message});
    return false;
  }
  if (!result.failure->refusals.empty()) {
    for (auto &refusal : result.failure->refusals)
      session.diags
          .report(rangeOf(session, refusal).value_or(instance.at),
                  diag::not_kept{.kernel = instance.info.symbol, .problem = refusal.message})
          .note("while compiling for " + std::string(target.name));
    return false;
  }
  auto builder = session.diags.report(diag::backend_failure, instance.at);
  builder.arg(instance.info.symbol).arg(result.failure->message);
  builder.note("while compiling for " + std::string(target.name));
  if (!instance.info.llvmOptions.empty()) {
    std::string options;
    for (auto &[name, value] : instance.info.llvmOptions)
      options += (options.empty() ? "" : ", ") + name + "=" + value;
    builder.note("with LLVM's options " + options);
  }
  if (!result.failure->details.empty())
    builder.note(llvm::StringRef(result.failure->details).take_front(2000));
  return false;
}

std::unique_ptr<CompiledInstance> ArchCompilation::compile(const sema::KernelValue &kernel, std::string symbol,
                                                           SourceRange range, const Keep &keep) {
  auto compiled = elaborate(kernel, std::move(symbol), range, keep);
  if (!compiled)
    return nullptr;
  compiled->result = runBackend(*session.contexts, session.cache, compiled->job);
  return accept(*compiled) ? std::move(compiled) : nullptr;
}

std::string ArchCompilation::link(std::vector<CompiledInstance *> instances,
                                  const std::vector<std::pair<std::string, std::string>> &aliases,
                                  const std::string &what) {
  auto timer = session.times.measure("link");
  std::vector<std::string_view> objects;
  for (auto *instance : instances)
    objects.push_back(instance->result.object);
  std::vector<codegen::Alias> names;
  for (auto &[symbol, alias] : aliases)
    names.push_back({symbol, alias});
  auto hsaco = codegen::linkCodeObject(objects, names, target);
  if (!hsaco) {
    session.diags.report(diag::backend_failure, {}).arg(what).arg(hsaco.failure().message);
    return "";
  }
  auto resources = codegen::readResources(*hsaco, target);
  if (!resources) {
    session.diags.report(diag::backend_failure, {}).arg(what).arg(resources.failure().message);
    return "";
  }
  for (auto *instance : instances)
    if (auto found = resources->find(instance->info.symbol); found != resources->end())
      instance->info.resources = found->second;
  std::vector<LinkedKernel> kernels;
  for (auto *instance : instances)
    kernels.push_back({&instance->info, &instance->promises, &instance->neighbours, &instance->waits, instance->at,
                       instance->vgprBudget, instance->vgprBudgetAt, instance->isExact, instance->allowsScratch});
  const ObjectChecks checks{session.diags, elaborator.locationNames, session.verifyOff,
                            [&](double ms) { session.times.add("verify", ms); }};
  return checks.run(*hsaco, kernels) ? std::move(*hsaco) : "";
}

} // namespace fly::driver
