// The solver on small graphs, in both directions.
#include "compiler/dataflow/Solver.h"

#include <gtest/gtest.h>

namespace fly::dataflow::test {

namespace {

using Graph = std::vector<std::vector<uint32_t>>;

Graph reversed(const Graph &graph) {
  Graph out(graph.size());
  for (uint32_t b = 0; b < graph.size(); ++b)
    for (uint32_t to : graph[b])
      out[to].push_back(b);
  return out;
}

/// The blocks that lead to each, or backwards those that each leads to, itself not among them unless it is in a loop.
std::vector<std::vector<unsigned>> solved(Direction direction, const Graph &edges) {
  std::vector<llvm::BitVector> states(edges.size(), llvm::BitVector(unsigned(edges.size())));
  solve(
      direction, llvm::BitVector(unsigned(edges.size()), true), states, [&](uint32_t b) { return edges[b]; },
      [](uint32_t b, llvm::BitVector state) {
        state.set(b);
        return state;
      },
      uniteSets);
  std::vector<std::vector<unsigned>> out;
  for (const llvm::BitVector &state : states)
    out.emplace_back(state.set_bits_begin(), state.set_bits_end());
  return out;
}

} // namespace

// 0 -> 1 -> 2 -> 1, 2 -> 3; 4 -> 3
static const Graph loop = {{1}, {2}, {1, 3}, {}, {3}};

TEST(Solver, Forward) {
  const std::vector<std::vector<unsigned>> expected = {{}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2, 4}, {}};
  EXPECT_EQ(solved(Direction::Forward, loop), expected);
}

TEST(Solver, Backward) {
  const std::vector<std::vector<unsigned>> expected = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {}, {3}};
  EXPECT_EQ(solved(Direction::Backward, reversed(loop)), expected);
}

TEST(Solver, BeginsWhereItIsTold) {
  std::vector<int> visits(3);
  std::vector<int> states(3);
  const Graph line = {{1}, {2}, {}};
  llvm::BitVector begin(3);
  begin.set(1);
  solve(
      Direction::Forward, begin, states, [&](uint32_t b) { return line[b]; },
      [&](uint32_t b, int state) { return ++visits[b], state + 1; },
      [](int &to, int from) { return to < from ? to = from, true : false; });
  EXPECT_EQ(visits, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(states, (std::vector<int>{0, 0, 1}));
}

} // namespace fly::dataflow::test
