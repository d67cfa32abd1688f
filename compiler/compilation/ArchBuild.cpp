// See ArchBuild.h.
#include "compiler/compilation/ArchBuild.h"

#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/sema/kernel/Launches.h"
#include "compiler/sema/value/Key.h"

#include "llvm/Support/FileSystem.h"

namespace fly::driver {

InstancePage pageOf(CompiledInstance &instance) {
  return {instance.info.symbol, std::move(instance.placedFly), std::move(instance.result.placedIr),
          std::move(instance.accesses), instance.promises.loops};
}

CompiledInstance *ArchBuild::elaborate(const sema::KernelValue &kernel, std::string symbol, SourceRange range,
                                       BackendQueue &queue) {
  auto one = compilation.elaborate(kernel, std::move(symbol), range, keep);
  if (!one)
    return nullptr;
  compiled.push_back(std::move(one));
  if (keep.object || keep.rocdl || keep.llvmIr || keep.printAll || !keep.after().empty())
    queue.add(compiled.back()->job, compiled.back()->result);
  return compiled.back().get();
}

bool ArchBuild::elaborate(BackendQueue &queue) {
  if (!compilation.run())
    return false;
  auto &elaborator = compilation.elaborator;
  auto exported = sema::exportedInstances(elaborator, *compilation.main, &skipped);
  if (exported.empty() && !skipped.empty())
    return !session.diags.hasErrors(); // the file is for other architectures
  if (exported.empty()) {
    if (session.diags.hasErrors())
      return false;
    session.diags.report({}, diag::no_kernels{.file = session.mainPath})
        .help("to compile a kernel, give its Constexpr parameters values: as defaults, with `-D NAME=VALUE`, or by "
              "`name = kernel[T=f16]` in the file");
    return false;
  }
  for (auto &instance : exported) {
    if (instance.kernel.kernel->isLaunch)
      continue;
    std::string key;
    try {
      key = sema::instanceKey(elaborator.diags.sources, *instance.kernel.kernel,
                              sema::resolveConstants(elaborator, instance.kernel, instance.range));
    } catch (sema::Failed &) {
      continue;
    }
    if (auto known = byKey.find(key); known != byKey.end()) {
      aliases.push_back({known->second->info.symbol, instance.symbol});
      known->second->info.aliases.push_back(instance.symbol);
      continue;
    }
    if (auto *one = elaborate(instance.kernel, instance.symbol, instance.range, queue))
      byKey[key] = one;
  }
  planLaunches(exported, queue);
  checkDefinitions();
  if (session.diags.hasErrors())
    return false;
  info.arch = std::string(compilation.target.name);
  return true;
}

/// Launch functions, and the instances that only they use.
void ArchBuild::planLaunches(const std::vector<sema::ExportedInstance> &exported, BackendQueue &queue) {
  auto &elaborator = compilation.elaborator;
  auto isTaken = [&](const std::string &symbol) {
    return llvm::any_of(exported, [&](auto &other) { return other.symbol == symbol; }) ||
           llvm::any_of(compiled, [&](auto &other) { return other->info.symbol == symbol; });
  };
  std::map<std::string, artifact::LaunchInfo *> planned;
  for (auto &instance : exported) {
    if (!instance.kernel.kernel->isLaunch)
      continue;
    try {
      std::string key = sema::instanceKey(elaborator.diags.sources, *instance.kernel.kernel,
                                          sema::resolveConstants(elaborator, instance.kernel, instance.range));
      if (auto known = planned.find(key); known != planned.end()) {
        known->second->aliases.push_back(instance.symbol);
        continue;
      }
      auto plan = sema::planLaunch(elaborator, instance.kernel, instance.range);
      plan.info.symbol = instance.symbol;
      for (auto &needed : plan.kernels) {
        if (byKey.count(needed.key))
          continue;
        std::string symbol = sema::instanceSymbol(elaborator, needed.kernel, needed.range);
        while (isTaken(symbol))
          symbol += "_";
        auto *one = elaborate(needed.kernel, symbol, needed.range, queue);
        if (!one)
          throw sema::Failed{};
        one->info.exported = false;
        byKey[needed.key] = one;
      }
      for (auto &step : plan.info.steps)
        if (!step.fill)
          step.kernel = byKey[step.kernel]->info.symbol;
      launches.push_back(std::make_unique<artifact::LaunchInfo>(std::move(plan.info)));
      planned[key] = launches.back().get();
    } catch (sema::Failed &) {
      ++elaborator.failures;
    }
  }
}

/// A `-D` that nothing takes is an error, unless other errors may be why.
void ArchBuild::checkDefinitions() {
  if (session.diags.hasErrors())
    return;
  for (auto &define : session.options.defines) {
    auto name = llvm::StringRef(define).split('=').first.str();
    if (compilation.elaborator.usedDefinitions.count(name))
      continue;
    std::vector<std::string> names;
    for (auto &kernel : compilation.main->kernels)
      for (auto &p : kernel->def->parameters)
        if (p.keywordOnly)
          names.push_back(p.name);
    auto guess = didYouMean(name, names);
    session.diags.report({}, diag::bad_define{.name = name, .guess = guess ? "; did you mean `" + *guess + "`?" : ""});
  }
}

bool ArchBuild::link() {
  bool good = true;
  std::vector<CompiledInstance *> instances;
  for (auto &one : compiled) {
    good &= compilation.accept(*one);
    fly += one->fly, rocdl += one->result.rocdl, llvmIr += one->result.llvmIr;
    for (const codegen::PassText &text : one->result.after) {
      if (text.pass == keep.stopAfter)
        stopped += text.text;
      if (keep.printAll && text.pass.empty())
        printed += text.text;
      else if (keep.printAll && llvm::is_contained(codegen::passNames(), text.pass))
        printed += "// -----// IR Dump After " + text.pass + " (" + text.pass + ") ('llvm' module: @" +
                   one->info.symbol + ") //----- //\n" + text.text +
                   (llvm::StringRef(text.text).ends_with("\n") ? "" : "\n");
      if (llvm::is_contained(keep.printAfter, text.pass))
        printed += "---- " + one->info.symbol + ", " + std::string(compilation.target.name) + ", after " + text.pass +
                   " ----\n" + text.text + (llvm::StringRef(text.text).ends_with("\n") ? "" : "\n");
    }
    if (keep.page)
      pages.push_back(pageOf(*one));
    instances.push_back(one.get());
  }
  if (!good || !keep.object || isEmpty())
    return good;
  info.hsaco = compilation.link(instances, aliases, session.moduleName);
  if (info.hsaco.empty())
    return false;
  for (auto &one : compiled)
    info.instances.push_back(std::move(one->info));
  for (auto &plan : launches)
    info.launches.push_back(std::move(*plan));
  return true;
}

std::vector<std::string> ArchBuild::filesRead() const {
  std::vector<std::string> paths;
  for (auto &module : compilation.loader.all())
    if (sema::isEmbedded(module->path)) // it changes with flyc
      paths.push_back(llvm::sys::fs::getMainExecutable(nullptr, nullptr));
    else if (module->file && !module->isBuiltin)
      paths.push_back(module->path);
  for (auto &path : compilation.tables.filesRead())
    paths.push_back(path);
  return paths;
}

std::optional<std::vector<const target::Target *>> targetsByName(Session &session,
                                                                 const std::vector<std::string> &given) {
  std::vector<const target::Target *> targets;
  for (auto &name : given) {
    if (name == "all") {
      for (auto &t : target::all())
        if (!llvm::is_contained(targets, &t))
          targets.push_back(&t);
      continue;
    }
    auto *found = target::find(name);
    if (!found) {
      std::vector<std::string> names;
      for (auto &t : target::all())
        names.push_back(std::string(t.name));
      auto guess = didYouMean(name, names);
      session.diags.report(diag::unknown_arch, {})
          .arg(name)
          .arg(guess ? "; did you mean `" + *guess + "`?" : "")
          .help("targets: " + target::names());
      return std::nullopt;
    }
    if (!llvm::is_contained(targets, found))
      targets.push_back(found);
  }
  return targets;
}

bool buildArchitectures(Session &session, llvm::ArrayRef<const target::Target *> targets, const Keep &keep,
                        unsigned jobs, std::vector<std::unique_ptr<ArchBuild>> &builds) {
  BackendQueue queue(*session.contexts, session.cache, jobs);
  for (auto *target : targets) {
    builds.push_back(std::make_unique<ArchBuild>(session, *target, keep));
    if (!builds.back()->elaborate(queue))
      return false;
  }
  queue.finish();
  return llvm::all_of(builds, [](auto &build) { return build->link(); });
}

} // namespace fly::driver
