// Modules: finding files, running their top level once, imports, and what a `def` at that level becomes.
#include "compiler/sema/Modules.h"
#include "compiler/sema/Suggest.h"
#include "compiler/sema/Elaborator.h"
#include "compiler/sema/Expectations.h"
#include "compiler/sema/Resolver.h"
#include "compiler/syntax/Parser.h"
#include "compiler/sema/FastMath.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace fly::sema {

ModuleLoader::ModuleLoader(DiagnosticEngine &diags, std::vector<std::string> searchPath)
    : diags(diags), searchPath(std::move(searchPath)) {}

ModuleScope *ModuleLoader::addMain(std::string name, std::string path, FileId file, std::unique_ptr<ast::Module> tree) {
  auto scope = std::make_unique<ModuleScope>();
  scope->name = std::move(name);
  scope->path = std::move(path);
  scope->file = file;
  scope->tree = std::move(tree);
  modules.push_back(std::move(scope));
  return modules.back().get();
}

std::optional<std::string> ModuleLoader::find(llvm::StringRef dotted, llvm::StringRef besidePath, unsigned level) const {
  std::string relative = dotted.str();
  std::replace(relative.begin(), relative.end(), '.', '/');
  auto candidate = [&](llvm::StringRef folder) -> std::optional<std::string> {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, relative + ".fly");
    if (llvm::sys::fs::is_regular_file(path))
      return std::string(path);
    return std::nullopt;
  };
  llvm::SmallString<256> beside(llvm::sys::path::parent_path(besidePath));
  if (beside.empty())
    beside = ".";
  if (level > 0) {
    for (unsigned i = 1; i < level; ++i)
      llvm::sys::path::append(beside, "..");
    return candidate(beside);
  }
  if (auto found = candidate(beside))
    return found;
  for (auto &folder : searchPath)
    if (auto found = candidate(folder))
      return found;
  return std::nullopt;
}

ModuleScope *ModuleLoader::load(llvm::StringRef dotted, unsigned level, SourceRange range, const ModuleScope &importer) {
  if (level == 0)
    if (auto *module = builtinModule(dotted))
      return module;
  auto path = find(dotted, importer.path, level);
  if (!path) {
    auto builder = diags.report(diag::unknown_module, range);
    builder.arg(std::string(level, '.') + dotted.str()).arg("");
    std::string places = "looked beside " + diags.sources.name(importer.file).str();
    for (auto &folder : searchPath)
      places += ", in " + folder;
    builder.note(places);
    const llvm::StringRef package = dotted.split('.').first;
    if (package == "math" || package == "numpy" || package == "cmath")
      builder.help("mathematics and host arrays need no import: `sqrt(x)`, `exp(x)`, `zeros((n,), f32)`");
    else if (package == "torch" || package == "triton" || package == "flydsl" || package == "numba" || package == "cupy" || package == "jax")
      builder.help("this is no Python: what a kernel or a check needs is there without an import");
    else
      builder.help("`-I DIR` adds a folder to search");
    return nullptr;
  }
  return loadFile(*path, dotted, range);
}

ModuleScope *ModuleLoader::loadFromStdlib(llvm::StringRef dotted, SourceRange range) {
  for (auto &module : modules)
    if (module->name == dotted && isStdlib(*module))
      return module.get();
  std::string relative = dotted.str();
  std::replace(relative.begin(), relative.end(), '.', '/');
  llvm::SmallString<256> path(stdlib);
  llvm::sys::path::append(path, relative + ".fly");
  if (stdlib.empty() || !llvm::sys::fs::is_regular_file(path))
    return nullptr;
  return loadFile(path, dotted, range);
}

bool ModuleLoader::isStdlib(const ModuleScope &module) const {
  return !stdlib.empty() && llvm::StringRef(module.path).starts_with(stdlib + "/");
}

