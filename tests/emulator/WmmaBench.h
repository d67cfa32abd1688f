// One WMMA or SWMMAC on random matrices: lays A, B and C out in registers by a layout that the test names, executes,
// and compares D with a product computed here in double or in 64-bit integers.
//
// Nothing of the emulator's own conversions or layouts is used: number formats are decoded by the textbook formula
// below, layouts are lists of bits of k as in facts/wmma_bits.json, or lists of places as in facts/mma_facts.json.
#pragma once

#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"

#include "llvm/Support/JSON.h"

#include "gtest/gtest.h"

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace fly::emulator::test {

enum class Type { F32, F16, Bf16, Fp8, Bf8, Fp6, Bf6, Fp4, I32, I8, U8, I4, U4 };
unsigned widthOf(Type type);
/// The number that a code of the type stands for; NaN for a NaN.
double valueOf(Type type, uint32_t code);
/// The code of a small integer.
uint32_t codeOf(Type type, int value);
/// A random code: a small integer, or (`any`) any finite number of moderate size.
uint32_t randomCode(Type type, std::mt19937 &random, bool any);
/// Nearest even, of an exact double.
uint32_t roundTo(Type type, double value);

/// Which bits of k make the lane group (lane / 16) and the number of the element within the lane.
struct Bits {
  std::vector<unsigned> lane, slot;
  struct At {
    unsigned group, slot;
  };
  At at(unsigned k) const;
};
/// The first bits of k in the lane's elements, the others in the lane group.
Bits plainBits(unsigned k, unsigned lanes, unsigned outer = 16);
/// From `{"lane": [2], "slot": [0, 1, 3]}`; the slot's key may have another name.
Bits bitsFrom(const llvm::json::Object &object, llvm::StringRef slotKey = "slot");
/// A file of tests/facts.
const llvm::json::Value &facts(const std::string &name);

struct WmmaTest {
  // The instruction
  std::string arch = "gfx1250", name; ///< "v_wmma_f32_16x16x32_f16"
  std::string modifiers;              ///< after the operands
  unsigned lanes = 32, m = 16, n = 16, k = 16;
  Type a = Type::F16, b = Type::F16, c = Type::F32, d = Type::F32;
  bool sparse = false, clamp = false;
  std::string constantC; ///< "1.0": instead of registers
  double constantCValue = 0;
  unsigned scaleBlock = 0; ///< 32, 16
  // The layout
  Bits layoutA, layoutB, layoutD, layoutIndex; ///< index: slot is the 2-bit entry
  std::vector<unsigned> laneRowA; ///< bits of the row in lane % 16, when not simply the low four; the rest of
                                  ///< the row lies above the slot
  std::vector<unsigned> scaleBitsA, scaleBitsB; ///< of k: the byte of the scale
  unsigned scaleLaneA = 0, scaleLaneB = 0;      ///< added to the row's number: 16 for matrix_a_scale:MATRIX_SCALE_ROW1
  double (*scaleA)(uint32_t) = nullptr, (*scaleB)(uint32_t) = nullptr; ///< decode a scale's byte
  std::vector<uint8_t> scaleCodes;                                     ///< from which scales are drawn
  std::optional<uint32_t> prefixSrc2; ///< what an assembler left in the field of the prefix that means nothing
  unsigned indexBit = 0;              ///< first bit of the index (index_key)
  // How operands change before they are multiplied; of 16-bit types even and odd elements
  bool negateA[2] = {false, false}, negateB[2] = {false, false}, negateC = false, absoluteC = false;
  // The numbers
  bool any = false;    ///< not just small integers: compare within the bound
  bool largeC = false; ///< integers: C near the ends of its range

  /// Reads types and shape from the name: v_wmma_<d>_<m>x<n>x<k>_<a>[_<b>].
  void parse(const std::string &instruction);
  /// Executes on `bench` (of arch and lanes) and checks; records `source`.
  void run(StepBench &bench, const char *source, unsigned seed = 1);
  /// Runs an integer instruction sixteen times: A and B signed or not by neg_lo, with and without clamp, C small or
  /// large. Seeds count up from `seed`.
  void runEverySign(StepBench &bench, const char *source, unsigned seed);
};

/// A test of an instruction with the published layout of D; A and B plain, which serves where both have one type.
WmmaTest wmmaTest(const std::string &arch, unsigned wave, const std::string &name);

} // namespace fly::emulator::test
