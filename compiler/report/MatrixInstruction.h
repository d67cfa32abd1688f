// A matrix instruction's shape, types and work, from its name.
//
//     v_mfma_f32_32x32x8_bf16         32 x 32 x 8, 1 block,   16384 flop per wave
//     v_mfma_f32_4x4x4_16b_f16        4 x 4 x 4, 16 blocks,    2048
//     v_smfmac_f32_16x16x32_f16       16 x 16 x 32, sparse,   16384: K counts the zeros of A that are not stored
//
// Names of gfx908 and gfx90a leave out the number of blocks (v_mfma_f32_32x32x1f32 has two). There it follows from the
// number of A's registers.
#pragma once

#include "compiler/isa/Instruction.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace fly::report {

struct MatrixInstruction {
  std::string mnemonic, a, b;               ///< a, b: types of the inputs, "bf16", "fp8"; of f8f6f4 by its modifiers
  unsigned m = 0, n = 0, k = 0, blocks = 0; ///< 0: no product (v_wmma_ld_scale_*)
  bool sparse = false;                      ///< A has half of K
  /// 2 M N K for each block, for the wave. Of a sparse one: what the dense product would take, as the peaks of data
  /// sheets "with sparsity" do.
  uint64_t flop() const { return 2ull * m * n * k * blocks; }
  auto operator<=>(const MatrixInstruction &) const = default;
};

MatrixInstruction matrixInstruction(const isa::Instruction &instruction, llvm::StringRef mnemonic);

} // namespace fly::report
