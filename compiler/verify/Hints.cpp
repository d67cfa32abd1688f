// What may be wrong, and cannot be decided from the code alone; shown with `--may`. Code that is right often looks like it,
// so each kind speaks only where the usual reason to be right is missing, and once a kernel.
//
// Barriers: every wave of a workgroup must pass the same ones. Where paths with different numbers of barriers meet, all
// waves must have taken the same one. Loops and `if`s about arguments decide alike in all waves; the hint is about
// branches that depend on the wave (WaveBranches.cpp), and about meeting before another barrier: the hardware does not
// count a wave that has ended. The graph without its back edges is walked; a block where a difference has been found
// continues with the larger number, so that one difference is one place.
//
// Loads to LDS: they are not ordered with later reads of LDS by the same wave. Code that loads ahead reads one part
// while another one is filled, and waits later. The hint is about a load that no wait ever covers before a read.
//
// LDS at a barrier: what a wave has written is there for the others only after its own wait. Whether another wave reads
// it after this barrier depends on addresses.
#include "compiler/dataflow/InFlight.h"
#include "compiler/verify/Program.h"
#include "compiler/verify/WaveBranches.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <optional>
#include <set>

namespace fly::verify {

namespace {

bool isBarrier(const isa::Instruction &i) {
  const llvm::StringRef op = isa::name(i.op);
  return i.is(isa::Class::Barrier) && (op == "S_BARRIER" || op.starts_with("S_BARRIER_WAIT"));
}

bool readsLds(const isa::Instruction &i) {
  const llvm::StringRef op = isa::name(i.op);
  return i.is(isa::Class::Lds) && i.mayLoad && !op.contains("PERMUTE") && !op.contains("SWIZZLE");
}

/// By block: whether it, or one that it leads to, has such an instruction.
std::vector<bool> findComing(const Program &program, bool (*isSuch)(const isa::Instruction &)) {
  auto blocks = program.flow.blocks();
  std::vector<bool> coming(blocks.size());
  std::vector<uint32_t> work;
  for (uint32_t b = 0; b < blocks.size(); ++b)
    if (llvm::any_of(program.code.slice(blocks[b].first, blocks[b].last - blocks[b].first), isSuch))
      coming[b] = true, work.push_back(b);
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    for (uint32_t p : blocks[b].predecessors)
      if (!coming[p])
        coming[p] = true, work.push_back(p);
  }
  return coming;
}

/// One finding a kernel and rule; those of other first instructions are counted.
class HintList {
public:
  void add(const char *rule, uint32_t first, uint32_t second, std::string message) {
    if (!places.insert({rule, first}).second)
      return;
    auto [known, isNew] = hints.try_emplace(rule);
    if (isNew)
      known->second = {findRule(rule), first, second, std::move(message), ""};
    else
      ++known->second.others;
  }
  void report(Program &program) {
    for (auto &[rule, hint] : hints)
      program.found(std::move(hint));
  }

private:
  std::map<llvm::StringRef, Finding> hints;
  std::set<std::pair<llvm::StringRef, uint32_t>> places;
};

/// Of the ways from a block to the one where they meet.
struct Barriers {
  unsigned fewest = 0, most = 0;
  bool operator==(const Barriers &) const = default;
};

/// Whether a branch of the waves decides how many barriers they pass before they come to `meeting`: the ways from the
/// one side of it have other numbers than those from the other side.
bool areDivided(const Program &program, llvm::ArrayRef<unsigned> counts, const std::vector<bool> &ofWaves,
                uint32_t meeting) {
  const uint32_t from = program.flow.immediateDominator(meeting);
  std::vector<std::optional<Barriers>> ways(meeting - from + 1); // by block, from `from` on
  ways[meeting - from] = Barriers();
  for (uint32_t b = meeting; b-- > from;) {
    std::optional<Barriers> all;
    for (uint32_t to : program.flow.blocks()[b].successors) {
      if (to <= b || to > meeting || !ways[to - from])
        continue;
      const Barriers &way = *ways[to - from];
      if (all && ofWaves[b] && *all != way)
        return true;
      all = all ? Barriers{std::min(all->fewest, way.fewest), std::max(all->most, way.most)} : way;
    }
    if (all)
      ways[b - from] = Barriers{all->fewest + counts[b], all->most + counts[b]};
  }
  return false;
}

void findBarrierCounts(const Program &program, HintList &hints) {
  auto blocks = program.flow.blocks();
  struct Count {
    unsigned barriers = 0;
    uint32_t last = 0;
    bool known = false;
  };
  std::vector<Count> in(blocks.size());
  llvm::SmallVector<unsigned> counts;
  for (const isa::Block &b : blocks)
    counts.push_back(unsigned(llvm::count_if(program.code.slice(b.first, b.last - b.first), isBarrier)));
  const std::vector<bool> barriersAfter = findComing(program, isBarrier);
  std::optional<std::vector<bool>> ofWaves;
  in[0].known = true;
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!in[b].known)
      continue;
    Count out = in[b];
    for (uint32_t i = blocks[b].first; counts[b] && i < blocks[b].last; ++i)
      if (isBarrier(program.code[i])) {
        ++out.barriers;
        out.last = i;
      }
    for (uint32_t to : blocks[b].successors) {
      if (to <= b)
        continue; // a back edge: blocks are in order of address
      if (in[to].known && in[to].barriers != out.barriers && barriersAfter[to]) {
        if (!ofWaves)
          ofWaves = findBranchesOfWaves(program);
        if (areDivided(program, counts, *ofWaves, to))
          hints.add("barrier-count", (in[to].barriers > out.barriers ? in[to] : out).last, blocks[to].first,
                    "waves that passed " + std::to_string(in[to].barriers) + " and " + std::to_string(out.barriers) +
                        " barriers meet here before another one, and a branch that depends on the wave decides");
      }
      if (!in[to].known || in[to].barriers < out.barriers)
        in[to] = out;
    }
  }
}

