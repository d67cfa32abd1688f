// See Manifest.h.
#include "compiler/artifact/Manifest.h"

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>
#include <stdexcept>

namespace fly::artifact {

namespace {

using host::ExprOp;
using host::ExprRef;

constexpr unsigned mostDepth = 300; ///< of a tree in a file

std::optional<ExprOp> opByName(const std::string &name) {
  for (unsigned op = 0; op <= unsigned(ExprOp::Select); ++op)
    if (host::jsonName(ExprOp(op)) == name)
      return ExprOp(op);
  return std::nullopt;
}

/// The expressions of one module, with the values in them that are given.
class ExpressionReader {
public:
  ExpressionReader(const Json &module, const std::map<std::string, ExprRef> &given) : given(given) {
    if (auto list = module.find("expressions"); list != module.end())
      for (const Json &tree : *list)
        shared.push_back(read(tree));
  }

  ExprRef read(const Json &tree, unsigned depth = 0) const {
    if (depth > mostDepth)
      throw std::runtime_error("an expression is nested too deeply");
    if (auto ref = tree.find("ref"); ref != tree.end()) {
      const auto index = ref->get<size_t>();
      if (index >= shared.size())
        throw std::runtime_error("an expression refers to one that is not there");
      return shared[index];
    }
    const std::string name = tree.at("op");
    const std::optional<ExprOp> op = opByName(name);
    if (!op)
      throw std::runtime_error("`" + name + "` is not an operation");
    switch (*op) {
    case ExprOp::BoolConstant: return host::boolConstant(tree.at("value").get<bool>());
    case ExprOp::IntConstant: return host::intConstant(tree.at("value").get<int64_t>());
    case ExprOp::FloatConstant: return floatOf(tree.at("value"));
    case ExprOp::Parameter: return leaf(tree.at("name").get<std::string>());
    case ExprOp::Device: return leaf("device." + tree.at("name").get<std::string>());
    default: break;
    }
    std::vector<ExprRef> operands;
    for (const Json &operand : tree.at("args"))
      operands.push_back(read(operand, depth + 1));
    if (operands.size() != host::operandCount(*op))
      throw std::runtime_error("`" + name + "` has " + counted(operands.size(), "operand"));
    ExprRef made = host::make(*op, std::move(operands));
    if (host::tooLarge(*made))
      throw std::runtime_error("an expression is too large");
    return made;
  }

private:
  ExprRef leaf(const std::string &name) const {
    auto known = given.find(name);
    return known != given.end() ? known->second : host::parameter(0, name, host::ExprKind::Int);
  }
  static ExprRef floatOf(const Json &value) {
    if (value.is_number())
      return host::floatConstant(value.get<double>());
    const std::string text = value;
    double number = 0;
    if (llvm::StringRef(text).getAsDouble(number))
      throw std::runtime_error("`" + text + "` is not a number");
    return host::floatConstant(number);
  }

  const std::map<std::string, ExprRef> &given;
  std::vector<ExprRef> shared;
};

bool isBool(const ExprRef &expr, bool value) { return expr->op == ExprOp::BoolConstant && expr->boolValue == value; }

/// A number where it is one, else text.
Json valueOf(const ExprRef &expr) {
  switch (expr->op) {
  case ExprOp::BoolConstant: return expr->boolValue;
  case ExprOp::IntConstant: return expr->intValue;
  case ExprOp::FloatConstant: return expr->floatValue;
  default: return host::toFly(*expr);
  }
}

void unknownIn(const ExprRef &expr, std::set<std::string> &names) {
  if (expr->op == ExprOp::Parameter)
    names.insert(expr->parameterName);
  for (const ExprRef &operand : expr->operands)
    unknownIn(operand, names);
}

/// "m" and "cache.heads", of all parameters that are numbers.
void numbersOf(const Json &parameters, const std::string &prefix, std::set<std::string> &names) {
  for (const Json &parameter : parameters) {
    const std::string kind = parameter.at("kind"), name = prefix + parameter.at("name").get<std::string>();
    if (kind == "scalar")
      names.insert(name);
    if (kind == "struct")
      numbersOf(parameter.at("fields"), name + ".", names);
  }
}

class ArchManifest {
public:
  ArchManifest(const MetadataFile &file, const Json &arch, const ManifestRequest &request, Json &out,
               std::set<std::string> &names)
      : module(file.json.at("module")), reader(file.json, request.given), out(out) {
    const Json &object = arch.at("code_object");
    out["code_objects"].push_back({{"module", module},
                                   {"file", object.at("file")},
                                   {"bytes", object.at("bytes")},
                                   {"sha256", object.at("sha256")}});
    for (const Json &launch : arch.at("launches")) {
      numbersOf(launch.at("parameters"), "", names);
      addLaunch(launch);
    }
    for (const Json &kernel : arch.at("kernels"))
      addKernel(kernel);
  }

private:
  void addLaunch(const Json &launch) {
    const std::string symbol = launch.at("symbol");
    Json steps = Json::array(), parts = Json::array(), refused = Json::array();
    std::set<std::string> unknown;
    refusals(launch.at("requires"), refused);
    for (const Json &step : launch.at("steps")) {
      const ExprRef when = reader.read(step.at("when"));
      if (isBool(when, false))
        continue;
      unknownIn(when, unknown);
      if (isBool(when, true))
        refusals(step.at("requires"), refused);
      Json row = {{"when", valueOf(when)}};
      if (step.contains("fill")) {
        row["fill"] = sizeOf(step.at("bytes"), unknown);
        row["byte"] = step.at("byte").get<unsigned>();
      } else {
        const std::string kernel = step.at("kernel");
        users[kernel].insert(symbol);
        row["kernel"] = kernel;
        for (const char *key : {"grid", "block"}) {
          row[key] = Json::array();
          for (const Json &size : step.at(key))
            row[key].push_back(sizeOf(size, unknown));
        }
        row["dynamic_lds"] = sizeOf(step.at("dynamic_lds"), unknown);
      }
      steps.push_back(std::move(row));
    }
    std::optional<int64_t> bytes = 0;
    for (const Json &part : launch.at("workspace")) {
      const ExprRef size = reader.read(part.at("bytes"));
      unknownIn(size, unknown);
      parts.push_back({{"name", part.at("name")}, {"type", part.at("type")}, {"bytes", valueOf(size)}});
      if (size->op != ExprOp::IntConstant || size->intValue < 0 || size->intValue > INT64_MAX / 2 || !bytes ||
          *bytes > INT64_MAX / 2 - size->intValue)
        bytes = std::nullopt;
      else // a part begins where the one before ended, rounded up
        bytes = (*bytes + workspaceAlignment - 1) / workspaceAlignment * workspaceAlignment + size->intValue;
    }
    out["launches"].push_back({{"module", module},
                               {"symbol", symbol},
                               {"aliases", launch.at("aliases")},
                               {"unknown", unknown},
                               {"refused", std::move(refused)},
                               {"workspace", {{"bytes", bytes ? Json(*bytes) : Json()}, {"parts", std::move(parts)}}},
                               {"steps", std::move(steps)}});
  }

