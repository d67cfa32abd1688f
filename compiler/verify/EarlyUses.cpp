// An instruction that reads or overwrites a register while the operation that fills it may be outstanding.
//
// A later operation that returns in the order of the earlier one may overwrite its register: LDS after LDS, and up to
// gfx11 vector memory after vector memory. gfx12 does not write the results of vector memory in order.
//
// Registers that a memory operation reads: the hardware has read them before it issues the next instruction, or waits
// by itself, because expcnt counts exports alone on all machines that flyc compiles for (CDNA3 ISA 4.4, RDNA4 ISA 5.6).
// There are two exceptions. Data of wide stores on gfx942 and gfx950 is a distance (rule `store-data`). gfx1250 may
// read them again (rule `wait-source`).
#include "compiler/isa/Counters.h"
#include "compiler/verify/InFlight.h"
#include "compiler/verify/Needs.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace fly::verify {

namespace {

using isa::Counter;
using isa::Instruction;
using isa::Operand;

/// Half registers, one row of numbers for all files.
struct Range {
  uint32_t begin = 0, end = 0;
  bool overlaps(const Range &o) const { return begin < o.end && o.begin < end; }
};

Range rangeOf(const Operand &o) {
  constexpr uint32_t file = 1u << 16;
  const uint32_t first = o.isSpecial() ? o.index * 64u + o.sub : o.index;
  Range r{unsigned(o.file) * file + 2 * first, unsigned(o.file) * file + 2 * (first + o.width)};
  if (o.half == isa::Half::Low && o.width == 1)
    --r.end;
  if (o.half == isa::Half::High && o.width == 1)
    ++r.begin;
  return r;
}
/// A hash of the registers into 64 bits: disjoint filters have no register in common.
uint64_t filterOf(const Range &r) {
  uint64_t bits = 0;
  for (uint32_t k = r.begin / 2; k < (r.end + 1) / 2; ++k)
    bits |= uint64_t(1) << ((k + 5 * (r.begin >> 16)) % 64);
  return bits;
}

const char *waitName(Counter c, target::Generation generation) {
  switch (c) {
  case Counter::Load: return "s_wait_loadcnt";
  case Counter::Store: return "s_wait_storecnt";
  case Counter::Ds: return "s_wait_dscnt";
  case Counter::Km: return "s_wait_kmcnt";
  case Counter::Sample: return "s_wait_samplecnt";
  case Counter::Bvh: return "s_wait_bvhcnt";
  case Counter::Async: return "s_wait_asynccnt";
  case Counter::Tensor: return "s_wait_tensorcnt";
  case Counter::Vm: return "s_waitcnt vmcnt";
  case Counter::Lgkm: return "s_waitcnt lgkmcnt";
  default: return generation == target::Generation::Gfx12 ? "s_wait_expcnt" : "s_waitcnt expcnt";
  }
}

class EarlyUses {
public:
  EarlyUses(Program &program, bool writesOfLds) : program(program), flow(program, writesOfLds) {
    for (const Instruction &i : program.code) {
      uint64_t bits = 0;
      for (const Operand &o : i.operands)
        if (o.isRegister() && o.role != isa::Role::Old)
          bits |= filterOf(rangeOf(o));
      for (const Instruction &part : i.components)
        for (const Operand &o : part.operands)
          if (o.isRegister())
            bits |= filterOf(rangeOf(o));
      filters.push_back(bits);
    }
  }

  void find() {
    auto blocks = program.flow.blocks();
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      if (!program.flow.reachable(b))
        continue;
      InFlight state = flow.before(b);
      bool indexed = false; // between s_set_gpr_idx_on and _off
      for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
        lookAt(state, i);
        const llvm::StringRef op = isa::name(program.code[i].op);
        if (op.starts_with("S_SET_GPR_IDX"))
          indexed = !op.starts_with("S_SET_GPR_IDX_OFF");
        else if ((indexed && program.code[i].is(isa::Class::Vector)) || op.contains("MOVREL") || op.contains("SWAPREL"))
          lookAtIndexed(state, i);
        flow.step(state, i);
      }
      if (indexed)
        program.doubt(blocks[b].last - 1, "registers are reached through an index");
    }
    for (auto &[key, finding] : errors)
      program.found(std::move(finding));
  }

  /// See Needs.h.
  std::vector<isa::Waits> needs(llvm::function_ref<bool(uint32_t)> isWanted) {
    auto blocks = program.flow.blocks();
    std::vector<isa::Waits> all(program.code.size());
    std::vector<std::optional<InFlight>> in(blocks.size());
    std::set<uint32_t> work{0};
    in[0].emplace();
    while (!work.empty()) {
      const uint32_t b = *work.begin();
      work.erase(work.begin());
      InFlight state = *in[b];
      for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
        if (isWanted(i))
          need(state, i, all[i]);
        if (all[i].any())
          flow.wait(state, all[i]);
        flow.step(state, i);
      }
      for (uint32_t to : blocks[b].successors) {
        const bool isNew = !in[to];
        if (isNew)
          in[to] = state;
        if (isNew || unite(*in[to], state))
          work.insert(to);
      }
    }
    return all;
  }

