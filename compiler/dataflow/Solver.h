// Solves a problem of data flow over the blocks of machine code.
//
//     std::vector<State> before(blocks.size());                       // at the beginning of each block
//     solve(Direction::Forward, begins, before,
//           [&](uint32_t b) -> llvm::ArrayRef<uint32_t> { return blocks[b].successors; },
//           [&](uint32_t b, State state) { ...; return state; },      // through the block
//           [](State &to, const State &from) { ...; });               // where paths join: whether `to` changes
//
// A block is looked at again while the state at its side where the flow enters changes. `join` only ever adds to a
// state, of which there are finitely many, so it ends; the result does not depend on the order. Blocks are in order of
// address, which is nearly the order of the flow: the first pending one is taken, or against the flow the last.
#pragma once

#include "llvm/ADT/BitVector.h"

#include <cstdint>
#include <vector>

namespace fly::dataflow {

enum class Direction : uint8_t { Forward, Backward };

/// `pending`: the blocks to begin with. `states` are those with which they begin, and afterwards the result: at the
/// beginning of each block, backwards at its end. `next`: the blocks after one, backwards those before it.
template <class State, class Next, class Through, class Join>
void solve(Direction direction, llvm::BitVector pending, std::vector<State> &states, Next next, Through through,
           Join join) {
  for (;;) {
    const int first = direction == Direction::Forward ? pending.find_first() : pending.find_last();
    if (first < 0)
      return;
    const auto block = static_cast<uint32_t>(first);
    pending.reset(block);
    const State state = through(block, states[block]);
    for (uint32_t to : next(block))
      if (join(states[to], state))
        pending.set(to);
  }
}

/// The join of sets.
inline bool uniteSets(llvm::BitVector &to, const llvm::BitVector &from) {
  if (!from.test(to))
    return false; // nothing new
  to |= from;
  return true;
}

} // namespace fly::dataflow
