// Which values differ between the threads of a workgroup, and which blocks only some of them enter.
//
// A value is divergent if it is computed from a thread's own index, read at an address that is, or the result of an
// atomic operation; what memory holds at one place is otherwise taken to be the same for all. Control spreads it: where
// the ways of a divergent branch meet, the block's arguments differ, and so does what leaves a loop that threads leave
// at different turns. The blocks between a divergent branch and the place where all its ways have met again are those
// that only some threads enter. (The same notions as LLVM's uniformity analysis, for a workgroup instead of a wave.)
//
// What all lanes of a wave agree on (readlane, ballot, the wave's index) still differs between the waves of a
// workgroup, unless it has only one.
//
// A condition that the ranges of the indices decide (`thread_id.x < 256` of 256 threads) divides nobody. Among the
// lanes of a wave, or of a part of it, neither does one that whole groups of lanes pass (`thread_id.x < 64`):
// LaneGroups.h.
//
// A barrier of the cluster is asked twice: what differs between the threads of a workgroup, and what differs between
// the workgroups of a cluster, which adds their own indices.
#include "compiler/analysis/Divergence.h"
#include "compiler/atom/Copy.h"
#include "compiler/dialect/CopyAttributes.h"
#include "compiler/dialect/WaveActions.h"
#include "compiler/analysis/BarrierCounts.h"
#include "compiler/analysis/LaneGroups.h"
#include "compiler/analysis/Ranges.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

namespace fly::analysis {

namespace {
using mlir::Block;
using mlir::Operation;
using mlir::cf::CondBranchOp;

class Divergence {
public:
  /// Between whose threads: `lanes` of a wave that are next to each other, or all of a workgroup or cluster.
  enum class Among { Lanes, Workgroup, Cluster };
  /// `lanes`: of a group, else of a wave. `divisors`: of the kernel's arguments, where known.
  Divergence(ir::KernelOp kernel, Ranges &ranges, Among among, int64_t lanes, llvm::ArrayRef<int64_t> divisors = {})
      : kernel(kernel), region(kernel.getBody()), ranges(ranges), among(among), lanes(lanes), divisors(divisors),
        dominance(kernel), postDominance(kernel) {
    if (among == Among::Lanes)
      oneWave = true;
    else if (auto block = kernel.getKnownBlock(); block && among == Among::Workgroup)
      oneWave = int64_t((*block)[0]) * (*block)[1] * (*block)[2] <= lanes;
    if (!region.hasOneBlock())
      loops.emplace(dominance.getDomTree(&region));
    spread();
  }

  bool differs(mlir::Value value) const { return granule(value) != 1; }
  const llvm::DenseMap<mlir::Value, Granule> &all() const { return granules; }
  /// The divergent branch because of which only some threads enter the block.
  CondBranchOp divider(Block *block) const {
    for (auto &[branch, inside] : influence)
      if (inside.contains(block))
        return branch;
    return {};
  }
  /// All such branches.
  std::vector<CondBranchOp> dividers(Block *block) const {
    std::vector<CondBranchOp> all;
    for (auto &[branch, inside] : influence)
      if (inside.contains(block))
        all.push_back(branch);
    return all;
  }

  /// The block where all ways of a branch have met again; null if some never do.
  Block *meetingOf(Block *block) {
    if (region.hasOneBlock())
      return nullptr;
    auto *node = postDominance.getDomTree(&region).getNode(block);
    auto *meeting = node ? node->getIDom() : nullptr;
    return meeting ? meeting->getBlock() : nullptr;
  }

private:
  void spread() {
    region.walk([&](Operation *op) {
      if (auto id = llvm::dyn_cast<ir::ThreadIdOp>(op)) {
        auto known = kernel.getKnownBlock();
        if (among == Among::Lanes)
          mark(id.getResult(), granuleOf(id, lanes));
        else if (!known || (*known)[unsigned(id.getDimension())] != 1)
          mark(id.getResult());
      } else if (auto id = llvm::dyn_cast<ir::BlockIdOp>(op))
        markInCluster(id);
      else if (auto id = llvm::dyn_cast<ir::ClusterBlockIdOp>(op))
        markInCluster(id);
      else if (llvm::isa<ir::ClusterRankOp>(op) && among == Among::Cluster)
        mark(op->getResult(0));
      else if (llvm::isa<ir::LaneIdOp>(op))
        mark(op->getResult(0), among == Among::Lanes ? Granule(lanes) : mixed);
      else if (llvm::isa<ir::AtomicOp, ir::CompareExchangeOp>(op) || (llvm::isa<ir::WaveIdOp>(op) && !oneWave))
        mark(op->getResult(0)); // each atomic sees another moment
      else if (auto wave = llvm::dyn_cast<ir::WaveOp>(op); wave && ir::info(wave.getAction()).differs)
        mark(op->getResult(0));
      else if (auto exact = llvm::dyn_cast<ir::ExactOp>(op)) {
        for (auto [result, file] : llvm::zip(exact.getResults(), exact.getFiles()))
          if (!isEqualInWave(exact, result, file))
            mark(result);
      } else if (auto load = llvm::dyn_cast<ir::PtrLoadOp>(op);
                 load && load.getPointer().getType().getSpace() == ir::AddressSpace::Private)
        mark(load.getResult());
    });
    while (!work.empty())
      for (auto *user : work.pop_back_val().getUsers())
        visit(user);
  }

