// readResources: what the finished machine code needs, read back from the code object by compiler/isa, never from what
// the compiler meant to emit.
//
// The VGPR count in the metadata covers the whole vector register file: where VGPRs and AGPRs share one file, it is the
// start of the AGPRs (a multiple of four) plus their number.
#include "compiler/codegen/pipeline/Compile.h"

#include "compiler/isa/CodeObject.h"
#include "compiler/isa/Decoder.h"
#include "compiler/isa/LaneSpills.h"

#include <algorithm>

namespace fly::codegen {

/// Those that the metadata does not count (compiler/isa/LaneSpills.h).
static uint32_t laneSpillsOf(isa::Decoder &decoder, const isa::CodeObject &object, const isa::Kernel &kernel) {
  auto code = decoder.decodeKernel(object.text(kernel), kernel.entry);
  if (!code)
    return llvm::consumeError(code.takeError()), 0;
  return isa::laneSpills(*code).registers;
}

Result<std::map<std::string, artifact::ResourceInfo>> readResources(std::string_view codeObject,
                                                                    const target::Target &target) {
  auto failure = [](std::string message) { return Failure{Failure::Stage::Read, std::move(message), "", false}; };
  auto object = isa::CodeObject::read(llvm::StringRef(codeObject.data(), codeObject.size()));
  if (!object)
    return failure(llvm::toString(object.takeError()));
  if (object->architecture() != target.name)
    return failure("the code object is for " + object->architecture() + ", not for " + std::string(target.name));

  auto decoder = isa::Decoder::create(target.name);
  if (!decoder)
    return failure(llvm::toString(decoder.takeError()));
  std::map<std::string, artifact::ResourceInfo> result;
  for (const isa::Kernel &kernel : object->kernels()) {
    artifact::ResourceInfo info;
    info.agprs = kernel.agprs;
    info.vgprs = target.unifiedRegisters && kernel.agprs && kernel.vgprs >= kernel.agprs ? kernel.vgprs - kernel.agprs
                                                                                         : kernel.vgprs;
    info.sgprs = kernel.sgprs;
    info.ldsBytes = kernel.groupSegmentFixedSize;
    info.scratchBytes = kernel.privateSegmentFixedSize;
    info.codeBytes = static_cast<uint32_t>(kernel.codeSize);
    info.vgprSpills = kernel.vgprSpills;
    info.sgprSpills = std::max(kernel.sgprSpills, laneSpillsOf(**decoder, *object, kernel));
    info.occupancy = isa::occupancy(*object, kernel).waves;
    info.waveSize = kernel.waveSize;
    info.maxWorkgroupSize = kernel.maxFlatWorkgroupSize;
    const uint32_t waves = std::max(1u, (info.maxWorkgroupSize + info.waveSize - 1) / info.waveSize);
    info.workgroups = info.occupancy * target.simdsPerComputeUnit / waves;
    info.kernargBytes = kernel.kernargSegmentSize;
    result.emplace(kernel.name, info);
  }
  return result;
}

} // namespace fly::codegen
