// `flyc build`: every exported instance for every architecture, then all artifacts at once.
#include "compiler/driver/ModuleBuild.h"

#include "compiler/isa/Disassembly.h"
#include "compiler/sema/Launches.h"
#include "compiler/syntax/Parser.h"
#include "compiler/transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "mlir/Pass/PassManager.h"

namespace fly::driver {

namespace {

std::optional<Stage> stageByName(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("ast", Stage::Ast).Case("fly", Stage::Fly).Case("rocdl", Stage::Rocdl).Case("llvm", Stage::Llvm)
      .Case("isa", Stage::Isa).Case("hsaco", Stage::Hsaco).Case("json", Stage::Json).Case("header", Stage::Header)
      .Default(std::nullopt);
}

/// The passes of the pipeline, in order, by the names under which `--stop-after` knows them.
std::vector<std::string> passNames(mlir::MLIRContext &context) {
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  ir::FlyToLLVMOptions options;
  ir::buildFlyToLLVMPipeline(manager, options);
  // The pipeline as text, `builtin.module(fly.kernel(pass{option=1},pass),pass)`: what is followed by `(` is no pass.
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os);
  std::vector<std::string> names;
  std::string word;
  unsigned braces = 0;
  for (char c : text) {
    if (c == '{')
      ++braces;
    if (braces == 0 && (llvm::isAlnum(c) || c == '-' || c == '.' || c == '_')) {
      word += c;
      continue;
    }
    if (c != '(' && !word.empty() && !llvm::is_contained(names, word))
      names.push_back(word);
    word.clear();
    if (c == '}')
      --braces;
  }
  return names;
}

} // namespace

std::optional<std::vector<const target::Target *>> targetsByName(Session &session, const std::vector<std::string> &given) {
  std::vector<const target::Target *> archs;
  for (auto &name : given) {
    auto *found = target::find(name);
    if (!found) {
      std::vector<std::string> names;
      for (auto &t : target::all())
        names.push_back(std::string(t.name));
      auto guess = didYouMean(name, names);
      session.diags.report(diag::unknown_arch, {}).arg(name).arg(guess ? "; did you mean `" + *guess + "`?" : "").help("targets: " + target::names());
      return std::nullopt;
    }
    if (!llvm::is_contained(archs, found))
      archs.push_back(found);
  }
  return archs;
}

bool buildArch(Session &session, const target::Target &target, const Keep &keep, ArchResult &result) {
  ArchCompilation compilation(session, target);
  if (!compilation.run())
    return false;
  auto &elaborator = compilation.elaborator;
  auto exported = sema::exportedInstances(elaborator, *compilation.main, &result.skipped);
  if (exported.empty() && !result.skipped.empty())
    return !session.diags.hasErrors(); // the file is for other architectures
  if (exported.empty()) {
    if (session.diags.hasErrors())
      return false;
    session.diags.report(diag::no_kernels, {}).arg(session.mainPath)
        .help("a kernel is compiled when its Constexpr parameters have values: defaults, `-D NAME=VALUE`, or `name = kernel[T=f16]` in the file");
    return false;
  }
  std::vector<std::unique_ptr<CompiledInstance>> compiled;
  std::map<std::string, CompiledInstance *> byKey;
  std::vector<std::pair<std::string, std::string>> aliases;
  auto isTaken = [&](const std::string &symbol) {
    return llvm::any_of(exported, [&](auto &other) { return other.symbol == symbol; }) ||
           llvm::any_of(compiled, [&](auto &other) { return other->info.symbol == symbol; });
  };
  for (auto &instance : exported) {
    if (instance.kernel.kernel->isLaunch)
      continue;
    std::string key;
    try {
      key = sema::instanceKey(*instance.kernel.kernel, sema::resolveConstants(elaborator, instance.kernel, instance.range));
    } catch (sema::Failed &) {
      continue;
    }
    if (auto known = byKey.find(key); known != byKey.end()) {
      aliases.push_back({known->second->info.symbol, instance.symbol});
      known->second->info.aliases.push_back(instance.symbol);
      continue;
    }
    auto one = compilation.compile(instance.kernel, instance.symbol, instance.range, keep);
    if (!one)
      continue;
    byKey[key] = one.get();
    result.fly += one->fly, result.rocdl += one->rocdl, result.llvmIr += one->llvmIr;
    compiled.push_back(std::move(one));
  }
  // Launch functions, and the instances that only they use.
  std::map<std::string, artifact::LaunchInfo *> planned;
  std::vector<std::unique_ptr<artifact::LaunchInfo>> launches;
  for (auto &instance : exported) {
    if (!instance.kernel.kernel->isLaunch)
      continue;
    try {
      std::string key = sema::instanceKey(*instance.kernel.kernel, sema::resolveConstants(elaborator, instance.kernel, instance.range));
      if (auto known = planned.find(key); known != planned.end()) {
        known->second->aliases.push_back(instance.symbol);
        continue;
      }
      auto plan = sema::planLaunch(elaborator, instance.kernel, instance.range);
      plan.info.symbol = instance.symbol;
      for (auto &needed : plan.kernels) {
        if (byKey.count(needed.key))
          continue;
        std::string symbol = sema::anonymousSymbol(*needed.kernel.kernel, sema::resolveConstants(elaborator, needed.kernel, needed.range));
        while (isTaken(symbol))
          symbol += "_";
        auto one = compilation.compile(needed.kernel, symbol, needed.range, keep);
        if (!one)
          throw sema::Failed{};
        one->info.exported = false;
        byKey[needed.key] = one.get();
        result.fly += one->fly, result.rocdl += one->rocdl, result.llvmIr += one->llvmIr;
        compiled.push_back(std::move(one));
      }
      for (auto &step : plan.info.steps)
        if (!step.zero)
          step.kernel = byKey[step.kernel]->info.symbol;
      launches.push_back(std::make_unique<artifact::LaunchInfo>(std::move(plan.info)));
      planned[key] = launches.back().get();
    } catch (sema::Failed &) {
      ++elaborator.failures;
    }
  }
  for (auto &define : session.options.defines) {
    auto name = llvm::StringRef(define).split('=').first.str();
    if (!elaborator.usedDefinitions.count(name)) {
      std::vector<std::string> names;
      for (auto &kernel : compilation.main->kernels)
        for (auto &p : kernel->def->parameters)
          if (p.keywordOnly)
            names.push_back(p.name);
      auto guess = didYouMean(name, names);
      session.diags.report(diag::bad_define, {}).arg(name).arg(guess ? "; did you mean `" + *guess + "`?" : "");
    }
  }
  if (session.diags.hasErrors())
    return false;
  result.info.arch = std::string(target.name);
  if (!keep.object)
    return true;
  std::vector<CompiledInstance *> instances;
  for (auto &one : compiled)
    instances.push_back(one.get());
  result.info.hsaco = compilation.link(instances, aliases, session.moduleName);
  if (result.info.hsaco.empty())
    return false;
  for (auto &one : compiled)
    result.info.instances.push_back(std::move(one->info));
  for (auto &plan : launches)
    result.info.launches.push_back(std::move(*plan));
  return true;
}