  /// What an exact instruction computes is not known here: a scalar register has one value in a wave, all others may
  /// differ.
  bool isEqualInWave(ir::ExactOp, mlir::Value result, char file) const {
    return file == 's' && !result.getType().isInteger(1) && (among == Among::Lanes || oneWave);
  }

  /// Workgroups of a cluster have different indices along the dimensions in which it extends.
  template <typename Id> void markInCluster(Id id) {
    auto cluster = kernel.getKnownCluster();
    if (among == Among::Cluster && cluster && (*cluster)[unsigned(id.getDimension())] != 1)
      mark(id.getResult());
  }

  Granule granule(mlir::Value value) const {
    auto known = granules.find(value);
    return known == granules.end() ? 1 : known->second;
  }

  /// Granules only grow.
  void mark(mlir::Value value, Granule granule = mixed) {
    if (granule <= 1)
      return;
    auto [known, isNew] = granules.try_emplace(value, granule);
    if (!isNew && granule <= known->second)
      return;
    known->second = granule;
    work.push_back(value);
  }

  void visit(Operation *user) {
    if (auto branch = llvm::dyn_cast<CondBranchOp>(user);
        branch && differs(branch.getCondition()) && !isDecided(branch))
      divide(branch);
    if (auto branch = llvm::dyn_cast<mlir::BranchOpInterface>(user)) {
      for (unsigned s = 0; s < user->getNumSuccessors(); ++s)
        for (auto [i, operand] : llvm::enumerate(branch.getSuccessorOperands(s).getForwardedOperands()))
          mark(user->getSuccessor(s)->getArgument(unsigned(i)), granule(operand));
      return;
    }
    if (auto store = llvm::dyn_cast<ir::SlotStoreOp>(user))
      return markSlot(store.getSlot(), granule(store.getValue()));
    if (auto copy = llvm::dyn_cast<ir::CopyOp>(user)) {
      if (auto fragment = copy.getDestination().getDefiningOp<ir::FragmentOp>())
        for (mlir::Value slot : fragment.getSlots())
          markSlot(slot, mixed);
      return;
    }
    if (auto wave = llvm::dyn_cast<ir::WaveOp>(user); wave && oneWave && ir::info(wave.getAction()).equalInWave)
      return;
    if (llvm::isa<ir::ExactOp>(user)) // marked already
      return;
    Granule granule = among == Among::Lanes ? granuleOfResults(user, {ofValue, isNonNegative, ofArgument}) : mixed;
    for (auto result : user->getResults())
      mark(result, granule);
  }

  /// What is read from a slot differs as what is written to it does.
  void markSlot(mlir::Value slot, Granule granule) {
    auto [known, isNew] = slots.try_emplace(slot, granule);
    if (granule <= 1 || (!isNew && granule <= known->second))
      return;
    known->second = granule;
    for (auto *user : slot.getUsers())
      if (llvm::isa<ir::SlotLoadOp, ir::FragmentOp>(user))
        mark(user->getResult(0), granule);
  }

  bool isDecided(CondBranchOp branch) {
    auto *range = ranges.of(branch.getCondition());
    return range && range->getConstantValue().has_value();
  }

