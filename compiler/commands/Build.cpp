// `flyc build`: compiles every exported instance for every architecture, then writes all artifacts together.
#include "compiler/artifact/Bindings.h"
#include "compiler/artifact/HostObject.h"
#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/commands/Rewrite.h"
#include "compiler/compilation/ArchBuild.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/compilation/TestedLlvm.h"
#include "compiler/commands/DepFile.h"
#include "compiler/launch/Validation.h"

#include "compiler/assembly/StandardText.h"
#include "compiler/isa/Disassembly.h"
#include "compiler/syntax/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace fly::driver {

namespace {

class BuildCommand final : public Command {
public:
  BuildCommand() : Command("build", "Compile a .fly file to X.<arch>.hsaco, X.json and X.h") { usesCache = true; }
  void declare(OptionTable &table) override {
    table.add("file", path, "The .fly file; `-` reads standard input").required();
    archOption(table, archs, "Architectures, separated by commas (see `flyc targets`); all: every one")
        .takesMoreWords();
    table
        .add("-o,--output", output,
             "Output directory; with a single --emit kind also a file (such as NAME.o for `obj`), `-` for standard "
             "output, or a pipe")
        .type("DIR")
        .showDefault()
        .more(
            "it is created if missing, with the permissions that the umask allows; `-o /dev/null` takes any number of "
            "artifacts");
    table
        .add(
            "--emit", emit,
            "Write only these artifacts, separated by commas: ast, fly, rocdl, llvm, isa, asm (for llvm-mc), hsaco, json, header, "
            "cxx-header, obj (a host object file), python, tvm-ffi; may be repeated")
        .joined()
        .type("KIND,...")
        .more(
            "`python` (NAME.py and its types NAME.pyi) and `tvm-ffi` (NAME.tvm_ffi.c) need other artifacts: alone they "
            "are written besides the usual ones");
    table
        .add("--stop-after", stopAfter,
             "Write what this pass leaves, be it MLIR, LLVM IR or MIR, and compile no further")
        .type("PASS")
        .more("an unknown name makes flyc list the passes");
    table.add("--print-after", printAfter, "Print what these passes leave to standard error; may be repeated")
        .joined()
        .type("PASS,...");
    table.add("--print-ir-after-all", printAll, "Print what each pass leaves to standard error, in MLIR's form");
    table.add("-j,--jobs", jobs, "Number of threads (default: one per core). A jobserver in MAKEFLAGS may allow fewer")
        .range(1, 4096)
        .type("N")
        .more("the artifacts are identical for any N");
    table.add("--host", host, "Machine for --emit=obj: x86_64, aarch64, riscv64 (default: this machine)")
        .type("MACHINE");
    declareDepFile(table);
    table
        .add(
            "--validate", validates,
            "Run the file's checks, compare each launch with the reference interpreter, and write nothing if one differs")
        .more("a line for each kernel that was not compared says why; [reference.md](reference.md) has the details");
    table.add("--validate-limit", validateLimit, "End the validation of an architecture after so many seconds")
        .type("SECONDS")
        .showDefault();
    table.add("--quiet,-q", quiet, "Print errors only");
    table.add("--fix", fixFirst, "First apply the safe fixes to the file, as `flyc fix` does");
    table.add("--time", time, "Print how long each phase took")
        .more("for phases that run in parallel, the sum over all threads; and what the cache held");
    sourceOptions(table, options);
  }
  int run() override;
  void prepare(std::vector<std::string> &arguments) const override;

