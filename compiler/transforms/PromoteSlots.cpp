// fly-promote-slots: slots become SSA values, all of them in one walk over the kernel.
//
//     entry:                       entry:
//       store %a, %s                 br ^loop(%a)
//       br ^loop                   ^loop(%x):              a block argument where definitions meet (the iterated
//     ^loop:                         %y = f(%x)            dominance frontier of the stores) and the variable is alive
//       %x = load %s                 cond_br ^loop(%y), ^end
//       store f(%x), %s
//       cond_br ^loop, ^end
//
// Upstream's mem2reg walks the blocks of a slot once for each slot: a fragment of 2,048 elements is 512 slots, which
// takes time with its square.
#include "compiler/transforms/Passes.h"

#include "compiler/dialect/FlyOps.h"

#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/GenericDomTreeConstruction.h"
#include "llvm/Support/GenericIteratedDominanceFrontier.h"

using namespace mlir;

namespace fly::ir {

#define GEN_PASS_DEF_FLYPROMOTESLOTS
#include "compiler/transforms/Passes.h.inc"

namespace {

using Frontier = llvm::IDFCalculatorBase<Block, false>;
using Tree = llvm::DominatorTreeBase<Block, false>;

/// A slot that is only loaded from and stored to, in the blocks of one region.
struct Variable {
  SlotOp slot;
  Value undefined;                      ///< what it holds before the first store; made when it is needed
  Value value;                          ///< at the place where the walk is
  llvm::SmallPtrSet<Block *, 8> stores; ///< blocks that store to it
  llvm::SmallPtrSet<Block *, 8> alive;  ///< blocks at whose beginning it has a value that is read later
  Block *last = nullptr;                ///< block of the access before
};

class Promotion {
public:
  Promotion(Region &region, Tree &tree) : region(region), tree(tree) {}

  void add(SlotOp slot) {
    numbers[slot.getResult()] = static_cast<unsigned>(variables.size());
    variables.emplace_back().slot = slot;
  }

  void run() {
    findAccesses();
    for (Variable &variable : variables)
      addArguments(variable);
    rewrite();
    for (Variable &variable : variables) {
      // What is left is in blocks that are never reached.
      for (Operation *user : llvm::make_early_inc_range(variable.slot.getResult().getUsers())) {
        if (auto load = dyn_cast<SlotLoadOp>(user))
          load.getResult().replaceAllUsesWith(undefinedOf(variable));
        user->erase();
      }
      variable.slot.erase();
    }
  }

private:
  Variable *accessed(Operation &op) {
    if (!isa<SlotLoadOp, SlotStoreOp>(op))
      return nullptr;
    auto store = dyn_cast<SlotStoreOp>(op);
    auto found = numbers.find(store ? store.getSlot() : cast<SlotLoadOp>(op).getSlot());
    return found == numbers.end() ? nullptr : &variables[found->second];
  }

  void findAccesses() {
    for (Block &block : region)
      for (Operation &op : block)
        if (Variable *variable = accessed(op)) {
          if (isa<SlotLoadOp>(op) && std::exchange(variable->last, &block) != &block)
            variable->alive.insert(&block);
          else if (isa<SlotStoreOp>(op))
            variable->stores.insert(variable->last = &block);
        }
  }

  /// Adds an argument to each block where it gets different values from different blocks.
  void addArguments(Variable &variable) {
    llvm::SmallVector<Block *> work(variable.alive.begin(), variable.alive.end());
    if (work.empty() || variable.stores.empty())
      return;
    while (!work.empty())
      for (Block *before : work.pop_back_val()->getPredecessors())
        if (!variable.stores.contains(before) && variable.alive.insert(before).second)
          work.push_back(before);
    Frontier frontier(tree);
    frontier.setDefiningBlocks(variable.stores);
    frontier.setLiveInBlocks(variable.alive);
    llvm::SmallVector<Block *> joins;
    frontier.calculate(joins);
    const auto number = static_cast<unsigned>(&variable - variables.data());
    const Type type = cast<SlotType>(variable.slot.getType()).getValueType();
    for (Block *join : joins)
      arguments[join].emplace_back(number, join->addArgument(type, variable.slot.getLoc()));
  }

