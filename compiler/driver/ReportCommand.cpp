// `flyc report`: from paths to one JSON document, printed as it is or as text; `--diff` compares two.
//
// The content of a file determines what it is: a code object or an earlier report; otherwise the suffix `.fly` makes it
// a source, which is compiled as by `flyc build`.
#include "compiler/report/Report.h"

#include "compiler/driver/BuildArch.h"
#include "compiler/driver/CommandLine.h"
#include "compiler/report/Names.h"
#include "compiler/report/ReportDiff.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

namespace fly::driver {

namespace {

using report::Json;

class ReportRun {
public:
  ReportRun(const Options &options, const ReportCommand &command) : options(options), command(command) {}

  int run() {
    if (command.diff && command.paths.size() != 2)
      return badCommandLine(options, "`--diff` takes two files, the old one and the new one",
                            "`flyc report --diff OLD NEW`");
    int status = 0; // of the worst file: one that cannot be read does not keep the others from being described
    for (auto &path : command.paths)
      status = std::max(status, add(path));
    if (status != 0 && (command.diff || documents.empty()))
      return status;
    if (!command.kernel.empty() && !found)
      return status ? status : noSuchKernel();
    Json out = command.diff ? report::diffOf(documents[0], documents[1]) : joined();
    if (command.json)
      llvm::outs() << out.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    else
      llvm::outs() << (command.diff ? report::toDiffText(out) : report::toText(out));
    llvm::outs().flush();
    return status;
  }

private:
  const Options &options;
  const ReportCommand &command;
  std::vector<Json> documents;                 ///< one a path
  std::vector<std::string> names;              ///< of all kernels, for --kernel
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
    auto file = session.read(path);
    if (!file)
      return 1;
    llvm::StringRef text = session.sources.text(*file);
    if (text.ltrim().starts_with("{")) {
      auto document = report::readReport(text);
      if (!document)
        return refuse(session, path, document.takeError());
      if (int status = selectArchitectures(session, path, *document))
        return status;
      return keep(std::move(*document));
    }
    std::vector<Json> objects;
    if (int status = describe(session, path, text, objects))
      return status;
    return keep(report::wrap(std::move(objects)));
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

  int refuse(Session &session, const std::string &path, llvm::Error error) {
    session.diags.report(diag::cannot_read, {}).arg(path).arg(llvm::toString(std::move(error)));
    return 1;
  }

  int compile(Session &session, const std::string &path) {
    if (!session.open(path))
      return 1;
    auto archs = targetsByName(session, command.archs.empty() ? std::vector<std::string>{"gfx942"} : command.archs);
    if (!archs)
      return 2;
    std::vector<Json> objects;
    std::vector<const target::Target *> whole;
    for (auto *target : *archs) {
      std::string hsaco = compileAlone(session, *target);
      if (session.diags.hasErrors())
        return statusOf(session.diags);
      if (hsaco.empty())
        whole.push_back(target);
      else if (int status = describe(session, path, hsaco, objects))
        return status;
    }
    std::vector<std::unique_ptr<ArchBuild>> builds;
    if (!buildArchitectures(session, whole, Keep{}, 0, builds))
      return statusOf(session.diags);
    for (auto &build : builds)
      if (!build->isEmpty())
        if (int status = describe(session, path, build->info.hsaco, objects))
          return status;
    if (objects.empty()) {
      session.diags.report(diag::no_kernels, {}).arg(path);
      return 1;
    }
    return keep(report::wrap(std::move(objects)));
  }

  /// Only the requested kernel; empty if the file does not export a kernel with that name.
  std::string compileAlone(Session &session, const target::Target &target) {
    if (command.kernel.empty())
      return "";
    ArchCompilation compilation(session, target);
    if (!compilation.run())
      return "";
    for (auto &instance : sema::exportedInstances(compilation.elaborator, *compilation.main)) {
      names.push_back(instance.symbol);
      if (instance.symbol != command.kernel || instance.kernel.kernel->isLaunch)
        continue;
      auto compiled = compilation.compile(instance.kernel, instance.symbol, instance.range, Keep{});
      return compiled && !session.diags.hasErrors() ? compilation.link({compiled.get()}, {}, session.moduleName) : "";
    }
    return "";
  }

  int describe(Session &session, const std::string &path, llvm::StringRef bytes, std::vector<Json> &objects) {
    auto object = isa::CodeObject::read(bytes);
    if (!object)
      return refuse(session, path, object.takeError());
    if (!command.archs.empty() && !llvm::is_contained(command.archs, object->architecture())) {
      session.diags.report(diag::bad_option, {})
          .arg("--arch " + llvm::join(command.archs, ","))
          .arg("`" + path + "` is for " + object->architecture());
      return 2;
    }
    std::vector<std::string> here;
    for (auto &kernel : object->kernels())
      here.push_back(kernel.name);
    names.insert(names.end(), here.begin(), here.end());
    auto report = report::reportOf(*object, path, {report::resolveName(command.kernel, here), command.listing});
    if (!report)
      return refuse(session, path, report.takeError());
    objects.push_back(std::move(*report));
    return 0;
  }

  int keep(Json document) {
    if (!command.kernel.empty()) {
      std::vector<Json> objects;
      for (Json &object : document["objects"]) {
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
        found |= !kernels.empty();
        object["kernels"] = std::move(kernels);
        object["functions"] = Json::array();
        if (!object["kernels"].empty())
          objects.push_back(std::move(object));
      }
      document = report::wrap(std::move(objects));
    }
    documents.push_back(std::move(document));
    return 0;
  }

  int noSuchKernel() {
    Session session(options);
    auto guess = didYouMean(command.kernel, names);
    llvm::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    {
      auto builder = session.diags.report(diag::bad_option, {});
      builder.arg("--kernel " + command.kernel).arg("there is no such kernel" + (guess ? "; did you mean `" + *guess + "`?" : std::string()));
      if (!names.empty())
        builder.help("choose one of " + llvm::join(names, ", "));
    }
    session.finish();
    return 2;
  }

  Json joined() {
    std::vector<Json> objects;
    for (Json &document : documents)
      for (Json &object : document["objects"])
        objects.push_back(std::move(object));
    return report::wrap(std::move(objects));
  }
};

} // namespace

int report(const Options &options, const ReportCommand &command) {
  try {
    return ReportRun(options, command).run();
  } catch (
      const nlohmann::json::exception &) { // a report from a file whose values are of other kinds than they should be
    Session session(options);
    session.diags.report(diag::cannot_read, {})
        .arg(llvm::join(command.paths, "`, `"))
        .arg("it is not a report written by `flyc report --json`");
    session.finish();
    return 1;
  }
}

} // namespace fly::driver
