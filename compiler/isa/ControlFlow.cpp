// Builds the control-flow graph.
//
// Blocks begin at the first instruction, at targets, and after branches and ends. Dominators by the iterative algorithm
// of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm"): walk the blocks in reverse post-order,
// intersect the dominators of the predecessors, repeat until nothing changes. All walks are loops, not recursions: a
// kernel may have any number of blocks.
#include "compiler/isa/ControlFlow.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <map>

namespace fly::isa {

bool isCall(const Instruction &i) {
  const llvm::StringRef op = name(i.op);
  return op.starts_with("S_SWAPPC") || op.starts_with("S_CALL");
}

ControlFlow::ControlFlow(llvm::ArrayRef<Instruction> instructions) : blockNumbers(instructions.size()) {
  if (instructions.empty()) return;
  auto indexOf = [&](uint64_t address) -> uint32_t {
    auto it = std::lower_bound(instructions.begin(), instructions.end(), address,
                               [](const Instruction &i, uint64_t a) { return i.address < a; });
    return it != instructions.end() && it->address == address ? static_cast<uint32_t>(it - instructions.begin()) : ~0u;
  };
  std::vector<bool> begins(instructions.size() + 1);
  begins[0] = true;
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const Instruction &inst = instructions[i];
    if (!inst.isBranch() && !inst.isTerminator()) continue;
    begins[i + 1] = true;
    if (auto target = inst.target())
      if (uint32_t at = indexOf(*target); at != ~0u) begins[at] = true;
  }
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (begins[i]) blockList.push_back({i, i, {}, {}, false});
    blockList.back().last = i + 1;
    blockNumbers[i] = static_cast<uint32_t>(blockList.size() - 1);
  }
  for (uint32_t b = 0; b < blockList.size(); ++b) {
    Block &block = blockList[b];
    const Instruction &end = instructions[block.last - 1];
    auto connect = [&](uint32_t to) {
      if (llvm::is_contained(block.successors, to)) return;
      block.successors.push_back(to);
      blockList[to].predecessors.push_back(b);
    };
    if (!end.isTerminator()) {
      if (b + 1 < blockList.size()) connect(b + 1);
      else block.leaves = true;
    }
    if (auto target = end.target()) {
      if (uint32_t at = indexOf(*target); at != ~0u) connect(blockNumbers[at]);
      else block.leaves = true;
    } else if (end.isBranch()) {
      block.leaves = true; // through a register
    }
  }
  computeDominators();
}

void ControlFlow::computeDominators() {
  const uint32_t count = static_cast<uint32_t>(blockList.size());
  std::vector<uint32_t> postOrder;
  std::vector<std::pair<uint32_t, uint32_t>> stack{{0, 0}}; // block, next successor
  std::vector<bool> seen(count);
  seen[0] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == blockList[block].successors.size()) {
      postOrder.push_back(block);
      stack.pop_back();
      continue;
    }
    uint32_t to = blockList[block].successors[next++];
    if (!seen[to]) {
      seen[to] = true;
      stack.push_back({to, 0});
    }
  }
  order.assign(count, ~0u);
  for (uint32_t i = 0; i < postOrder.size(); ++i) order[postOrder[i]] = static_cast<uint32_t>(postOrder.size() - 1 - i);
  dominators.resize(count);
  for (uint32_t b = 0; b < count; ++b) dominators[b] = b;
  std::vector<bool> known(count);
  known[0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = postOrder.rbegin(); it != postOrder.rend(); ++it) {
      uint32_t block = *it, best = ~0u;
      if (block == 0) continue;
      for (uint32_t p : blockList[block].predecessors) {
        if (!known[p]) continue;
        if (best == ~0u) {
          best = p;
          continue;
        }
        for (uint32_t a = p; a != best;) {
          while (order[a] > order[best]) a = dominators[a];
          while (order[best] > order[a]) best = dominators[best];
        }
      }
      if (best != ~0u && (!known[block] || dominators[block] != best)) {
        dominators[block] = best;
        known[block] = changed = true;
      }
    }
  }
}

bool ControlFlow::dominates(uint32_t a, uint32_t b) const {
  for (;;) {
    if (a == b) return true;
    if (dominators[b] == b) return false;
    b = dominators[b];
  }
}

std::vector<ControlFlow::Loop> ControlFlow::loops() const {
  std::map<uint32_t, Loop> byHeader;
  for (uint32_t b = 0; b < blockList.size(); ++b)
    for (uint32_t s : blockList[b].successors)
      if (reachable(b) && dominates(s, b)) {
        Loop &loop = byHeader[s];
        loop.header = s;
        loop.latches.push_back(b);
      }
  std::vector<Loop> result;
  for (auto &[header, loop] : byHeader) {
    std::vector<bool> in(blockList.size());
    in[header] = true;
    std::vector<uint32_t> work(loop.latches.begin(), loop.latches.end());
    while (!work.empty()) {
      uint32_t b = work.back();
      work.pop_back();
      if (in[b]) continue;
      in[b] = true;
      for (uint32_t p : blockList[b].predecessors)
        if (reachable(p)) work.push_back(p);
    }
    for (uint32_t b = 0; b < blockList.size(); ++b)
      if (in[b]) loop.blocks.push_back(b);
    result.push_back(std::move(loop));
  }
  return result;
}

std::vector<uint32_t> ControlFlow::outOfLine(llvm::ArrayRef<uint32_t> headers, llvm::ArrayRef<uint32_t> latches,
                                             llvm::ArrayRef<uint32_t> blocks) const {
  std::vector<uint32_t> out;
  if (latches.empty()) return out;
  auto isIn = [](auto &list, uint32_t block) { return std::find(list.begin(), list.end(), block) != list.end(); };
  uint32_t first = latches.front(), last = first;
  for (uint32_t block : blocks)
    if (isIn(headers, block) ||
        std::any_of(latches.begin(), latches.end(), [&](uint32_t latch) { return dominates(block, latch); }))
      first = std::min(first, block), last = std::max(last, block);
  while (isIn(blocks, last + 1) && isIn(blockList[last].successors, last + 1)) ++last;
  uint32_t inside = 0, outside = 0;
  for (uint32_t block : blocks) {
    const bool isOut = block < first || block > last;
    (isOut ? outside : inside) += blockList[block].last - blockList[block].first;
    if (isOut) out.push_back(block);
  }
  if (outside > inside) out.clear();
  return out;
}

} // namespace fly::isa