private:
  Program &program;
  InFlightFlow flow;
  std::vector<uint64_t> filters;
  std::map<std::pair<uint32_t, const Rule *>, Finding> errors; ///< by operation: further uses are counted

  struct Conflict {
    Operand reg;
    bool reads;
  };

  /// Whether the instruction may only run after the operation has filled its registers; a read is named first.
  std::optional<Conflict> conflict(const Instruction &i, const Instruction &operation, const Outstanding &o) const {
    std::optional<Conflict> read, overwritten;
    auto look = [&](const Operand &result, const Operand &other) {
      if (!other.isRegister() || other.role == isa::Role::Old || !rangeOf(result).overlaps(rangeOf(other)))
        return;
      if (!other.def && !read)
        read = Conflict{other, true};
      if (other.def && !overwritten && !returnsInOrder(i, operation, o))
        overwritten = Conflict{other, false};
    };
    for (const Operand &result : operation.operands) {
      if (!isFilled(result))
        continue;
      for (const Operand &other : i.operands)
        look(result, other);
      for (const Instruction &part : i.components)
        for (const Operand &other : part.operands)
          look(result, other);
    }
    return read ? read : overwritten;
  }

  bool returnsInOrder(const Instruction &newer, const Instruction &older, const Outstanding &o) const {
    const auto generation = program.target.generation;
    if (countersOf(newer) != countersOf(older) || !o.line)
      return false;
    const bool lds = o.counter == Counter::Lgkm || o.counter == Counter::Ds;
    return (lds || generation != target::Generation::Gfx12) &&
           isa::completionLine(newer, o.counter, generation) == o.line;
  }

  void lookAt(InFlight &state, uint32_t number) {
    for (size_t k = 0; k < state.size();) {
      const Outstanding o = state[k];
      if (o.counter == Counter::X) {
        lookAtSource(state, number, o);
        ++k;
        continue;
      }
      auto found = filters[number] & filters[o.operation] ? conflict(program.code[number], program.code[o.operation], o)
                                                          : std::nullopt;
      if (!found) {
        ++k;
        continue;
      }
      if (isUncovered(state, o.operation))
        add(state, number, o, *found);
      else
        program.doubt(number, "whether a FLAT operation goes to memory or to LDS decides if the waits are enough");
      llvm::erase_if(state, [&](const Outstanding &other) {
        return other.operation == o.operation && other.counter != Counter::X;
      });
      k = 0;
    }
  }

  /// Adds to `waits` what makes the instruction wait for all whose registers it uses, with the largest counts.
  void need(const InFlight &state, uint32_t number, isa::Waits &waits) const {
    auto lower = [&](Counter c, uint8_t count) {
      uint8_t &limit = waits.limit[unsigned(c)];
      limit = std::min(limit, count); // `none` is the largest
    };
    const bool isBarrier = arrivesAtBarrier(program.code[number]);
    for (const Outstanding &o : state) {
      if (isBarrier && storesToLds(program.code[o.operation]) && o.counter != Counter::X)
        lower(o.counter, o.line ? o.newer : 0);
      if (!(filters[number] & filters[o.operation]))
        continue;
      if (o.counter == Counter::X) {
        if (overwritesSource(number, o))
          lower(Counter::X, 0);
      } else if (conflict(program.code[number], program.code[o.operation], o) && isUncovered(state, o.operation)) {
        lower(o.counter, o.line ? o.newer : 0);
      }
    }
  }

  /// Whether no counter of the operation has been waited for, at the most favourable order of FLAT.
  bool isUncovered(const InFlight &state, uint32_t operation) const {
    const isa::CounterMask mask = countersOf(program.code[operation]);
    for (unsigned c = 0; c < isa::counterCount; ++c)
      if (mask & (1u << c) && llvm::none_of(state, [&](const Outstanding &o) {
            return o.operation == operation && o.counter == Counter(c) && !o.done;
          }))
        return false;
    return true;
  }

  void lookAtIndexed(const InFlight &state, uint32_t number) {
    for (const Outstanding &o : state)
      for (const Operand &result : program.code[o.operation].operands)
        if (result.def && result.isVgpr()) {
          program.doubt(number, "a register that is reached through an index may be waited for too late");
          return;
        }
  }

  /// gfx1250: a register of the operation that was issued last, and whose addresses may be translated anew. Other
  /// memory operations may overwrite it, since they are translated later. LLVM 22 waits for no earlier operation's
  /// translation.
  void lookAtSource(const InFlight &state, uint32_t number, const Outstanding &o) {
    if (auto found = overwritesSource(number, o))
      add(state, number, o, *found);
  }
  std::optional<Conflict> overwritesSource(uint32_t number, const Outstanding &o) const {
    const Instruction &i = program.code[number], &operation = program.code[o.operation];
    if (o.newer || !(filters[number] & filters[o.operation]) || i.increments & isa::maskOf(Counter::X))
      return std::nullopt;
    std::optional<Conflict> found;
    auto look = [&](const Operand &def) {
      if (!found && def.isRegister() && def.def)
        for (const Operand &source : operation.operands)
          if (source.isRegister() && !source.def && !source.implicit && source.role != isa::Role::Old &&
              rangeOf(source).overlaps(rangeOf(def)))
            found = Conflict{def, false};
    };
    for (const Operand &def : i.operands)
      look(def);
    for (const Instruction &part : i.components)
      for (const Operand &def : part.operands)
        look(def);
    return found;
  }

  void add(const InFlight &state, uint32_t number, const Outstanding &o, const Conflict &found) {
    const bool isSource = o.counter == Counter::X;
    const Rule *rule = findRule(isSource ? "wait-source" : found.reads ? "wait-read" : "wait-overwrite");
    Finding &finding = errors[{o.operation, rule}];
    if (finding.rule) {
      ++finding.others;
      return;
    }
    finding.rule = rule;
    finding.first = o.operation;
    finding.second = number;
    finding.source = program.target.generation == target::Generation::Gfx12 ? "RDNA4 ISA 5.6, CDNA5 ISA 5.7.1; LLVM"
                                                                            : "CDNA3 ISA 4.4; LLVM";
    if (isSource) {
      finding.source = "CDNA5 ISA 5.7.1; LLVM";
      finding.message = isa::toString(found.reg) +
                        " is overwritten, and the operation that reads it may have to translate its address anew: "
                        "`s_wait_xcnt 0` is missing";
    } else {
      finding.message = isa::toString(found.reg) + (found.reads ? " is read" : " is overwritten") +
                        " before its value has arrived: " + missing(state, o.operation) + " is missing";
    }
    finding.path = program.path(o.operation, number,
                                [&](uint32_t block) { return flow.isOutstandingAfter(block, o.operation, isSource); });
  }

  /// "s_waitcnt vmcnt(2)": the largest counts that would do.
  std::string missing(const InFlight &state, uint32_t operation) const {
    std::string text;
    for (const Outstanding &o : state) {
      if (o.operation != operation || o.counter == Counter::X)
        continue;
      const unsigned count = o.line ? o.newer : 0;
      const std::string name = waitName(o.counter, program.target.generation);
      text += (text.empty() ? "`" : " and `") + name;
      text += llvm::StringRef(name).starts_with("s_waitcnt") ? "(" + std::to_string(count) + ")`"
                                                             : " " + std::to_string(count) + "`";
    }
    return text;
  }
};

} // namespace

void findEarlyUses(Program &program) { EarlyUses(program, /*writesOfLds=*/false).find(); }

std::vector<isa::Waits> findNeededWaits(llvm::ArrayRef<isa::Instruction> instructions, const isa::ControlFlow &flow,
                                        const target::Target &target, llvm::function_ref<bool(uint32_t)> isWanted) {
  Result ignored;
  const Options options;
  Program program{instructions, flow, target, options, ignored};
  return EarlyUses(program, /*writesOfLds=*/true).needs(isWanted);
}

} // namespace fly::verify
