// Unpacks the 64 bytes of a kernel descriptor. Where each bit is: llvm/Support/AMDHSAKernelDescriptor.h, which is
// public; which of its layouts holds depends on the generation.
#include "compiler/isa/CodeObjectReader.h"

#include "llvm/Support/AMDHSAKernelDescriptor.h"

namespace fly::isa {

using namespace llvm::amdhsa;

KernelDescriptor unpackDescriptor(const kernel_descriptor_t &from, const target::Target &row) {
  KernelDescriptor d;
  const bool hasSixBits = row.gfx125Descriptor; // of user SGPRs
  d.groupSegmentFixedSize = from.group_segment_fixed_size;
  d.privateSegmentFixedSize = from.private_segment_fixed_size;
  d.kernargSize = from.kernarg_size;
  d.entryOffset = from.kernel_code_entry_byte_offset;
  const uint32_t r1 = d.rsrc1 = from.compute_pgm_rsrc1;
  const uint32_t r2 = d.rsrc2 = from.compute_pgm_rsrc2;
  const uint32_t r3 = d.rsrc3 = from.compute_pgm_rsrc3;
  const uint32_t properties = d.codeProperties = from.kernel_code_properties;
  const uint32_t preload = d.kernargPreload = from.kernarg_preload;

  d.granulatedVgprs = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT);
  d.granulatedSgprs = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT);
  d.roundMode32 = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32);
  d.roundMode16_64 = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_16_64);
  d.denormMode32 = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32);
  d.denormMode16_64 = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64);
  d.fp16Overflow = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_GFX9_PLUS_FP16_OVFL);
  if (row.generation.ieeeModes) {
    d.dx10Clamp = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP);
    d.ieeeMode = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE);
  }
  if (row.generation.workgroupProcessors) {
    d.wgpMode = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_GFX10_PLUS_WGP_MODE);
    d.memoryOrdered = AMDHSA_BITS_GET(r1, COMPUTE_PGM_RSRC1_GFX10_PLUS_MEM_ORDERED);
    d.forwardProgress = r1 >> 31;
  }

  d.usesPrivateSegment = AMDHSA_BITS_GET(r2, COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT);
  d.userSgprs = hasSixBits ? AMDHSA_BITS_GET(r2, COMPUTE_PGM_RSRC2_GFX125_USER_SGPR_COUNT)
                           : AMDHSA_BITS_GET(r2, COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT);
  d.workgroupIdX = AMDHSA_BITS_GET(r2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X);
  d.workgroupIdY = AMDHSA_BITS_GET(r2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y);
  d.workgroupIdZ = AMDHSA_BITS_GET(r2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z);
  d.workgroupInfo = AMDHSA_BITS_GET(r2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO);
  d.vgprWorkitemId = AMDHSA_BITS_GET(r2, COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID);

  if (row.unifiedRegisters) {
    d.accumOffset = static_cast<uint16_t>((AMDHSA_BITS_GET(r3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) + 1) * 4);
    d.tgSplit = AMDHSA_BITS_GET(r3, COMPUTE_PGM_RSRC3_GFX90A_TG_SPLIT);
  }
  if (row.gfx125Descriptor)
    d.namedBarriers = static_cast<uint8_t>(4 * AMDHSA_BITS_GET(r3, COMPUTE_PGM_RSRC3_GFX125_NAMED_BAR_CNT));

  d.privateSegmentBuffer = AMDHSA_BITS_GET(properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER);
  d.dispatchPtr = AMDHSA_BITS_GET(properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR);
  d.queuePtr = AMDHSA_BITS_GET(properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR);
  d.kernargSegmentPtr = AMDHSA_BITS_GET(properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR);
  d.dispatchId = AMDHSA_BITS_GET(properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID);
  d.flatScratchInit = AMDHSA_BITS_GET(properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT);
  d.privateSegmentSize = AMDHSA_BITS_GET(properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE);
  d.wave32 = AMDHSA_BITS_GET(properties, KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32);
  d.usesDynamicStack = AMDHSA_BITS_GET(properties, KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK);
  d.preloadLength = AMDHSA_BITS_GET(preload, KERNARG_PRELOAD_SPEC_LENGTH);
  d.preloadOffset = AMDHSA_BITS_GET(preload, KERNARG_PRELOAD_SPEC_OFFSET);
  return d;
}

} // namespace fly::isa
