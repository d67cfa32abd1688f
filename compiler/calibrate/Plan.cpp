// The probes of a machine. Footprints come from the sizes of its caches, rates are of all its compute units.
#include "compiler/calibrate/Calibration.h"

#include "llvm/Support/MathExtras.h"

namespace fly::driver::calibration {

namespace {

using emulator::Machine;

constexpr uint64_t mebi = 1 << 20;
constexpr uint64_t hopLines = 5; ///< of a chase: odd, so that the ring has all lines

struct Plan {
  const Machine &m;
  std::vector<Probe> probes;

  Probe &add(std::string source, std::string name, std::string kernel = {}) {
    Probe &p = probes.emplace_back();
    p.name = name;
    p.kernel = kernel.empty() ? name : std::move(kernel);
    p.source = std::move(source);
    return p;
  }
  void pair(const std::string &source, const std::string &name, unsigned first, unsigned second, unsigned block = 64) {
    for (unsigned count : {first, second})
      add(source, name + "_" + std::to_string(count)).block = block;
  }
  static uint64_t powerOf2(double bytes) { return llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max(bytes, 4096.0))); }
  double beyondCaches() const { return std::min(std::max(m.memorySideBytes, m.l2Bytes * 4) * 4, 1024.0 * mebi); }
  unsigned allUnits() const { return static_cast<unsigned>(m.xcds * m.computeUnits); }

  void compute() {
    for (const std::string &name : productsOf(m.architecture))
      pair("compute", "products_" + name, 32, 64);
    for (const std::string &name : headProductsOf(m.architecture))
      for (const char *kind : {"head_", "dot_"})
        pair("compute", kind + name, 8, 16);
    for (const char *kind : {"fma", "packed", "double", "exp"})
      for (const char *chains : {"_1", "_8"})
        pair("compute", std::string(kind) + chains, 32, 64);
    pair("compute", "scalar", 32, 64);
    pair("compute", "wait", 32, 64);
    pair("compute", "barrier", 32, 64, 256);
    Probe &p = add("compute", "nothing");
    p.isDispatch = true;
    p.few = static_cast<uint64_t>(m.xcds) * 128;
    p.many = static_cast<uint64_t>(m.xcds) * 512;
    p.scale = 16;
  }

  void lds() {
    for (const char *ways : {"1", "2", "4", "8"})
      pair("lds", std::string("lds_read_") + ways, 8, 16, 256);
    pair("lds", "lds_wide_1", 16, 32);
    pair("lds", "lds_wide_4", 16, 32, 256);
    for (const char *name : {"lds_unaligned", "lds_slow"})
      pair("lds", name, 8, 16);
    for (const char *name : {"lds_write", "lds_mixed"})
      pair("lds", name, 3, 7);
    for (const char *ways : {"1", "5", "6", "7", "8", "16"})
      pair("lds", std::string("lds_chase_") + ways, 8, 16);
    for (const char *count : {"2", "6", "14"})
      add("lds", std::string("lds_burst_") + count).scale = 512;
    for (const char *count : {"2", "6"})
      add("lds", std::string("lds_write_burst_") + count).scale = 512;
  }

  /// The chase goes once around before the difference begins, where the cache shall have all of the ring.
  void chase(const char *name, double footprint, bool fits) {
    Probe &p = add("memory", name, "chase_8");
    p.bytes = powerOf2(footprint);
    p.modelBytes = fits ? p.bytes : std::min(p.bytes, 16 * mebi);
    p.hop = hopLines * 32;
    p.few = fits ? p.bytes / 128 / 8 : 64;
    p.many = 2 * p.few;
    p.scale = fits ? 16 : 64;
  }

  Probe &stream(const char *name, const char *kernel, unsigned workgroups) {
    Probe &p = add("memory", name, kernel);
    p.workgroups = workgroups;
    p.block = 1024;
    p.bytes = p.modelBytes = 2 * mebi;
    p.step = 1;
    p.few = 4, p.many = 12;
    p.scale = 64;
    return p;
  }

