// The kernel of a form: a wave per workgroup sets registers and LDS from one buffer, executes the instruction once, and
// writes what they hold then to another. Each workgroup is a round, with values of its own.
#pragma once

#include "compiler/hardware/forms/Forms.h"

#include <string>
#include <vector>

namespace fly::hardware {

/// What a register of a form holds before it.
enum class Content : uint8_t {
  Value,         ///< anything
  MemoryAddress, ///< of the round's memory, with the offset given: of 64 bits; not compared
  MemoryOffset,  ///< an offset into the round's memory
  LdsAddress,    ///< within LDS
  ScratchOffset, ///< within the lane's scratch memory
  Index,         ///< of a record of a buffer: the lane
  SmallOffset,   ///< 0 or 16: a scalar offset
  Buffer,        ///< a buffer resource of the round's memory; not compared
  Upper,         ///< what a register before it makes: the upper parts of an address or a resource
};

struct FormRegister {
  isa::RegisterFile file;
  unsigned index;
  Content content = Content::Value;
  uint8_t word = 0, width = 1; ///< its place in its operand, and that one's registers
  bool hasIndex = false;       ///< of a Buffer: accessed by records
  /// Of a matrix product: what it multiplies, what that is added to, the scales of the factors.
  enum class MatrixPart : uint8_t { None, Factor, Addend, Scale } matrixPart = MatrixPart::None;
  bool isCompared = true;
};

/// "v12", "s16", "a0".
std::string nameOf(const FormRegister &one);

/// The special registers, in the order in which they stand in the scalars of a round.
enum class SpecialPlace : uint8_t { ExecLow, ExecHigh, VccLow, VccHigh, Scc, M0, Mode, Count };

constexpr unsigned memoryBytes = 4096, ldsBytes = 4096, scratchDwords = 32;

/// Where things stand in the buffers, in dwords of a round.
struct FormLayout {
  explicit FormLayout(const Form &form);

  unsigned lanes;
  std::vector<FormRegister> vectors, scalars;
  bool usesLds = false, usesScratch = false, usesMemory = false;
  /// Forms that only work with all lanes.
  bool needsAllLanes = false;

  // Input: scalars, specials; rows of a dword per lane: LDS, scratch, vectors.
  unsigned specialsAt() const { return static_cast<unsigned>(scalars.size()); }
  unsigned scalarDwords() const { return 128; }
  /// Of a round, in the memory that addresses point to; a form that accesses none leaves its dword alone.
  unsigned memoryDwords() const { return usesMemory ? memoryBytes / 4 : 1; }
  unsigned ldsRows() const { return usesLds ? ldsBytes / 4 / lanes : 0; }
  unsigned scratchRows() const { return usesScratch ? scratchDwords : 0; }
  unsigned inputDwords() const { return scalarDwords() + rows() * lanes; }
  unsigned ldsAt() const { return scalarDwords(); }
  unsigned scratchAt() const { return ldsAt() + ldsRows() * lanes; }
  unsigned vectorsAt() const { return scratchAt() + scratchRows() * lanes; }
  // Output: rows of a dword per lane: specials without MODE, scalars, LDS, scratch, vectors.
  static constexpr unsigned specialRows = 6;
  unsigned outputRows() const { return specialRows + static_cast<unsigned>(scalars.size()) + rows(); }
  unsigned outputDwords() const { return outputRows() * lanes; }
  /// "v12, lane 3" for a dword of the output.
  std::string placeOf(unsigned dword) const;
  /// Whether this dword of the output is compared.
  bool compares(unsigned dword) const;

private:
  unsigned rows() const { return ldsRows() + scratchRows() + static_cast<unsigned>(vectors.size()); }
  const FormRegister *registerAt(unsigned row) const;
};

/// The text of a kernel `symbol`, with its descriptor and without its metadata.
std::string kernelText(const Form &form, const FormLayout &layout, llvm::StringRef architecture,
                       const std::string &symbol);
/// The metadata of kernels, as assembly.
std::string metadataText(const std::vector<std::pair<std::string, const FormLayout *>> &kernels,
                         llvm::StringRef architecture);

} // namespace fly::hardware
