// Vectors of the reference interpreter: elements change their places, nothing else.
#include "compiler/reference/Machine.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fly::reference {

/// The same bits as numbers of another width.
static void recast(const Cell *from, unsigned width, unsigned count, Cell *to, unsigned toWidth, unsigned toCount) {
  std::vector<uint8_t> bits(llvm::divideCeil(uint64_t(width) * count, 8)), known(bits.size());
  writePacked(bits.data(), known.data(), 0, width, count, from);
  readPacked(bits.data(), known.data(), 0, toWidth, toCount, to);
  for (unsigned i = 0; i < count; ++i)
    if (from[i].isPoison())
      for (unsigned j = i * width / toWidth; j <= ((i + 1) * width - 1) / toWidth; ++j)
        to[j] = Cell::poison();
}

/// Where an element is taken or put.
template <typename Op> static int64_t position(Wave &wave, Op op, unsigned lane) {
  const int64_t known = op.getStaticPosition()[0];
  if (!ShapedType::isDynamic(known))
    return known;
  return int64_t(wave.needed(*wave.of(op.getDynamicPosition()[0], lane), 64, "the position of an element"));
}

bool runVector(Wave &wave, Operation *op) {
  auto each = [&](auto body) {
    wave.forLanes(body);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](vector::ExtractOp extract) {
        if (extract.getStaticPosition().size() != 1)
          return false;
        return each([&](unsigned lane) {
          const int64_t at = position(wave, extract, lane);
          const Lanes &source = wave.lanes(extract.getSource());
          *wave.result(op, lane) = at >= 0 && at < int64_t(source.count) ? source.of(lane)[at] : Cell::poison();
        });
      })
      .Case([&](vector::InsertOp insert) {
        if (insert.getStaticPosition().size() != 1)
          return false;
        return each([&](unsigned lane) {
          const int64_t at = position(wave, insert, lane);
          Lanes &result = wave.lanes(op->getResult(0));
          std::copy_n(wave.of(insert.getDest(), lane), result.count, result.of(lane));
          if (at >= 0 && at < int64_t(result.count))
            result.of(lane)[at] = *wave.of(insert.getValueToStore(), lane);
          else
            std::fill_n(result.of(lane), result.count, Cell::poison());
        });
      })
      .Case([&](vector::FromElementsOp from) {
        return each([&](unsigned lane) {
          for (auto [i, element] : llvm::enumerate(from.getElements()))
            wave.result(op, lane)[i] = *wave.of(element, lane);
        });
      })
      .Case([&](vector::ToElementsOp to) {
        return each([&](unsigned lane) {
          for (unsigned i = 0; i < to->getNumResults(); ++i)
            *wave.result(op, lane, i) = wave.of(to.getSource(), lane)[i];
        });
      })
      .Case([&](vector::BroadcastOp broadcast) {
        const Lanes &source = wave.lanes(broadcast.getSource());
        return each([&](unsigned lane) {
          for (unsigned i = 0; i < wave.lanes(op->getResult(0)).count; ++i)
            wave.result(op, lane)[i] = source.of(lane)[source.count == 1 ? 0 : i % source.count];
        });
      })
      .Case([&](vector::ShuffleOp shuffle) {
        const int64_t first = wave.lanes(shuffle.getV1()).count;
        return each([&](unsigned lane) {
          for (auto [i, from] : llvm::enumerate(shuffle.getMask()))
            wave.result(op, lane)[i] = from < 0       ? Cell::poison()
                                       : from < first ? wave.of(shuffle.getV1(), lane)[from]
                                                      : wave.of(shuffle.getV2(), lane)[from - first];
        });
      })
      .Case([&](vector::ExtractStridedSliceOp slice) {
        const int64_t offset = cast<IntegerAttr>(slice.getOffsets()[0]).getInt(),
                      stride = cast<IntegerAttr>(slice.getStrides()[0]).getInt();
        return each([&](unsigned lane) {
          for (unsigned i = 0; i < wave.lanes(op->getResult(0)).count; ++i)
            wave.result(op, lane)[i] = wave.of(slice.getSource(), lane)[offset + int64_t(i) * stride];
        });
      })
      .Case([&](vector::BitCastOp cast) {
        const Lanes &source = wave.lanes(cast.getSource());
        const unsigned from = widthOf(cast.getSource().getType()), to = widthOf(cast.getType());
        return each([&](unsigned lane) {
          recast(source.of(lane), from, source.count, wave.result(op, lane), to, wave.lanes(op->getResult(0)).count);
        });
      })
      .Default(false);
}

} // namespace fly::reference
