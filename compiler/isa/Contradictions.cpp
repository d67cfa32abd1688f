// What the metadata note says of a kernel, held against its descriptor. The hardware reads the descriptor, so that is
// the truth: assembly by hand often has a note that somebody copied from another kernel.
//
// A note counts the registers that are used, a descriptor those that are allocated, which may be more: in whole
// granules, and where LDS or the workgroup's size allows few waves, LLVM allocates what these waves can have. So a
// note's count stands up to the allocation.
#include "compiler/isa/CodeObjectReader.h"

namespace fly::isa {

namespace {

struct Comparison {
  Kernel &kernel;

  /// `to` becomes the descriptor's number if the note's does not agree with it.
  void settle(const char *field, uint32_t &to, bool agree, uint32_t descriptor) {
    if (agree) return;
    if (kernel.hasMetadata) kernel.contradictions.push_back({field, to, descriptor});
    to = descriptor;
  }
};

} // namespace

llvm::Error CodeObjectReader::compareWithDescriptors() {
  for (Kernel &k : object.kernelList) {
    const KernelDescriptor &d = k.descriptor;
    Comparison compare{k};
    const uint32_t waveSize = waveSizeOf(d);
    compare.settle("wavefront_size", k.waveSize, k.waveSize == waveSize, waveSize);
    compare.settle("group_segment_fixed_size", k.groupSegmentFixedSize,
                   k.groupSegmentFixedSize == d.groupSegmentFixedSize, d.groupSegmentFixedSize);
    compare.settle("private_segment_fixed_size", k.privateSegmentFixedSize,
                   k.privateSegmentFixedSize == d.privateSegmentFixedSize, d.privateSegmentFixedSize);

    const uint32_t granule = row->vgprsAt(waveSize, row->descriptorVgprs);
    k.vgprsAllocated = (d.granulatedVgprs + 1) * granule;
    const uint32_t sgprs = row->unifiedRegisters ? (d.granulatedSgprs / 2 + 1) * 16 : row->sgprs.addressable;
    compare.settle("sgpr_count", k.sgprs, k.hasMetadata && k.sgprs <= sgprs, sgprs);
    // A note without `.agpr_count` counts what is in front of accum_offset, or all. The rest of the last granule after
    // accum_offset is not a use of AGPRs.
    const uint32_t beyond = k.vgprsAllocated > d.accumOffset ? k.vgprsAllocated - d.accumOffset : 0;
    if (row->unifiedRegisters && !k.countsAgprs && (beyond >= granule || k.vgprs > d.accumOffset)) {
      if (k.vgprs <= d.accumOffset) k.vgprs = k.vgprsAllocated;
      k.agprs = k.vgprs - d.accumOffset;
    }
    compare.settle("vgpr_count", k.vgprs, k.hasMetadata && k.vgprs <= k.vgprsAllocated, k.vgprsAllocated);
    if (row->unifiedRegisters) compare.settle("agpr_count", k.agprs, k.agprs <= beyond, beyond);
  }
  return llvm::Error::success();
}

} // namespace fly::isa
