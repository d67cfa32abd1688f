// Errors of compiler/dataflow/EarlyUses.h: an instruction that reads or overwrites a register while the operation that
// fills it may be outstanding (rules `wait-read`, `wait-overwrite`), or one that may still be read (`wait-source`).
//
// Registers that a memory operation reads: data of wide stores on gfx942 and gfx950 is a distance (rule `store-data`).
// gfx1250 may read them again.
//
// Scalar loads return in any order. Where both loads of a register are of the same bytes, the order does not matter
// unless the memory changes between the two: a doubt.
//
//     s_load_dwordx2 s[96:97], s[0:1], 0x10
//     s_load_dword s96, s[0:1], 0x10
#include "compiler/dataflow/EarlyUses.h"
#include "compiler/verify/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace fly::verify {

namespace {

using dataflow::Conflict;
using dataflow::EarlyUse;
using dataflow::InFlight;
using dataflow::Outstanding;
using isa::Counter;
using isa::Operand;

const char *waitName(Counter c, const target::Generation &generation) {
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
  case Counter::Vs: return "s_waitcnt_vscnt null,";
  case Counter::Lgkm: return "s_waitcnt lgkmcnt";
  default: return generation.splitCounters ? "s_wait_expcnt" : "s_waitcnt expcnt";
  }
}

class EarlyUseErrors {
public:
  explicit EarlyUseErrors(Program &program)
      : program(program), flow(program.code, program.flow, program.target, dataflow::Follow::Results), uses(flow) {}

  void find() {
    auto blocks = program.flow.blocks();
    bool indexed = false; // between s_set_gpr_idx_on and _off
    uses.walk([&](uint32_t i, llvm::ArrayRef<EarlyUse> early, const InFlight &before) {
      const isa::Block &block = blocks[program.flow.blockOf(i)];
      if (i == block.first)
        indexed = false;
      for (const EarlyUse &use : early)
        if (use.certain)
          add(use);
        else
          program.gap(i, "whether a FLAT operation goes to memory or to LDS decides if the waits are enough");
      for (const Outstanding &o : before)
        if (o.counter == Counter::X)
          if (auto found = uses.overwrittenSource(i, o))
            addSource(i, o, *found);
      const llvm::StringRef op = isa::name(program.code[i].op);
      if (op.starts_with("S_SET_GPR_IDX"))
        indexed = !op.starts_with("S_SET_GPR_IDX_OFF");
      else if ((indexed && program.code[i].is(isa::Class::Vector)) || op.contains("MOVREL") || op.contains("SWAPREL"))
        lookAtIndexed(before, i);
      if (indexed && i + 1 == block.last)
        program.gap(i, "registers are reached through an index");
    });
    for (auto &[key, finding] : errors)
      program.found(std::move(finding));
  }

private:
  Program &program;
  const dataflow::InFlightFlow flow;
  const dataflow::EarlyUses uses;
  std::map<std::pair<uint32_t, const Rule *>, Finding> errors; ///< by operation: further uses are counted

  void lookAtIndexed(const InFlight &state, uint32_t number) {
    for (const Outstanding &o : state)
      for (const Operand &result : program.code[o.operation].operands)
        if (result.def && result.isVgpr()) {
          program.gap(number, "a register that is reached through an index may be waited for too late");
          return;
        }
  }

  /// The finding of an operation and a rule, unless there is one: then the use is counted there.
  Finding *begin(const char *ruleName, uint32_t operation, uint32_t instruction, bool translation) {
    const Rule *rule = findRule(ruleName);
    Finding &finding = errors[{operation, rule}];
    if (finding.rule) {
      ++finding.others;
      return nullptr;
    }
    finding.rule = rule;
    finding.first = operation;
    finding.second = instruction;
    finding.path = jumpsOf(operation, uses.path(operation, instruction, translation));
    return &finding;
  }

  void add(const EarlyUse &use) {
    Finding *finding =
        begin(use.conflict.reads ? "wait-read" : "wait-overwrite", use.operation, use.instruction, false);
    if (!finding)
      return;
    finding->source = std::string(program.target.generation.waitSection) + "; LLVM";
    finding->message = isa::toString(use.conflict.operand) + (use.conflict.reads ? " is read" : " is overwritten") +
                       " before its value has arrived: " + missing(use) + " is missing";
    if (!use.conflict.reads && loadsTheSame(program.code[use.operation], program.code[use.instruction]) &&
        keepsBase(use.operation, use.instruction))
      finding->doubt = "both load the same bytes, which matters only if these change in between";
  }

