// What is known of a kernel's accesses before it is machine code, as plain data for pictures: which bytes the lanes of
// the first wave access, and how tiled copies distribute their tiles.
#pragma once

#include "compiler/analysis/Context.h"

#include <optional>
#include <string>
#include <vector>

namespace fly::analysis {

/// The attribute of a kernel whose accesses will be asked for, until they are.
inline constexpr llvm::StringLiteral keepsTilingsAttr = "fly.keeps_tilings";
/// In such a kernel, that of a fly.partition with how its tiled copy distributes the tile: {atom, tv, tile, of}, as
/// texts.
inline constexpr llvm::StringLiteral tilingAttr = "fly.tiling";

struct Tiling {
  std::string atom;      ///< `UniversalCopy(128, f16)`
  std::string tv;        ///< (thread, value) to the column-major place in the tile, as a layout
  std::string tile;      ///< its extents, `(128,64)`
  bool ofSource = false; ///< else of the destination
  bool operator==(const Tiling &) const = default;
};

struct KnownAccess {
  std::string file; ///< as line tables call it
  uint32_t line = 0, column = 0;
  std::string tensor;  ///< "`sa[stage]`", or "the tensor"
  std::string element; ///< "f16"; empty: not known
  bool isLds = false, isWrite = false;
  uint32_t bits = 0; ///< of a lane's access
  uint32_t elementBits = 0;
  uint64_t active = 0;          ///< lanes that take part
  std::vector<int64_t> bytes;   ///< by lane, where it begins; those of global memory count from anywhere
  std::optional<Tiling> tiling; ///< of a tiled copy
};

/// In the order of the program; what is done several times at one place (a loop was unrolled) is listed once. Removes
/// the attributes.
std::vector<KnownAccess> knownAccesses(Context &context);

} // namespace fly::analysis
