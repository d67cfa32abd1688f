// Matrix instructions: one description for each, one engine for all (MFMA and SMFMAC of gfx9, WMMA and SWMMAC of
// gfx12).
//
// A matrix instruction is D = A (m x k) * B (k x n) + C for `blocks` independent products, its operands spread over the
// lanes' registers. Instructions differ only in where element v of lane l belongs, so a description has formulas for
// that:
//
//     v_mfma_f32_16x16x16_f16: element v of lane l is  A[l % 16][4 (l / 16) + v]   B[4 (l / 16) + v][l % 16]
//                                                      D[4 (l / 16) + v][l % 16]
//
// When an instruction is first resolved the formulas become a MatrixPlan: tables of where each *run* of lanes goes in a
// dense panel. A run is a power-of-two number of lanes whose elements are adjacent in the panel (16 lanes above);
// because A's panel is stored k by k, nearly all instructions have runs of M or N lanes, and gathering is converting
// and copying short vectors. MatrixKernels.cpp multiplies the panels.
//
// To add a family: a function that fills a `Matrix` from a decoded instruction, as mfmaMatrix does, and rows whose
// handler is runMatrix (MatrixOps.cpp). Resolving calls `prepareMatrix`, which puts the plan into Inst::detail.
//
//     Mfma.cpp, Wmma.cpp   descriptions of a family each    MatrixOps.cpp       the engine, and the families' rows
//     MatrixPlan.cpp       descriptions to plans            MatrixKernels.cpp   loops on panels
//                                                           AlignedProducts.cpp sums bit for bit as machines have them
//
// What the engine does, in this order, and the fields that request it:
//   registers   flipA/flipB: exclusive-or of the even and odd registers of A and B (negation); laneFromB: B read from
//               other lanes (MFMA's blgp)
//   elements    a, b, c, d: types; several narrow ones per register, lowest bits first, 6-bit ones across registers.
//               C is laid out as D; negateC, absoluteC
//   sparse      A holds k/2 elements per row: two of each four k. Its map gives the *stored* column (0 .. k/2-1); the
//               dense one is 4 (stored / 2) + the two index bits, which are bits `indexShift` + 2 v of the lane's own
//               Index operand unless indexMap says otherwise; bits beyond the operand's registers are 0
//   blocks      broadcastLog, broadcastFrom (MFMA's cbsz, abid): groups of 2^cbsz blocks all use the A of block abid
//   scales      scaleBlock k's share a scale; scaleMap gives its lane and byte
//   result      f32 (or f16, bf16 rounded once from f32), f64, i32 wrapping or, with `clamp`, saturating
//
// EXEC is ignored, as the documents demand (CDNA3 ISA, chapter 7). MODE's rounding and denormal modes are ignored too;
// with FP16_OVFL 16-bit results of gfx1250 saturate (CDNA5 ISA, 7.12), and those of f16 that gfx1201's steps give.
//
// Numerics. Where the machine's arithmetic is known bit for bit, `sum` names it: see AlignedProducts.h. Otherwise, and
// for all floats when a launch asks for it (MatrixArithmetic::Fast), products and sums of f32 results are fused
// multiply-adds in f32 that start with C and go in ascending k (of the map), and results agree with the machine's only
// within the bound of an f32 accumulation. f64 and f32 are such chains on the machine too. Denormals are kept. Scaled
// products accumulate each scale block in f32 from zero; the blocks are scaled and added in double, then C, then
// rounded once. Integers are exact. A NaN result is the positive quiet one except with Summation::Pairs, which has the
// machine's. docs/emulator.md says for each family which of these it is.
#pragma once

#include "runtime/emulator/ops/matrix/AlignedProducts.h"
#include "runtime/emulator/ops/matrix/MatrixKernels.h"
#include "runtime/emulator/wave/Program.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fly::emulator {

/// The width of an element.
constexpr unsigned bitsOf(Element e) {
  switch (e) {
  case Element::F64: return 64;
  case Element::F32:
  case Element::Xf32:
  case Element::I32: return 32;
  case Element::F16:
  case Element::Bf16: return 16;
  case Element::Fp6:
  case Element::Bf6: return 6;
  case Element::Fp4:
  case Element::I4:
  case Element::U4: return 4;
  default: return 8;
  }
}

/// A place in a matrix: in A row i, column k; in B row k, column j; in C and D row i, column j.
struct Place {
  unsigned row = 0, column = 0, block = 0;
};
/// A byte of a lane's registers (a scale), or a bit of them (an index).
struct LanePosition {
  unsigned lane = 0, position = 0;
};

/// The formats a scale's byte can have: 2^(x - 127) with 255 a NaN; unsigned E5M3; E4M3 without sign.
enum class ScaleFormat : uint8_t { E8M0, E5M3, E4M3 };

/// What a scale operand that is not a vector register means, in all lanes and for all blocks of k.
/// Exponent: bits 30:23, whatever op_sel says, for constants and SGPRs (gfx950; LLVM's VOP3PInstructions.td calls it a
/// defect of the hardware). LowByte: the low byte of an SGPR; the constant 0 is a scale of one (CDNA5 ISA, 7.12.6.2).
enum class ScalarScale : uint8_t { Exponent, LowByte };