  void refusals(const Json &requirements, Json &refused) const {
    for (const Json &requirement : requirements)
      if (isBool(reader.read(requirement.at("expr")), false))
        refused.push_back(requirement.at("text").get<std::string>());
  }

  Json sizeOf(const Json &tree, std::set<std::string> &unknown) const {
    const ExprRef size = reader.read(tree);
    unknownIn(size, unknown);
    return valueOf(size);
  }

  void addKernel(const Json &kernel) {
    const std::string symbol = kernel.at("symbol");
    const bool exported = kernel.at("exported");
    if (!exported && !users.count(symbol)) // the given values exclude it
      return;
    Json row = {{"module", module}, {"symbol", symbol}, {"kernel", kernel.at("kernel")}, {"exported", exported}};
    for (const char *key : {"vgprs", "agprs", "sgprs", "lds_bytes", "scratch_bytes", "code_bytes", "occupancy"})
      row[key] = kernel.at("resources").at(key).get<int64_t>();
    row["launches"] = users[symbol];
    out["kernels"].push_back(std::move(row));
  }

  const std::string module;
  const ExpressionReader reader;
  Json &out;
  std::map<std::string, std::set<std::string>> users; ///< launch functions, by kernel
};

} // namespace

llvm::Expected<Json> readMetadata(llvm::StringRef text) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("schema_version") || !json.contains("architectures"))
    return llvm::createStringError("it is not the metadata of a module, which `flyc build` writes as NAME.json");
  if (json["schema_version"] != metadataVersion)
    return llvm::createStringError("another version of flyc has written it; build it again");
  return json;
}

Manifest manifestOf(const std::vector<MetadataFile> &files, const ManifestRequest &request) {
  Manifest found;
  found.json["schema_version"] = 1;
  found.json["given"] = Json::object();
  for (const auto &[name, value] : request.given)
    found.json["given"][name] = valueOf(value);
  found.json["modules"] = Json::array();
  std::map<std::string, Json> archs;
  for (const MetadataFile &file : files) {
    found.json["modules"].push_back({{"module", file.json.at("module")},
                                     {"file", file.path},
                                     {"source", file.json.at("source")},
                                     {"hash", file.json.at("hash")}});
    for (const Json &arch : file.json.at("architectures")) {
      const std::string name = arch.at("arch");
      if (!llvm::is_contained(found.archs, name))
        found.archs.push_back(name);
      if (!request.archs.empty() && !llvm::is_contained(request.archs, name))
        continue;
      Json &out = archs[name];
      if (out.is_null())
        out = {
            {"arch", name}, {"code_objects", Json::array()}, {"launches", Json::array()}, {"kernels", Json::array()}};
      ArchManifest(file, arch, request, out, found.names);
    }
  }
  found.json["architectures"] = Json::array();
  for (const std::string &name : found.archs)
    if (auto known = archs.find(name); known != archs.end())
      found.json["architectures"].push_back(std::move(known->second));
  return found;
}

} // namespace fly::artifact
