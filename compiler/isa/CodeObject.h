// Reads an AMDGPU code object (HSACO): what the loader, the reports and the tests need to know about it.
//
//     auto object = fly::isa::CodeObject::read(bytes);             // Expected; `bytes` must outlive it
//     const Kernel *k = object->find("vec_add");
//     object->text(*k)                                             // the kernel's machine code
//
// Not trivial because the file may be damaged: nothing read from it is trusted, every offset and size is checked
// against the bytes there are, and an error text names the field that is wrong.
//
// Addresses are in the file's own address space (p_vaddr of segments); a loader adds its base.
#pragma once

#include "compiler/isa/Instruction.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fly::isa {

/// A program header of type PT_LOAD.
struct Segment {
  uint64_t address = 0, memorySize = 0; ///< p_vaddr, p_memsz
  llvm::ArrayRef<uint8_t> data;         ///< p_filesz bytes; the rest of memorySize is zero
  bool read = false, write = false, execute = false;
};

struct Symbol {
  std::string name;
  uint64_t address = 0, size = 0;
  uint8_t type = 0; ///< STT_FUNC, STT_OBJECT, ...
  bool defined = false;
};

struct Relocation {
  uint64_t address = 0; ///< where to write
  uint32_t type = 0;    ///< R_AMDGPU_RELATIVE64, R_AMDGPU_ABS64, ...
  int64_t addend = 0;
  std::string symbol;         ///< empty for relative ones
  uint64_t symbolAddress = 0; ///< 0 when undefined
};

/// The kernel descriptor (64 bytes, symbol NAME.kd): how a wave starts. Raw words and the fields that matter.
struct KernelDescriptor {
  uint32_t groupSegmentFixedSize = 0;       ///< LDS, bytes
  uint32_t privateSegmentFixedSize = 0;     ///< scratch, bytes per lane
  uint32_t kernargSize = 0;                 ///< bytes
  int64_t entryOffset = 0;                  ///< of the code from the descriptor's address
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0; ///< COMPUTE_PGM_RSRC1..3
  uint16_t codeProperties = 0, kernargPreload = 0;

  // COMPUTE_PGM_RSRC1
  uint32_t granulatedVgprs = 0, granulatedSgprs = 0;
  uint8_t roundMode32 = 0, roundMode16_64 = 0, denormMode32 = 0, denormMode16_64 = 0;
  bool dx10Clamp = false, ieeeMode = false; ///< gfx9 only
  bool fp16Overflow = false, wgpMode = false, memoryOrdered = false, forwardProgress = false;
  // COMPUTE_PGM_RSRC2
  bool usesPrivateSegment = false; ///< scratch set up (flat_scratch/architected)
  uint8_t userSgprs = 0;           ///< count
  bool workgroupIdX = false, workgroupIdY = false, workgroupIdZ = false, workgroupInfo = false;
  uint8_t vgprWorkitemId = 0; ///< 0: x, 1: x y, 2: x y z (gfx942 and later pack them in v0, 10 bits each)
  // COMPUTE_PGM_RSRC3
  uint16_t accumOffset = 0; ///< gfx90a family: first AGPR in the unified file
  bool tgSplit = false;
  uint8_t namedBarriers = 0; ///< gfx1250: how many are allocated
  // Kernel code properties: user SGPRs in this order, each enabled one takes its registers
  bool privateSegmentBuffer = false; ///< 4 SGPRs
  bool dispatchPtr = false;          ///< 2
  bool queuePtr = false;             ///< 2
  bool kernargSegmentPtr = false;    ///< 2
  bool dispatchId = false;           ///< 2
  bool flatScratchInit = false;      ///< 2
  bool privateSegmentSize = false;   ///< 1
  bool wave32 = false;
  bool usesDynamicStack = false;
  uint16_t preloadLength = 0, preloadOffset = 0; ///< kernarg preload: dwords to SGPRs, from dword
};

/// One entry of `.args` of the metadata note.
struct KernelArgument {
  std::string name;              ///< may be empty
  std::string kind;              ///< `.value_kind`: "by_value", "global_buffer", "hidden_block_count_x", ...
  std::string addressSpace;      ///< "global", "local", ... or empty
  std::string access, typeName;  ///< "read_only", ...; "float*"; mostly of OpenCL, or empty
  uint32_t offset = 0, size = 0; ///< bytes
  bool hidden() const { return kind.rfind("hidden_", 0) == 0; }
};

/// A number of the metadata note that the descriptor contradicts: `field` is the note's key without its dot.
struct Contradiction {
  std::string field;
  uint32_t note = 0, descriptor = 0;
};

