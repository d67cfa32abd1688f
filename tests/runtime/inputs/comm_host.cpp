// fly/comm.hpp with the kernels of kernels/comm/all_reduce.fly, on devices of one process: comm_host WHAT RANKS
#include "fly/comm.hpp"

#include "all_reduce.h"
#include "comm_numbers.h"

#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace {

using fly::comm::group;

static_assert(fly::comm::signal_bytes == 34816, "comm_host.test compares it");

std::vector<int> devices(int world) {
  std::vector<int> all(static_cast<size_t>(world));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// What each rank has: memory that others access, and its own.
struct Ranks {
  Ranks(int world, size_t n)
      : ranks(devices(world)), n(n), x(ranks.allocate<fly_bf16>(n)),
        temporary(ranks.allocate<fly_bf16>(fly::comm::temporary_bytes(2 * n, world) / 2)) {
    ranks.load(all_reduce_module());
    for (int r = 0; r < world; ++r) {
      ranks.use(r);
      streams.emplace_back();
      outs.emplace_back(n);
    }
  }
  void fill(int round) {
    for (int r = 0; r < ranks.world(); ++r)
      x.span(r).copy_from(numbers(n, r, round));
  }
  void launch(int rank, const void *pointers, fly_bf16 *x, fly_bf16 *out) {
    ranks.use(rank);
    fly::check(all_reduce(streams[size_t(rank)], pointers, temporary.pointers(rank), ranks.signals(rank), out, x, rank,
                          int(n), ranks.world()));
  }
  void wait() {
    for (int r = 0; r < ranks.world(); ++r)
      ranks.wait(r, streams[size_t(r)], 60);
  }
  group ranks;
  size_t n;
  fly::comm::shared<fly_bf16> x, temporary;
  std::vector<fly::stream> streams;
  std::vector<fly::buffer<fly_bf16>> outs;
};

void sums(int world, size_t n) {
  Ranks all(world, n);
  for (int round = 0; round < 3; ++round) {
    all.fill(round);
    for (int r = 0; r < world; ++r)
      all.launch(r, all.x.pointers(r), all.x[r], all.outs[size_t(r)]);
    all.wait();
    for (int r = 0; r < world; ++r)
      expect_sum(all.outs[size_t(r)].to_host(), world, round);
  }
  // Memory of the program, from the middle of an allocation on; then without it.
  std::vector<fly::buffer<fly_bf16>> larger;
  std::vector<fly_bf16 *> own;
  for (int r = 0; r < world; ++r) {
    all.ranks.use(r);
    larger.emplace_back(n + 64);
    larger.back().span().subspan(64, n).copy_from(numbers(n, r, 9));
    own.push_back(larger.back().data() + 64);
  }
  auto mine = all.ranks.add(own, n);
  for (int r = 0; r < world; ++r)
    all.launch(r, mine.pointers(r), mine[r], all.outs[size_t(r)]);
  all.wait();
  for (int r = 0; r < world; ++r)
    expect_sum(all.outs[size_t(r)].to_host(), world, 9);
  all.ranks.release(mine);
  all.ranks.close();
}

/// Captured with memory that the group does not know yet, and replayed.
void replays(int world, size_t n, int times) {
  Ranks all(world, n);
  std::vector<fly::buffer<fly_bf16>> xs;
  std::vector<fly::graph> graphs;
  for (int r = 0; r < world; ++r) {
    all.ranks.use(r);
    xs.emplace_back(n);
    const fly::stream &stream = all.streams[size_t(r)];
    graphs.emplace_back(stream, [&] { // the second adds the sums of the first
      fly_bf16 *const x = xs.back(), *const out = all.outs[size_t(r)];
      all.launch(r, all.ranks.add_later(r, x), x, out);
      all.launch(r, all.ranks.add_later(r, out), out, x);
    });
  }
  all.ranks.finish();
  for (int round = 0; round < times; ++round) {
    for (int r = 0; r < world; ++r) {
      all.ranks.use(r);
      xs[size_t(r)].copy_from(numbers(n, r, round));
    }
    for (int r = 0; r < world; ++r) {
      all.ranks.use(r);
      graphs[size_t(r)].launch(all.streams[size_t(r)]);
    }
    all.wait();
    for (int r = 0; r < world; ++r) {
      expect_sum(all.outs[size_t(r)].to_host(), world, round);
      expect_sum(xs[size_t(r)].to_host(), world, round, world);
    }
  }
}

/// The last rank launches nothing. A GPU never ends; the emulator does.
void absent(int world, bool is_limited) {
  Ranks all(world, 1003);
  all.fill(0);
  for (int r = 0; r + 1 < world; ++r)
    all.launch(r, all.x.pointers(r), all.x[r], all.outs[size_t(r)]);
  int ended = 0;
  for (int r = 0; r + 1 < world; ++r) {
    try {
      all.ranks.use(r);
      if (is_limited)
        all.streams[size_t(r)].synchronize();
      else
        all.ranks.wait(r, all.streams[size_t(r)], 0.2);
    } catch (const fly::error &e) {
      ++ended;
      if (r == 0)
        std::printf("%s: %s\n", fly_status_name(e.status()), e.what());
    }
  }
  std::printf("%d of %d have an error\n", ended, world - 1);
  std::fflush(stdout);
  if (!is_limited)
    std::_Exit(0); // the kernels still run
}

template <typename Work> void refused(Work work) {
  try {
    work();
  } catch (const fly::error &e) {
    std::printf("%s: %s\n", fly_status_name(e.status()), e.what());
  }
}

void refusals() {
  refused([] { group({0, 1, 0}); });
  refused([] { group(std::vector<int>{}); });
  refused([] { group(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 0}); });
  refused([] { group({0, 99}); });
  refused([] { group(2, 2, [](const void *, size_t, void *) {}); });
  refused([] { group(0, 2, fly::comm::all_gather()); });
  refused([] { // a function that gathers nothing
    group(0, 2, [](const void *, size_t, void *) {});
  });
  group ranks({0, 1}, 3);
  refused([&] { ranks.use(2); });
  refused([&] { ranks.allocate<double>(size_t(1) << 61); });
  refused([&] { ranks.allocate<char>(size_t(1) << 60); });
  refused([&] { ranks.add(std::vector<int *>{nullptr}, 1); });
  auto first = ranks.allocate<int>(5);
  auto second = ranks.allocate<int>(5);
  refused([&] { ranks.allocate<int>(5); });
  ranks.release(second);
  second = ranks.add(std::vector<int *>{first[0], nullptr}, 5);
  refused([&] { ranks.add_later(0, first[0]); });
  ranks.release(second);
  ranks.add_later(0, first[0]);
  refused([&] { ranks.finish(); });
}

} // namespace

int main(int count, char **arguments) {
  const std::string what = arguments[1];
  const int world = count > 2 ? std::atoi(arguments[2]) : 0;
  try {
    if (what == "sums") {
      sums(world, 1003);
      sums(world, size_t(std::atoi(arguments[3])));
    } else if (what == "replays")
      replays(world, 515, std::atoi(arguments[3]));
    else if (what == "absent")
      absent(world, true);
    else if (what == "late")
      absent(world, false);
    else
      refusals();
  } catch (const std::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  std::printf("%s: good\n", what.c_str());
}
