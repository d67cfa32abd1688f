// LDS of a kernel while it is elaborated: what has been declared, for the budget and for messages that name it.
//
// All of it is decided at compile time: an address is an object and a constant. A trial (Trial.h) saves and restores
// the whole by copying it.
#pragma once

#include "compiler/diagnostics/Source.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mlir {
class Operation;
}

namespace fly::sema {

struct LdsUse {
  struct Object {
    SourceRange range;
    uint64_t bytes;
    mlir::Operation *op;
  };
  /// `limit` 0: it grows. `used` is where the next allocation begins.
  struct Arena {
    size_t object;
    uint64_t limit, used = 0;
  };
  std::vector<Object> objects;
  std::vector<Arena> arenas;
  bool hasDynamic = false;              ///< the kernel has `lds=`
  std::optional<uint64_t> dynamicBytes; ///< where `lds=` is known at compile time
  SourceRange dynamicRange;
  bool isReported = false; ///< an object was one too many

  /// Of the objects, each aligned to 16 bytes, and the known part of the dynamic size.
  uint64_t total() const;
};

} // namespace fly::sema
