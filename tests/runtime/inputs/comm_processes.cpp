// fly/comm.hpp with ranks in two processes: comm_processes WHAT FILE
#include "fly/comm.hpp"
#include "fly/comm_file.hpp"

#include "all_reduce.h"
#include "comm_numbers.h"

#include <sys/wait.h>

namespace {

constexpr int world = 2;
constexpr size_t n = 1003, begin = 24; ///< x starts behind so many other numbers
std::string path;
int rank;

/// Three sums and a captured graph, of memory in the middle of an allocation that both arrays share.
void sums() {
  fly::comm::file_gather gather(path, rank, world, 20);
  fly::comm::group ranks(rank, world, gather);
  ranks.load(all_reduce_module());
  fly::stream stream;
  fly::buffer<fly_bf16> all(begin + 2 * n + 5);
  const auto x = all.subspan(begin, n), y = all.subspan(begin + n + 5, n);
  auto temporary = ranks.allocate<fly_bf16>(fly::comm::temporary_bytes(2 * n, world) / 2);
  auto shared_x = ranks.add<fly_bf16>(x, n);
  for (int round = 0; round < 3; ++round) {
    x.copy_from(numbers(n, rank, round));
    fly::check(all_reduce(stream, shared_x.pointers(rank), temporary.pointers(rank), ranks.signals(rank), y, x, rank, n,
                          world));
    stream.synchronize();
    expect_sum(y.to_host(), world, round);
  }
  fly::graph graph(stream, [&] {
    fly::check(all_reduce(stream, ranks.add_later(rank, x), temporary.pointers(rank), ranks.signals(rank), y, x, rank,
                          n, world));
  });
  ranks.finish();
  for (int round = 3; round < 13; ++round) {
    x.copy_from(numbers(n, rank, round));
    graph.launch(stream);
    ranks.wait(rank, stream, 20, [&] { return gather.ended(); });
    expect_sum(y.to_host(), world, round);
  }
  ranks.release(shared_x);
  ranks.close();
}

template <typename Work> void refused(const char *what, Work work) {
  try {
    work();
    std::printf("%s: no error\n", what);
  } catch (const fly::error &e) {
    if (rank == 0)
      std::printf("%s: %s: %s\n", what, fly_status_name(e.status()), e.what());
  }
}

/// What one process gets wrong is an error in both.
void disagreements() {
  fly::comm::file_gather gather(path, rank, world, 20);
  refused("room", [&] { fly::comm::group ranks(rank, world, gather, rank ? 5 : 6); });
  fly::comm::group ranks(rank, world, gather);
  refused("size", [&] { ranks.allocate<int>(size_t(100 + rank)); });
  refused("memory", [&] { ranks.allocate<char>(rank ? size_t(1) << 60 : 64); });
  refused("order", [&] { rank ? ranks.close() : (void)ranks.allocate<int>(100); });
  fly::buffer<int> own(4);
  int host[4];
  refused("memory of the host", [&] { ranks.add(rank ? host : own.data(), 4); });
}

/// The other process ends before it launches anything.
void ends(bool is_limited) {
  fly::comm::file_gather gather(path, rank, world, 20);
  fly::comm::group ranks(rank, world, gather);
  auto x = ranks.allocate<fly_bf16>(n);
  auto y = ranks.allocate<fly_bf16>(n);
  if (rank == 1)
    std::_Exit(0);
  fly::stream stream;
  fly::check(all_reduce(stream, x.pointers(0), y.pointers(0), ranks.signals(0), y[0], x[0], 0, n, world));
  try {
    if (is_limited)
      stream.synchronize();
    else
      ranks.wait(0, stream, 20, [&] { return gather.ended(); });
  } catch (const fly::error &e) {
    std::printf("%s: %s\n", fly_status_name(e.status()), e.what());
  }
  refused("allocate", [&] { ranks.allocate<int>(1); });
  std::fflush(stdout);
  if (!is_limited)
    std::_Exit(0); // the kernel still runs
}

/// Files of file_gather.
void files() {
  refused("rank", [] { fly::comm::file_gather(path, 2, 2, 1); });
  if (rank == 1) { // rank 0 comes, and finds nobody
    refused("no file", [] { fly::comm::file_gather(path + ".other", 1, 2, 0.05); });
    return;
  }
  refused("nobody", [] { fly::comm::file_gather(path, 0, 2, 0.05); });
  refused("folder", [] { fly::comm::file_gather("/nonexistent/x", 0, 2, 0.05); });
  refused("other file", [] { fly::comm::file_gather("/proc/self/exe", 0, 2, 0.05); });
}

} // namespace

int main(int, char **arguments) {
  const std::string what = arguments[1];
  path = arguments[2];
  const pid_t child = fork(); // before HIP is used
  rank = child == 0;
  try {
    if (what == "sums")
      sums();
    else if (what == "disagreements")
      disagreements();
    else if (what == "files")
      files();
    else
      ends(what == "limited");
  } catch (const std::exception &e) {
    std::printf("rank %d: %s\n", rank, e.what());
    return 1;
  }
  if (child == 0)
    return 0;
  int status = -1;
  waitpid(child, &status, 0);
  if (status == 0)
    std::printf("%s: good\n", what.c_str());
}
