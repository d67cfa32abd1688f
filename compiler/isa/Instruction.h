// The compact form of one machine instruction: what the emulator executes, the reports count and the verifiers
// check. One instruction of any supported architecture becomes: a semantic id (`Op`), a form (how it was
// encoded), a class (which unit runs it), operands with roles, and the modifiers as plain fields.
//
//     v_fma_f32 v3, -v1, s4, 1.0 clamp        // gfx942, VOP3
//       op V_FMA_F32, form VOP3, class Vector
//       operands  Dst v3, Src0 v1 (neg), Src1 s4, Src2 literal 0x3f800000
//       modifiers clamp
//
// Not trivial because LLVM's decoder gives a bare list of numbers: only the order, the operand types and the form tell
// which of them is the address, the offset or a modifier; see OperandRoles.h.
//
// Uniformity: V_ADD_F32_e32, _e64, _dpp and _sdwa are one Op; so are GLOBAL_LOAD_DWORD with and without a scalar
// address, the returning and the non-returning form of a buffer or global atomic (distinguished by the presence of
// Dst), and the true16 and plain forms of a 16-bit instruction (operands carry `half`).
#pragma once

#include "compiler/target/Counters.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fly::isa {

//===--------------------------------------------------------------------------------------------------------===//
// Semantic ids
//===--------------------------------------------------------------------------------------------------------===//

/// What an instruction computes: LLVM's opcode name without its encoding, addressing and subtarget suffixes
/// ("V_ADD_F32", "GLOBAL_LOAD_DWORD", "S_WAITCNT", "DS_WRITE2_B64"). Dense integers from 1 in the order in which
/// names are first seen in this process, shared by all decoders: index a table with them, never store them.
enum class Op : uint16_t { Invalid = 0 };

/// The name of an Op; "" for Op::Invalid. Lives as long as the process.
std::string_view name(Op op);
/// The Op of a name, interned when it is new. Thread-safe. Never Op::Invalid, even for a name no instruction
/// bears: see isInstructionName. What gfx12 renamed keeps the older name: S_LOAD_DWORDX2 (s_load_b64), V_ADD_U32
/// (v_add_nc_u32), V_ADDC_CO_U32 (v_add_co_ci_u32), V_MIN_F32 (v_min_num_f32), V_FFBH_U32 (v_clz_i32_u32), ...
Op findOp(std::string_view name);
/// One more than the largest Op interned so far.
unsigned opCount();
/// Whether some instruction of some AMD GPU bears this name: for tests of tables that are keyed by name.
/// Slow on its first call (all opcodes are read).
bool isInstructionName(std::string_view name);

//===--------------------------------------------------------------------------------------------------------===//
// Forms and classes
//===--------------------------------------------------------------------------------------------------------===//

// clang-format off
/// The encoding. SDWA and DPP variants are separate forms; `baseForm` tells what they modify. VOP3 holds VOP3A and
/// VOP3B (the latter has an Sdst operand). MFMA and WMMA are VOP3P encodings with matrix operands.
enum class Form : uint8_t {
  Unknown, SOP1, SOP2, SOPC, SOPK, SOPP, SMEM,
  VOP1, VOP2, VOPC, VOP3, VOP3P, VOPD, SDWA, DPP16, DPP8,
  MFMA, WMMA, VINTERP, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG, TENSOR, EXP,
};
// clang-format on
std::string_view name(Form form);

/// The unit that executes it and what it waits for.
enum class Class : uint8_t {
  Unknown,
  Vector,         ///< VALU
  Transcendental, ///< VALU at a quarter rate or less: rcp, rsq, sqrt, exp, log, sin, cos
  Matrix,         ///< MFMA, SMFMAC, WMMA, SWMMAC
  Scalar,         ///< SALU
  ScalarMemory,   ///< SMEM
  VectorMemory,   ///< FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG, tensor data mover
  Lds,            ///< DS
  Wait,           ///< s_waitcnt, s_wait_*
  Barrier,        ///< s_barrier and its split halves
  Branch,         ///< s_branch, s_cbranch_*, s_setpc, s_swappc, s_call
  End,            ///< s_endpgm
  Message,        ///< s_sendmsg, s_trap, s_sethalt
  Hint,           ///< s_nop, s_delay_alu, s_clause, s_setprio, s_sleep, s_code_end, ...
};
std::string_view name(Class cls);

