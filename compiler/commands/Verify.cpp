// `flyc verify`: a proof per kernel of each code object, printed as it is made, and the totals.
#include "compiler/compilation/CommandErrors.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/CodeObjects.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/commands/ReportOutput.h"
#include "compiler/compilation/VerifyOptions.h"
#include "compiler/report/Names.h"
#include "compiler/verify/Proof.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>

namespace fly::driver {

namespace {

class VerifyCommand final : public Command {
public:
  VerifyCommand()
      : Command(
            "verify",
            "Prove that machine code waits for its memory operations and keeps the distances that hardware does not") {}
  void declare(OptionTable &table) override {
    table
        .add("file", paths,
             "Code objects from any compiler and whatever holds them (bundles, libraries, programs, archives, folders)")
        .required();
    archFilter(table, archs, "Verify only code objects for these architectures");
    table.add("--kernel", kernel, "Verify only this kernel").notEmpty().type("NAME");
    table
        .add("--doubts", doubts,
             "What happens to findings that one source calls wrong and that may be right: show; error, they count as a "
             "failure, too; off")
        .choices({"show", "error", "off"})
        .type("MODE")
        .showDefault()
        .more("[verify.md](verify.md#errors-doubts-hints) says of each rule which it finds");
    table.add("--may", may, "Also show what looks wrong without breaking a rule: barriers, loads to LDS")
        .more("such hints do not change the verdict");
    table.add("--require-proof", requireProof, "`not proved` counts as a failure, too");
    table.add("--json", json, "Print everything as JSON")
        .more("[verify.schema.json](schema/verify.schema.json) describes it");
    table.add("--quiet,-q", quiet, "Print only kernels that are not proved or have doubts, and the totals")
        .excludes("--json");
    verifyOptions(table, options);
  }
  int run() override;

  std::vector<std::string> paths;      ///< files and folders with code objects
  std::vector<std::string> archs;      ///< of the code objects; empty: all
  std::string kernel, doubts = "show"; ///< show, error, off
  bool json = false, may = false, requireProof = false, quiet = false;
};

class VerifyRun {
public:
  VerifyRun(const Options &options, const VerifyCommand &command) : session(options), command(command) {
    rules.off = session.verifyOff;
    rules.may = command.may;
  }

  int run() {
    int status = 0;
    for (const std::string &path : command.paths)
      status = std::max(status, readPath(path));
    if (!command.kernel.empty() && total() == 0 && status == 0) {
      reportNoSuchKernel(session, command.kernel, kernels);
      status = 2;
    } else {
      finish(status);
    }
    session.finish();
    const bool failed = isDamaged || count[size_t(verify::Verdict::Errors)] ||
                        (command.requireProof && count[size_t(verify::Verdict::NotProved)]) ||
                        (command.doubts == "error" && withDoubts);
    return std::max(status, failed ? 1 : 0);
  }

private:
  Session session;
  const VerifyCommand &command;
  verify::Options rules;
  verify::Json objects = verify::Json::array();
  Progress progress;
  uint64_t count[3] = {}, withDoubts = 0; ///< by verdict
  uint64_t walked = 0;
  std::vector<std::string> kernels; ///< that exist, for `--kernel`
  bool isDamaged = false;           ///< something was not a code object that can be read
  uint64_t total() const { return count[0] + count[1] + count[2]; }

  int readPath(const std::string &path) {
    auto each = [&](const std::string &name, llvm::StringRef bytes) {
      progress.show(std::to_string(walked++) + " code objects of " + path);
      return object(name, bytes);
    };
    if (llvm::sys::fs::is_directory(path))
      return eachObjectOfFolder(session, path, command.archs, each);
    auto buffer = openInput(session, path);
    return buffer ? eachObject(session, path, buffer->getBuffer(), command.archs, each) : 1;
  }

  bool object(const std::string &name, llvm::StringRef bytes) {
    auto object = isa::CodeObject::read(bytes);
    if (!object) {
      session.diags.report(diag::cannot_read, {}).arg(name).arg(llvm::toString(object.takeError()));
      isDamaged = true;
      return true;
    }
    std::vector<std::string> here;
    for (auto &kernel : object->kernels())
      here.push_back(kernel.name);
    if (!command.kernel.empty())
      kernels.insert(kernels.end(), here.begin(), here.end());
    const std::string wanted = command.kernel.empty() ? "" : report::resolveName(command.kernel, here);
    verify::Json list = verify::Json::array();
    std::string text;
    for (verify::Proof &proof : verify::prove(*object, rules, wanted)) {
      if (command.doubts == "off")
        proof.doubts.clear();
      ++count[size_t(proof.verdict())];
      withDoubts += !proof.doubts.empty();
      if (command.json)
        list.push_back(toJson(proof));
      else if (!command.quiet || proof.verdict() != verify::Verdict::Proved || !proof.doubts.empty() ||
               !proof.hints.empty())
        text += toText(proof);
    }
    if (command.json && !list.empty())
      objects.push_back({{"file", name}, {"arch", object->architecture()}, {"code", std::move(list)}});
    else if (!text.empty())
      llvm::outs() << name << " (" << object->architecture() << ")\n" << text;
    return true;
  }

  void finish(int status) {
    if (command.json)
      llvm::outs() << verify::Json{{"schema_version", 1}, {"objects", objects}}.dump(
                          2, ' ', false, verify::Json::error_handler_t::replace)
                   << '\n';
    else if (status == 0 || total())
      llvm::outs() << count[0] << " proved, " << count[1] << " not proved, " << count[2] << " with errors"
                   << (withDoubts ? "; " + std::to_string(withDoubts) + " with doubts" : "") << '\n';
    llvm::outs().flush();
  }
};

} // namespace

int VerifyCommand::run() { return VerifyRun(options, *this).run(); }

std::unique_ptr<Command> verifyCommand() { return std::make_unique<VerifyCommand>(); }

} // namespace fly::driver
