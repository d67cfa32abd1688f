// `flyc report`: from paths to one JSON document, printed as it is, as text, or a line per kernel; `--diff` compares
// two, `--html` makes a page of all.
//
// The suffix `.fly` makes a file a source, which is compiled as by `flyc build`, and `.s` makes it assembly. Of others
// the content determines what they are: an earlier report, or something with code objects. Relocatable objects are
// linked, each by itself. Each object is printed when it is described, and only `--diff` keeps them, so that libraries
// of any size can be reported.
#include "compiler/report/Report.h"

#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/compilation/AssemblyInput.h"
#include "compiler/compilation/ArchBuild.h"
#include "compiler/compilation/CommandErrors.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/CodeObjects.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/commands/ReportOutput.h"
#include "compiler/commands/ReportPage.h"
#include "compiler/isa/ObjectAssembler.h"
#include "compiler/report/Names.h"
#include "compiler/report/ReportDiff.h"
#include "compiler/target/DefaultTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>

namespace fly::driver {

namespace {

class ReportCommand final : public Command {
public:
  ReportCommand()
      : Command("report", "Describe machine code: registers, occupancy, counts, loops, live registers, waits") {
    usesCache = true;
  }
  void declare(OptionTable &table) override {
    table
        .add("file", page.paths,
             "Code objects from any compiler, linked or not, and whatever holds them (bundles, libraries, programs, "
             "archives, folders), assembly (.s), .fly files to compile, or reports (.json)")
        .required();
    archFilter(table, archs,
               "Architectures to compile .fly files for (default: " + std::string(target::defaultName) +
                   "), or of the code objects to report (default: all)");
    table.add("--kernel", kernel, "Report only this kernel").notEmpty().type("NAME");
    table.add("--listing", listing,
              "List every instruction with its source line, live registers, and what waits cover");
    table.add("--diff", diff, "Compare two files, given as OLD NEW")
        .excludes("--listing")
        .more("with `--json` as [report-diff.schema.json](schema/report-diff.schema.json) describes");
    table
        .add("--pair", pairs,
             "With --diff: compare kernel OLD of the old file with kernel NEW of the new one; may be repeated")
        .needs("--diff")
        .check([](const std::string &pair) {
          auto [before, after] = llvm::StringRef(pair).split('=');
          return before.empty() || after.empty() ? "`" + pair + "` takes two names, OLD=NEW" : std::string();
        })
        .type("OLD=NEW");
    table.add("--json", json, "Print everything as JSON")
        .more(
            "[report.schema.json](schema/report.schema.json) describes it; the listing is only in it with `--listing`");
    table.add("--summary", summary, "Print one line per kernel, and totals; fast for large libraries")
        .excludes("--json")
        .excludes("--diff")
        .excludes("--listing");
    table
        .add(
            "--html", page.html,
            "Write one page with linked panes of source, Fly IR, LLVM IR and machine code, live registers, loops, waits, "
            "copies and LDS banks; `-`: standard output")
        .notEmpty()
        .type("FILE")
        .excludes("--diff")
        .excludes("--json")
        .excludes("--summary")
        .excludes("--listing")
        .more("[report.md](report.md#the-page) shows it");
    table
        .add("--profile", page.profiles,
             "With --html: show counts of a launch (`flyc run --profile=json`) or its times (`flyc run "
             "--time-model=json`); may be repeated")
        .needs("--html")
        .notEmpty()
        .type("FILE");
    table.add("--quiet,-q", quiet, "Print errors and warnings only").excludes("--json");
    sourceOptions(table, options);
  }
  int run() override;

  PageRequest page;               ///< paths: .fly, files and folders with code objects, reports
  std::vector<std::string> archs; ///< of .fly files; empty: the default one
  std::string kernel;
  bool diff = false, json = false, listing = false, summary = false, quiet = false;
  std::vector<std::string> pairs; ///< OLD=NEW, for diff
};

using report::Json;

class ReportRun {
public:
  ReportRun(const Options &options, const ReportCommand &command) : options(options), command(command) {}