  std::string path, output = ".";
  std::vector<std::string> archs;
  std::string emit, stopAfter, printAfter;
  bool printAll = false;
  unsigned jobs = 0;                                     ///< threads; 0: one per core
  std::string host;                                      ///< machine of `--emit=obj`; empty: this one
  bool depFile = false, phonyTargets = false;            ///< -MD, -MP
  std::string depFilePath;                               ///< -MF; empty: next to the artifacts
  std::vector<std::string> depTargets, quotedDepTargets; ///< -MT, -MQ; none: the artifacts
  bool quiet = false, time = false, fixFirst = false;
  bool validates = false;    ///< --validate
  double validateLimit = 30; ///< seconds per architecture

private:
  void declareDepFile(OptionTable &table);
};

void BuildCommand::declareDepFile(OptionTable &table) {
  table.add("--MD", depFile, "-MD: Also write the list of files read, in Make syntax, to NAME.d next to the artifacts")
      .shownAs("-MD");
  table.add("--MF", depFilePath, "-MF: Write that list to this file instead").shownAs("-MF").type("FILE");
  table.add("--MT", depTargets, "-MT: Set a target of the rule, verbatim (default: the artifacts)")
      .shownAs("-MT")
      .type("TARGET");
  table.add("--MQ", quotedDepTargets, "-MQ: The same, quoted for Make").shownAs("-MQ").type("TARGET");
  table.add("--MP", phonyTargets, "-MP: Add an empty rule for each imported file")
      .shownAs("-MP")
      .more("so that Make survives its removal");
}

/// -MD and related options, as in C compilers. CLI11 has only short options of one letter, so these are long options:
/// `prepare` replaces each short form by the long one.
constexpr const char *depFileNames[] = {"-MD", "-MF", "-MT", "-MQ", "-MP"};

void BuildCommand::prepare(std::vector<std::string> &arguments) const {
  for (size_t i = 1; i < arguments.size(); ++i)
    for (llvm::StringRef name : depFileNames) {
      llvm::StringRef rest = arguments[i];
      if (!rest.consume_front(name))
        continue;
      const bool takesValue = name == "-MF" || name == "-MT" || name == "-MQ";
      if (!takesValue && !rest.empty())
        continue;
      std::string value = rest.str();
      arguments[i] = "-" + name.str();
      if (takesValue && !value.empty()) // -MFout.d
        arguments[i] += "=" + value;
      else if (takesValue && i + 1 < arguments.size()) { // a value may look like an option
        arguments[i] += "=" + arguments[i + 1];
        arguments.erase(arguments.begin() + i + 1);
      }
      break;
    }
}

/// The kinds that `--emit` accepts.
enum class Stage {
  Ast,
  Fly,
  Rocdl,
  Llvm,
  Isa,
  Asm,
  Hsaco,
  CxxHeader,
  Header,
  TvmFfi,
  PythonStub,
  Python,
  Obj,
  Json,
  AfterPass
};
struct Kind {
  Stage stage;
  const char *name, *suffix;
  bool everyArch;       ///< a file for each architecture
  bool isExtra = false; ///< of no use without the usual artifacts
};
// In the order in which files appear. The metadata is the last one: where it is new, everything is, which a Make that
// was killed relies on. Headers cannot be: one that would not change stays as it is, so that nothing that includes it
// is compiled again.
constexpr Kind kinds[] = {
    {Stage::Ast, "ast", ".ast", false},
    {Stage::Fly, "fly", ".fly.mlir", true},
    {Stage::Rocdl, "rocdl", ".rocdl.mlir", true},
    {Stage::Llvm, "llvm", ".ll", true},
    {Stage::Isa, "isa", ".s", true},
    {Stage::Asm, "asm", ".asm.s", true},
    {Stage::Hsaco, "hsaco", ".hsaco", true},
    {Stage::CxxHeader, "cxx-header", ".hpp", false},
    {Stage::Header, "header", ".h", false},
    {Stage::TvmFfi, "tvm-ffi", ".tvm_ffi.c", false, true},
    {Stage::PythonStub, "python", ".pyi", false, true},
    {Stage::Python, "python", ".py", false, true},
    {Stage::Obj, "obj", ".o", false},
    {Stage::Json, "json", ".json", false},
};

constexpr llvm::StringLiteral usualKinds = "hsaco,json,cxx-header,header";

/// The kinds of `--emit=A,B`, or what a build makes without; none after a diagnostic.
std::optional<std::vector<Kind>> kindsOf(Session &session, const BuildCommand &command) {
  std::vector<Kind> chosen;
  llvm::SmallVector<llvm::StringRef> names;
  (command.emit.empty() ? llvm::StringRef(usualKinds) : llvm::StringRef(command.emit)).split(names, ',');
  auto isNamed = [&](const Kind &kind) { return llvm::is_contained(names, llvm::StringRef(kind.name)); };
  for (llvm::StringRef name : names)
    if (llvm::none_of(kinds, [&](auto &kind) { return name == kind.name; })) {
      llvm::SmallVector<llvm::StringRef> known;
      for (auto &kind : kinds)
        if (!llvm::is_contained(known, kind.name))
          known.push_back(kind.name);
      session.diags.report(diag::bad_option, {})
          .arg("--emit=" + name.str())
          .arg("choose one of " + llvm::join(known, ", "));
      return std::nullopt;
    }
  if (llvm::all_of(kinds, [&](auto &kind) { return kind.isExtra || !isNamed(kind); }))
    llvm::StringRef(usualKinds).split(names, ',');
  for (auto &kind : kinds)
    if (isNamed(kind))
      chosen.push_back(kind);
  return chosen;
}

/// Whether all passes that were named exist; false after a diagnostic.
bool arePasses(Session &session, const char *option, llvm::ArrayRef<std::string> given) {
  if (given.empty())
    return true;
  const std::vector<std::string> names = allPassNames(session.context());
  for (const std::string &pass : given)
    if (!llvm::is_contained(names, pass)) {
      session.diags.report(diag::bad_option, {})
          .arg(option + ("=" + pass))
          .arg("the passes are " + llvm::join(names, ", "));
      return false;
    }
  return true;
}

/// Where artifacts go: a folder, one file, standard output, or a stream such as /dev/null or a named pipe.
class Output {
public:
  /// `-o` names a file if there is one kind, the name has the suffix of this kind, and it is not a folder.
  Output(const Session &session, const BuildCommand &command, llvm::ArrayRef<Kind> chosen)
      : module(session.moduleName), path(command.output), standard(path == "-"),
        stream(!standard && artifact::isStream(path)) {
    if (!standard && !stream && (!command.emit.empty() || !command.stopAfter.empty()) && chosen.size() == 1)
      oneFile = llvm::sys::path::extension(path) == llvm::sys::path::extension(chosen.front().suffix) &&
                !llvm::sys::fs::is_directory(path);
  }
  std::string of(const Kind &kind, const std::string &arch) const {
    return standard || stream || oneFile ? path : inFolder(module + (kind.everyArch ? "." + arch : "") + kind.suffix);
  }
  std::string depFile() const {
    if (!oneFile)
      return inFolder(module + ".d");
    llvm::SmallString<256> name(path);
    llvm::sys::path::replace_extension(name, ".d");
    return std::string(name);
  }
  /// Holds no more than one artifact. /dev/null takes any number.
  bool single() const { return standard || oneFile || (stream && path != "/dev/null"); }

