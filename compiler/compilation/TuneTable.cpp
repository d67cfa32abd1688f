// See TuneTable.h.
#include "compiler/compilation/TuneTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <nlohmann/json.hpp>

#include <set>
#include <tuple>

namespace fly::driver {

namespace {

using Json = nlohmann::ordered_json;

/// An integer as a number, all else as text.
Json constantJson(const std::string &text) {
  int64_t number;
  return llvm::StringRef(text).getAsInteger(10, number) || std::to_string(number) != text ? Json(text) : Json(number);
}
std::string constantText(const Json &json) {
  return json.is_number_integer() ? std::to_string(json.get<int64_t>()) : json.get<std::string>();
}

template <class Map, class Convert> Json objectOf(const Map &map, Convert convert) {
  Json json = Json::object();
  for (auto &[name, value] : map)
    json[name] = convert(value);
  return json;
}

Json entryJson(const TuneEntry &entry) {
  Json json;
  json["shape"] = objectOf(entry.shape, [](int64_t size) { return Json(size); });
  if (!entry.constants.empty())
    json["constants"] = objectOf(entry.constants, constantJson);
  json["values"] = objectOf(entry.values, constantJson);
  json[entry.unit] = entry.figure == double(int64_t(entry.figure)) ? Json(int64_t(entry.figure)) : Json(entry.figure);
  json["how"] = entry.how;
  return json;
}

ConstantTexts constantsOf(const Json &json) {
  ConstantTexts out;
  for (auto &[name, value] : json.items())
    out[name] = constantText(value);
  return out;
}

TuneEntry entryOf(const Json &json) {
  TuneEntry entry;
  for (auto &[name, value] : json.at("shape").items())
    entry.shape[name] = value.get<int64_t>();
  if (auto found = json.find("constants"); found != json.end())
    entry.constants = constantsOf(*found);
  entry.values = constantsOf(json.at("values"));
  if (json.contains("microseconds"))
    entry.unit = "microseconds";
  entry.figure = json.at(entry.unit).get<double>();
  entry.how = json.at("how").get<std::string>();
  return entry;
}

auto placeOf(const TuneEntry &entry) { return std::tie(entry.shape, entry.constants); }

void addText(const SourceManager &sources, const sema::ModuleLoader &loader, const sema::ModuleScope &module,
             bool checks, llvm::SHA256 &hash, std::set<const sema::ModuleScope *> &seen) {
  if (!module.tree || module.isBuiltin || loader.isStdlib(module) || !seen.insert(&module).second)
    return;
  std::set<const ast::DefStmt *> left;
  if (!checks)
    for (auto &check : module.checks)
      left.insert(check.def);
  auto add = [&](SourceRange range) {
    hash.update(sources.text(range));
    hash.update("\n");
  };
  for (const ast::Stmt *stmt : module.tree->body) {
    auto *def = llvm::dyn_cast<ast::DefStmt>(stmt);
    if (def && left.count(def))
      continue;
    for (const ast::Expr *decorator : def ? def->decorators : std::vector<ast::Expr *>{})
      add(decorator->range);
    add(stmt->range);
  }
  for (const sema::ModuleScope *imported : module.imports)
    addText(sources, loader, *imported, /*checks=*/false, hash, seen);
}

} // namespace

void TuneTable::merge(const std::string &arch, const std::string &kernel, const std::string &hash,
                      const std::vector<TuneEntry> &entries) {
  TunedKernel &tuned = architectures[arch][kernel];
  if (tuned.hash != hash)
    tuned = {hash, {}};
  for (auto &entry : entries) {
    llvm::erase_if(tuned.entries, [&](auto &other) { return placeOf(other) == placeOf(entry); });
    tuned.entries.push_back(entry);
  }
  llvm::sort(tuned.entries, [](auto &a, auto &b) { return placeOf(a) < placeOf(b); });
}

std::string TuneTable::text() const {
  // One line an entry: a shape that was tuned again is one line of a diff.
  std::string out = "{\n  \"schema_version\": 1,\n  \"module\": " + Json(module).dump() + ",\n  \"architectures\": {";
  const char *comma = "\n";
  for (auto &[arch, kernels] : architectures) {
    out += comma + ("    " + Json(arch).dump()) + ": {";
    const char *inner = "\n";
    for (auto &[kernel, tuned] : kernels) {
      out += inner + ("      " + Json(kernel).dump()) + ": {\n        \"hash\": " + Json(tuned.hash).dump() +
             ",\n        \"entries\": [";
      const char *each = "\n";
      for (auto &entry : tuned.entries) {
        out += each + ("          " + entryJson(entry).dump());
        each = ",\n";
      }
      out += "\n        ]\n      }";
      inner = ",\n";
    }
    out += "\n    }";
    comma = ",\n";
  }
  return out + "\n  }\n}\n";
}

std::optional<TuneTable> TuneTable::parse(const std::string &text, std::string &error) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema_version") != 1) {
      error = "its schema version is " + json.at("schema_version").dump() + ", and this flyc knows 1";
      return std::nullopt;
    }
    TuneTable table;
    table.module = json.at("module").get<std::string>();
    for (auto &[arch, kernels] : json.at("architectures").items())
      for (auto &[kernel, tuned] : kernels.items()) {
        std::vector<TuneEntry> entries;
        for (auto &entry : tuned.at("entries"))
          entries.push_back(entryOf(entry));
        table.merge(arch, kernel, tuned.at("hash").get<std::string>(), entries);
      }
    return table;
  } catch (const Json::exception &problem) {
    error = llvm::StringRef(problem.what()).split("] ").second.str(); // without nlohmann's own name of it
    return std::nullopt;
  }
}

std::string tuneTablePath(const std::string &source) {
  llvm::SmallString<256> path(source);
  llvm::sys::path::replace_extension(path, ".tune.json");
  return std::string(path);
}

std::string hashOfProgram(const SourceManager &sources, const sema::ModuleLoader &loader,
                          const sema::ModuleScope &module, bool checks) {
  llvm::SHA256 hash;
  std::set<const sema::ModuleScope *> seen;
  addText(sources, loader, module, checks, hash, seen);
  return llvm::toHex(llvm::ArrayRef(hash.final()).take_front(16), /*LowerCase=*/true);
}

} // namespace fly::driver
