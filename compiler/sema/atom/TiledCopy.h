// TiledCopy: a copy atom spread over the threads of a workgroup: (thread, value) to the place in a tile.
//
// Its construction checks that every element of the tile belongs to one thread and value. `get_slice(t)` is thread t's
// part, which divides tensors: partition_S and partition_D give ((values of an access, accesses), tiles...), retile
// divides registers that were made for another use of the same tile.
#pragma once

#include "compiler/sema/atom/CopyAtom.h"

namespace fly::sema {

inline layout::IntTuple tupleOf(std::vector<layout::IntTuple> modes) { return layout::IntTuple(std::move(modes)); }
/// The number of elements; -1 where it is not known at compile time.
int64_t staticSize(const layout::Layout &layout);

class TiledCopy final : public Object {
public:
  TiledCopy(std::shared_ptr<const CopyAtom> atom, layout::Layout tv, layout::IntTuple tile)
      : atom(std::move(atom)), tv(std::move(tv)), tile(std::move(tile)) {}

  std::string description() const override { return "a tiled copy of tile " + tile.text(); }
  std::string text() const override {
    return "tiled_copy(" + atom->text() + ", tv=" + tv.text() + ", tile=" + tile.text() + ")";
  }
  bool equals(const Object &other) const override;
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  Value method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const override;

  int64_t threads() const;
  int64_t valuesPerThread() const;
  /// ((thread), ((values of an access, accesses))) to the place in the tile, for source or destination.
  layout::Result<layout::Layout> partitionLayout(bool ofSource) const;

  std::shared_ptr<const CopyAtom> atom;
  layout::Layout tv;                                      ///< (thread, value) to the column-major place in the tile
  layout::IntTuple tile;                                  ///< its extents
  SourceRange threadsRange = {};                          ///< where its threads were laid out
  std::optional<layout::Swizzle> exchange = std::nullopt; ///< of threads: which thread has which part of `tv`
};

/// A thread's part of a tiled copy.
class ThreadCopy final : public Object {
public:
  ThreadCopy(std::shared_ptr<const TiledCopy> copy, layout::Leaf thread)
      : copy(std::move(copy)), thread(std::move(thread)) {}

  std::string description() const override { return "a thread's part of " + copy->description(); }
  std::string text() const override { return copy->text() + ".get_slice(...)"; }
  bool isCompileTime() const override { return !thread.isDynamic(); }
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  Value method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const override;

  std::shared_ptr<const TiledCopy> copy;
  layout::Leaf thread;
};

/// The argument of `get_slice`: the number of a thread of `threads`, checked where it is known. `of` is "tiled copy",
/// `text` the tiled copy itself.
layout::Leaf sliceNumber(Elaborator &e, llvm::StringRef name, Arguments &arguments, int64_t threads,
                         const std::string &of, const std::string &text, SourceRange range);

/// What `tiled_copy` is given: layouts of threads and values, or of both together with a tile.
struct TiledCopyRequest {
  std::shared_ptr<const CopyAtom> atom;
  const layout::Layout *threads, *values, *tv;
  std::optional<layout::IntTuple> tile;
  SourceRange range, threadsRange, valuesRange, tvRange, tileRange;
};
Value makeTiledCopy(Elaborator &e, const TiledCopyRequest &request);

/// The threads' places in a destination that a wave writes lane after lane: `tiled_copy_into(atom, tensor, threads=)`.
Value makeTiledCopyInto(Elaborator &e, std::shared_ptr<const CopyAtom> atom, const Value &destination, int64_t threads,
                        SourceRange range, SourceRange destinationRange, SourceRange threadsRange);
/// Refuses a part of a destination whose lanes do not follow each other, access by access (FLY0606). `owned` is the
/// destination as ((thread, value), rest).
void checkLanesFollow(Elaborator &e, const TiledCopy &copy, const Value &owned, SourceRange range);
/// The first thread of this thread's wave, the same for all lanes.
layout::Leaf firstOfWave(Elaborator &e, const layout::Leaf &thread, SourceRange range);

} // namespace fly::sema
