// Operands that are one value for all lanes of a wave, by operation.
#include "compiler/dialect/WaveActions.h"

#include "compiler/atom/Copy.h"
#include "compiler/protocol/Assembly.h"

using namespace mlir;

namespace fly::ir {

using Operands = SmallVector<UniformOperand, 2>;

Operands WaveOp::getUniformOperands() {
  if (getAction() == WaveAction::ReadLane)
    return {{1, "lane"}};
  if (getAction() == WaveAction::WriteLane)
    return {{1, "lane"}, {0, "value"}};
  return {};
}

/// A lane mask is one value, too, but made of one bit of each lane.
Operands ExactOp::getUniformOperands() {
  static constexpr StringLiteral names[] = {"operand 1", "operand 2", "operand 3", "operand 4",
                                            "operand 5", "operand 6", "operand 7", "operand 8"};
  Operands all;
  const std::optional<unsigned> m0 = protocol::withoutM0(getAssembly()).m0;
  for (unsigned i = 0; i < getNumOperands(); ++i)
    if (m0 && getNumResults() + i == *m0)
      all.push_back({i, "m0"});
    else if (getFiles()[getNumResults() + i] == 's' && !getOperands()[i].getType().isInteger(1))
      all.push_back({i, names[std::min<size_t>(i, std::size(names) - 1)]});
  return all;
}

Operands BufferOp::getUniformOperands() { return {{0, "start"}}; }

Operands RebaseOp::getUniformOperands() { return {{0, "start"}}; }

Operands AtOffsetsOp::getUniformOperands() {
  constexpr StringLiteral soffset = "`soffset`";
  return getIsUniform() ? Operands{{1, soffset}, {2, soffset}} : Operands{{2, soffset}};
}

/// The lanes of a wave write one after the other from the place of the first.
Operands CopyOp::getUniformOperands() {
  return getAtom().row().lanesTogether ? Operands{{1, "destination"}} : Operands();
}

/// One instruction moves the tile of the wave.
Operands TensorMoveOp::getUniformOperands() {
  Operands all;
  const unsigned places = getNumOperands() - (getMulticast() ? 1 : 0);
  for (unsigned operand = 0; operand < getNumOperands(); ++operand)
    all.push_back({operand, operand < places ? "place" : "multicast"});
  return all;
}

} // namespace fly::ir