  void divide(CondBranchOp branch) {
    if (influence.count(branch) || branch.getTrueDest() == branch.getFalseDest())
      return;
    Block *meeting = meetingOf(branch->getBlock());
    auto &inside = influence[branch];
    // Each block is labelled with the way that leads to it; two labels make it a place where ways meet.
    llvm::DenseMap<Block *, Block *> label;
    llvm::SmallVector<Block *> queue;
    auto reach = [&](Block *block, Block *way) {
      auto [entry, isNew] = label.try_emplace(block, way);
      if (!isNew && (entry->second == way || entry->second == block))
        return;
      if (!isNew) {
        entry->second = block;
        differ(block);
      }
      if (block != meeting)
        queue.push_back(block);
    };
    reach(branch.getTrueDest(), branch.getTrueDest());
    reach(branch.getFalseDest(), branch.getFalseDest());
    while (!queue.empty()) {
      Block *block = queue.pop_back_val();
      inside.insert(block);
      for (auto *next : block->getSuccessors())
        reach(next, label[block]);
    }
    leaveLoops(branch, inside);
  }

  /// The arguments of a block whose ways bring different values.
  void differ(Block *block) {
    for (auto argument : block->getArguments()) {
      mlir::Value first;
      bool same = true;
      for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
        auto operand = llvm::cast<mlir::BranchOpInterface>((*it)->getTerminator())
                           .getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()];
        same &= !first || first == operand;
        first = operand;
      }
      if (!same)
        mark(argument);
    }
  }

  /// Values of a loop that threads leave in different iterations differ after it.
  void leaveLoops(CondBranchOp branch, const llvm::SmallPtrSetImpl<Block *> &inside) {
    for (auto *loop = loops ? loops->getLoopFor(branch->getBlock()) : nullptr; loop; loop = loop->getParentLoop()) {
      bool leaves = llvm::any_of(loop->getBlocks(), [&](Block *block) {
        return (inside.contains(block) || block == branch->getBlock()) &&
               llvm::any_of(block->getSuccessors(), [&](Block *next) { return !loop->contains(next); });
      });
      if (!leaves)
        continue;
      auto escapes = [&](mlir::Value value) {
        for (auto *user : value.getUsers())
          if (!loop->contains(region.findAncestorBlockInRegion(*user->getBlock())))
            return mark(value);
      };
      for (auto *block : loop->getBlocks()) {
        llvm::for_each(block->getArguments(), escapes);
        for (auto &op : *block)
          llvm::for_each(op.getResults(), escapes);
      }
    }
  }

  // What the rules of granules ask for.
  std::function<Granule(mlir::Value)> ofValue = [this](mlir::Value value) { return granule(value); };
  std::function<bool(mlir::Value)> isNonNegative = [this](mlir::Value value) {
    auto *range = ranges.of(value);
    return range && range->smin().isNonNegative();
  };
  std::function<uint64_t(mlir::BlockArgument)> ofArgument = [this](mlir::BlockArgument argument) -> uint64_t {
    bool isOfKernel = argument.getOwner() == &region.front() && argument.getArgNumber() < divisors.size();
    uint64_t divisor = isOfKernel ? uint64_t(divisors[argument.getArgNumber()]) : 1;
    return divisor & -divisor;
  };

  ir::KernelOp kernel;
  mlir::Region &region;
  Ranges &ranges;
  bool oneWave = false; ///< all threads that are compared are in a single wave
  Among among;
  int64_t lanes;
  llvm::ArrayRef<int64_t> divisors;
  mlir::DominanceInfo dominance;
  mlir::PostDominanceInfo postDominance;
  std::optional<mlir::CFGLoopInfo> loops;
  llvm::DenseMap<mlir::Value, Granule> granules; ///< of values that differ: more than 1
  llvm::DenseMap<mlir::Value, Granule> slots;    ///< the largest of what is written to them
  llvm::SmallVector<mlir::Value> work;
  llvm::MapVector<CondBranchOp, llvm::SmallPtrSet<Block *, 16>> influence;
};
} // namespace

// ---------------------------------------------------------------------------------------------------------
// What lanes do together

namespace {
/// `lanes`: of an aligned group that does it together; 0: the whole workgroup or cluster.
struct Meeting {
  Operation *op;
  int64_t lanes;
};
} // namespace

