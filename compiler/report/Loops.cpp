// Loops by dominance, regions by strongly connected components.
//
//   1. natural loops: isa::ControlFlow::loops
//   2. the graph without their back edges: a component of more than one block, or one with an edge to itself, is an
//      irreducible region (a graph is reducible if and only if nothing is left: Hecht and Ullman, "Characterizations of
//      reducible flow graphs")
//   3. a region takes in the natural loops whose headers it holds: without their back edges, only a part of their
//      blocks is on the region's cycles
//   4. the tree: the parent is the smallest loop that holds all blocks and is larger
//
// Components by Tarjan's algorithm with an explicit stack, because a kernel may have any number of blocks.
#include "compiler/report/Loops.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace fly::report {

namespace {

/// Strongly connected components of the reachable blocks, without the back edges of natural loops.
class Components {
public:
  explicit Components(const isa::ControlFlow &flow)
      : flow(flow), number(flow.blocks().size(), 0), low(number), onStack(number.size()) {
    for (uint32_t block = 0; block < number.size(); ++block)
      if (!number[block] && flow.reachable(block))
        walk(block);
  }
  std::vector<std::vector<uint32_t>> cycles; ///< those that are more than one block without an edge to itself

private:
  bool isForward(uint32_t from, uint32_t to) const { return !flow.dominates(to, from); }

  void walk(uint32_t root) {
    struct Step {
      uint32_t block;
      size_t next;
    };
    std::vector<Step> path{{root, 0}};
    enter(root);
    while (!path.empty()) {
      auto [block, next] = path.back();
      auto &successors = flow.blocks()[block].successors;
      if (next < successors.size()) {
        ++path.back().next;
        uint32_t to = successors[next];
        if (!isForward(block, to))
          continue;
        if (!number[to]) {
          enter(to);
          path.push_back({to, 0});
        } else if (onStack[to]) {
          low[block] = std::min(low[block], number[to]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty())
        low[path.back().block] = std::min(low[path.back().block], low[block]);
      if (low[block] == number[block])
        leave(block);
    }
  }
  void enter(uint32_t block) {
    number[block] = low[block] = ++count;
    stack.push_back(block);
    onStack[block] = true;
  }
  void leave(uint32_t root) {
    std::vector<uint32_t> component;
    for (uint32_t block = ~0u; block != root;) {
      block = stack.back();
      stack.pop_back();
      onStack[block] = false;
      component.push_back(block);
    }
    if (component.size() > 1) // an edge to itself is a back edge, so there is none here
      cycles.push_back(std::move(component));
  }

  const isa::ControlFlow &flow;
  std::vector<uint32_t> number, low;
  std::vector<bool> onStack;
  std::vector<uint32_t> stack;
  uint32_t count = 0;
};

/// The blocks of a cycle and of the natural loops whose headers are among them, in order.
std::vector<uint32_t> withLoops(const std::vector<uint32_t> &cycle, const isa::ControlFlow &flow,
                                llvm::ArrayRef<Loop> natural) {
  std::vector<bool> in(flow.blocks().size());
  for (uint32_t block : cycle)
    in[block] = true;
  std::vector<bool> taken(natural.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < natural.size(); ++i) {
      if (taken[i] || !in[natural[i].entries.front()])
        continue;
      taken[i] = changed = true;
      for (uint32_t block : natural[i].blocks)
        in[block] = true;
    }
  }
  std::vector<uint32_t> blocks;
  for (uint32_t block = 0; block < in.size(); ++block)
    if (in[block])
      blocks.push_back(block);
  return blocks;
}

isa::SourceLocation locationOf(const Code &code, const Loop &loop) {
  for (uint32_t latch : llvm::reverse(loop.latches))
    if (auto &at = code.instructions[code.flow.blocks()[latch].last - 1].location; at.valid())
      return at;
  for (uint32_t entry : loop.entries)
    for (uint32_t i = code.flow.blocks()[entry].first; i < code.flow.blocks()[entry].last; ++i)
      if (auto &at = code.instructions[i].location; at.valid())
        return at;
  return {};
}

} // namespace

std::vector<Loop> findLoops(const Code &code) {
  std::vector<Loop> loops;
  const isa::ControlFlow &flow = code.flow;
  if (flow.blocks().empty())
    return loops;
  for (auto &natural : flow.loops()) {
    Loop loop;
    loop.entries = {natural.header};
    loop.latches = natural.latches;
    loop.blocks = natural.blocks;
    loops.push_back(std::move(loop));
  }
  const size_t natural = loops.size();
  for (auto &cycle : Components(flow).cycles) {
    Loop region;
    region.irreducible = true;
    region.blocks = withLoops(cycle, flow, llvm::ArrayRef(loops).take_front(natural));
    for (uint32_t block : region.blocks)
      if (block == 0 || llvm::any_of(flow.blocks()[block].predecessors, [&](uint32_t p) {
            return flow.reachable(p) && !std::binary_search(region.blocks.begin(), region.blocks.end(), p);
          }))
        region.entries.push_back(block);
    loops.push_back(std::move(region));
  }
  // By first block, larger ones first: a parent comes before what it holds.
  llvm::sort(loops, [](const Loop &a, const Loop &b) {
    return a.blocks.front() != b.blocks.front() ? a.blocks.front() < b.blocks.front()
           : a.blocks.size() != b.blocks.size() ? a.blocks.size() > b.blocks.size()
                                                : a.irreducible < b.irreducible;
  });
  for (size_t i = 0; i < loops.size(); ++i) {
    Loop &loop = loops[i];
    loop.location = locationOf(code, loop);
    for (size_t k = 0; k < loops.size(); ++k)
      if (loops[k].blocks.size() > loop.blocks.size() &&
          std::includes(loops[k].blocks.begin(), loops[k].blocks.end(), loop.blocks.begin(), loop.blocks.end()) &&
          (loop.parent < 0 || loops[k].blocks.size() < loops[loop.parent].blocks.size()))
        loop.parent = int(k);
  }
  for (size_t i = 0; i < loops.size(); ++i) {
    for (int parent = loops[i].parent; parent >= 0; parent = loops[parent].parent)
      ++loops[i].depth;
    std::vector<bool> inner(flow.blocks().size());
    for (const Loop &other : loops)
      if (other.parent == int(i))
        for (uint32_t block : other.blocks)
          inner[block] = true;
    for (uint32_t block : loops[i].blocks)
      if (!inner[block])
        loops[i].ownBlocks.push_back(block);
    loops[i].coldBlocks = flow.outOfLine(loops[i].entries, loops[i].latches, loops[i].blocks);
  }
  return loops;
}

std::vector<uint32_t> inLine(const Loop &loop, const std::vector<uint32_t> &blocks) {
  std::vector<uint32_t> out;
  llvm::copy_if(blocks, std::back_inserter(out),
                [&](uint32_t block) { return !llvm::is_contained(loop.coldBlocks, block); });
  return out;
}

} // namespace fly::report