ModuleScope *ModuleLoader::loadFile(llvm::StringRef path, llvm::StringRef dotted, SourceRange range) {
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(path, real))
    real = path;
  for (auto &module : modules) {
    llvm::SmallString<256> other;
    if (llvm::sys::fs::real_path(module->path, other))
      other = module->path;
    if (other != real)
      continue;
    if (module->state == ModuleScope::State::Loading && module->running) {
      // Who imports whom: the running modules from this one on, in the order in which they began.
      std::string chain;
      bool inside = false;
      for (auto &each : modules)
        if ((inside |= each == module) && each->running)
          chain += each->name + " -> ";
      diags.report(diag::import_cycle, range).arg(module->name).arg(": " + chain + module->name);
      return nullptr;
    }
    return module.get();
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    diags.report(diag::cannot_read, range).arg(path).arg(buffer.getError().message());
    return nullptr;
  }
  FileId file = diags.sources.add(path.str(), (*buffer)->getBuffer().str());
  auto tree = parseModule(file, diags);
  ModuleScope *scope = addMain(dotted.str(), path.str(), file, std::move(tree));
  scope->imported = true;
  if (!scope->tree) {
    scope->state = ModuleScope::State::Failed;
    return nullptr;
  }
  return scope;
}

void Elaborator::runModule(ModuleScope &module) {
  auto outerFrame = frame;
  auto *outerBuilder = builder;
  builder = nullptr;
  frame = std::make_shared<Frame>();
  frame->module = &module;
  frame->isModule = true;
  module.running = true;
  unsigned errors = failures;
  if (resolveNames(module, *this)) {
    try {
      execBlock(module.tree->body);
    } catch (Failed &) {
    }
  }
  // A kernel whose Constexpr parameters all have values is exported under its own name.
  module.state = failures == errors ? ModuleScope::State::Ready : ModuleScope::State::Failed;
  module.running = false;
  frame = outerFrame;
  builder = outerBuilder;
}

static ModuleScope *ready(Elaborator &e, llvm::StringRef dotted, unsigned level, SourceRange range) {
  ModuleScope *module = e.loader.load(dotted, level, range, *e.frame->module);
  if (!module)
    throw Failed{};
  if (module->state == ModuleScope::State::Loading) {
    e.diags.frames.push_back({range, "imported here"});
    e.runModule(*module);
    e.diags.frames.pop_back();
  }
  if (module->state == ModuleScope::State::Failed)
    throw Failed{};
  return module;
}

void Elaborator::importModule(const ast::ImportStmt &stmt) {
  for (auto &imported : stmt.names) {
    ModuleScope *module = ready(*this, imported.name, 0, imported.range);
    if (!imported.alias.empty()) {
      binding(*frame, imported.alias) = Value(ModuleValue{module});
      continue;
    }
    // `import a.b.c` binds `a`; the modules between are name spaces of their own.
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(imported.name).split(parts, '.');
    if (parts.size() == 1) {
      binding(*frame, imported.name) = Value(ModuleValue{module});
      continue;
    }
    std::map<std::string, Value> *space = nullptr;
    std::string path;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      path += (i ? "." : "") + parts[i].str();
      auto &slot = space ? (*space)[parts[i].str()] : binding(*frame, parts[i].str());
      if (!slot.is<ModuleValue>())
        slot = Value(ModuleValue{loader.nameSpace(path)});
      space = &slot.as<ModuleValue>()->module->names;
    }
    (*space)[parts.back().str()] = Value(ModuleValue{module});
  }
}

void Elaborator::importNames(const ast::ImportFromStmt &stmt) {
  for (auto &imported : stmt.names) {
    if (stmt.module.empty()) { // from . import a
      ModuleScope *module = ready(*this, imported.name, std::max(1u, stmt.level), imported.range);
      binding(*frame, imported.alias.empty() ? imported.name : imported.alias) = Value(ModuleValue{module});
      continue;
    }
    ModuleScope *module = ready(*this, stmt.module, stmt.level, stmt.moduleRange);
    if (imported.name[0] == '_')
      fail(diag::private_name, imported.range, {imported.name, module->name});
    auto found = module->names.find(imported.name);
    if (found == module->names.end()) {
      std::vector<std::string> candidates;
      for (auto &[name, value] : module->names)
        if (name[0] != '_')
          candidates.push_back(name);
      failUnknown(*this, diag::unknown_import, imported.range, module->name, imported.name, candidates);
    }
    binding(*frame, imported.alias.empty() ? imported.name : imported.alias) = found->second;
  }
}

