// Independent tasks on several threads.
//
//     forEachTask(tiles, {}, [&] { return [&, memory = Memory()](int64_t tile) mutable { ... }; });
//
// Each thread makes its own worker, so a worker can keep what it needs for every task, here some memory.
// Which thread runs which task is not determined, so a task must own what it writes. Then the result does not depend
// on the number of threads.
#pragma once

#include "compiler/host/Work.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace fly::host {

/// Workers do the tasks 0 to `count - 1`, each once, in any order. The caller is one of the threads.
template <typename MakeWorker> void forEachTask(int64_t count, const Work &work, MakeWorker makeWorker) {
  const unsigned threads = work.threads ? work.threads : std::max(1u, std::thread::hardware_concurrency());
  std::atomic<int64_t> next{0};
  auto run = [&](bool tells) {
    auto worker = makeWorker();
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      if (tells && work.tell)
        work.tell(double(i) / double(count));
      worker(i);
    }
  };
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < std::min<int64_t>(threads, count); ++i)
    helpers.emplace_back(run, false);
  run(true);
  for (std::thread &helper : helpers)
    helper.join();
}

} // namespace fly::host
