// The table of metrics: where in a kernel's JSON each is.
#include "compiler/report/Metrics.h"

#include "compiler/isa/InstructionClasses.h"

namespace fly::report {

const std::vector<Metric> &metrics() {
  static const std::vector<Metric> list = [] {
    std::vector<Metric> out = {
        {"vgprs", "VGPRs, without AGPRs", {"resources", "vgprs"}},
        {"agprs", "AGPRs", {"resources", "agprs"}},
        {"sgprs", "SGPRs", {"resources", "sgprs"}},
        {"lds", "bytes of LDS per workgroup", {"resources", "lds_bytes"}},
        {"scratch", "bytes of scratch per lane", {"resources", "scratch_bytes"}},
        {"vgpr_spills", "VGPRs that are spilled", {"resources", "vgpr_spills"}},
        {"sgpr_spills", "SGPRs that are spilled", {"resources", "sgpr_spills"}},
        {"waves", "occupancy in waves per SIMD", {"occupancy", "waves"}, true},
        {"code_bytes", "bytes of code", {"code_bytes"}},
        {"live_vgprs", "the most VGPRs live at once", {"live", "vgprs", "most"}},
        {"live_agprs", "the most AGPRs live at once", {"live", "agprs", "most"}},
        {"live_sgprs", "the most SGPRs live at once", {"live", "sgprs", "most"}},
        {"loops", "loops", {"loops"}},
        {"missing_waits", "registers that are used before their wait", {"missing_waits"}},
        {"hazards", "instructions that are too close to one that they depend on", {"hazards"}},
        {"matrix_flop", "flop of the matrix instructions, each executed once", {"counts", "work", "matrix_flop"}},
        {"nop_states", "wait states of all `s_nop`", {"counts", "nop_states"}},
    };
    for (auto &each : isa::instructionClasses())
      out.push_back({each.name, each.what, {"counts", "classes", each.name}});
    return out;
  }();
  return list;
}

const Metric *findMetric(llvm::StringRef name) {
  for (const Metric &metric : metrics())
    if (name == metric.name)
      return &metric;
  return nullptr;
}

std::optional<int64_t> valueOf(const Metric &metric, const Json &kernel) {
  const Json *at = &kernel;
  for (const std::string &key : metric.path) {
    if (!at->is_object() || !at->contains(key))
      return std::nullopt;
    at = &(*at)[key];
  }
  if (at->is_array())
    return int64_t(at->size());
  if (!at->is_number_integer())
    return std::nullopt;
  return at->get<int64_t>();
}

} // namespace fly::report
