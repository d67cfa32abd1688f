// LDS in the language:
//
//   shared(T, shape)                     a separate object
//   shared(T, shape, overlay=other)      the bytes of another one, which grows if need be
//   shared_arena(bytes)                  an object whose bytes are handed out, and taken back by `reset` or `with`
//   dynamic_shared(T, shape, offset)     after the objects; the launch sets its size, `@kernel(lds=...)`
//
// What a kernel has declared so far is its LdsUse.
#pragma once

#include "compiler/sema/value/LdsUse.h"
#include "compiler/sema/value/Value.h"
#include "compiler/diagnostics/Source.h"

namespace fly::sema {

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
Value arenaMethod(Elaborator &e, const ArenaValue &arena, llvm::StringRef name, std::vector<Argument> &arguments,
                  SourceRange range);
/// `make_tensor(pointer, shape)`: memory seen row-major, or by the strides given.
Value makeTensor(Elaborator &e, const PointerValue &pointer, const Value &shape, const Value *stride, SourceRange range,
                 SourceRange shapeRange);

} // namespace fly::sema
