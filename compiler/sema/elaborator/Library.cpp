// Loading and calling the standard library on behalf of a builtin.
#include "compiler/sema/elaborator/Library.h"
#include "compiler/sema/module/ModuleLoader.h"

namespace fly::sema {

static ModuleScope &libraryModule(Elaborator &e, llvm::StringRef name, llvm::StringRef function, SourceRange range) {
  ModuleScope *module = e.loader.loadFromStdlib(name, range);
  if (!module) {
    auto builder = e.report(range, diag::unknown_module{.name = name.str(), .guess = ""});
    builder.note("`" + function + "` is part of the standard library, which FLY_STDLIB places in `" + e.loader.stdlib +
                 "`");
    builder.help("unset FLY_STDLIB to use the library inside flyc");
    throw Failed{};
  }
  if (module->state == ModuleScope::State::Loading && !module->running)
    e.runModule(*module);
  if (module->state != ModuleScope::State::Ready)
    throw Failed{};
  return *module;
}

Value callLibrary(Elaborator &e, llvm::StringRef module, llvm::StringRef function, Values arguments,
                  SourceRange range) {
  auto &names = libraryModule(e, module, function, range).names;
  auto found = names.find(function.str());
  if (found == names.end())
    e.fail(diag::unknown_import, range, {module.str(), function.str(), ""});
  Arguments bound;
  for (auto &argument : arguments)
    bound.push_back({"", std::move(argument), range});
  return e.call(found->second, std::move(bound), range);
}

} // namespace fly::sema
