// Finding and parsing the files of modules.
#include "compiler/sema/module/ModuleLoader.h"

#include "compiler/syntax/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace fly::sema {

ModuleLoader::ModuleLoader(DiagnosticEngine &diags, std::vector<std::string> searchPath, const Environment &environment)
    : environment(environment), diags(diags), searchPath(std::move(searchPath)) {}

ModuleScope *ModuleLoader::addMain(std::string name, std::string path, FileId file,
                                   std::shared_ptr<const ast::Module> tree) {
  auto scope = std::make_unique<ModuleScope>();
  scope->name = std::move(name);
  scope->path = std::move(path);
  scope->file = file;
  scope->tree = std::move(tree);
  modules.push_back(std::move(scope));
  return modules.back().get();
}

static bool isModule(llvm::StringRef path) {
  return isEmbedded(path) ? embeddedText(path).has_value() : llvm::sys::fs::is_regular_file(path);
}

/// One name per file, however it is reached.
const std::string &ModuleLoader::canonical(const std::string &path) {
  auto [known, isNew] = canonicalPaths.try_emplace(path, path);
  llvm::SmallString<256> real;
  if (isNew && !isEmbedded(path) && !llvm::sys::fs::real_path(path, real))
    known->second = std::string(real);
  return known->second;
}

std::optional<std::string> ModuleLoader::find(llvm::StringRef dotted, llvm::StringRef besidePath,
                                              unsigned level) const {
  std::string relative = dotted.str();
  std::replace(relative.begin(), relative.end(), '.', '/');
  auto candidate = [&](llvm::StringRef folder) -> std::optional<std::string> {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, relative + ".fly");
    if (isEmbedded(path))
      llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    if (isModule(path))
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

ModuleScope *ModuleLoader::load(llvm::StringRef dotted, unsigned level, SourceRange range,
                                const ModuleScope &importer) {
  if (level == 0)
    if (auto *module = builtinModule(dotted))
      return module;
  auto path = find(dotted, importer.path, level);
  if (!path) {
    const auto guess = level == 0 ? didYouMean(dotted, libraryModules()) : std::nullopt;
    auto builder = diags.report(range, diag::unknown_module{.name = std::string(level, '.') + dotted.str(),
                                                            .guess = guess ? "; did you mean `" + *guess + "`?" : ""});
    std::string places = "looked beside " + diags.sources.name(importer.file).str();
    for (auto &folder : searchPath)
      places += folder == embeddedLibrary ? ", in the standard library" : ", in " + folder;
    builder.note(places);
    builder.suggest(range, dotted, guess);
    const llvm::StringRef package = dotted.split('.').first;
    if (package == "math" || package == "numpy" || package == "cmath")
      builder.help("mathematics and host arrays need no import: `sqrt(x)`, `exp(x)`, `zeros((n,), f32)`");
    else if (package == "torch" || package == "triton" || package == "flydsl" || package == "numba" ||
             package == "cupy" || package == "jax")
      builder.help("this is not Python; kernels and checks need no import for what they use");
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
  if (!isModule(path))
    return nullptr;
  return loadFile(path, dotted, range);
}

bool ModuleLoader::isStdlib(const ModuleScope &module) const {
  return llvm::StringRef(module.path).starts_with(stdlib + "/");
}

ModuleScope *ModuleLoader::loadFile(llvm::StringRef path, llvm::StringRef dotted, SourceRange range) {
  const std::string name = canonical(path.str());
  for (auto &module : modules) {
    if (canonical(module->path) != name)
      continue;
    if (module->state == ModuleScope::State::Loading && module->running) {
      // The import chain: the running modules starting with this one, in the order in which they started.
      std::string chain;
      bool inside = false;
      for (auto &each : modules)
        if ((inside |= each == module) && each->running)
          chain += each->name + " -> ";
      diags.report(range, diag::import_cycle{.name = module->name, .chain = chain + module->name});
      return nullptr;
    }
    return module.get();
  }
  std::string text;
  if (auto embedded = embeddedText(path))
    text = embedded->str();
  else if (auto given = unsaved ? unsaved(name) : std::nullopt)
    text = std::move(*given);
  else if (auto buffer = llvm::MemoryBuffer::getFile(path))
    text = (*buffer)->getBuffer().str();
  else {
    diags.report(diag::cannot_read, range).arg(path).arg(buffer.getError().message());
    return nullptr;
  }
  FileId file = diags.sources.add(path.str(), std::move(text));
  auto tree = isEmbedded(path) ? embeddedTree(path, file)
              : parsed         ? parsed->parse(file, diags)
                               : parseModule(file, diags);
  ModuleScope *scope = addMain(dotted.str(), path.str(), file, std::move(tree));
  scope->imported = true;
  if (!scope->tree) {
    scope->state = ModuleScope::State::Failed;
    return nullptr;
  }
  return scope;
}

} // namespace fly::sema
