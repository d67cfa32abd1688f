// MMA atoms: the instructions that multiply matrices, as rows of a table. Free of MLIR and of the language: the front
// end finds an atom by shape and types, the dialect verifies a product by its row, the lowering calls what the row
// names.
#pragma once

#include "compiler/layout/Layout.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fly::atom {

/// How LLVM's intrinsic takes its operands.
enum class MmaCall : uint32_t {
  Fma,                  ///< no intrinsic: a fused multiply-add of scalars
  Mfma,                 ///< A, B, C, cbsz, abid, blgp
  MfmaFormats,          ///< A, B, C, format of A, format of B, then no scales
  MfmaScale,            ///< A, B, C, format of A, format of B, op_sel of A, scales of A, op_sel of B, scales of B
  Wmma,                 ///< A, B, C
  WmmaHalf,             ///< A, B, C, op_sel
  WmmaInteger,          ///< sign of A, A, sign of B, B, C, clamp
  WmmaModifiers,        ///< negate A, A, negate B, B, modifiers of C, C, reuse A, reuse B
  WmmaModifiersOfC,     ///< A, B, modifiers of C, C, reuse A, reuse B
  WmmaModifiersInteger, ///< sign of A, A, sign of B, B, C, reuse A, reuse B, clamp
  WmmaFormats,          ///< format of A, A, format of B, B, modifiers of C, C
  WmmaScale,            ///< the same, then op_sel, scale format and scales of A and of B, reuse A, reuse B
  WmmaF4,               ///< A, B, modifiers of C, C
  WmmaScaleF4,          ///< the same, then as WmmaScale
};

/// An architecture that has the instruction.
struct MmaTarget {
  std::string_view arch;
  int64_t cycles;            ///< from one to the next on one SIMD; 0: nothing is published
  bool inManual = true;      ///< false: LLVM's assembler encodes it, AMD's manual for the architecture does not have it
  bool inCalculator = false; ///< AMD's matrix instruction calculator has it
};

struct MmaRow {
  const char *name; ///< the assembler's
  MmaCall call;
  int64_t m, n, k;
  const char *a, *b; ///< a type, or a class of types: fp8, bf8 (the target's), iu8, iu4, f8f6f4
  const char *c;     ///< a type
  const char *intrinsic;
  std::vector<MmaTarget> targets;
  int64_t blocks = 1;      ///< products side by side
  int64_t scaleBlock = 0;  ///< elements of k with one scale; 0: no scales
  const char *d = nullptr; ///< where it is not C's type

  std::string_view typeOfD() const { return d ? d : c; }
  int64_t threads() const; ///< that act together: a wave
  bool isMfma() const { return call >= MmaCall::Mfma && call <= MmaCall::MfmaScale; }
  bool isWmma() const { return call >= MmaCall::Wmma; }
  bool isScaled() const { return scaleBlock != 0; }
  /// Null: the architecture does not have it. UniversalFMA is on every one.
  const MmaTarget *on(std::string_view arch) const;
};

const std::vector<MmaRow> &mmaRows();
/// Null: there is no such atom.
const MmaRow *findMma(std::string_view name);

/// The types that a type of a row stands for, as the language names them.
std::vector<std::string_view> typesOf(std::string_view typeOrClass);
/// Cycles on that architecture with these types of A and B; 0: not published. Operands of f8f6f4 that are all narrower
/// than 8 bits (gfx1250: all of 4) take half of the row's.
int64_t cyclesOf(const MmaRow &row, std::string_view arch, std::string_view a, std::string_view b);
/// Bits of one of them.
int64_t bitsOf(std::string_view type);
/// What the instruction calls a type of f8f6f4: 0 to 4; -1 for others.
int formatOf(std::string_view type);

/// (thread, value) to the column-major place in A of (M, K), B of (N, K), C and D of (M, N); atoms of several blocks
/// have these as one more mode.
struct MmaLayouts {
  layout::Layout a, b, c;
  int64_t valuesOfA() const;
  int64_t valuesOfB() const;
  int64_t valuesOfC() const;
};
/// Of an atom with these types of A and B (f8f6f4: they differ by the width).
/// Sources: AMD's matrix instruction calculator (gfx942, gfx1201); CDNA4 and CDNA5 ISA manuals and probes of AMD's
/// functional emulator (gfx950, gfx1250). The order of k is a convention, the same for A and B, except in scaled atoms.
MmaLayouts mmaLayouts(const MmaRow &row, std::string_view a, std::string_view b);
/// What the layouts of an instruction rest on, for people.
std::string_view layoutSource(const MmaRow &row);

/// A number in the instruction that is not an operand: its name and the largest one.
struct MmaModifier {
  std::string_view name;
  int64_t limit;
};
std::span<const MmaModifier> modifiersOf(const MmaRow &row);

} // namespace fly::atom
