// See SweepFigures.h. What a report has, and three figures of its hot loop (compiler/report/HotLoop.h).
#include "compiler/search/sweep/SweepFigures.h"

#include "compiler/report/Metrics.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::driver {

const std::vector<SweepFigure> &sweepFigures() {
  static const std::vector<SweepFigure> figures = {
      {"vgprs", "vgprs", "VGPRs, without AGPRs"},
      {"agprs", "agprs", "AGPRs"},
      {"sgprs", "sgprs", "SGPRs"},
      {"spills", "spills", "registers that are spilled"},
      {"scratch", "scratch", "bytes of scratch per lane"},
      {"lds", "lds", "bytes of LDS per workgroup, without dynamic ones"},
      {"waves", "waves", "occupancy in waves per SIMD", true},
      {"instructions", "instr", "instructions"},
      {"loop_instructions", "loop", "instructions of the hot loop"},
      {"loop_matrix", "matrix", "matrix instructions of the hot loop"},
      {"loop_matrix_share", "share", "their share of the hot loop", true},
      {"loop_waits", "waits", "waits of the hot loop"},
      {"code_bytes", "bytes", "bytes of code"},
  };
  return figures;
}

const SweepFigure *findSweepFigure(llvm::StringRef name) {
  auto found = llvm::find_if(sweepFigures(), [&](auto &figure) { return name == figure.name; });
  return found == sweepFigures().end() ? nullptr : &*found;
}

std::optional<std::map<std::string, double>> figuresOf(llvm::StringRef codeObject, const std::string &symbol,
                                                       std::string &error) {
  auto object = isa::CodeObject::read(codeObject);
  if (!object) {
    error = llvm::toString(object.takeError());
    return std::nullopt;
  }
  report::ReportOptions options;
  options.kernel = symbol;
  auto report = report::reportOf(*object, "", options);
  if (!report) {
    error = llvm::toString(report.takeError());
    return std::nullopt;
  }
  auto &kernels = (*report)["kernels"];
  if (kernels.empty()) {
    error = "its code object has no kernel `" + symbol + "`";
    return std::nullopt;
  }
  auto &kernel = kernels[0];
  auto metric = [&](const char *name) {
    return double(report::valueOf(*report::findMetric(name), kernel).value_or(0));
  };
  std::map<std::string, double> out;
  for (const char *name : {"vgprs", "agprs", "sgprs", "scratch", "lds", "waves", "instructions", "code_bytes"})
    out[name] = metric(name);
  out["spills"] = metric("vgpr_spills") + metric("sgpr_spills");
  for (auto &loop : kernel["loops"]) {
    if (!loop["hot"].get<bool>())
      continue;
    auto &classes = loop["counts"]["classes"];
    const double all = classes.value("instructions", 0.0);
    const double matrix = classes.value("mfma", 0.0) + classes.value("wmma", 0.0);
    out["loop_instructions"] = all;
    out["loop_matrix"] = matrix;
    out["loop_matrix_share"] = all > 0 ? matrix / all : 0;
    out["loop_waits"] = classes.value("waits", 0.0);
  }
  return out;
}

} // namespace fly::driver
