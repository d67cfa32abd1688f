// `flyc manifest`: the kernels and workspaces of a program, from the metadata of its modules.
#include "compiler/artifact/Manifest.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/Session.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::driver {

namespace {

class ManifestCommand final : public Command {
public:
  ManifestCommand()
      : Command("manifest", "List the kernels and workspaces of a program, from the metadata of its modules") {}
  void declare(OptionTable &table) override {
    table.add("files", paths, "Metadata of modules: NAME.json, written by `flyc build`").required();
    table
        .add("--set", values,
             "Numbers that launch functions get, such as m=1,hidden=4096, also cache.heads=8 of a struct and\n"
             "device.compute_units=304: the list then has what runs for them, and what it needs")
        .separatedBy(',')
        .notEmpty()
        .type("NAME=VALUE,...");
    archFilter(table, archs, "Only these architectures, separated by commas (default: all that the files have)");
    table.add("--json", json, "Print the list as JSON")
        .more("[manifest.schema.json](schema/manifest.schema.json) describes it");
    messageOptions(table, options);
  }
  int run() override;

private:
  bool readValues(Session &session);
  bool readFiles(Session &session);
  bool checkNames(Session &session, const artifact::Manifest &manifest) const;

  std::vector<std::string> paths, values, archs;
  bool json = false;
  std::vector<artifact::MetadataFile> files;
  artifact::ManifestRequest request;
};

/// A number or a truth value; null if it is neither.
host::ExprRef constantOf(llvm::StringRef text) {
  int64_t integer;
  double number;
  if (text == "true" || text == "True" || text == "false" || text == "False")
    return host::boolConstant(text.lower() == "true");
  if (!text.getAsInteger(0, integer))
    return host::intConstant(integer);
  return text.getAsDouble(number) ? nullptr : host::floatConstant(number);
}

bool ManifestCommand::readValues(Session &session) {
  for (const std::string &each : values) {
    const auto [name, value] = llvm::StringRef(each).split('=');
    const host::ExprRef constant = constantOf(value.trim());
    if (!constant || name.trim().empty()) {
      session.diags.report(diag::bad_option, {})
          .arg("--set " + each)
          .arg("a name and a number are expected, such as m=64");
      return false;
    }
    request.given[name.trim().str()] = constant;
  }
  request.archs = archs;
  return true;
}

bool ManifestCommand::readFiles(Session &session) {
  for (const std::string &path : paths) {
    auto file = session.read(path);
    if (!file)
      continue;
    auto document = artifact::readMetadata(session.sources.text(*file));
    if (document)
      files.push_back({path, std::move(*document)});
    else
      session.diags.report(diag::cannot_read, {}).arg(path).arg(llvm::toString(document.takeError()));
  }
  return !session.diags.hasErrors();
}

bool ManifestCommand::checkNames(Session &session, const artifact::Manifest &manifest) const {
  for (const auto &[name, value] : request.given) {
    if (name == "device.compute_units" || manifest.names.count(name))
      continue;
    const std::vector<std::string> names(manifest.names.begin(), manifest.names.end());
    const auto guess = didYouMean(name, names);
    auto builder = session.diags.report(diag::bad_option, {});
    builder.arg("--set " + name + "=" + host::toFly(*value))
        .arg("no launch function has such a parameter" + (guess ? "; did you mean `" + *guess + "`?" : std::string()));
  }
  for (const std::string &arch : request.archs)
    if (!llvm::is_contained(manifest.archs, arch))
      session.diags.report(diag::bad_option, {})
          .arg("--arch " + arch)
          .arg("the files have " + llvm::join(manifest.archs, ", "));
  return !session.diags.hasErrors();
}

int ManifestCommand::run() {
  Session session(options);
  if (!readValues(session)) {
    session.finish();
    return 2;
  }
  int status = 1;
  if (readFiles(session)) {
    try {
      const artifact::Manifest manifest = artifact::manifestOf(files, request);
      if (!checkNames(session, manifest))
        status = 2;
      else {
        llvm::outs() << (json ? manifest.json.dump(2) + "\n" : artifact::manifestText(manifest.json));
        status = 0;
      }
    } catch (const std::exception &error) {
      session.diags.report(diag::cannot_read, {})
          .arg(llvm::join(paths, ", "))
          .arg(std::string("it is not as `flyc build` writes it: ") + error.what());
    }
  }
  llvm::outs().flush();
  session.finish();
  return status;
}

} // namespace

std::unique_ptr<Command> manifestCommand() { return std::make_unique<ManifestCommand>(); }

} // namespace fly::driver