//===--------------------------------------------------------------------------------------------------------===//
// Operands
//===--------------------------------------------------------------------------------------------------------===//

// clang-format off
/// What an operand is for. Offsets, cache policy and the other modifiers are not operands: see Modifiers.
enum class Role : uint8_t {
  Dst,         ///< the result: vector or scalar; of a load or returning atomic, the loaded value
  Dst1,        ///< second vector result: v_swap, v_permlane*_swap (Src0 is the former Dst1, Src1 the former Dst)
  Sdst,        ///< second, scalar result: carry-out of v_add_co_u32, the mask of a VOPC (also when it is VCC or EXEC)
  Src0, Src1, Src2, ///< v_fmac: Src2 is the former Dst. v_cndmask, v_addc: Src2 is the mask or carry-in (also VCC)
  Old,         ///< the former value of Dst where parts of it survive (DPP, SDWA, d16 loads, v_writelane)
  Vaddr,       ///< vector address; DS: the LDS address
  Saddr,       ///< scalar address: GLOBAL, SCRATCH; SMEM: the base (`sbase`), 64 or 128 bits
  Vdata,       ///< the value stored, or the operand of an atomic; DS: data0
  Vdata1,      ///< DS: data1
  Srsrc,       ///< buffer resource, image resource
  Ssamp,       ///< image sampler
  Soffset,     ///< scalar offset register or constant: MUBUF, MTBUF, SMEM
  Simm,        ///< the immediate of SOPK/SOPP and the K of v_madak/v_madmk/v_fmaak/v_fmamk
  Target,      ///< branch target: an address, see Operand::bits
  Scale0, Scale1, ///< the scales of a scaled MFMA/WMMA for Src0, Src1
  Index,       ///< the sparse index of SMFMAC and SWMMAC
  Implicit,    ///< not encoded: VCC, EXEC, SCC, M0, MODE, ... read or written
  Other,       ///< anything else (exports, images)
};
// clang-format on
std::string_view name(Role role);

enum class RegisterFile : uint8_t { SGPR, VGPR, AGPR, Special };

// clang-format off
/// The registers that are not numbered. Their `index` in an operand is this value; `width` tells the 32-bit units
/// (VCC 2 or, as vcc_lo/vcc_hi, 1); halves and members have no enumerators, see Operand::sub.
enum class Special : uint16_t {
  None, VCC, EXEC, SCC, M0, MODE, FlatScratch, XnackMask, TTMP /* index in Operand::sub */, TBA, TMA, XccId,
  Null, SharedBase, SharedLimit, PrivateBase, PrivateLimit, FlatScratchBase,
  PopsExitingWaveId, VCCZ, EXECZ, LdsDirect, AsyncCnt, TensorCnt, Other,
};
// clang-format on
std::string_view name(Special special);

/// Which bits of a 32-bit register a 16-bit operand of a true16 instruction means.
enum class Half : uint8_t { Whole, Low, High };

struct Operand {
  enum class Kind : uint8_t { Register, Immediate };
  Role role = Role::Other;
  Kind kind = Kind::Immediate;
  bool def = false;      ///< written (else read)
  bool implicit = false; ///< not in the encoding
  // Registers:
  RegisterFile file = RegisterFile::SGPR;
  Half half = Half::Whole;
  uint8_t width = 1;  ///< in 32-bit units: 1..32. A true16 operand is 1 with `half`
  uint8_t sub = 0;    ///< Special: first 32-bit unit within it (vcc_hi: VCC, sub 1; ttmp5: TTMP, sub 5)
  uint16_t index = 0; ///< first register of the file, or the Special
  // Immediates: the bits the unit sees, at the operand's width: 1.0 for an f64 operand is 0x3ff0000000000000, for
  // f32 0x3f800000, for packed f16 0x3c00 (per half as the hardware gives it). A 32-bit literal of an f64 operand
  // is already in the high half; of a signed 64-bit integer sign-extended, of an unsigned one zero-extended.
  // Target: the absolute address. Simm: SOPK/SOPP sign-extended from 16 bits unless the instruction takes it unsigned.
  uint64_t bits = 0;
  bool literal = false;     ///< the immediate is a literal dword of the encoding, not an inline constant
  uint8_t operandBits = 32; ///< width in bits of the type the instruction reads here: 16, 32, 64, ...
  // Source modifiers (of vector operands). Packed instructions: `opSel`/`opSelHi` choose the half of the source that
  // feeds the low/high result, `neg`/`negHi` negate there. Others: `opSel` chooses the high half of a 16-bit source;
  // on Dst it says that the high half is written.
  bool neg = false, abs = false, opSel = false, opSelHi = false, negHi = false;
  bool sext = false;   ///< SDWA integer sources
  uint8_t sdwaSel = 6; ///< SDWA: 0-3 BYTE_0..3, 4 WORD_0, 5 WORD_1, 6 DWORD