namespace {

void printResources(const artifact::ModuleInfo &module) {
  size_t width = 6;
  for (auto &arch : module.archs)
    for (auto &instance : arch.instances)
      width = std::max(width, instance.symbol.size());
  for (auto &arch : module.archs)
    for (auto &instance : arch.instances) {
      auto &r = instance.resources;
      llvm::outs() << llvm::format("%-*s %-8s %3u VGPR %3u AGPR %3u SGPR %6u B LDS %4u B scratch  occupancy %2u  %5u B code  %.0f ms\n",
                                   int(width), instance.symbol.c_str(), arch.arch.c_str(), r.vgprs, r.agprs, r.sgprs, r.ldsBytes,
                                   r.scratchBytes, r.occupancy, r.codeBytes, instance.compileMs);
    }
}

/// Writes to standard output for `-`, else to a file, whole or not at all.
bool deliver(Session &session, const std::string &output, const std::string &fileName, const std::string &content) {
  if (output == "-") {
    llvm::outs() << content;
    llvm::outs().flush();
    return true;
  }
  llvm::SmallString<256> path(output);
  if (auto error = llvm::sys::fs::create_directories(path)) {
    session.diags.report(diag::cannot_write, {}).arg(output).arg(error.message());
    return false;
  }
  llvm::sys::path::append(path, fileName);
  if (auto error = artifact::writeAtomically({{std::string(path), content}}); !error.empty()) {
    session.diags.report(diag::cannot_write, {}).arg(path.str()).arg(error);
    return false;
  }
  return true;
}

} // namespace