  std::string module, path;
  bool standard, stream, oneFile = false;

private:
  std::string inFolder(const std::string &name) const {
    llvm::SmallString<256> full(path);
    llvm::sys::path::append(full, name);
    return std::string(full);
  }
};

bool holds(const artifact::OutputFile &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer && (*buffer)->getBuffer() == file.content;
}

/// Headers that are there already, with the same text.
void leaveHeaders(llvm::ArrayRef<std::string> headers, std::vector<artifact::OutputFile> &files) {
  llvm::erase_if(files, [&](auto &file) {
    return llvm::is_contained(headers, file.path) && !artifact::isStream(file.path) && holds(file);
  });
}

void printResources(const artifact::ModuleInfo &module) {
  size_t width = 6;
  for (auto &arch : module.archs)
    for (auto &instance : arch.instances)
      width = std::max(width, instance.symbol.size());
  for (auto &arch : module.archs)
    for (auto &instance : arch.instances) {
      auto &r = instance.resources;
      llvm::outs() << llvm::format(
          "%-*s %-8s %3u VGPR %3u AGPR %3u SGPR %6u B LDS %4u B scratch  occupancy %2u  %5u B code  %.0f ms\n",
          int(width), instance.symbol.c_str(), arch.arch.c_str(), r.vgprs, r.agprs, r.sgprs, r.ldsBytes, r.scratchBytes,
          r.occupancy, r.codeBytes, instance.compileMs);
    }
}

llvm::Expected<std::string> standardAssembly(llvm::StringRef codeObject) {
  auto object = isa::CodeObject::read(codeObject);
  return object ? assembly::standardText(*object) : object.takeError();
}

/// The bytes of one artifact; none after a diagnostic.
std::optional<std::string> contentOf(Session &session, const BuildCommand &command, const Kind &kind,
                                     const ArchBuild *build, const artifact::ModuleInfo &module) {
  switch (kind.stage) {
  case Stage::Ast: {
    std::string text;
    llvm::raw_string_ostream os(text);
    printAST(*session.mainTree, session.sources, os);
    return text;
  }
  case Stage::Fly: return build->fly;
  case Stage::Rocdl: return build->rocdl;
  case Stage::AfterPass: return build->stopped;
  case Stage::Llvm: return build->llvmIr;
  case Stage::Hsaco: return build->info.hsaco;
  case Stage::Json: return artifact::toJson(module);
  case Stage::Header: return artifact::toHeader(module);
  case Stage::CxxHeader: return artifact::toCxxHeader(module);
  case Stage::TvmFfi: return artifact::toTvmFfi(module);
  case Stage::PythonStub: return artifact::toPythonStub(module);
  case Stage::Python: return artifact::toPythonModule(module);
  case Stage::Obj: {
    std::string problem;
    auto object = artifact::toHostObject(module, command.host, problem);
    if (!object)
      session.diags.report(diag::bad_option, {}).arg("--host=" + command.host).arg(problem);
    return object;
  }
  case Stage::Isa:
  case Stage::Asm: break;
  }
  auto listing = kind.stage == Stage::Isa ? isa::disassemble(build->info.hsaco) : standardAssembly(build->info.hsaco);
  if (!listing) {
    session.diags.report(diag::backend_failure, {}).arg(module.name).arg(llvm::toString(listing.takeError()));
    return std::nullopt;
  }
  return *listing;
}

/// -MF and the related options modify what -MD writes; without -MD, reports a diagnostic and returns false.
bool checkDepFileOptions(Session &session, const BuildCommand &command) {
  const char *without = command.depFile                     ? nullptr
                        : !command.depFilePath.empty()      ? "-MF"
                        : !command.depTargets.empty()       ? "-MT"
                        : !command.quotedDepTargets.empty() ? "-MQ"
                        : command.phonyTargets              ? "-MP"
                                                            : nullptr;
  if (without)
    session.diags.report(diag::bad_option, {}).arg(without).arg("it changes what `-MD` writes; add `-MD`");
  return !without;
}

/// The rule of -MD, first in the list of files: it is there before what it speaks of.
bool addDepFile(Session &session, const BuildCommand &command, const Output &output,
                llvm::ArrayRef<std::unique_ptr<ArchBuild>> builds, std::vector<artifact::OutputFile> &files) {
  if ((output.standard || output.stream) && command.depFilePath.empty()) {
    session.diags.report(diag::bad_option, {})
        .arg("-MD")
        .arg("with `-o " + output.path + "` it needs a file of its own: `-MF FILE`");
    return false;
  }
  DepFile rule;
  for (auto &name : command.depTargets)
    rule.targets.push_back(name);
  for (auto &name : command.quotedDepTargets)
    rule.targets.push_back(quotedForMake(name));
  if (rule.targets.empty())
    for (auto &file : files)
      rule.targets.push_back(quotedForMake(file.path));
  auto add = [&](const std::string &path) {
    if (path != "-" && !llvm::is_contained(rule.files, path))
      rule.files.push_back(path);
  };
  add(session.mainPath);
  for (auto &build : builds)
    for (auto &path : build->filesRead())
      add(path);
  for (auto &path : session.bitcodeRead)
    add(path);
  rule.phony = command.phonyTargets;
  files.insert(files.begin(), {command.depFilePath.empty() ? output.depFile() : command.depFilePath, rule.text()});
  return true;
}

} // namespace