  bool isRegister() const { return kind == Kind::Register; }
  bool isImmediate() const { return kind == Kind::Immediate; }
  bool isVgpr() const { return isRegister() && file == RegisterFile::VGPR; }
  bool isAgpr() const { return isRegister() && file == RegisterFile::AGPR; }
  bool isSgpr() const { return isRegister() && file == RegisterFile::SGPR; }
  bool isSpecial() const { return isRegister() && file == RegisterFile::Special; }
  bool isSpecial(Special s) const { return isSpecial() && index == static_cast<uint16_t>(s); }
  Special special() const { return isSpecial() ? static_cast<Special>(index) : Special::None; }
};
/// "v[4:7]", "s3", "vcc_lo", "0x3f800000": for reports and tests.
std::string toString(const Operand &operand);

//===--------------------------------------------------------------------------------------------------------===//
// Modifiers
//===--------------------------------------------------------------------------------------------------------===//

/// Everything of the encoding that is neither an operand nor the opcode. Unused fields keep their defaults.
struct Modifiers {
  // Memory
  int32_t offset = 0;       ///< bytes: signed where the form has signed offsets. DS read2/write2: offset0, unscaled
  uint8_t offset1 = 0;      ///< DS read2/write2: offset1, unscaled (times element size, or times 64 elements: st64)
  uint16_t cachePolicy = 0; ///< the raw bits as LLVM has them; decoded just below
  bool glc = false, slc = false, dlc = false; ///< gfx9 (glc: sc0 on gfx940+)
  bool sc0 = false, sc1 = false, nt = false;  ///< gfx940+
  uint8_t temporalHint = 0, scope = 0;        ///< gfx12: th (3 bits), scope 0 CU, 1 SE, 2 DEV, 3 SYS
  bool scaleOffset = false;                   ///< gfx1250: Vaddr or Soffset is scaled by the element's size
  bool nonVolatile = false;                   ///< gfx1250: nv
  bool offen = false, idxen = false;          ///< MUBUF, MTBUF: Vaddr holds an offset, an index (both: index first)
  bool lds = false;                           ///< MUBUF and global to LDS (gfx9): no Dst, data goes to LDS at M0
  bool tfe = false, gds = false;
  uint8_t format = 0; ///< MTBUF
  // Vector arithmetic
  bool clamp = false;
  uint8_t omod = 0;     ///< 0 none, 1 times 2, 2 times 4, 3 divided by 2
  uint8_t bitop3 = 0;   ///< v_bitop3: the truth table; v_bitop2 alike
  uint8_t byteSel = 0;  ///< conversions of fp8/bf8: which byte
  uint8_t scaleSel = 0; ///< v_cvt_scale_pk*: which scale
  // DPP16: dppControl is the 9-bit control (0x000-0x0ff quad_perm, 0x101-0x10f row_shl, ...)
  bool dpp = false, dpp8 = false;
  uint16_t dppControl = 0;
  uint8_t rowMask = 0xf, bankMask = 0xf;
  bool boundCtrl = false;     ///< invalid lanes read 0 instead of disabling the write
  bool fetchInactive = false; ///< gfx12: fi, also for DPP8
  std::array<uint8_t, 8> dpp8Lanes{0, 1, 2, 3, 4, 5, 6, 7};
  // SDWA: selections as in Operand::sdwaSel (sources carry their own); unused 0 PAD, 1 SEXT, 2 PRESERVE
  bool sdwa = false;
  uint8_t sdwaDst = 6, sdwaUnused = 0;
  // Matrix
  uint8_t cbsz = 0, abid = 0, blgp = 0;         ///< MFMA; f8f6f4: cbsz and blgp are the formats of A and B
  bool scaled = false;                          ///< has Scale0 and Scale1 (their byte is their opSel + 2 * opSelHi)
  uint8_t matrixAFormat = 0, matrixBFormat = 0; ///< gfx1250 WMMA f8f6f4: 0 FP8, 1 BF8, 2 FP6, 3 BF6, 4 FP4
  uint8_t matrixAScale = 0, matrixBScale = 0;   ///< gfx1250: row of scales; scale formats:
  uint8_t matrixAScaleFormat = 0, matrixBScaleFormat = 0;
  bool matrixAReuse = false, matrixBReuse = false;
  uint8_t indexKey = 0; ///< SWMMAC
  // Scalar
  uint16_t hardwareRegister = 0; ///< s_getreg/s_setreg: id
  uint8_t hardwareOffset = 0, hardwareSize = 32;
};