  int run() {
    if (command.diff && command.page.paths.size() != 2)
      return badCommandLine(options, "`--diff` takes two files, the old one and the new one",
                            "`flyc report --diff OLD NEW`");
    int status = 0; // of the worst file: one that cannot be read does not keep the others from being described
    for (auto &path : command.page.paths) {
      documents.emplace_back();
      status = std::max(status, add(path));
    }
    if (status != 0 && command.diff)
      return status;
    const bool isMissing = !command.kernel.empty() && !found;
    if (!command.page.html.empty())
      return status ? status : isMissing ? noSuchKernel() : writePage();
    if (!command.diff)
      output.finish(/*onlyIfBegun=*/status != 0 || isMissing);
    if (isMissing)
      return status ? status : noSuchKernel();
    return command.diff ? compare() : status;
  }

private:
  const Options &options;
  const ReportCommand &command;
  ReportOutput output{command.summary ? ReportForm::Summary
                      : command.json  ? ReportForm::Json
                                      : ReportForm::Text,
                      command.quiet ? static_cast<llvm::raw_ostream &>(llvm::nulls()) : llvm::outs()};
  report::Summarizer summarizer;
  ReportPage page{command.page};
  Progress progress;
  std::vector<std::vector<Json>> documents; ///< for --diff: the objects of each path
  std::vector<std::string> names;           ///< of all kernels, for --kernel
  bool found = false;

  /// Each file has its own session: a source is the main file of one.
  int add(const std::string &path) {
    Session session(options);
    int status = read(session, path);
    if (!session.finish() && status == 0)
      status = 1;
    return status;
  }

  int read(Session &session, const std::string &path) {
    if (llvm::StringRef(path).ends_with(".fly"))
      return compile(session, path);
    try {
      return readObjects(session, path);
    } catch (const Json::exception &) { // a report whose values are of other kinds than they should be
      return refuse(session, path, "it is not a report written by `flyc report --json`");
    }
  }

  int readObjects(Session &session, const std::string &path) {
    int status = 0;
    uint64_t objects = 0;
    auto each = [&](const std::string &name, llvm::StringRef bytes) {
      progress.show(std::to_string(objects++) + " code objects of " + path);
      status = std::max(status, describe(session, name, bytes, path));
      return true;
    };
    if (llvm::sys::fs::is_directory(path))
      return std::max(eachObjectOfFolder(session, path, command.archs, each), status);
    auto buffer = openInput(session, path);
    if (!buffer)
      return 1;
    llvm::StringRef text = buffer->getBuffer();
    std::string object;
    if (llvm::StringRef(path).ends_with(".s")) {
      if (std::string problem = assemble(text, object); !problem.empty())
        return refuse(session, path, problem);
      text = object;
    }
    if (!text.ltrim().starts_with("{"))
      return std::max(eachObject(session, path, text, command.archs, each), status);
    if (!command.page.html.empty())
      return refuse(session, path, "a page needs the machine code, which a report does not have");
    auto document = report::readReport(text);
    if (!document)
      return refuse(session, path, llvm::toString(document.takeError()));
    status = selectArchitectures(session, path, *document);
    if (status == 0)
      for (Json &object : (*document)["objects"])
        keep(std::move(object));
    return status;
  }

  /// Of a report that was kept, the objects for `--arch`.
  int selectArchitectures(Session &session, const std::string &path, Json &document) {
    if (command.archs.empty())
      return 0;
    std::vector<Json> objects;
    std::vector<std::string> there;
    for (Json &object : document["objects"]) {
      std::string arch = object["arch"].get<std::string>();
      if (llvm::is_contained(command.archs, arch))
        objects.push_back(std::move(object));
      else if (!llvm::is_contained(there, arch))
        there.push_back(arch);
    }
    if (objects.empty()) {
      session.diags.report(diag::bad_option, {})
          .arg("--arch " + llvm::join(command.archs, ","))
          .arg("`" + path + "` is for " + (there.empty() ? "no architecture" : llvm::join(there, ", ")));
      return 2;
    }
    document = report::wrap(std::move(objects));
    return 0;
  }