static int run(Session &session, const BuildCommand &command) {
  std::optional<Stage> stage;
  if (!command.emit.empty()) {
    stage = stageByName(command.emit);
    if (!stage) {
      session.diags.report(diag::bad_option, {}).arg("--emit=" + command.emit).arg("there are ast, fly, rocdl, llvm, isa, hsaco, json, header");
      return 1;
    }
  }
  if (!session.open(command.path))
    return 1;
  if (stage == Stage::Ast) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printAST(*session.mainTree, session.sources, os);
    return deliver(session, command.output, session.moduleName + ".ast", text) ? 0 : 1;
  }
  auto found = targetsByName(session, command.archs);
  if (!found)
    return 1;
  auto &archs = *found;
  bool oneArch = stage && (*stage == Stage::Fly || *stage == Stage::Rocdl || *stage == Stage::Llvm || *stage == Stage::Isa || *stage == Stage::Hsaco);
  if (command.output == "-" && !stage && command.stopAfter.empty()) {
    session.diags.report(diag::bad_option, {}).arg("-o -").arg("standard output takes one artifact; add `--emit=...`");
    return 1;
  }
  if (command.output == "-" && (oneArch || !command.stopAfter.empty()) && archs.size() > 1) {
    session.diags.report(diag::bad_option, {}).arg("-o -").arg("this artifact exists once an architecture; name one with `--arch`");
    return 1;
  }
  Keep keep;
  keep.fly = stage == Stage::Fly;
  keep.rocdl = stage == Stage::Rocdl;
  keep.llvmIr = stage == Stage::Llvm;
  if (!command.stopAfter.empty()) {
    auto names = passNames(session.context());
    if (!llvm::is_contained(names, command.stopAfter)) {
      std::string list;
      for (auto &name : names)
        list += (list.empty() ? "" : ", ") + name;
      session.diags.report(diag::bad_option, {}).arg("--stop-after=" + command.stopAfter).arg("the passes are " + list);
      return 1;
    }
    keep.afterPass = command.stopAfter;
  }
  keep.object = command.stopAfter.empty() && !(keep.fly || keep.rocdl || keep.llvmIr);

  artifact::ModuleInfo module;
  module.name = session.moduleName;
  module.source = session.locationName(session.mainFile);
  module.docstring = session.mainTree->docstring;
  std::vector<ArchResult> results;
  for (auto *target : archs) {
    results.emplace_back();
    if (!buildArch(session, *target, keep, results.back()))
      return 1;
    if (results.back().info.arch.empty()) // nothing in the file is for it
      results.back().info.arch = std::string(target->name);
    else
      module.archs.push_back(results.back().info);
  }
  if (module.archs.empty()) {
    auto builder = session.diags.report(diag::no_kernels, {});
    builder.arg(session.mainPath);
    for (auto &result : results)
      for (auto &line : result.skipped)
        builder.note(line);
    return 1;
  }
  if (!command.quiet && !stage && command.stopAfter.empty())
    for (auto &result : results)
      for (auto &line : result.skipped)
        llvm::outs() << line << '\n';
  auto timer = session.times.measure("write");
  if (stage || !command.stopAfter.empty()) {
    if (stage == Stage::Json)
      return deliver(session, command.output, module.name + ".json", artifact::toJson(module)) ? 0 : 1;
    if (stage == Stage::Header)
      return deliver(session, command.output, module.name + ".h", artifact::toHeader(module)) ? 0 : 1;
    for (auto &result : results) {
      if (llvm::none_of(module.archs, [&](auto &arch) { return arch.arch == result.info.arch; }))
        continue;
      std::string prefix = module.name + "." + result.info.arch;
      std::string text, suffix;
      if (!command.stopAfter.empty())
        text = result.rocdl, suffix = "." + command.stopAfter + ".mlir";
      else if (stage == Stage::Fly)
        text = result.fly, suffix = ".fly.mlir";
      else if (stage == Stage::Rocdl)
        text = result.rocdl, suffix = ".rocdl.mlir";
      else if (stage == Stage::Llvm)
        text = result.llvmIr, suffix = ".ll";
      else if (stage == Stage::Hsaco)
        text = result.info.hsaco, suffix = ".hsaco";
      else {
        auto listing = isa::disassemble(result.info.hsaco);
        if (!listing) {
          session.diags.report(diag::backend_failure, {}).arg(module.name).arg(llvm::toString(listing.takeError()));
          return 1;
        }
        text = *listing, suffix = ".s";
      }
      if (!deliver(session, command.output, prefix + suffix, text))
        return 1;
    }
    return 0;
  }
  if (auto error = llvm::sys::fs::create_directories(command.output)) {
    session.diags.report(diag::cannot_write, {}).arg(command.output).arg(llvm::StringRef(error.message()).lower());
    return 1;
  }
  std::vector<artifact::OutputFile> files;
  auto pathOf = [&](const std::string &name) {
    llvm::SmallString<256> path(command.output);
    llvm::sys::path::append(path, name);
    return std::string(path);
  };
  for (auto &arch : module.archs)
    files.push_back({pathOf(module.name + "." + arch.arch + ".hsaco"), arch.hsaco});
  files.push_back({pathOf(module.name + ".json"), artifact::toJson(module)});
  files.push_back({pathOf(module.name + ".h"), artifact::toHeader(module)});
  files.push_back({pathOf(module.name + ".hpp"), artifact::toCxxHeader(module)});
  if (auto error = artifact::writeAtomically(files); !error.empty()) {
    session.diags.report(diag::cannot_write, {}).arg(command.output).arg(error);
    return 1;
  }
  if (!command.quiet)
    printResources(module);
  return 0;
}

int build(const Options &options, const BuildCommand &command) {
  Session session(options);
  int status = run(session, command);
  if (!session.finish())
    status = 1;
  if (command.time)
    session.times.print(llvm::errs());
  return status;
}

} // namespace fly::driver
