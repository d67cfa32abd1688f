// Reads of LDS whose bytes a copy from memory by the same wave is still writing (rule `lds-copy`).
//
//     s_mov_b32 m0, 0x100
//     buffer_load_dword v1, s[4:7], 0 offen lds       64 lanes: bytes 0x100 to 0x1ff
//     ds_read2st64_b32 v[2:3], v0 offset1:1           v0 = 4 * lane: bytes 0x000 to 0x0ff, and 0x100 to 0x1ff
//
// No register is filled, so that the rules about registers do not see it. Addresses are followed as intervals of what
// registers may hold. An error is a read all of whose possible bytes the copy writes, at a place that is one number: then
// the two meet whatever the data. Where that is not known, `--may` shows a hint if nothing waits for the copy (rule
// `lds-dma`).
#include "compiler/dataflow/InFlight.h"
#include "compiler/dataflow/Solver.h"
#include "compiler/verify/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <optional>

namespace fly::verify {

namespace {

using isa::Operand;
using isa::Role;

/// Numbers from `low` to `high`.
struct Interval {
  uint64_t low = 0, high = 0;
  bool operator==(const Interval &) const = default;
};
using Known = std::optional<Interval>;

/// By register: VGPRs, then SGPRs, then M0.
constexpr uint32_t firstSgpr = 1024, m0 = firstSgpr + 128, registerCount = m0 + 1;

struct State {
  bool isReached = false;
  unsigned joins = 0;
  std::map<uint32_t, Interval> known;
};

std::optional<uint32_t> numberOf(const Operand &operand) {
  if (operand.isVgpr())
    return operand.index;
  if (operand.isSgpr())
    return firstSgpr + operand.index;
  return operand.isSpecial(isa::Special::M0) ? std::optional(m0) : std::nullopt;
}

class Addresses {
public:
  explicit Addresses(const Program &program) : program(program), blocks(program.flow.blocks()), before(blocks.size()) {
    before[0].isReached = true;
    const auto &size = program.options.workgroup;
    if (size[0] && size[1] == 1 && size[2] == 1) // else several numbers are packed in v0
      before[0].known[0] = {0, size[0] - 1};
    llvm::BitVector begin(blocks.size());
    begin.set(0);
    dataflow::solve(
        dataflow::Direction::Forward, begin, before,
        [&](uint32_t b) -> llvm::ArrayRef<uint32_t> { return blocks[b].successors; },
        [&](uint32_t b, State state) {
          for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
            step(state, i);
          return state;
        },
        join);
  }

  State at(uint32_t block) const { return before[block]; }

  void step(State &state, uint32_t number) const {
    const isa::Instruction &instruction = program.code[number];
    const Known result = resultOf(state, instruction);
    for (const Operand &operand : instruction.operands)
      if (operand.def)
        if (auto reg = numberOf(operand))
          for (unsigned i = 0; i < operand.width; ++i)
            state.known.erase(*reg + i);
    const Operand *to = instruction.find(Role::Dst);
    if (result && result->high <= UINT32_MAX && to && to->width == 1)
      if (auto reg = numberOf(*to))
        state.known[*reg] = *result;
  }

  static Known valueOf(const State &state, const Operand *operand) {
    if (!operand)
      return std::nullopt;
    if (operand->isImmediate())
      return Interval{operand->bits & UINT32_MAX, operand->bits & UINT32_MAX};
    auto reg = numberOf(*operand);
    auto found = reg && operand->width == 1 ? state.known.find(*reg) : state.known.end();
    return found == state.known.end() ? Known() : Known(found->second);
  }

private:
  const Program &program;
  const llvm::ArrayRef<isa::Block> blocks;
  std::vector<State> before;

  /// Registers whose interval keeps growing in a loop are not known.
  static bool join(State &to, const State &from) {
    if (!to.isReached) {
      to = from;
      to.isReached = true;
      return true;
    }
    constexpr unsigned mostJoins = 8;
    bool changed = false;
    std::erase_if(to.known, [&](auto &entry) {
      auto found = from.known.find(entry.first);
      const bool isLost = found == from.known.end() || (to.joins >= mostJoins && found->second != entry.second);
      changed |= isLost;
      return isLost;
    });
    for (auto &[reg, interval] : to.known) {
      const Interval &other = from.known.at(reg);
      const Interval hull{std::min(interval.low, other.low), std::max(interval.high, other.high)};
      changed |= hull != interval;
      interval = hull;
    }
    to.joins += changed;
    return changed;
  }

