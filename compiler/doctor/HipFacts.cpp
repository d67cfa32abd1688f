// See HipFacts.h. The child is `flyc doctor --ask-hip`, which prints JSON.
#include "compiler/doctor/HipFacts.h"

#include "compiler/compilation/ChildProcess.h"

#include "fly/runtime.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace fly::doctor {

using Json = nlohmann::ordered_json;

std::string HipFacts::versionText() const {
  return std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100) + "." +
         std::to_string(version % 100000);
}

bool HipFacts::isAtLeast(int major, int minor) const { return version / 100000 >= 100 * major + minor; }

bool isEmulator(const std::string &deviceName) { return deviceName.rfind("flyc emulator", 0) == 0; }

bool HipFacts::isEmulated() const { return !devices.empty() && isEmulator(devices.front().name); }

HipFacts askHip() {
  setenv("FLY_DEVICE", "gpu", /*overwrite=*/1); // the emulator is no GPU
  HipFacts facts;
  int count = 0;
  if (fly_device_count(&count) != FLY_OK) {
    facts.problem = fly_error();
    return facts;
  }
  char text[512] = "";
  if (fly_hip_library(text, sizeof text, &facts.version) == FLY_OK)
    facts.library = text;
  for (int device = 0; device < count; ++device) {
    HipDevice each;
    char name[256] = "", architecture[64] = "";
    if (fly_set_device(device) != FLY_OK || fly_device_name(name, sizeof name) != FLY_OK ||
        fly_device_architecture(architecture, sizeof architecture) != FLY_OK ||
        fly_device_compute_units(&each.computeUnits) != FLY_OK) {
      facts.problem = "device " + std::to_string(device) + ": " + fly_error();
      return facts;
    }
    each.name = name;
    each.architecture = architecture;
    facts.devices.push_back(std::move(each));
  }
  return facts;
}

std::string toJson(const HipFacts &facts) {
  Json devices = Json::array();
  for (const HipDevice &each : facts.devices)
    devices.push_back({{"name", each.name}, {"architecture", each.architecture}, {"compute_units", each.computeUnits}});
  return Json({{"library", facts.library},
               {"version", facts.version},
               {"devices", std::move(devices)},
               {"problem", facts.problem}})
      .dump(2, ' ', false, Json::error_handler_t::replace);
}

HipFacts askHipSafely(unsigned seconds) {
  driver::ChildProcess child({"doctor", "--ask-hip"}, seconds);
  child.wait();
  HipFacts facts;
  try {
    const Json json = Json::parse(child.output());
    facts.library = json.at("library");
    facts.version = json.at("version");
    facts.problem = json.at("problem");
    for (const Json &each : json.at("devices"))
      facts.devices.push_back({each.at("name"), each.at("architecture"), each.at("compute_units")});
  } catch (const Json::exception &) {
    facts.problem = child.wasLate() ? "HIP has not answered after " + std::to_string(seconds) + " s"
                                    : "the process that asked HIP has ended: " + child.errors();
  }
  return facts;
}

} // namespace fly::doctor
