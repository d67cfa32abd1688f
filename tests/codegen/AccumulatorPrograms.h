// Kernels of the LLVM dialect with tiles of accumulators, for the tests of PlaceAccumulators.cpp.
#pragma once

#include <string>

namespace fly::codegen::testing {

/// A matrix instruction: D is rows by rows, and a lane holds `elements` of A and of B.
struct Shape {
  const char *architecture, *intrinsic, *type; ///< "bf16": of the elements
  unsigned rows, elements;
  unsigned registers() const { return rows * rows / 64; }
  unsigned depth() const { return elements * 64 / rows; }
};
inline constexpr Shape shapes[] = {{"gfx942", "16x16x16f16", "f16", 16, 4},
                                   {"gfx942", "32x32x8f16", "f16", 32, 4},
                                   {"gfx950", "16x16x32.bf16", "bf16", 16, 8},
                                   {"gfx950", "32x32x16.bf16", "bf16", 32, 8}};

/// A product of matrices that one wave computes: n steps of `m` fragments of A and as many of B as there are columns.
struct Product {
  Shape shape;
  unsigned rows = 4, columns = 4; ///< of the tile, in instructions
  bool startsFromMemory = false;  ///< at C instead of zero
  bool doubles = false;           ///< stores twice the sum
  bool roundsAtOnce = false;      ///< rounds all sums to f16, and has all of them in VGPRs before it stores the first
  bool rescales = false;          ///< doubles the accumulators before each step
  unsigned phases = 1;            ///< how many times all of this is done, one after the other
  bool continues = false;         ///< adds the last step to tile 0 once more, and stores both sums
  bool rotates = false;           ///< each accumulator becomes its neighbour after a step
  unsigned threads = 64;          ///< of a workgroup at most
  unsigned counted = 0;           ///< the number of accumulators that the kernel says it has; 0: the true one
  std::string beforeStep;         ///< operations at the beginning of the loop

  unsigned accumulators() const { return rows * columns * shape.registers(); }
  /// Kernel `product` with arguments A, B, C, n; fragments are stored lane by lane.
  std::string module() const;
};

/// The loop of a 256x256 tile in bf16 on gfx950, one of four waves: 256 matrix instructions per trip, 64 reads of LDS,
/// 32 copies to LDS.
std::string largeTile();

} // namespace fly::codegen::testing
