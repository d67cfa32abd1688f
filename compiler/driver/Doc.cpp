// `flyc doc`: the page of a module (compiler/doc), and that of the names that need no import, from the elaborator's own
// tables, so that it cannot be out of date.
#include "compiler/driver/Rewrite.h"

#include "compiler/doc/ModulePage.h"
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/elaborator/Builtins.h"

namespace fly::driver {

namespace {

std::string cell(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string builtinsPage() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# Names that need no import\n\n"
        "Made by `flyc doc --builtins -o docs/builtins.md` from the compiler's tables. `name=` may be left out; what stands behind\n"
        "`*` is given by name.\n";
  struct Family { const char *title; llvm::ArrayRef<sema::Builtin> rows; };
  const Family families[] = {{"Numbers", sema::mathBuiltins()},
                             {"Functions of floats", sema::floatBuiltins()},
                             {"Functions of integers", sema::integerBuiltins()},
                             {"Kernels", sema::deviceBuiltins()},
                             {"Waves", sema::waveBuiltins()},
                             {"Sequences and compile time", sema::sequenceBuiltins()},
                             {"Numbers of compile time", sema::numberBuiltins()},
                             {"Layouts", sema::layoutBuiltins()},
                             {"Layout algebra", sema::algebraBuiltins()},
                             {"Tuples of integers", sema::tupleBuiltins()},
                             {"Tensors and fragments", sema::tensorBuiltins()},
                             {"Copies", sema::copyBuiltins()},
                             {"Copies that change memory at once", sema::universalAtomicBuiltins()},
                             {"Launch functions", sema::launchBuiltins()},
                             {"Checks", sema::checkBuiltins()}};
  for (const Family &family : families) {
    os << "\n## " << family.title << "\n\n| function | gives or does |\n|---|---|\n";
    for (const sema::Builtin &row : family.rows)
      if (!llvm::StringRef(row.name).starts_with("__")) // the standard library's own
        os << "| `" << row.name << "(" << cell(row.signature) << ")` | " << cell(row.doc) << " |\n";
  }
  os << "\n## Of fly.amd\n\nBeside `dpp` and `isa` ([language.md](language.md#lanes-waves-and-workgroups)): `from fly.amd import buffer`.\n\n"
        "| function | gives or does |\n|---|---|\n";
  for (auto family : {sema::bufferBuiltins(), sema::bufferAccessBuiltins(), sema::ldsCopyBuiltins(), sema::tensorMoveBuiltins(), sema::atomicCopyBuiltins(), sema::waitBuiltins()})
    for (const sema::Builtin &row : family)
      os << "| `" << row.name << "(" << cell(row.signature) << ")` | " << cell(row.doc) << " |\n";
  os << "\n## Other names\n\n| name | is |\n|---|---|\n";
  for (auto &[name, doc] : sema::preludeConstants())
    os << "| `" << name << "` | " << cell(doc) << " |\n";
  os << "\n## Element types\n\n| type | bits |\n|---|---|\n";
  for (auto &format : host::allFormats())
    os << "| `" << format.name << "` | " << format.bits << " |\n";
  return text;
}

} // namespace

int doc(const Options &options, const DocCommand &command) {
  Session session(options);
  std::string text;
  if (command.builtins) {
    text = builtinsPage();
  } else if (command.path.empty()) {
    return badCommandLine(options, "a file is missing", "`flyc doc FILE.fly`, or `flyc doc --builtins`");
  } else {
    if (!session.open(command.path)) {
      session.finish();
      return 1;
    }
    text = modulePage(*session.mainTree, session.sources, session.moduleName);
  }
  if (command.output == "-")
    llvm::outs() << text;
  else
    rewriteFile(session, command.output, text);
  llvm::outs().flush();
  return session.finish() ? 0 : 1;
}

} // namespace fly::driver
