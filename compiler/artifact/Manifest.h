// What a program of several modules launches: `flyc manifest`. It reads the metadata that `flyc build` has written, and
// needs no source.
//
// Each expression (workspace, conditions, grids) is built anew with the given values in the place of parameters, so that
// it folds as far as they go: to a number, or to what is left to know.
#pragma once

#include "compiler/host/HostExpr.h"

#include "llvm/Support/Error.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace fly::artifact {

using Json = nlohmann::ordered_json;

struct MetadataFile {
  std::string path;
  Json json;
};
/// Only the version and the kind of file are looked at.
llvm::Expected<Json> readMetadata(llvm::StringRef text);

struct ManifestRequest {
  std::map<std::string, host::ExprRef> given; ///< constants by parameter: "m", "cache.heads", "device.compute_units"
  std::vector<std::string> archs;             ///< empty: all
};
struct Manifest {
  Json json;                      ///< docs/schema/manifest.schema.json
  std::set<std::string> names;    ///< of all parameters of launch functions that are numbers
  std::vector<std::string> archs; ///< that the files have
};
/// Throws nlohmann::json::exception or std::runtime_error where a file is not as the schema says.
Manifest manifestOf(const std::vector<MetadataFile> &files, const ManifestRequest &request);

/// For people: code objects, launch functions with their steps and workspaces, kernels.
std::string manifestText(const Json &manifest);

} // namespace fly::artifact