class LdsOverlaps {
public:
  LdsOverlaps(const Program &program, HintList &hints)
      : program(program), hints(hints),
        flow(program.code, program.flow, program.target, dataflow::Follow::ResultsAndLds) {}

  void find() {
    findWaitedFor();
    walk([&](uint32_t i, const dataflow::InFlight &state, const dataflow::InFlight &) {
      const bool reads = readsLds(program.code[i]), barrier = dataflow::arrivesAtBarrier(program.code[i]);
      if (!reads && !barrier)
        return;
      for (const dataflow::Outstanding &o : state) {
        const isa::Instruction &operation = program.code[o.operation];
        if (o.counter == isa::Counter::X)
          continue;
        if (reads && dataflow::movesToLds(operation) && !waitedFor.count(o.operation))
          hints.add("lds-dma", o.operation, i,
                    "LDS is read while this wave's load to LDS is in flight, and no wait for it comes before a read");
        if (barrier && dataflow::storesToLds(operation) && !dataflow::movesToLds(operation))
          hints.add("lds-barrier", o.operation, i,
                    "a barrier while this wave's write to LDS is in flight: no other wave may read it yet");
      }
    });
  }

private:
  const Program &program;
  HintList &hints;
  const dataflow::InFlightFlow flow;
  std::set<uint32_t> waitedFor; ///< loads to LDS that a wait covers, with a read of LDS on a way after it

  template <class Visit> void walk(Visit visit) const {
    auto blocks = program.flow.blocks();
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      if (!program.flow.reachable(b))
        continue;
      dataflow::InFlight state = flow.before(b), after;
      for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
        after = state;
        flow.step(after, i);
        visit(i, state, after);
        std::swap(state, after);
      }
    }
  }

  void findWaitedFor() {
    const std::vector<bool> readsAfter = findComing(program, readsLds);
    auto blocks = program.flow.blocks();
    walk([&](uint32_t i, const dataflow::InFlight &state, const dataflow::InFlight &after) {
      if (after.size() >= state.size())
        return;
      const isa::Block &block = blocks[program.flow.blockOf(i)];
      if (llvm::none_of(program.code.slice(i, block.last - i), readsLds) &&
          llvm::none_of(block.successors, [&](uint32_t b) { return readsAfter[b]; }))
        return;
      for (const dataflow::Outstanding &o : state)
        if (dataflow::movesToLds(program.code[o.operation]) &&
            llvm::none_of(after, [&](const dataflow::Outstanding &each) { return each.operation == o.operation; }))
          waitedFor.insert(o.operation);
    });
  }
};

} // namespace

void findHints(Program &program) {
  HintList hints;
  findBarrierCounts(program, hints);
  LdsOverlaps(program, hints).find();
  hints.report(program);
}

} // namespace fly::verify