  void memory() {
    chase("chase_l1", m.l1Bytes / 4, true);
    chase("chase_l2", m.l1Bytes * 4, true);
    if (m.memorySideBytes > 0)
      chase("chase_memory_side", m.l2Bytes * 16, false);
    chase("chase_memory", beyondCaches(), false);
    probes.back().cold = true;
    add("memory", "scalar_chase", "scalar_chase_8").scale = 1024;
    for (const char *name :
         {"loads_32_1", "loads_64_1", "loads_128_1", "loads_32_2", "loads_32_4", "loads_32_8", "loads_32_16"})
      for (const char *count : {"_8", "_24"}) {
        Probe &p = add("memory", std::string(name) + count);
        p.block = 1024;
        p.few = 8, p.many = 40;
        p.scale = 512;
      }
    for (const char *name : {"burst_2", "burst_6", "burst_24"})
      add("memory", name).scale = 512;
    for (const char *name : {"fill_4", "fill_16"}) {
      Probe &p = stream(name, name, 1);
      p.bytes = p.modelBytes = 2 * mebi;
    }
    for (const char *name : {"in_flight_8", "in_flight_24"}) {
      Probe &p = stream(name, name, 1);
      p.step = 24 * 1024;
      p.bytes = powerOf2(beyondCaches());
      p.modelBytes = 64 * mebi; // the other XCDs take their part
      p.cold = true;
    }
    stream("write_one", "stream_write", 1);
    stream("l2_read", "stream_read", allUnits());
    stream("l2_write", "stream_write", allUnits());
    for (bool beyond : {false, true}) {
      if (!beyond && m.memorySideBytes <= 0)
        continue;
      Probe &p = stream(beyond ? "memory_read" : "memory_side_read", "stream_read", allUnits());
      p.step = 2 * allUnits();
      p.few = 1, p.many = 3;
      p.bytes = beyond ? powerOf2(beyondCaches()) : powerOf2(m.memorySideBytes / 2);
      p.modelBytes = powerOf2(3.0 * p.step * 65536);
      p.cold = beyond;
    }
  }
};

} // namespace

/// Whether products of 16 and 8 bits have twice the k that they have on CDNA 3.
static bool hasWideProducts(std::string_view architecture) {
  return target::find(architecture)->has("v_mfma_f32_16x16x32_f16");
}

std::vector<std::string> productsOf(std::string_view architecture) {
  const bool isWide = hasWideProducts(architecture);
  std::vector<std::string> names;
  for (const char *type : {"f16", "bf16"}) {
    names.push_back(std::string("v_mfma_f32_16x16x") + (isWide ? "32_" : "16_") + type);
    names.push_back(std::string("v_mfma_f32_32x32x") + (isWide ? "16_" : "8_") + type);
  }
  names.push_back(isWide ? "v_mfma_i32_16x16x64_i8" : "v_mfma_i32_16x16x32_i8");
  names.push_back(isWide ? "v_mfma_i32_32x32x32_i8" : "v_mfma_i32_32x32x16_i8");
  for (const char *name : {"v_mfma_f32_16x16x32_fp8_fp8", "v_mfma_f32_32x32x16_fp8_fp8", "v_mfma_f32_16x16x4_f32",
                           "v_mfma_f32_32x32x2_f32"})
    names.emplace_back(name);
  return names;
}

std::vector<std::string> headProductsOf(std::string_view architecture) {
  if (hasWideProducts(architecture))
    return {"v_mfma_f32_16x16x32_fp8_fp8", "v_mfma_f32_32x32x16_f16"};
  return {"v_mfma_f32_16x16x16_f16"};
}

double chainCycles(const Machine &machine) { return machine.vectorLatency; }

std::vector<Probe> probesOf(const Machine &machine) {
  Plan plan{machine, {}};
  plan.compute();
  plan.lds();
  plan.memory();
  return plan.probes;
}

} // namespace fly::driver::calibration
