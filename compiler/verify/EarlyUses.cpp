// Errors of compiler/dataflow/EarlyUses.h: an instruction that reads or overwrites a register while the operation that
// fills it may be outstanding (rules `wait-read`, `wait-overwrite`), or one that may still be read (`wait-source`).
//
// Registers that a memory operation reads: data of wide stores on gfx942 and gfx950 is a distance (rule `store-data`).
// gfx1250 may read them again.
#include "compiler/dataflow/EarlyUses.h"
#include "compiler/verify/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

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
          program.doubt(i, "whether a FLAT operation goes to memory or to LDS decides if the waits are enough");
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
        program.doubt(i, "registers are reached through an index");
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
          program.doubt(number, "a register that is reached through an index may be waited for too late");
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