  static Known resultOf(const State &state, const isa::Instruction &instruction) {
    llvm::StringRef op = isa::name(instruction.op);
    if (!instruction.modifiers.dpp && op.starts_with("V_MBCNT"))
      return Interval{0, 63};
    if (instruction.modifiers.dpp || instruction.modifiers.sdwa)
      return std::nullopt;
    const Known a = valueOf(state, instruction.find(Role::Src0)), b = valueOf(state, instruction.find(Role::Src1)),
                c = valueOf(state, instruction.find(Role::Src2));
    const bool isB = b && b->low == b->high, isA = a && a->low == a->high, isC = c && c->low == c->high;
    auto sum = [](const Interval &x, const Interval &y) { return Interval{x.low + y.low, x.high + y.high}; };
    auto shifted = [](const Interval &x, uint64_t by) { return Interval{x.low << (by & 31), x.high << (by & 31)}; };
    if (op == "S_MOV_B32" || op == "V_MOV_B32" || op == "S_MOVK_I32")
      return a ? a : valueOf(state, instruction.find(Role::Simm));
    if (op == "S_LSHL_B32" && a && isB)
      return shifted(*a, b->low);
    if (op == "V_LSHLREV_B32" && isA && b)
      return shifted(*b, a->low);
    if ((op == "S_ADD_I32" || op == "S_ADD_U32" || op == "V_ADD_U32") && a && b)
      return sum(*a, *b);
    if (op == "V_LSHL_ADD_U32" && a && isB && c)
      return sum(shifted(*a, b->low), *c);
    if (op == "V_ADD_LSHL_U32" && a && b && isC)
      return shifted(sum(*a, *b), c->low);
    if (op == "V_ADD3_U32" && a && b && c)
      return sum(sum(*a, *b), *c);
    if ((op == "S_AND_B32" || op == "V_AND_B32") && (isA || isB)) {
      const uint64_t mask = isA ? a->low : b->low;
      const Known &other = isA ? b : a;
      return Interval{0, other ? std::min(mask, other->high) : mask};
    }
    return std::nullopt;
  }
};

/// Bytes from `low` up to, not including, `high`.
struct Bytes {
  uint64_t low, high;
};

/// What a copy to LDS writes, if its place is one number.
std::optional<Bytes> writtenBy(const isa::Instruction &copy, const State &state, unsigned waveSize) {
  auto base = state.known.find(m0);
  if (base == state.known.end() || base->second.low != base->second.high)
    return std::nullopt;
  const llvm::StringRef op = isa::name(copy.op);
  const uint64_t each = op.contains("DWORDX4")   ? 16
                        : op.contains("DWORDX3") ? 12
                                                 : 4,
                 begin = base->second.low + copy.modifiers.offset;
  return Bytes{begin, begin + waveSize * each};
}

/// What a read of LDS may read: one or two pieces.
std::vector<Bytes> readBy(const isa::Instruction &read, const State &state) {
  const Known address = Addresses::valueOf(state, read.find(Role::Vaddr));
  const Operand *to = read.find(Role::Dst);
  if (!address || !to)
    return {};
  const llvm::StringRef op = isa::name(read.op);
  auto piece = [&](uint64_t offset, uint64_t bytes) {
    return Bytes{address->low + offset, address->high + offset + bytes};
  };
  if (!op.contains("READ2") && !op.contains("LOAD_2ADDR"))
    return {piece(read.modifiers.offset, uint64_t(to->width) * 4)};
  const uint64_t element = op.contains("B64") ? 8 : 4,
                 unit = op.contains("ST64") || op.contains("STRIDE64") ? 64 * element : element;
  return {piece(uint64_t(read.modifiers.offset) * unit, element), piece(read.modifiers.offset1 * unit, element)};
}

} // namespace

void findLdsCopies(Program &program) {
  if (llvm::none_of(program.code, dataflow::movesToLds))
    return;
  const dataflow::InFlightFlow flow(program.code, program.flow, program.target, dataflow::Follow::ResultsAndLds);
  const Addresses addresses(program);
  auto blocks = program.flow.blocks();
  std::map<uint32_t, std::optional<Bytes>> written; ///< by copy
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    State state = addresses.at(b);
    for (uint32_t i = blocks[b].first; i < blocks[b].last; addresses.step(state, i++))
      if (dataflow::movesToLds(program.code[i]) && state.isReached)
        written[i] = writtenBy(program.code[i], state, program.target.waveSize);
  }
  std::map<uint32_t, Finding> errors; ///< by copy
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    State state = addresses.at(b);
    dataflow::InFlight inFlight = flow.before(b);
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      if (state.isReached && program.code[i].is(isa::Class::Lds) && program.code[i].mayLoad)
        for (const Bytes &read : readBy(program.code[i], state))
          for (const dataflow::Outstanding &o : inFlight) {
            auto copy = written.find(o.operation);
            if (copy == written.end() || !copy->second || read.low < copy->second->low ||
                read.high > copy->second->high)
              continue;
            Finding &error = errors[o.operation];
            if (error.rule)
              ++error.others;
            else
              error = {findRule("lds-copy"),
                       o.operation,
                       i,
                       "LDS is read while this wave's copy to the same bytes is in flight: a wait for it is missing",
                       "CDNA3 ISA 4.4, 9.1.9",
                       program.path(o.operation, i)};
          }
      flow.step(inFlight, i);
      addresses.step(state, i);
    }
  }
  for (auto &[copy, error] : errors)
    program.found(std::move(error));
}

} // namespace fly::verify