/// False after errors: the machine code of a launch left something else than the reference.
static bool validateBuilds(Session &session, const BuildCommand &command,
                           llvm::ArrayRef<std::unique_ptr<ArchBuild>> builds) {
  auto timer = session.times.measure("validate");
  bool isSame = true;
  for (auto &build : builds) {
    const Validation result = validate(session, *build, command.validateLimit);
    for (auto &difference : result.differences) {
      isSame = false;
      auto [title, rest] = llvm::StringRef(difference).split('\n');
      auto builder = session.diags.report({}, diag::not_as_reference{.check = title.str()});
      llvm::SmallVector<llvm::StringRef> lines;
      rest.split(lines, '\n', -1, /*KeepEmpty=*/false);
      for (llvm::StringRef line : lines)
        builder.note(line);
    }
    if (!command.quiet)
      for (auto &line : result.open)
        llvm::outs() << line << '\n';
  }
  return isSame;
}

static int buildFile(Session &session, const BuildCommand &command) {
  auto chosen = kindsOf(session, command);
  if (!chosen || !checkDepFileOptions(session, command) || !session.open(command.path))
    return 1;
  warnOfUntestedLlvm(session);
  auto archs = targetsByName(session, command.archs);
  if (!archs)
    return 1;
  Keep keep;
  llvm::SmallVector<llvm::StringRef> printed;
  llvm::StringRef(command.printAfter).split(printed, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef pass : printed)
    keep.printAfter.push_back(pass.str());
  keep.stopAfter = command.stopAfter;
  keep.printAll = command.printAll;
  if (!arePasses(session, "--print-after", keep.printAfter) ||
      (!keep.stopAfter.empty() && !arePasses(session, "--stop-after", keep.stopAfter)))
    return 1;
  const bool isLlvm = llvm::is_contained(codegen::passNames(), command.stopAfter);
  const std::string afterPassSuffix = "." + command.stopAfter +
                                      (!isLlvm                                     ? ".mlir"
                                       : codegen::isMachinePass(command.stopAfter) ? ".mir"
                                                                                   : ".ll");
  if (!command.stopAfter.empty())
    chosen = {{Stage::AfterPass, "", afterPassSuffix.c_str(), true}};
  auto isChosen = [&](Stage stage) { return llvm::any_of(*chosen, [&](auto &kind) { return kind.stage == stage; }); };
  keep.fly = isChosen(Stage::Fly);
  keep.rocdl = isChosen(Stage::Rocdl);
  keep.llvmIr = isChosen(Stage::Llvm);
  keep.object = llvm::any_of(*chosen, [](auto &kind) { return kind.stage >= Stage::Isa && kind.stage <= Stage::Json; });
  const bool needsCode = llvm::any_of(*chosen, [](auto &kind) { return kind.stage != Stage::Ast; });

  const Output output(session, command, *chosen);
  const std::string shownOutput = "-o " + command.output;
  if (output.single() && chosen->size() > 1) {
    session.diags.report(diag::bad_option, {})
        .arg(shownOutput)
        .arg(std::string(output.standard ? "standard output" : "a stream") + " takes one artifact; add `--emit=...`");
    return 1;
  }
  if (output.single() && chosen->front().everyArch && archs->size() > 1) {
    session.diags.report(diag::bad_option, {})
        .arg(shownOutput)
        .arg("there is one such artifact per architecture; choose one with `--arch`");
    return 1;
  }

  artifact::ModuleInfo module;
  module.verifyOff.assign(session.verifyOff.begin(), session.verifyOff.end());
  module.name = session.moduleName;
  module.source = session.locationName(session.mainFile);
  module.docstring = session.mainTree->docstring;
  std::vector<std::unique_ptr<ArchBuild>> builds;
  if (needsCode) {
    const bool isBuilt = buildArchitectures(session, *archs, keep, command.jobs, builds);
    for (auto &build : builds)
      llvm::errs() << build->printed;
    if (!isBuilt)
      return 1;
    for (auto &build : builds)
      if (!build->isEmpty())
        module.archs.push_back(build->info);
    if (module.archs.empty()) {
      auto builder = session.diags.report({}, diag::no_kernels{.file = session.mainPath});
      for (auto &build : builds)
        for (auto &line : build->skipped)
          builder.note(line);
      return 1;
    }
    for (auto [target, build] : llvm::zip(*archs, builds))
      if (build->isEmpty())
        session.diags.report({}, diag::nothing_for_target{.file = session.mainPath, .arch = std::string(target->name)});
  }
  const bool isReport = !command.quiet && command.emit.empty() && command.stopAfter.empty();
  if (isReport)
    for (auto &build : builds)
      for (auto &line : build->skipped)
        llvm::outs() << line << '\n';

  if (command.validates && !validateBuilds(session, command, builds))
    return 1;
  auto timer = session.times.measure("write");
  std::vector<artifact::OutputFile> files;
  std::vector<std::string> headers;
  for (auto &kind : *chosen) {
    if (!kind.everyArch) {
      auto content = contentOf(session, command, kind, nullptr, module);
      if (!content)
        return 1;
      files.push_back({output.of(kind, ""), std::move(*content)});
      if (kind.stage == Stage::Header || kind.stage == Stage::CxxHeader)
        headers.push_back(files.back().path);
      continue;
    }
    for (auto &build : builds) {
      if (build->isEmpty())
        continue;
      auto content = contentOf(session, command, kind, build.get(), module);
      if (!content)
        return 1;
      files.push_back({output.of(kind, build->info.arch), std::move(*content)});
    }
  }
  std::string text;
  if (output.standard)
    text = files.front().content;
  if (command.depFile && !addDepFile(session, command, output, builds, files))
    return 1;
  if (output.standard) {
    files.pop_back();
    llvm::outs() << text;
    llvm::outs().flush();
  } else if (auto error = output.single() || output.stream
                              ? std::error_code()
                              : llvm::sys::fs::create_directories(command.output, /*IgnoreExisting=*/true,
                                                                  llvm::sys::fs::all_all)) {
    session.diags.report(diag::cannot_write, {}).arg(command.output).arg(llvm::StringRef(error.message()).lower());
    return 1;
  }
  leaveHeaders(headers, files);
  if (auto error = artifact::writeAtomically(files); !error.empty()) {
    session.diags.report(diag::cannot_write, {}).arg(command.output).arg(error);
    return 1;
  }
  if (isReport)
    printResources(module);
  return 0;
}

int BuildCommand::run() {
  if (fixFirst)
    if (int status = fixFile(options, {path, archs, /*dryRun=*/false, quiet}))
      return status;
  Session session(options);
  int status = buildFile(session, *this);
  if (!session.finish() || status != 0)
    status = statusOf(session.diags);
  if (time) {
    session.times.print(llvm::errs());
    session.cache.print(llvm::errs());
  }
  return status;
}

std::unique_ptr<Command> buildCommand() { return std::make_unique<BuildCommand>(); }

} // namespace fly::driver