// ---------------------------------------------------------------------------------------------------------
// Definitions

namespace {
/// `@kernel` or `@kernel(...)`: the decorator's name, and its call if there is one.
std::pair<std::string, const ast::CallExpr *> decoratorOf(const ast::Expr &expr) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(&expr);
  auto *name = llvm::dyn_cast<ast::NameExpr>(call ? call->callee : &expr);
  return {name ? name->name : "", call};
}

const std::vector<std::string> kernelOptions = {"grid", "block", "cluster", "requires", "lds", "arch", "max_block", "fastmath", "denormals"};
const std::vector<std::string> launchOptions = {"requires", "arch"};
} // namespace

/// `isLaunch`: under `@launch`, whose kernels have grids and blocks.
static void defineKernel(Elaborator &e, const ast::DefStmt &stmt, const ast::Expr &decorator, const ast::CallExpr *call, bool isLaunch) {
  const std::string what = isLaunch ? "@launch" : "@kernel";
  auto &known = isLaunch ? launchOptions : kernelOptions;
  auto kernel = std::make_unique<KernelDefinition>();
  kernel->name = stmt.name;
  kernel->def = &stmt;
  kernel->module = e.frame->module;
  kernel->decorator = call;
  kernel->isLaunch = isLaunch;
  if (call)
    for (auto &argument : call->arguments) {
      if (argument.keyword.empty())
        e.fail(diag::bad_decorator, argument.range, {"`" + what + "` takes keywords only: " + (isLaunch ? "`requires=`" : "`grid=`, `block=`, `requires=`")});
      if (!llvm::is_contained(known, argument.keyword))
        failUnknown(e, diag::unknown_keyword, argument.range, what, argument.keyword, known);
      if (!kernel->options.insert({argument.keyword, argument.value}).second)
        e.fail(diag::duplicate_argument, argument.range, {what, argument.keyword});
    }
  for (const char *needed : {"grid", "block"})
    if (!isLaunch && !kernel->options.count(needed))
      e.fail(diag::missing_argument, decorator.range, {"@kernel", needed});
  KernelValue value{kernel.get(), std::make_shared<const std::map<std::string, Value>>()};
  e.frame->module->kernels.push_back(std::move(kernel));
  e.frame->module->names[stmt.name] = Value(value);
}

static void defineCheck(Elaborator &e, const ast::DefStmt &stmt, const ast::CallExpr *call, bool isBench) {
  const std::string what = isBench ? "@bench" : "@check";
  CheckDefinition check;
  check.isBench = isBench;
  check.def = &stmt;
  check.module = e.frame->module;
  if (call)
    for (auto &argument : call->arguments) {
      if (argument.keyword == "arch" && llvm::none_of(stmt.parameters, [](auto &p) { return p.name == "arch"; })) {
        check.arch = argument.value;
        continue;
      }
      if (argument.keyword.empty())
        e.fail(diag::bad_decorator, argument.range, {"`" + what + "` takes keywords only, one a parameter: `n=[1, 255]`"});
      if (isBench && (argument.keyword == "bytes" || argument.keyword == "flops")) {
        auto &slot = argument.keyword == "bytes" ? check.bytes : check.flops;
        if (slot)
          e.fail(diag::duplicate_argument, argument.range, {what, argument.keyword});
        slot = argument.value;
        continue;
      }
      auto known = llvm::find_if(stmt.parameters, [&](auto &p) { return p.name == argument.keyword; });
      if (known == stmt.parameters.end()) {
        std::vector<std::string> names;
        for (auto &p : stmt.parameters)
          names.push_back(p.name);
        failUnknown(e, diag::unknown_keyword, argument.range, stmt.name, argument.keyword, names);
      }
      for (auto &earlier : check.parameters)
        if (earlier.first == argument.keyword)
          e.fail(diag::duplicate_argument, argument.range, {what, argument.keyword});
      check.parameters.push_back({argument.keyword, argument.value});
    }
  for (auto &p : stmt.parameters)
    if (!p.defaultValue && llvm::none_of(check.parameters, [&](auto &c) { return c.first == p.name; }))
      e.fail(diag::missing_argument, stmt.nameRange, {what, p.name});
  e.frame->module->checks.push_back(std::move(check));
}

