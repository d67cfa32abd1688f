// The list of families. FLY_EMULATOR_ROWS names the build it is part of; see Rows.h.
#include "runtime/emulator/decode/Rows.h"

#include "runtime/emulator/ops/matrix/Rows.h"
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/scalar/Rows.h"
#include "runtime/emulator/ops/vector/Rows.h"

namespace fly::emulator {

RowTables FLY_EMULATOR_ROWS() {
  static const std::span<const Row> tables[] = {
      scalarRows(),   scalarFloatRows(),   controlRows(),      gfx9ControlRows(), scalarMemoryRows(),  moveRows(),
      integerRows(),  shortIntegerRows(),  floatRows(),        doubleRows(),      halfRows(),          convertRows(),
      compareRows(),  packedRows(),        crossLaneRows(),    tinyConvertRows(), scaledConvertRows(), dotRows(),
      graphicsRows(), laneGroupRows(),     vectorMemoryRows(), bufferRows(),      bufferFormatRows(),  ldsRows(),
      barrierRows(),  transposeLoadRows(), gfx12MemoryRows(),  asyncRows(),       tensorRows(),        mfmaRows(),
      wmmaRows()};
  return tables;
}

} // namespace fly::emulator
