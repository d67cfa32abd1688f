// `flyc import`: kernels of assembly, a relocatable object or a code object as a .fly file in ISA mode.
//
// Assembly is assembled, objects are linked, and so everything comes through the code object that the loader would see:
// relocations are done, and the kernel descriptor is there.
#include "compiler/assembly/Import.h"
#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/compilation/AssemblyInput.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/CodeObjects.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/isa/ObjectAssembler.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

namespace fly::driver {

namespace {

class ImportCommand final : public Command {
public:
  ImportCommand()
      : Command("import",
                "Turn assembly, an object or a code object into a .fly file with the same instructions (ISA mode)") {}
  void declare(OptionTable &table) override {
    table.add("file", path, "Assembly (.s), a relocatable object, or whatever holds a code object").required();
    table.add("-o,--output", output, "The .fly file; standard output if it is not given").notEmpty().type("FILE");
    table.add("--arch", arch, "The architecture of assembly that does not name it, or of a bundle")
        .notEmpty()
        .type("ARCH")
        .more("assembly names it with `.amdgcn_target`");
    table.add("--kernel", kernel, "Import only this kernel").notEmpty().type("NAME");
    table.add("--quiet,-q", quiet, "Do not count instructions");
    messageOptions(table, options);
  }
  int run() override;

  std::string path, output; ///< empty: standard output
  std::string arch;         ///< of assembly that does not say it
  std::string kernel;       ///< only this; empty: all
  bool quiet = false;
};

class ImportRun {
public:
  ImportRun(const Options &options, const ImportCommand &command) : session(options), command(command) {}

  int run() {
    auto buffer = openInput(session, command.path);
    if (!buffer)
      return finish();
    llvm::StringRef bytes = buffer->getBuffer();
    switch (llvm::identify_magic(bytes)) {
    case llvm::file_magic::elf_relocatable: linked(bytes); break;
    case llvm::file_magic::unknown:
      if (looksLikeText(bytes))
        assembled(bytes);
      else
        refuse("it is neither assembly nor an object");
      break;
    default:
      // One architecture makes one file.
      if (int status =
              eachObject(session, command.path, bytes,
                         command.arch.empty() ? std::vector<std::string>() : std::vector<std::string>{command.arch},
                         [&](const std::string &name, llvm::StringRef object) { return imported(object), false; }))
        return session.finish(), status;
    }
    return finish();
  }

private:
  Session session;
  const ImportCommand &command;
  std::vector<std::string> known;

  void refuse(const std::string &why) {
    session.diags.report(SourceRange{}, diag::cannot_import{.file = command.path, .message = why});
  }

  static bool looksLikeText(llvm::StringRef bytes) { return !bytes.empty() && !bytes.take_front(4096).contains('\0'); }

  void assembled(llvm::StringRef text) {
    std::string arch = command.arch.empty() ? architectureIn(text) : command.arch;
    if (arch.empty())
      return refuse("it does not say the architecture (`.amdgcn_target`); give it by `--arch`");
    if (!target::find(arch))
      return refuse("flyc does not compile for `" + arch + "`");
    auto object = isa::assembleObject(arch == architectureIn(text) ? targetIn(text) : arch, text);
    if (!object) {
      const std::string said = llvm::toString(object.takeError());
      return refuse(llvm::StringRef(said).split('\n').first.str());
    }
    linked(*object);
  }

  void linked(llvm::StringRef object) {
    if (object.size() < sizeof(llvm::ELF::Elf64_Ehdr))
      return refuse("the object is damaged");
    auto *header = reinterpret_cast<const llvm::ELF::Elf64_Ehdr *>(object.data());
    const target::Target *target = target::findMachine(header->e_flags);
    if (header->e_machine != llvm::ELF::EM_AMDGPU || !target || !target::find(target->name))
      return refuse("it is not for an architecture that flyc compiles for");
    auto linkedObject = codegen::linkForeignObject(object);
    if (!linkedObject)
      return refuse(linkedObject.failure().message);
    imported(*linkedObject);
  }

  void imported(llvm::StringRef bytes) {
    auto object = isa::CodeObject::read(bytes);
    if (!object)
      return refuse(llvm::toString(object.takeError()));
    if (!target::find(object->architecture()))
      return refuse("flyc does not compile for `" + object->architecture() + "`");
    std::vector<assembly::Imported> kernels;
    std::set<std::string> names;
    for (const isa::Kernel &kernel : object->kernels()) {
      known.push_back(kernel.name);
      if (!command.kernel.empty() && kernel.name != command.kernel)
        continue;
      assembly::Imported one = assembly::importKernel(*object, kernel, names);
      if (!one.problem.empty()) {
        refuse("kernel `" + kernel.name + "`: " + one.problem);
        continue;
      }
      for (const std::string &what : one.outside)
        session.diags.report(SourceRange{}, diag::imports_outside{.kernel = kernel.name, .what = what});
      if (!command.quiet)
        llvm::errs() << kernel.name << ": " << one.instructions << " instructions, " << one.raw << " as bytes"
                     << llvm::formatv(" ({0:f1} %)\n", 100.0 * one.raw / one.instructions);
      kernels.push_back(std::move(one));
    }
    if (session.diags.hasErrors())
      return;
    if (kernels.empty()) {
      if (!command.kernel.empty())
        return reportNoSuchKernel(session, command.kernel, known);
      return refuse("it has no kernel");
    }
    const std::string text =
        assembly::importedFile(kernels, llvm::sys::path::filename(command.path), object->architecture());
    if (command.output.empty()) {
      llvm::outs() << text;
      return;
    }
    if (std::string why = artifact::writeAtomically({{command.output, text}}); !why.empty())
      session.diags.report(diag::cannot_write, {}).arg(command.output).arg(why);
  }

  int finish() {
    const int status = statusOf(session.diags);
    return session.finish() ? 0 : status;
  }
};

} // namespace

int ImportCommand::run() { return ImportRun(options, *this).run(); }

std::unique_ptr<Command> importCommand() { return std::make_unique<ImportCommand>(); }

} // namespace fly::driver
