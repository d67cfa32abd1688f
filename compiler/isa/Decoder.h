// Machine code to Instructions, by LLVM MC's decoder and our table of roles.
//
//     auto decoder = fly::isa::Decoder::create("gfx942");          // Expected: unknown architecture is an error
//     auto kernel = (*decoder)->decodeKernel(bytes, 0x1000);       // Expected<vector<Instruction>>
//     for (auto &inst : *kernel) puts((*decoder)->print(inst).c_str());
//
// Creation costs about a millisecond: the meaning of an opcode is worked out at its first use and kept. A Decoder is
// not thread-safe; create one per thread. Instructions do not refer to their Decoder.
#pragma once

#include "compiler/isa/Instruction.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MCInst;
}

namespace fly::isa {

/// The state of s_set_vgpr_msb: two bits each for src0, src1, src2 and dst, the 256s of register numbers. It is in bits
/// 19:12 of the hardware register MODE, in the order dst, src0, src1, src2. A write of any part of MODE by s_setreg
/// takes over these bits of what is written, whatever part it names; LLVM 22 relies on it (AMDGPULowerVGPREncoding,
/// feature setreg-vgpr-msb-fixup).
struct VgprMsb {
  uint8_t bits = 0;
  /// The state that a write of `value` to MODE leaves.
  static uint8_t ofMode(uint32_t value) {
    const uint32_t mode = value >> 12 & 0xff;
    return static_cast<uint8_t>(mode >> 2 | mode << 6);
  }
  /// Takes over what the instruction sets; whether it sets something. Not known is what s_setreg takes from a register.
  bool set(const Instruction &inst);
  /// Takes over what the instruction sets, or adds to the numbers of its registers.
  void apply(Instruction &inst);
};

class Decoder {
public:
  /// `waveSize` 32 or 64; 0 is the architecture's own (64 on gfx9, 32 on gfx12). An error for an unknown
  /// architecture or a wave size it does not have.
  static llvm::Expected<std::unique_ptr<Decoder>> create(llvm::StringRef architecture, unsigned waveSize = 0);
  ~Decoder();
  Decoder(const Decoder &) = delete;
  Decoder &operator=(const Decoder &) = delete;

  const std::string &architecture() const;
  unsigned waveSize() const;

  /// All of `code`, from its first to its last byte. The error names address and bytes of what is not an
  /// instruction. Code after the last s_endpgm that is padding (s_code_end, zero words, s_nop) is dropped.
  llvm::Expected<std::vector<Instruction>> decodeKernel(llvm::ArrayRef<uint8_t> code, uint64_t baseAddress);
  llvm::Expected<Instruction> decodeOne(llvm::ArrayRef<uint8_t> code, uint64_t address);

  /// LLVM's assembly text of an instruction, without comments or leading blanks; its assembler reads it back.
  std::string print(const Instruction &inst);

  /// LLVM's own form, decoded again from the kept bytes: for the encoder and for tests.
  llvm::Expected<std::unique_ptr<llvm::MCInst>> machineInstruction(const Instruction &inst);

  struct Impl;

private:
  explicit Decoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
  friend class Encoder;
};

} // namespace fly::isa
