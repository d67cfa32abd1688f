// LDS of a kernel while it is elaborated: what has been declared, for the budget and for messages that name it.
//
//   shared(T, shape)                     an object of its own
//   shared(T, shape, overlay=other)      the bytes of another one, which grows if need be
//   shared_arena(bytes)                  an object whose bytes are handed out, and taken back by `reset` or `with`
//   dynamic_shared(T, shape, offset)     behind the objects; the launch gives its size, `@kernel(lds=...)`
//
// All of it is decided at compile time: an address is an object and a constant. A trial (Trial.h) saves and restores the
// whole by copying it.
#pragma once

#include "compiler/sema/Value.h"
#include "compiler/syntax/Source.h"

namespace mlir {
class Operation;
}

namespace fly::sema {

class Elaborator;
struct Argument;

struct LdsUse {
  struct Object { SourceRange range; uint64_t bytes; mlir::Operation *op; };
  /// `limit` 0: it grows. `used` is where the next allocation begins.
  struct Arena { size_t object; uint64_t limit, used = 0; };
  std::vector<Object> objects;
  std::vector<Arena> arenas;
  bool hasDynamic = false;                 ///< the kernel has `lds=`
  std::optional<uint64_t> dynamicBytes;    ///< where `lds=` is known at compile time
  SourceRange dynamicRange;
  bool isReported = false;                 ///< an object was one too many

  /// Of the objects, each aligned to 16 bytes; with what is known of the dynamic part.
  uint64_t total() const;
};

/// "98,304"
std::string groupedDigits(uint64_t bytes);

/// What an object is to hold, and the places of the call and its arguments.
struct SharedRequest {
  const Value &element, &shape;
  SourceRange range, elementRange, shapeRange;
};
Value makeShared(Elaborator &e, const SharedRequest &request, const Value *overlay, SourceRange overlayRange);
Value makeArena(Elaborator &e, std::optional<int64_t> bytes, SourceRange range);
Value makeDynamicShared(Elaborator &e, const SharedRequest &request, const Value &offset, SourceRange offsetRange);
/// `alloc(T, shape)` and `reset()`.
Value arenaMethod(Elaborator &e, const ArenaValue &arena, llvm::StringRef name, std::vector<Argument> &arguments, SourceRange range);
/// `make_tensor(pointer, shape)`: memory seen row-major, or by the strides given.
Value makeTensor(Elaborator &e, const PointerValue &pointer, const Value &shape, const Value *stride, SourceRange range, SourceRange shapeRange);

} // namespace fly::sema
