// TiledMma: an MMA atom spread over the waves of a workgroup, and over a tile of each wave.
//
//   tiled_mma(MFMA(16, 16, 16, f16), layout[(2, 2, 1):(1, 2, 0)])   2 x 2 waves: a tile of 32 x 32 x 16
//   ... tile=(None, None, layout[(4, 4, 2):(1, 8, 4)])              and an order of k: what a lane has is 8 neighbours
//
// `get_slice(t)` is thread t's part: partition_A, _B, _C divide tensors into (values of an atom, repeats of one mode,
// repeats of the other, what the tensor has besides), make_fragment_A, _B, _C make registers for such a part of a
// tensor, or of one with the given extents.
#pragma once

#include "compiler/sema/atom/MmaAtom.h"
#include "compiler/sema/atom/TiledCopy.h"

#include <array>

namespace fly::sema {

class TiledMma final : public Object {
public:
  /// `waves` maps (m, n, k) to the number of a wave; `order` permutes the tile's modes, which keep their order where it
  /// has `_`.
  TiledMma(std::shared_ptr<const MmaAtom> atom, layout::Layout waves, std::array<layout::Tile, 3> order)
      : atom(std::move(atom)), waves(std::move(waves)), order(std::move(order)) {}

  std::string description() const override { return "a tiled MMA of `" + atom->text() + "`"; }
  std::string text() const override;
  bool equals(const Object &other) const override;
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  Value method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const override;

  int64_t threads() const;
  /// Extents of the tile: M, N, K.
  std::array<int64_t, 3> tile() const;
  /// (thread, value) to the column-major place in the operand's part of the tile. Waves that share an operand all have
  /// it.
  layout::Result<layout::Layout> layoutTV(MmaOperand operand) const;
  /// The steps that divide an operand's tensor into ((thread of the atom, value), ((wave, repeat), (wave, repeat),
  /// rest...)).
  std::vector<layout::Rearrangement> steps(MmaOperand operand) const;

  std::shared_ptr<const MmaAtom> atom;
  layout::Layout waves;
  std::array<layout::Tile, 3> order;
};

/// A thread's part of a tiled MMA.
class ThreadMma final : public Object {
public:
  ThreadMma(std::shared_ptr<const TiledMma> mma, layout::Leaf thread)
      : mma(std::move(mma)), thread(std::move(thread)) {}

  std::string description() const override { return "a thread's part of " + mma->description(); }
  std::string text() const override { return mma->text() + ".get_slice(...)"; }
  bool isCompileTime() const override { return !thread.isDynamic(); }
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  Value method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const override;

  std::shared_ptr<const TiledMma> mma;
  layout::Leaf thread;
};

/// Emits `fly.mma` for `gemm(mma, d, a, b, c, ...)` (Gemm.cpp).
Value emitGemm(Elaborator &e, BoundCall &call);

} // namespace fly::sema