struct Matrix {
  /// The place of element v of lane l.
  using Map = Place (*)(const Matrix &, unsigned v, unsigned lane);
  /// The place of the index bits for A's element v of lane l: lane and first bit.
  using IndexMap = LanePosition (*)(const Matrix &, unsigned v, unsigned lane);
  /// Where the scale of a row of A (or column of B: `isB`) for the `kBlock`-th run of scaleBlock k's is: lane and byte.
  using ScaleMap = LanePosition (*)(const Matrix &, bool isB, unsigned outer, unsigned kBlock);

  uint16_t m = 0, n = 0, k = 0; ///< k: the dense one, also of sparse instructions
  uint8_t blocks = 1, lanes = 64;
  Element a = Element::F32, b = Element::F32, d = Element::F32;
  Element c = Element::Count;       ///< Count: as d
  uint8_t heldByA = 0, heldByB = 0; ///< lanes that hold A and B; 0: all
  Map mapA = nullptr, mapB = nullptr, mapD = nullptr;
  uint32_t flipA[2] = {0, 0}, flipB[2] = {0, 0}; ///< of even and odd registers
  bool negateC = false, absoluteC = false, clamp = false;
  Summation sum = Summation::Chain;
  bool saturates = false; ///< FP16_OVFL makes infinite results the largest number
  bool sparse = false;
  uint8_t indexShift = 0;
  IndexMap indexMap = nullptr;
  uint8_t broadcastLog = 0, broadcastFrom = 0; ///< cbsz, abid
  uint8_t laneFromB = 0;                       ///< blgp, 0: each lane its own
  uint8_t scaleBlock = 0;                      ///< k's that share a scale; 0: no scales
  ScaleMap scaleMap = nullptr;
  uint8_t scaleSelect[2] = {0, 0}; ///< of A and B, for scaleMap: MFMA the byte, gfx1250 the row of lanes
  ScaleFormat scaleFormat[2] = {ScaleFormat::E8M0, ScaleFormat::E8M0};
  ScalarScale scalarScale = ScalarScale::Exponent;

  Element typeC() const { return c == Element::Count ? d : c; }
  unsigned lanesA() const { return heldByA ? heldByA : lanes; }
  unsigned lanesB() const { return heldByB ? heldByB : lanes; }
  /// Elements in each lane.
  unsigned elementsA() const { return m * (sparse ? k / 2u : k) * blocks / lanesA(); }
  unsigned elementsB() const { return n * k * blocks / lanesB(); }
  unsigned elementsD() const { return m * n * blocks / lanes; }
  unsigned storedK() const { return sparse ? k / 2u : k; }
  bool operator==(const Matrix &) const = default;
};

/// An operand's elements and the panel: run r of element v goes to place[v * runs + r].
struct PanelMap {
  unsigned elements = 0, run = 1, runs = 0;
  std::vector<uint16_t> place;
};

/// A description worked out. Immutable once built.
struct MatrixPlan {
  Matrix matrix;
  PanelMap a, b, d;
  unsigned registersA = 0, registersB = 0, registersC = 0, registersD = 0;
  std::vector<uint16_t> indexAt;    ///< sparse: word and first bit of [stored k * m + i], see atBit
  std::vector<uint16_t> scaleAt[2]; ///< scaled: of [kBlock * (m or n) + outer], for A and B
  unsigned indexRegisters = 0, scaleRegisters[2] = {0, 0};
  /// Whether the products are exact in f32 and cannot overflow: the engine may multiply and add separately.
  bool exact = false;
};

/// Panels hold at most this many elements.
inline constexpr unsigned maxPanelA = 4096, maxPanelB = 4096, maxPanelD = 2048;

/// Null, and why, when the formulas do not fill their panels or these are too large.
std::shared_ptr<const MatrixPlan> planMatrix(const Matrix &matrix, std::string &why);
/// Describes the instruction and puts its plan into `inst`; false, and why, if that cannot be. Resolve.cpp calls it.
bool prepareMatrix(Program &program, const isa::Instruction &from, Inst &inst, std::string &why);

/// The descriptions of a family; nothing, and why, when the modifiers mean none.
std::optional<Matrix> mfmaMatrix(const isa::Instruction &from, const ArchitectureRow &arch, std::string &why);
std::optional<Matrix> wmmaMatrix(const isa::Instruction &from, const ArchitectureRow &arch, unsigned waveSize,
                                 std::string &why);
/// The instructions of a family; those that execute get the handler runMatrix in MatrixOps.cpp.
std::vector<std::string_view> mfmaNames();
std::vector<std::string_view> wmmaNames();

/// The handler of all of them. Inst::detail is the MatrixPlan; sources 0, 1, 2 are A, B, C (sparse: C is the former D,
/// also if it is not among the operands), 3 is the index or the scale of A, 4 the scale of B.
void runMatrix(Wave &w, const Inst &i);

} // namespace fly::emulator
