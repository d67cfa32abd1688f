// See Conflicts.h.
#include "compiler/report/Conflicts.h"

#include <algorithm>

namespace fly::report {

namespace {

using isa::Class;
using isa::Instruction;
using isa::Operand;

struct Range {
  isa::RegisterFile file;
  uint32_t first, end;
};
Range rangeOf(const Operand &o) {
  const uint32_t first = o.isSpecial() ? o.index * 64u + o.sub : o.index;
  return {o.file, first, first + o.width};
}

/// Whether both units give results back in the order of issue, so that the newer one is what remains.
bool returnsInOrder(const Instruction &newer, const Instruction &older, isa::Counter counter) {
  return newer.cls == older.cls && !newer.is(Class::ScalarMemory) && (newer.increments & isa::maskOf(counter));
}

} // namespace

std::optional<Conflict> conflictOf(const Instruction &instruction, const Instruction &operation, isa::Counter counter) {
  std::optional<Conflict> overwritten; // reads are named first
  for (const Operand &result : operation.operands) {
    if (!result.isRegister() || !result.def || result.implicit || result.isSpecial(isa::Special::Null))
      continue;
    const Range of = rangeOf(result);
    for (const Operand &o : instruction.operands) {
      // Old: what a write of a part leaves as it is. The write itself is an operand too.
      if (!o.isRegister() || o.role == isa::Role::Old || (o.def && returnsInOrder(instruction, operation, counter)))
        continue;
      const Range other = rangeOf(o);
      const uint32_t first = std::max(of.first, other.first), end = std::min(of.end, other.end);
      if (of.file != other.file || first >= end || (o.def && overwritten))
        continue;
      Conflict found{result, !o.def};
      if (result.isSpecial())
        found.reg.sub = uint8_t(result.sub + (first - of.first));
      else
        found.reg.index = uint16_t(first);
      found.reg.width = uint8_t(end - first);
      if (found.reads)
        return found;
      overwritten = found;
    }
  }
  return overwritten;
}

} // namespace fly::report
