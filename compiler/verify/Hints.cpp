// What may be wrong, and cannot be decided from the code alone; shown with `--may`.
//
// Barriers: every wave of a workgroup must pass the same ones. Where two paths meet after different numbers of
// barriers, all waves must have taken the same one, which depends on data. The graph without its back edges is walked;
// a block where a difference has been reported continues with the larger number, so that one difference is one hint.
//
// Loads to LDS: they are not ordered with later reads of LDS by the same wave. Whether a read concerns their bytes
// depends on addresses.
//
// LDS at a barrier: what a wave has written is there for the others only after its own wait. Whether another wave reads
// it after this barrier depends on addresses, too.
#include "compiler/dataflow/InFlight.h"
#include "compiler/verify/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace fly::verify {

namespace {

bool isBarrier(const isa::Instruction &i) {
  const llvm::StringRef op = isa::name(i.op);
  return i.is(isa::Class::Barrier) && (op == "S_BARRIER" || op.starts_with("S_BARRIER_WAIT"));
}

void findBarrierCounts(Program &program) {
  auto blocks = program.flow.blocks();
  struct Count {
    unsigned barriers = 0;
    uint32_t last = 0;
    bool known = false;
  };
  std::vector<Count> in(blocks.size());
  in[0].known = true;
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!in[b].known)
      continue;
    Count out = in[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
      if (isBarrier(program.code[i])) {
        ++out.barriers;
        out.last = i;
      }
    for (uint32_t to : blocks[b].successors) {
      if (to <= b)
        continue; // a back edge: blocks are in order of address
      if (in[to].known && in[to].barriers != out.barriers) {
        const Count &more = in[to].barriers > out.barriers ? in[to] : out;
        program.found({findRule("barrier-count"),
                       more.last,
                       blocks[to].first,
                       "waves that passed " + std::to_string(in[to].barriers) + " and " + std::to_string(out.barriers) +
                           " barriers meet here: all must have taken the same path",
                       "",
                       {}});
      }
      if (!in[to].known || in[to].barriers < out.barriers)
        in[to] = out;
    }
  }
}

bool readsLds(const isa::Instruction &i) {
  const llvm::StringRef op = isa::name(i.op);
  return i.is(isa::Class::Lds) && i.mayLoad && !op.contains("PERMUTE") && !op.contains("SWIZZLE");
}

void findLdsOverlaps(Program &program) {
  const dataflow::InFlightFlow flow(program.code, program.flow, program.target, dataflow::Follow::ResultsAndLds);
  auto blocks = program.flow.blocks();
  std::map<std::pair<uint32_t, const Rule *>, Finding> hints; ///< by what writes LDS
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    dataflow::InFlight state = flow.before(b);
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      const bool reads = readsLds(program.code[i]), barrier = dataflow::arrivesAtBarrier(program.code[i]);
      for (const dataflow::Outstanding &o : state) {
        const isa::Instruction &operation = program.code[o.operation];
        if (!(reads || barrier) || o.counter == isa::Counter::X ||
            !(dataflow::movesToLds(operation) || (barrier && dataflow::storesToLds(operation))))
          continue;
        const Rule *rule = findRule(reads ? "lds-dma" : "lds-barrier");
        Finding &hint = hints[{o.operation, rule}];
        if (hint.rule)
          ++hint.others;
        else
          hint = {rule,
                  o.operation,
                  i,
                  reads ? "LDS is read while this wave's load to LDS is in flight: the two must not overlap"
                        : "a barrier while this wave's write to LDS is in flight: no other wave may read it yet",
                  "",
                  {}};
      }
      flow.step(state, i);
    }
  }
  for (auto &[key, hint] : hints)
    program.found(std::move(hint));
}

} // namespace

void findHints(Program &program) {
  findBarrierCounts(program);
  findLdsOverlaps(program);
}

} // namespace fly::verify