static std::vector<Meeting> meetingsOf(Context &context) {
  std::vector<Meeting> all;
  context.kernel.walk([&](Operation *op) {
    if (llvm::isa<ir::BarrierOp, ir::ClusterBarrierOp>(op))
      all.push_back({op, op->hasAttr(ir::staggeredAttr) ? context.target.waveSize : 0});
    else if (auto together = llvm::dyn_cast<ir::TogetherOp>(op))
      all.push_back({op, together.getLanes()});
    else if (auto copy = llvm::dyn_cast<ir::CopyOp>(op); copy && copy.getAtom().row().transposes)
      // gfx950 exchanges among 16 lanes; RDNA4 ISA manual, 11.6.2: EXEC is all ones or zero.
      all.push_back({op, context.target.waveSize == 64 ? 16 : context.target.waveSize});
  });
  return all;
}

/// Of a call of `together()`, the call by which the program came into the file that has it, for there the condition can
/// be changed.
static SourceRange rangeOf(Context &context, Operation *op) {
  const SourceRange own = context.rangeOf(op);
  if (!llvm::isa<ir::TogetherOp>(op))
    return own;
  const auto calls = ir::callsIn(op->getLoc());
  for (mlir::Location call : calls)
    if (SourceRange range = context.places.of(call); range.file != own.file)
      return range;
  return calls.empty() ? own : context.places.of(calls.front());
}

/// What is at the place, as a call: `barrier()`.
static std::string nameOf(Context &context, Operation *op, SourceRange range) {
  llvm::StringRef name = ir::nameIn(op->getLoc());
  if (llvm::isa<ir::CopyOp>(op))
    return name.str();
  if (llvm::isa<ir::TogetherOp>(op)) { // as the program calls the function
    llvm::StringRef called = context.textOf(range).take_until([](char c) { return c == '('; });
    if (!called.empty() && llvm::all_of(called, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }))
      name = called;
  }
  return name.str() + "()";
}

/// Labels the condition that divides those who should meet.
static void labelCondition(Context &context, DiagnosticBuilder &builder, CondBranchOp branch, llvm::StringRef between) {
  if (SourceRange condition = context.rangeOf(branch); condition.valid())
    builder.label(condition, "differs between " + between);
}

/// Whether no condition that differs between the lanes of a group leads to something that they do together.
static bool checkCollectives(Context &context, const std::vector<Meeting> &meetings, llvm::ArrayRef<int64_t> divisors) {
  ir::KernelOp kernel = context.kernel;
  std::map<int64_t, std::unique_ptr<Divergence>> among;
  bool good = true;
  for (auto &[op, lanes] : meetings) {
    if (!lanes)
      continue;
    if (auto block = kernel.getKnownBlock()) // the last wave is not whole
      if (int64_t threads = int64_t((*block)[0]) * (*block)[1] * (*block)[2]; threads % lanes) {
        good = false;
        const SourceRange range = rangeOf(context, op);
        context.reporter.report(range, diag::not_a_multiple{.what = "the block size of a kernel that uses `" +
                                                                    nameOf(context, op, range) + "`",
                                                            .unit = lanes,
                                                            .found = threads});
        continue;
      }
    if (op->getBlock()->isEntryBlock()) // all threads enter it
      continue;
    auto &divergence = among[lanes];
    if (!divergence)
      divergence = std::make_unique<Divergence>(kernel, context.ranges, Divergence::Among::Lanes, lanes, divisors);
    auto branch = divergence->divider(op->getBlock());
    if (!branch)
      continue;
    good = false;
    const bool isMark = llvm::isa<ir::TogetherOp>(op);
    const SourceRange range = rangeOf(context, op);
    if (llvm::isa<ir::BarrierOp>(op)) {
      auto builder = context.reporter.report(
          range, diag::divergent_barrier{.name = nameOf(context, op, range), .what = "the lanes of a wave"});
      labelCondition(context, builder, branch, "the lanes");
      builder.help("a wave arrives at a barrier as a whole: use a condition on `wave_id`");
      continue;
    }
    auto builder = context.reporter.report(
        range, diag::divergent_collective{.name = nameOf(context, op, range),
                                          .effect = isMark ? "the excluded lanes contribute nothing"
                                                           : "the excluded lanes do not read what the others receive"});
    labelCondition(context, builder, branch, "the lanes");
    builder.help(
        isMark ? "call it for all lanes, before the `if`; lanes that should not count contribute a neutral value: "
                 "`where(condition, x, 0)`"
               : "read with all lanes, before the `if`; a condition on `wave_id` does not split waves");
  }
  return good;
}