struct Kernel {
  std::string name;           ///< of the code
  std::string descriptorName; ///< NAME.kd
  uint64_t descriptorAddress = 0;
  uint64_t entry = 0;    ///< address of the first instruction
  uint64_t codeSize = 0; ///< bytes, from the symbol; without a size to the next code or the section's end
  KernelDescriptor descriptor;
  // From the metadata note; `hasMetadata` is false if it does not mention the kernel. What the hardware is given is in
  // the descriptor, so its numbers stand where the two contradict each other, and where there is no note.
  bool hasMetadata = false;
  std::vector<KernelArgument> arguments;
  uint32_t kernargSegmentSize = 0, kernargSegmentAlign = 8;
  uint32_t groupSegmentFixedSize = 0, privateSegmentFixedSize = 0;
  uint32_t waveSize = 64, maxFlatWorkgroupSize = 1024;
  /// Used, by the note; what the descriptor allocates where the note does not say. vgprs holds agprs too where the file
  /// is unified (gfx90a family).
  uint32_t sgprs = 0, vgprs = 0, agprs = 0;
  uint32_t vgprsAllocated = 0; ///< by the descriptor, with AGPRs; compilers may allocate more than is used
  std::vector<Contradiction> contradictions;
  std::vector<std::string> remarks; ///< oddities of the file that do not keep the kernel from running
  bool countsAgprs = false;         ///< the note has `.agpr_count`
  uint32_t sgprSpills = 0, vgprSpills = 0;
  bool usesDynamicStack = false, uniformWorkgroupSize = false;
  std::array<uint32_t, 3> requiredWorkgroupSize{};
  std::array<uint32_t, 3> clusterDims{};
  /// Size of the explicit arguments: end of the last one that is not hidden.
  uint32_t explicitKernargSize() const;
};

/// One place of the line table: from `address` until the next row.
struct LineRow {
  uint64_t address;
  SourceLocation location;
  bool endSequence;
};

class CodeObject {
public:
  /// Reads headers, symbols, metadata, descriptors, relocations and the line table. A damaged line table is an
  /// empty one; damage in anything the program needs to run is an error.
  static llvm::Expected<CodeObject> read(llvm::ArrayRef<uint8_t> bytes);
  static llvm::Expected<CodeObject> read(llvm::StringRef bytes);

  /// Only what its header says it is for: "gfx803", also where flyc does not know the architecture; empty if nothing.
  static std::string architectureOf(llvm::StringRef bytes);

  const std::string &architecture() const { return arch; } ///< "gfx942", from e_flags
  uint32_t flags() const { return eFlags; }
  uint8_t abiVersion() const { return abi; } ///< EI_ABIVERSION: 4 is code object version 6
  llvm::ArrayRef<Kernel> kernels() const { return kernelList; }
  const Kernel *find(llvm::StringRef kernel) const; ///< by name or by descriptor name
  llvm::ArrayRef<Symbol> symbols() const { return symbolList; }
  const Symbol *findSymbol(llvm::StringRef name) const;
  llvm::ArrayRef<Relocation> relocations() const { return relocationList; }
  llvm::ArrayRef<Segment> segments() const { return segmentList; }
  llvm::ArrayRef<uint8_t> bytes() const { return data; }

  /// File bytes at an address of a segment; empty if any of them is not in the file.
  llvm::ArrayRef<uint8_t> bytesAt(uint64_t address, uint64_t size) const;
  llvm::ArrayRef<uint8_t> text(const Kernel &kernel) const { return bytesAt(kernel.entry, kernel.codeSize); }

  /// Line table: file names (SourceLocation::file indexes them) and lookup by address.
  llvm::ArrayRef<std::string> files() const { return fileList; }
  SourceLocation locationOf(uint64_t address) const;
  /// Fills in `location` of each instruction.
  void attachLocations(std::vector<Instruction> &instructions) const;

private:
  llvm::ArrayRef<uint8_t> data;
  std::string arch;
  uint32_t eFlags = 0;
  uint8_t abi = 0;
  std::vector<Segment> segmentList;
  std::vector<Symbol> symbolList;
  std::vector<Relocation> relocationList;
  std::vector<Kernel> kernelList;
  std::vector<std::string> fileList;
  std::vector<LineRow> lineRows;
  friend struct CodeObjectReader;
};

/// Waves that fit a SIMD with these registers and LDS, and what limits them.
struct Occupancy {
  uint32_t waves = 0; ///< a SIMD; 0: the kernel cannot be launched
  uint32_t byVgprs = 0, bySgprs = 0, byLds = 0, byWaveSlots = 0;
  uint32_t vgprsAllocated = 0, vgprsOfSimd = 0; ///< for one wave, in granules; what the waves of a SIMD share
};
/// LLVM's formulas (AMDGPUSubtarget, getOccupancyWithWorkGroupSizes and getNumWavesPerEUWithNumVGPRs): registers in
/// allocation granules, LDS of a compute unit (a work-group processor on gfx12) shared by whole workgroups. `vgprs`
/// includes AGPRs as Kernel::vgprs does. `workgroupSize` in lanes; `ldsBytes` static plus dynamic.
Occupancy occupancy(llvm::StringRef architecture, uint32_t vgprs, uint32_t sgprs, uint32_t ldsBytes,
                    uint32_t workgroupSize, uint32_t waveSize);
Occupancy occupancy(const CodeObject &object, const Kernel &kernel);

} // namespace fly::isa
