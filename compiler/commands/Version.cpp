// See Version.h.
#include "compiler/commands/Version.h"

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/target/DefaultTarget.h"
#include "compiler/target/Target.h"

#include <nlohmann/json.hpp>

namespace fly::driver {

const char *const versionNumber = FLY_VERSION;
const char *const programVersion = "flyc " FLY_VERSION " (LLVM " FLY_LLVM_VERSION ")";

std::string versionAsJson() {
  using Json = nlohmann::ordered_json;
  const std::string_view commit = FLY_COMMIT;
  Json json{{"schema_version", 1},
            {"version", FLY_VERSION},
            {"commit", commit.empty() ? Json() : Json(commit)},
            {"llvm", FLY_LLVM_VERSION},
            {"default_architecture", target::defaultName},
            {"architectures", Json::array()},
            {"metadata_schema_version", artifact::metadataVersion},
            {"runtime_abi", artifact::runtimeAbi},
            {"plan_version", artifact::planVersion}};
  for (const target::Target &one : target::all())
    json["architectures"].push_back(one.name);
  return json.dump(2);
}

} // namespace fly::driver