/// Waves that `branches` divide must pass equally many barriers. Of branches on a side of another one, the inner are
/// reported: what is wrong with them is wrong with that, too.
static void reportUnequal(Context &context, llvm::ArrayRef<Operation *> branches, Divergence &divergence) {
  auto isShared = [&](mlir::Value value) { return !divergence.differs(value); };
  llvm::MapVector<Operation *, std::string> problems;
  for (Operation *branch : branches)
    if (std::string problem = unequalBarriers(context, llvm::cast<CondBranchOp>(branch),
                                              divergence.meetingOf(branch->getBlock()), isShared);
        !problem.empty())
      problems[branch] = std::move(problem);
  auto isOnSideOf = [&](Operation *branch, Operation *other) {
    return llvm::is_contained(divergence.dividers(branch->getBlock()), other);
  };
  for (auto &[branch, problem] : problems) {
    const bool hasInner = llvm::any_of(problems, [&, branch = branch](auto &other) {
      return other.first != branch && isOnSideOf(other.first, branch) && !isOnSideOf(branch, other.first);
    });
    if (!hasInner)
      context.reporter.report(context.rangeOf(branch), diag::unequal_barriers{.problem = problem})
          .help(
              "end the `if` before the barrier, or give each side equally many; loops with barriers must turn equally "
              "often, from and to the same values");
  }
}

void checkBarriers(Context &context, llvm::ArrayRef<int64_t> divisors) {
  const auto meetings = meetingsOf(context);
  if (!checkCollectives(context, meetings, divisors)) // a barrier of the same function stands under the same condition
    return;
  std::optional<Divergence> inWave, inWorkgroup, inCluster;
  llvm::SetVector<Operation *> divided; // by waves as a whole, with barriers on their sides
  auto dividerOf = [&](std::optional<Divergence> &divergence, Divergence::Among among, Operation *op) {
    if (!divergence)
      divergence.emplace(context.kernel, context.ranges, among, context.target.waveSize);
    return divergence->divider(op->getBlock());
  };
  for (auto &[op, lanes] : meetings) {
    if (lanes)
      continue;
    auto branch = dividerOf(inWorkgroup, Divergence::Among::Workgroup, op);
    const bool isOfCluster = !branch && llvm::isa<ir::ClusterBarrierOp>(op);
    if (isOfCluster)
      branch = dividerOf(inCluster, Divergence::Among::Cluster, op);
    if (!branch)
      continue;
    if (llvm::isa<ir::BarrierOp>(op)) {
      if (!inWave)
        inWave.emplace(context.kernel, context.ranges, Divergence::Among::Lanes, context.target.waveSize, divisors);
      if (!inWave->divider(op->getBlock())) {
        for (CondBranchOp each : inWorkgroup->dividers(op->getBlock()))
          divided.insert(each);
        continue;
      }
    }
    const SourceRange range = rangeOf(context, op);
    auto builder =
        context.reporter.report(range, diag::divergent_barrier{.name = nameOf(context, op, range),
                                                               .what = isOfCluster ? "the workgroups of a cluster"
                                                                                   : "the threads of a workgroup"});
    labelCondition(context, builder, branch, isOfCluster ? "the workgroups" : "the threads");
    builder.help(
        isOfCluster
            ? "`cluster_id` is the same in all workgroups of a cluster; a workgroup that returns early does not reach "
              "the barrier either"
            : "end the `if` before the barrier; a guard such as `if i >= n: return` before it has the same effect");
  }
  if (!divided.empty())
    reportUnequal(context, divided.getArrayRef(), *inWorkgroup);
}

static llvm::DenseSet<mlir::Value> divergentAmong(ir::KernelOp kernel, Ranges &ranges, Divergence::Among among,
                                                  int64_t waveSize) {
  Divergence divergence(kernel, ranges, among, waveSize);
  llvm::DenseSet<mlir::Value> values;
  for (auto &[value, granule] : divergence.all())
    values.insert(value);
  return values;
}
llvm::DenseSet<mlir::Value> divergentInWave(ir::KernelOp kernel, Ranges &ranges, int64_t waveSize) {
  return divergentAmong(kernel, ranges, Divergence::Among::Lanes, waveSize);
}
llvm::DenseSet<mlir::Value> divergentInWorkgroup(ir::KernelOp kernel, Ranges &ranges, int64_t waveSize) {
  return divergentAmong(kernel, ranges, Divergence::Among::Workgroup, waveSize);
}

