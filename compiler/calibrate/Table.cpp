// Findings as a table for a person, and as a machine file of the time model.
#include "compiler/calibrate/Calibration.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

namespace fly::driver::calibration {

using Json = nlohmann::ordered_json;

std::string machineFile(const Results &results, const std::vector<Finding> &findings) {
  const std::string source = "flyc calibrate, " + results.device + (results.date.empty() ? "" : ", " + results.date);
  Json json{{"schema_version", 1}, {"name", results.device}, {"architecture", results.architecture}};
  json["constants"] = Json::object();
  json["matrix_cycles"] = Json::array();
  for (const Finding &f : findings) {
    if (!f.problem.empty())
      continue;
    if (f.isMatrix)
      json["matrix_cycles"].push_back({{"instruction", f.constant}, {"cycles", f.value}});
    else
      json["constants"][f.constant] = {{"value", f.value}, {"certainty", "measured"}, {"source", source}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void printTable(llvm::raw_ostream &os, const Results &results, const std::vector<Finding> &findings) {
  os << results.device << (results.date.empty() ? "" : ", " + results.date) << '\n';
  os << llvm::format("%-30s %12s %12s %7s  %s\n", "constant", "built in", "measured", "ratio", "told by");
  for (const Finding &f : findings) {
    os << llvm::format("%-30s %12.6g ", f.constant.c_str(), f.builtIn);
    if (f.problem.empty()) {
      os << llvm::format("%12.6g ", f.value);
      if (f.builtIn > 0)
        os << llvm::format("%7.3f", f.value / f.builtIn);
      else
        os << "      -";
      os << "  " << f.told << '\n';
    } else {
      os << llvm::format("%12s %7s  ", "-", "-") << f.told << ": " << f.problem << '\n';
    }
  }
}

} // namespace fly::driver::calibration
