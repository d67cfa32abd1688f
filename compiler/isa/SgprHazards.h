// SGPRs of gfx1201 that VALU has read and that are written again: who reads them next must wait for the write.
//
//     v_add_f32_e32 v0, s2, v0             VALU reads s2: from now on the pair s[2:3] is watched
//     s_add_co_i32 s2, s4, s5              SALU writes it
//     s_wait_alu depctr_sa_sdst(0)         needed; depctr_va_sdst(0) if VALU had written it, depctr_va_vcc(0) VCC
//     v_mov_b32_e32 v1, s2
//
// RDNA 4's manual says nothing about it. The rule is LLVM 22's (AMDGPUWaitSGPRHazards.cpp), for gfx12 but not gfx1250:
//
//   - an s_wait_alu for the unit ends its hazards; so does scalar memory, and vector memory with a buffer or image;
//   - SALU that reads an SGPR waits for all SGPRs that VALU has written, by itself; LLVM relies on it only if VALU has
//     read that SGPR before;
//   - 4 ds_nop in a row, 8 of waves of 64 lanes, end all watching;
//   - EXEC, M0, SCC and null take no part.
//
// Where LLVM waits for a value that is overwritten before it is read, this does not.
#pragma once

#include "compiler/isa/Instruction.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <bitset>
#include <optional>
#include <string>

namespace fly::isa {

bool hasSgprHazards(const target::Target &target);

/// What of an instruction matters to them.
struct SgprUse {
  enum class Kind : uint8_t { Other, Vector, Scalar, Memory, Wait, LdsNop, Call };
  /// 0 to 105 s0 to s105, 106 VCC, 108 to 123 ttmp0 to ttmp15.
  struct Span {
    uint8_t first, count;
  };
  Kind kind = Kind::Other;
  bool endsSalu = false, endsValu = false, endsVcc = false; ///< Wait: whose writes have arrived
  llvm::SmallVector<Span, 2> reads, writes;
  bool matters() const { return kind != Kind::Other; }
};
SgprUse sgprUse(const Instruction &instruction, const target::Target &target);

struct SgprFinding {
  uint8_t sgpr = 0;    ///< as in SgprUse::Span
  bool byValu = false; ///< who wrote it
  uint32_t writer = 0; ///< the number of that instruction
};
/// "s2 is read before SALU has written it, and VALU has read it before: `s_wait_alu depctr_sa_sdst(0)` is missing".
std::string toString(const SgprFinding &finding);
/// "s_wait_alu depctr_sa_sdst(0)"
std::string waitText(const SgprFinding &finding);
inline constexpr const char *sgprHazardSource = "LLVM 22, AMDGPUWaitSGPRHazards";

/// What has been read and written so far.
class SgprState {
public:
  explicit SgprState(unsigned waveSize = 32) : nopsThatEnd(waveSize == 64 ? 8 : 4) {}
  /// Executes an instruction. What it has read too early counts as waited for.
  std::optional<SgprFinding> advance(uint32_t number, const SgprUse &use);
  /// With another path to the same place; whether that changes anything.
  bool join(const SgprState &other);

private:
  std::optional<SgprFinding> read(const SgprUse &use);
  void valuHasWritten();           ///< all SGPRs but VCC
  std::bitset<64> watched;         ///< pairs
  std::bitset<128> bySalu, byValu; ///< written, of watched pairs, and not waited for
  std::array<uint32_t, 128> writers{};
  uint8_t nops = 0, nopsThatEnd;
};

} // namespace fly::isa