//===--------------------------------------------------------------------------------------------------------===//
// Counters and waits
//===--------------------------------------------------------------------------------------------------------===//

using target::Counter;
using target::counterCount;
using target::name; // of a counter: "vmcnt", "lgkmcnt", "loadcnt", ...
using CounterMask = uint16_t;
constexpr CounterMask maskOf(Counter c) { return static_cast<CounterMask>(1u << static_cast<unsigned>(c)); }

/// For each counter the number of outstanding operations that may remain; `none` where nothing is waited for.
struct Waits {
  static constexpr uint8_t none = 0xff;
  std::array<uint8_t, counterCount> limit;
  Waits() { limit.fill(none); }
  uint8_t operator[](Counter c) const { return limit[static_cast<unsigned>(c)]; }
  bool any() const {
    for (uint8_t l : limit)
      if (l != none) return true;
    return false;
  }
};

//===--------------------------------------------------------------------------------------------------------===//
// The instruction
//===--------------------------------------------------------------------------------------------------------===//

/// A place in the source, from the line table. `file` indexes the SourceFiles it came with; line 0: unknown.
struct SourceLocation {
  uint32_t file = 0, line = 0, column = 0;
  uint32_t discriminator = 0; ///< of several places in the code that have this line
  bool valid() const { return line != 0; }
  bool operator==(const SourceLocation &) const = default;
};

struct Instruction {
  uint64_t address = 0;
  uint8_t size = 0;                ///< bytes: 4..20
  std::array<uint8_t, 20> bytes{}; ///< the encoding, `size` of them are valid
  Op op = Op::Invalid;             ///< VOPD: an Op for the pair; look at `components`
  Form form = Form::Unknown;
  Form baseForm = Form::Unknown; ///< SDWA, DPP: VOP1, VOP2, VOPC or VOP3, VOP3P; else == form
  Class cls = Class::Unknown;
  uint32_t opcode = 0; ///< LLVM's, private to this library
  bool mayLoad = false, mayStore = false, isAtomic = false;
  CounterMask increments = 0; ///< counters that are incremented when it is issued
  SourceLocation location;
  llvm::SmallVector<Operand, 6> operands; ///< encoded ones first, then implicit ones; defs and uses mixed
  Modifiers modifiers;
  Waits waits;                         ///< of Class::Wait
  std::vector<Instruction> components; ///< VOPD: X, then Y (address, size and bytes are those of the pair)

  /// The first operand with this role; null if there is none. Implicit operands have the role Implicit except VCC, SCC
  /// or EXEC used as a mask or carry, which has the role of that operand (and `implicit` set).
  const Operand *find(Role role) const {
    for (const Operand &o : operands)
      if (o.role == role) return &o;
    return nullptr;
  }
  bool is(Class c) const { return cls == c; }
  bool isBranch() const { return cls == Class::Branch; }
  /// Leaves the straight line for good: s_branch, s_endpgm, s_setpc.
  bool isTerminator() const { return terminator; }
  uint64_t next() const { return address + size; }
  /// The target of a direct branch.
  std::optional<uint64_t> target() const {
    if (const Operand *o = find(Role::Target)) return o->bits;
    return std::nullopt;
  }
  template <class F> void forEachDef(F &&f) const {
    for (const Operand &o : operands)
      if (o.isRegister() && o.def) f(o);
  }
  template <class F> void forEachUse(F &&f) const {
    for (const Operand &o : operands)
      if (o.isRegister() && !o.def) f(o);
  }

  bool terminator = false;
};

} // namespace fly::isa
