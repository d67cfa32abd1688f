// See Descriptor.h. Fields that the assembler sets by itself, to the value that they have, are left out. Numbers of
// registers are those of the metadata, unless the descriptor has another number of granules.
#include "compiler/assembly/Descriptor.h"

#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/MathExtras.h"

namespace fly::assembly {

using namespace llvm::amdhsa;

namespace {

/// Where the descriptor counts them, the assembler adds VCC, XNACK_MASK and FLAT_SCRATCH; the field counts eights.
unsigned scalarRegistersOf(const isa::Kernel &kernel, const target::Target &target) {
  const bool isCounted = target.generation.countsSgprs;
  const unsigned beyond = isCounted ? 6 : 0, granule = 8;
  const unsigned noted = std::max(1u, kernel.sgprs > beyond ? kernel.sgprs - beyond : kernel.sgprs);
  if (!isCounted)
    return noted;
  const unsigned allocated = (kernel.descriptor.granulatedSgprs + 1) * granule;
  if (llvm::alignTo(noted + beyond, granule) == allocated)
    return noted;
  return std::clamp(allocated - std::min(allocated - 1, beyond), 1u, target.sgprs.addressable);
}

} // namespace

unsigned vectorRegistersOf(const isa::Kernel &kernel, const target::Target &target) {
  const unsigned granule = target.vgprsAt(kernel.waveSize, target.descriptorVgprs);
  const unsigned allocated = (kernel.descriptor.granulatedVgprs + 1) * granule, noted = std::max(1u, kernel.vgprs);
  return llvm::alignTo(noted, granule) == allocated ? noted : allocated;
}

std::string descriptorArguments(const isa::Kernel &kernel, const target::Target &target) {
  const isa::KernelDescriptor &d = kernel.descriptor;
  std::string text;
  auto add = [&](const char *name, int64_t value) {
    text += (text.empty() ? "" : ", ") + std::string(name) + "=" + std::to_string(value);
  };
  auto addUnless = [&](int64_t usual, const char *name, int64_t value) {
    if (value != usual)
      add(name, value);
  };
  const target::Generation &generation = target.generation;
  addUnless(0, "user_sgpr_dispatch_ptr", d.dispatchPtr);
  addUnless(0, "user_sgpr_queue_ptr", d.queuePtr);
  add("user_sgpr_kernarg_segment_ptr", d.kernargSegmentPtr);
  addUnless(0, "user_sgpr_dispatch_id", d.dispatchId);
  addUnless(0, "user_sgpr_private_segment_size", d.privateSegmentSize);
  if (d.preloadLength)
    add("user_sgpr_kernarg_preload_length", d.preloadLength), add("user_sgpr_kernarg_preload_offset", d.preloadOffset);
  add("user_sgpr_count", d.userSgprs);
  add("system_sgpr_workgroup_id_x", d.workgroupIdX);
  add("system_sgpr_workgroup_id_y", d.workgroupIdY);
  add("system_sgpr_workgroup_id_z", d.workgroupIdZ);
  addUnless(0, "system_sgpr_workgroup_info", d.workgroupInfo);
  addUnless(0, "system_vgpr_workitem_id", d.vgprWorkitemId);
  addUnless(0, "enable_private_segment", d.usesPrivateSegment);
  addUnless(0, "private_segment_fixed_size", d.privateSegmentFixedSize);
  addUnless(0, "uses_dynamic_stack", d.usesDynamicStack);
  if (target.unifiedRegisters)
    add("accum_offset", d.accumOffset);
  add("next_free_vgpr", vectorRegistersOf(kernel, target));
  add("next_free_sgpr", scalarRegistersOf(kernel, target));
  addUnless(0, "float_round_mode_32", d.roundMode32);
  addUnless(0, "float_round_mode_16_64", d.roundMode16_64);
  add("float_denorm_mode_32", d.denormMode32);
  add("float_denorm_mode_16_64", d.denormMode16_64);
  if (generation.ieeeModes)
    add("dx10_clamp", d.dx10Clamp), add("ieee_mode", d.ieeeMode);
  addUnless(0, "fp16_overflow", d.fp16Overflow);
  if (target.unifiedRegisters)
    addUnless(0, "tg_split", d.tgSplit);
  if (generation.workgroupProcessors) {
    addUnless(!target.gfx125Descriptor, "workgroup_processor_mode", d.wgpMode);
    addUnless(1, "memory_ordered", d.memoryOrdered);
    addUnless(1, "forward_progress", d.forwardProgress);
  }
  if (generation.roundRobin)
    addUnless(0, "round_robin_scheduling", AMDHSA_BITS_GET(d.rsrc1, COMPUTE_PGM_RSRC1_GFX12_PLUS_ENABLE_WG_RR_EN));
  if (generation.prefetchBits)
    addUnless(0, "inst_pref_size", d.rsrc3 >> 4 & ((1u << generation.prefetchBits) - 1));
  addUnless(0, "named_barrier_count", d.namedBarriers);
  struct Exception {
    const char *name;
    uint32_t mask;
  };
  constexpr Exception exceptions[] = {
      {"exception_fp_ieee_invalid_op", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION},
      {"exception_fp_denorm_src", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_FP_DENORMAL_SOURCE},
      {"exception_fp_ieee_div_zero", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO},
      {"exception_fp_ieee_overflow", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW},
      {"exception_fp_ieee_underflow", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW},
      {"exception_fp_ieee_inexact", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_INEXACT},
      {"exception_int_div_zero", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO}};
  for (const Exception &e : exceptions)
    addUnless(0, e.name, (d.rsrc2 & e.mask) != 0);
  return text;
}

} // namespace fly::assembly