  /// What keeps assembly from being an object; empty: `object` is it.
  std::string assemble(llvm::StringRef text, std::string &object) const {
    std::string arch = architectureIn(text);
    if (arch.empty() && command.archs.size() == 1)
      arch = command.archs.front();
    if (arch.empty())
      return "it does not say the architecture (`.amdgcn_target`); give it by `--arch`";
    auto assembled = isa::assembleObject(arch == architectureIn(text) ? targetIn(text) : arch, text);
    if (!assembled)
      return llvm::StringRef(llvm::toString(assembled.takeError())).split('\n').first.str();
    object = std::move(*assembled);
    return "";
  }

  int refuse(Session &session, const std::string &path, const std::string &what) {
    session.diags.report(diag::cannot_read, {}).arg(path).arg(what);
    return 1;
  }

  int compile(Session &session, const std::string &path) {
    if (!session.open(path))
      return 1;
    auto archs =
        targetsByName(session, command.archs.empty() ? std::vector{std::string(target::defaultName)} : command.archs);
    if (!archs)
      return 2;
    std::vector<const target::Target *> whole;
    bool isEmpty = true;
    for (auto *target : *archs) {
      std::vector<InstancePage> pages;
      std::string hsaco = compileAlone(session, *target, pages);
      if (session.diags.hasErrors())
        return statusOf(session.diags);
      if (hsaco.empty())
        whole.push_back(target);
      else if (int status = describe(session, path, hsaco, path, &pages))
        return status;
      else
        isEmpty = false;
    }
    std::vector<std::unique_ptr<ArchBuild>> builds;
    if (!buildArchitectures(session, whole, whatToKeep(), 0, builds))
      return statusOf(session.diags);
    for (auto &build : builds)
      if (!build->isEmpty()) {
        if (int status = describe(session, path, build->info.hsaco, path, &build->pages))
          return status;
        isEmpty = false;
      }
    if (!isEmpty)
      return 0;
    session.diags.report({}, diag::no_kernels{.file = path});
    return 1;
  }

  /// Only the requested kernel; empty if the file does not export a kernel with that name.
  std::string compileAlone(Session &session, const target::Target &target, std::vector<InstancePage> &pages) {
    if (command.kernel.empty())
      return "";
    ArchCompilation compilation(session, target);
    if (!compilation.run())
      return "";
    for (auto &instance : sema::exportedInstances(compilation.elaborator, *compilation.main)) {
      names.push_back(instance.symbol);
      if (instance.symbol != command.kernel || instance.kernel.kernel->isLaunch)
        continue;
      auto compiled = compilation.compile(instance.kernel, instance.symbol, instance.range, whatToKeep());
      if (compiled && !command.page.html.empty())
        pages.push_back(pageOf(*compiled));
      return compiled && !session.diags.hasErrors() ? compilation.link({compiled.get()}, {}, session.moduleName) : "";
    }
    return "";
  }

  /// What a page needs is not in objects, and so not in the cache either.
  Keep whatToKeep() const {
    Keep out;
    out.page = !command.page.html.empty();
    return out;
  }

  /// The object `name` of the file `path`; `pages` if it was compiled just now.
  int describe(Session &session, const std::string &name, llvm::StringRef bytes, const std::string &path,
               const std::vector<InstancePage> *pages = nullptr) {
    if (isRelocatable(bytes)) {
      auto linked = codegen::linkForeignObject(bytes);
      if (!linked)
        return refuse(session, name, "it is not linked, and cannot be: " + linked.failure().message);
      return describe(session, name, *linked, path);
    }
    auto object = isa::CodeObject::read(bytes);
    if (!object)
      return refuse(session, name, llvm::toString(object.takeError()));
    std::string wanted;
    if (!command.kernel.empty()) {
      std::vector<std::string> here;
      for (auto &kernel : object->kernels())
        here.push_back(kernel.name);
      names.insert(names.end(), here.begin(), here.end());
      wanted = report::resolveName(command.kernel, here);
      if (!object->find(wanted))
        return 0;
    }
    if (!command.page.html.empty()) {
      found = true;
      return pages ? page.addCompiled(session, *object, wanted, *pages)
                   : page.addObject(session, *object, name, wanted, path);
    }
    if (command.summary) {
      auto kernels = summarizer.of(*object, wanted);
      if (!kernels)
        return refuse(session, name, llvm::toString(kernels.takeError()));
      if (kernels->empty() && !command.kernel.empty())
        return 0;
      found = true;
      output.kernels(name, object->architecture(), *kernels);
      return 0;
    }
    auto report = report::reportOf(*object, name, {wanted, command.listing});
    if (!report)
      return refuse(session, name, llvm::toString(report.takeError()));
    keep(std::move(*report));
    return 0;
  }