void Elaborator::define(const ast::DefStmt &stmt) {
  bool isEntry = false;
  // What `@expect` promises of a kernel is read when there is an instance (compiler/driver/Promises.h).
  std::vector<ast::Expr *> decorators;
  const ast::Expr *promise = nullptr;
  for (auto *decorator : stmt.decorators)
    if (auto [name, call] = decoratorOf(*decorator); name != "expect")
      decorators.push_back(decorator);
    else if (!call)
      fail(diag::bad_decorator, decorator->range, {"`@expect` says what it promises: `@expect(scratch=0)`"});
    else
      promise = decorator;
  if (promise && (decorators.size() != 1 || decoratorOf(*decorators[0]).first != "kernel"))
    fail(diag::bad_decorator, promise->range, {"`@expect` stands beside the `@kernel` that it speaks of"});
  for (auto *decorator : decorators) {
    auto [name, call] = decoratorOf(*decorator);
    bool isKernel = name == "kernel" || name == "launch";
    if (name == "extern" && decorators.size() == 1)
      return defineExtern(stmt, *decorator, call);
    if (!isKernel && name != "check" && name != "bench") {
      auto builder = report(diag::bad_decorator, decorator->range,
                            {name == "struct"
                                 ? std::string("`@struct` stands above a `class`")
                                 : "there is no decorator `" + diags.sources.text(decorator->range).str() + "`"});
      builder.help("there are `@kernel(...)`, `@launch`, `@check(...)`, `@bench(...)` and `@extern(...)`");
      throw Failed{};
    }
    if (decorators.size() > 1)
      fail(diag::bad_decorator, decorators[1]->range, {"a function has one of `@kernel`, `@launch`, `@check` and `@bench`"});
    if (!frame->isModule)
      fail(diag::bad_decorator, decorator->range, {"`@" + name + "` belongs to a function at the top level of a file"});
    isEntry = true;
    if (isKernel)
      defineKernel(*this, stmt, *decorator, call, name == "launch");
    else
      defineCheck(*this, stmt, call, name == "bench");
  }
  if (isEntry)
    return;
  FunctionValue function;
  function.def = &stmt;
  function.module = frame->module;
  if (!frame->isModule)
    function.enclosing = frame;
  evaluateDefaults(stmt.parameters, function);
  binding(*frame, stmt.name) = Value(function);
}

Flow Elaborator::execWith(const ast::WithStmt &stmt) {
  if (auto flow = execMathScope(*this, stmt))
    return *flow;
  auto &item = stmt.items.front();
  if (onDevice() && stmt.items.size() == 1 && llvm::isa<ast::NameExpr, ast::AttributeExpr>(item.context)) // `with arena:` gives back what its body allocates
    if (Value context = eval(*item.context); auto *arena = context.as<ArenaValue>()) {
      size_t index = arena->index;
      uint64_t used = lds.arenas.at(index).used;
      Flow flow = execBlock(stmt.body);
      lds.arenas.at(index).used = used;
      return flow;
    }
  auto *call = llvm::dyn_cast<ast::CallExpr>(item.context);
  auto *name = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr;
  if (name && stmt.items.size() == 1)
    if (auto flow = execExpectation(*this, name->name, *call, stmt))
      return *flow;
  fail(diag::not_supported, item.context->range,
       {"this `with`", "there is `with fastmath(...):` in a kernel, and in a check there are `expect_refused(...)`, `expect_error(...)` and `expect_fault(...)`"});
}

} // namespace fly::sema