  Value undefinedOf(Variable &variable) {
    if (!variable.undefined) {
      OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
      const Type type = cast<SlotType>(variable.slot.getType()).getValueType();
      variable.undefined = UndefinedOp::create(builder, variable.slot.getLoc(), type);
      if (isa<VectorType>(type)) // a fragment; of variables the front end knows whether they are assigned
        variable.undefined.getDefiningOp<UndefinedOp>().setUnwritten(&variable - variables.data());
    }
    return variable.undefined;
  }

  /// Replaces accesses by values, block after block down the tree of dominators.
  void rewrite() {
    struct Visit {
      llvm::DomTreeNodeBase<Block> *node;
      size_t changes; ///< how many were there before
      bool isEntered;
    };
    llvm::SmallVector<Visit> visits{{tree.getRootNode(), 0, false}};
    llvm::SmallVector<std::pair<unsigned, Value>> changes; // variables, and what they held
    const auto set = [&](unsigned variable, Value value) {
      changes.emplace_back(variable, std::exchange(variables[variable].value, value));
    };
    while (!visits.empty()) {
      Visit &visit = visits.back();
      if (visit.isEntered) {
        for (; changes.size() > visit.changes; changes.pop_back())
          variables[changes.back().first].value = changes.back().second;
        visits.pop_back();
        continue;
      }
      visit.changes = changes.size();
      visit.isEntered = true;
      Block *block = visit.node->getBlock();
      for (auto [variable, argument] : arguments.lookup(block))
        set(variable, argument);
      for (Operation &op : llvm::make_early_inc_range(*block))
        if (Variable *variable = accessed(op)) {
          if (auto store = dyn_cast<SlotStoreOp>(op))
            set(static_cast<unsigned>(variable - variables.data()), store.getValue());
          else
            op.getResult(0).replaceAllUsesWith(valueOf(*variable));
          op.erase();
        }
      for (unsigned i = 0; i < block->getNumSuccessors(); ++i)
        for (auto [variable, argument] : arguments.lookup(block->getSuccessor(i)))
          cast<BranchOpInterface>(block->getTerminator()).getSuccessorOperands(i).append(valueOf(variables[variable]));
      for (auto *child : llvm::reverse(visit.node->children())) // `visit` is gone after the first
        visits.push_back({child, 0, false});
    }
  }
  Value valueOf(Variable &variable) { return variable.value ? variable.value : undefinedOf(variable); }

  Region &region;
  Tree &tree;
  std::vector<Variable> variables;
  llvm::DenseMap<Value, unsigned> numbers; ///< of the variables, by their slots
  llvm::DenseMap<Block *, llvm::SmallVector<std::pair<unsigned, Value>>> arguments; ///< of variables
};

bool isPromotable(SlotOp slot) {
  return !slot.getFile() && llvm::all_of(slot.getResult().getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    auto store = dyn_cast<SlotStoreOp>(user);
    return user->getParentRegion() == slot->getParentRegion() &&
           (isa<SlotLoadOp>(user) || (store && store.getValue() != use.get()));
  });
}

struct FlyPromoteSlotsPass : impl::FlyPromoteSlotsBase<FlyPromoteSlotsPass> {
  void runOnOperation() override {
    Region &region = getOperation().getBody();
    for (Block &block : region)
      if (block.getNumSuccessors() != 0 && !isa<BranchOpInterface>(block.getTerminator()))
        return;
    Tree tree;
    tree.recalculate(region);
    Promotion promotion(region, tree);
    for (SlotOp slot : llvm::to_vector(region.getOps<SlotOp>()))
      if (isPromotable(slot))
        promotion.add(slot);
    promotion.run();
  }
};

} // namespace

} // namespace fly::ir