  /// Prints an object, or keeps it to be compared; with --kernel only if it has that.
  void keep(Json object) {
    if (!command.kernel.empty()) {
      std::vector<std::string> here;
      for (Json &kernel : object["kernels"])
        here.push_back(kernel["name"].get<std::string>());
      names.insert(names.end(), here.begin(), here.end());
      const std::string wanted = report::resolveName(command.kernel, here);
      Json kernels = Json::array();
      for (Json &kernel : object["kernels"]) {
        if (kernel["name"] == wanted || report::hasAlias(kernel, command.kernel))
          kernels.push_back(kernel);
      }
      if (kernels.empty())
        return;
      found = true;
      object["kernels"] = std::move(kernels);
      object["functions"] = Json::array();
    }
    if (command.diff)
      documents.back().push_back(std::move(object));
    else
      output.object(object);
  }

  int compare() {
    Json before = report::wrap(std::move(documents[0])), after = report::wrap(std::move(documents[1]));
    report::NamePairs byHand;
    for (const std::string &pair : command.pairs) {
      auto [oldName, newName] = llvm::StringRef(pair).split('=');
      if (int status = checkName(before, pair, oldName.str(), "old"))
        return status;
      if (int status = checkName(after, pair, newName.str(), "new"))
        return status;
      byHand.push_back({oldName.str(), newName.str()});
    }
    Json diff = report::diffOf(before, after, byHand);
    if (command.json)
      llvm::outs() << diff.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    else if (!command.quiet)
      llvm::outs() << report::toDiffText(diff);
    llvm::outs().flush();
    return 0;
  }

  /// Whether one side of a `--pair` has the kernel or function; else the status.
  int checkName(const Json &report, const std::string &pair, const std::string &name, const char *side) {
    std::vector<std::string> known;
    for (const Json &object : report["objects"])
      for (const char *list : {"kernels", "functions"})
        if (object.contains(list))
          for (const Json &code : object[list]) {
            if (code["name"] == name || report::hasAlias(code, name))
              return 0;
            known.push_back(code["name"].get<std::string>());
          }
    Session session(options);
    auto guess = didYouMean(name, known);
    session.diags.report(diag::bad_option, {})
        .arg("--pair " + pair)
        .arg(std::string("the ") + side + " file has no kernel `" + name + "`" +
             (guess ? "; did you mean `" + *guess + "`?" : ""));
    session.finish();
    return 2;
  }

  int writePage() {
    Session session(options);
    const int status = page.write(session);
    session.finish();
    return status;
  }

  int noSuchKernel() {
    Session session(options);
    reportNoSuchKernel(session, command.kernel, names);
    session.finish();
    return 2;
  }
};

} // namespace

int ReportCommand::run() {
  const ReportCommand &command = *this;
  try {
    return ReportRun(options, command).run();
  } catch (const nlohmann::json::exception &) { // while two reports are compared
    Session session(options);
    session.diags.report(diag::cannot_read, {})
        .arg(llvm::join(command.page.paths, "`, `"))
        .arg("it is not a report written by `flyc report --json`");
    session.finish();
    return 1;
  }
}

std::unique_ptr<Command> reportCommand() { return std::make_unique<ReportCommand>(); }

} // namespace fly::driver