  /// Whether both are scalar loads, and give the registers that they share the same bytes, if the registers of their
  /// addresses are the same.
  static bool loadsTheSame(const isa::Instruction &a, const isa::Instruction &b) {
    const auto kindOf = [](const isa::Instruction &i) {
      const llvm::StringRef op = isa::name(i.op);
      return !i.is(isa::Class::ScalarMemory) || !i.mayLoad || i.mayStore || !op.contains("LOAD_") ? llvm::StringRef()
             : op.contains("LOAD_DWORD") || op.contains("LOAD_B") ? op.split("LOAD_").first
                                                                  : op;
    };
    if (kindOf(a).empty() || kindOf(a) != kindOf(b) || a.modifiers.scaleOffset != b.modifiers.scaleOffset)
      return false;
    const Operand *toA = a.find(isa::Role::Dst), *toB = b.find(isa::Role::Dst);
    if (!toA || !toB || !toA->isSgpr() || !toB->isSgpr())
      return false;
    for (isa::Role role : {isa::Role::Saddr, isa::Role::Srsrc, isa::Role::Soffset}) {
      const Operand *x = a.find(role), *y = b.find(role);
      if (!x != !y || (x && !isSame(*x, *y)))
        return false;
    }
    return a.modifiers.offset - 4 * int64_t(toA->index) == b.modifiers.offset - 4 * int64_t(toB->index);
  }
  static bool isSame(const Operand &x, const Operand &y) {
    if (x.isRegister() != y.isRegister())
      return false;
    return x.isRegister() ? x.file == y.file && x.index == y.index && x.sub == y.sub && x.width == y.width
                          : x.bits == y.bits;
  }

  /// Whether no instruction on a way from the one load to the other writes a register of their address.
  bool keepsBase(uint32_t operation, uint32_t instruction) const {
    const auto changes = [&](uint32_t i) {
      return llvm::any_of(program.code[operation].operands, [&](const Operand &base) {
        return base.isRegister() && !base.def && !base.implicit &&
               llvm::any_of(program.code[i].operands, [&](const Operand &o) {
                 return o.def && o.isRegister() && o.file == base.file &&
                        (o.isSpecial() ? o.index == base.index
                                       : o.index < base.index + base.width && base.index < o.index + o.width);
               });
      });
    };
    auto blocks = program.flow.blocks();
    std::set<uint32_t> seen;
    std::vector<uint32_t> work; ///< blocks to walk against the flow, from their ends
    /// Whether the block has been walked, from `end` up, without a change; then its predecessors follow.
    const auto walk = [&](uint32_t block, uint32_t end) {
      for (uint32_t i = end; i-- > blocks[block].first;) {
        if (changes(i))
          return false;
        if (i == operation)
          return true;
      }
      for (uint32_t p : blocks[block].predecessors)
        if (program.flow.reachable(p) && seen.insert(p).second &&
            llvm::any_of(flow.after(p), [&](const Outstanding &o) { return o.operation == operation; }))
          work.push_back(p);
      return true;
    };
    if (!walk(program.flow.blockOf(instruction), instruction))
      return false;
    while (!work.empty()) {
      const uint32_t block = work.back();
      work.pop_back();
      if (!walk(block, blocks[block].last))
        return false;
    }
    return true;
  }

  void addSource(uint32_t number, const Outstanding &o, const Conflict &found) {
    if (Finding *finding = begin("wait-source", o.operation, number, true)) {
      finding->source = "CDNA5 ISA 5.7.1; LLVM";
      finding->message = isa::toString(found.operand) +
                         " is overwritten, and the operation that reads it may have to translate its address anew: "
                         "`s_wait_xcnt 0` is missing";
    }
  }

  /// The jumps at the ends of the blocks on a path, but for the last.
  std::vector<uint32_t> jumpsOf(uint32_t operation, llvm::ArrayRef<uint32_t> path) const {
    std::vector<uint32_t> jumps;
    uint32_t block = program.flow.blockOf(operation);
    for (uint32_t next : path) {
      const uint32_t last = program.flow.blocks()[block].last - 1;
      if (program.code[last].isBranch())
        jumps.push_back(last);
      block = next;
    }
    return jumps;
  }

  /// "`s_waitcnt vmcnt(2)`": the largest counts that would do.
  std::string missing(const EarlyUse &use) const {
    std::string text;
    for (const EarlyUse::Wait &wait : use.waits) {
      const std::string name = waitName(wait.counter, program.target.generation), count = std::to_string(wait.count);
      text += (text.empty() ? "`" : " and `") + name;
      text += llvm::StringRef(name).starts_with("s_waitcnt ") ? "(" + count + ")`" : " " + count + "`";
    }
    return text;
  }
};

} // namespace

void findEarlyUses(Program &program) { EarlyUseErrors(program).find(); }

} // namespace fly::verify
