// The size of an image in memory that came without one, as HIP passes them.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace fly::container {

/// Of the code object, bundle or compressed bundle that begins at `image`, from its headers. `readable` says whether
/// [offset, offset + size) of the image can be read; nothing is touched before it said so, and on success all of it can
/// be. A compressed bundle of version 1 does not say where it ends: the result is then an upper bound.
llvm::Expected<uint64_t> sizeInMemory(const char *image,
                                      llvm::function_ref<bool(uint64_t offset, uint64_t size)> readable);

} // namespace fly::container