// ---------------------------------------------------------------------------------------------------------
// Operands that are one value for all lanes

/// What the author could do about it.
static const char *helpFor(Operation *op) {
  if (llvm::isa<ir::WaveOp>(op))
    return "to let each lane choose, use `shuffle(x, lane)`; to use the first lane's choice for all, "
           "`readfirstlane(lane)`";
  if (llvm::isa<ir::ExactOp>(op))
    return "the instruction takes a scalar register there; `readfirstlane(x)` uses the first lane's value for all";
  if (llvm::isa<ir::BufferOp>(op))
    return "make a buffer of the whole tensor, or of the workgroup's part, and take the thread's part of that";
  if (llvm::isa<ir::RebaseOp>(op))
    return "cut this buffer by coordinates that are the same for all lanes until at most 2 GiB remain, then take the "
           "thread's part";
  if (llvm::isa<ir::AtOffsetsOp>(op))
    return "add it to the coordinate or to `voffset`, which may differ between lanes";
  if (llvm::isa<ir::CopyOp>(op))
    return "use `tiled_copy(...).get_slice(t).partition_D(tensor)`, which gives the place of the wave";
  return "one instruction moves the tile for the whole wave; its place may depend on `wave_id`, but not on `thread_id`";
}

/// Whether an operation writes a fragment.
static bool writesFragment(Operation *user, mlir::Value fragment) {
  if (auto copy = llvm::dyn_cast<ir::CopyOp>(user))
    return copy.getDestination() == fragment;
  auto product = llvm::dyn_cast<ir::MmaOp>(user);
  return product && product.getD() == fragment;
}

/// A fragment in SGPRs has one value in a wave, so all lanes must write the same, and together.
static void checkScalarStorage(Context &context, ir::SlotOp slot, llvm::function_ref<const Divergence &()> divergence) {
  auto refuse = [&](Operation *write, std::string problem) {
    return context.reporter.report(context.rangeOf(write), diag::divergent_scalar{.problem = std::move(problem)});
  };
  for (Operation *user : slot->getUsers()) {
    if (auto fragment = llvm::dyn_cast<ir::FragmentOp>(user))
      for (Operation *write : fragment->getUsers())
        if (writesFragment(write, fragment.getResult()))
          refuse(write, "this gives each lane a value of its own");
    auto store = llvm::dyn_cast<ir::SlotStoreOp>(user);
    if (!store)
      continue;
    if (divergence().differs(store.getValue()))
      refuse(store, "this value differs between them").help("`readfirstlane(x)` uses the first lane's value for all");
    else if (auto branch = divergence().divider(store->getBlock())) {
      auto builder = refuse(store, "only some of them get here");
      labelCondition(context, builder, branch, "the lanes");
    }
  }
}

void checkWaveOperands(Context &context) {
  std::optional<Divergence> known;
  auto divergence = [&]() -> const Divergence & {
    if (!known)
      known.emplace(context.kernel, context.ranges, Divergence::Among::Lanes, context.target.waveSize);
    return *known;
  };
  context.kernel.walk([&](ir::SlotOp slot) {
    if (slot.getFile() == "s")
      checkScalarStorage(context, slot, divergence);
  });
  context.kernel.walk([&](ir::UniformOperands op) {
    for (const ir::UniformOperand &operand : op.getUniformOperands()) {
      mlir::Value value = op->getOperand(operand.index);
      if (mlir::matchPattern(value, mlir::m_Constant()) || !divergence().differs(value))
        continue;
      auto copy = llvm::dyn_cast<ir::CopyOp>(op.getOperation());
      llvm::StringRef name = copy ? llvm::StringRef(copy.getAtom().row().name) : ir::nameIn(op->getLoc());
      context.reporter
          .report(context.places.of(ir::argumentIn(op->getLoc(), operand.what.trim('`'))),
                  diag::divergent_lane{.what = operand.what.str(), .name = name.str()})
          .help(helpFor(op));
    }
  });
}

} // namespace fly::analysis
