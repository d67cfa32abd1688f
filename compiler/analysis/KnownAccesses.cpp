// See KnownAccesses.h.
#include "compiler/analysis/KnownAccesses.h"

#include "compiler/analysis/AccessPatterns.h"

#include <set>

namespace fly::analysis {

/// The attribute of a partition; none where pictures were not asked for.
static std::optional<Tiling> tilingOf(mlir::Operation *op) {
  auto found = op ? op->getAttrOfType<mlir::DictionaryAttr>(tilingAttr) : mlir::DictionaryAttr();
  if (!found)
    return std::nullopt;
  auto text = [&](llvm::StringRef name) {
    auto value = found.getAs<mlir::StringAttr>(name);
    return value ? value.getValue().str() : std::string();
  };
  return Tiling{text("atom"), text("tv"), text("tile"), text("of") == "source"};
}

std::vector<KnownAccess> knownAccesses(Context &context) {
  std::vector<KnownAccess> out;
  std::set<std::string> seen;
  for (const WaveAccess &access : waveAccesses(context, /*says=*/false)) {
    const mlir::FileLineColRange range = ir::rangeIn(access.op->getLoc());
    if (!range)
      continue;
    KnownAccess one;
    one.file = range.getFilename().str(), one.line = range.getStartLine(), one.column = range.getStartColumn();
    one.tensor = access.name;
    if (auto partition = llvm::dyn_cast<ir::PartitionOp>(access.op))
      one.element = partition.getElement().str();
    one.isLds = access.type.getSpace() == ir::AddressSpace::Shared, one.isWrite = access.isWrite;
    one.bits = uint32_t(access.bits), one.elementBits = uint32_t(access.type.getElementBits());
    one.active = access.active;
    for (const LanePlace &place : access.places)
      one.bytes.push_back(access.byteOf(place.real));
    one.tiling = tilingOf(access.op);
    std::string key = one.file + ":" + std::to_string(one.line) + ":" + std::to_string(one.column) + ":" + one.tensor +
                      (one.isWrite ? ":w" : ":r") + std::to_string(one.bits) + (one.tiling ? one.tiling->tv : "");
    const int64_t first = one.bytes.empty() ? 0 : one.bytes.front(); // another stage of a buffer is the same picture
    for (int64_t byte : one.bytes)
      key += "," + std::to_string(byte - first);
    if (seen.insert(std::move(key)).second)
      out.push_back(std::move(one));
  }
  context.kernel.walk([](ir::PartitionOp op) { op->removeAttr(tilingAttr); });
  context.kernel->removeAttr(keepsTilingsAttr);
  return out;
}

} // namespace fly::analysis
