// The devices that share a model: a thread of the host for each, which gives its device what all do at the same time.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include <fly/comm.hpp>

namespace llm {

class Devices {
public:
  explicit Devices(int count) : failures(static_cast<size_t>(count)) {
    int there = 0;
    fly::check(fly_device_count(&there));
    if (count > there || (count != 1 && count != 2 && count != 4 && count != 8))
      throw std::runtime_error("--devices " + std::to_string(count) + ": 1, 2, 4 or 8 can share a model; there are " +
                               std::to_string(there));
    for (int rank = 1; rank < count; ++rank)
      threads.emplace_back([this, rank] { serve(rank); });
  }
  Devices(const Devices &) = delete;
  ~Devices() {
    {
      std::lock_guard guard(lock);
      ended = true;
    }
    changed.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  int count() const { return static_cast<int>(failures.size()); }

  /// Calls `work(rank)` with each device as the current one, at the same time; returns when all are done.
  void each(const std::function<void(int)> &work) {
    {
      std::lock_guard guard(lock);
      now = &work, busy = threads.size(), ++round;
    }
    changed.notify_all();
    attempt(0);
    std::unique_lock guard(lock);
    changed.wait(guard, [&] { return busy == 0; });
    for (std::exception_ptr &failure : failures)
      if (failure)
        std::rethrow_exception(std::exchange(failure, nullptr));
  }

private:
  void attempt(int rank) {
    try {
      fly::check(fly_set_device(rank));
      (*now)(rank);
    } catch (...) {
      failures[static_cast<size_t>(rank)] = std::current_exception();
    }
  }
  void serve(int rank) {
    std::unique_lock guard(lock);
    for (int done = 0;;) {
      changed.wait(guard, [&] { return ended || round != done; });
      if (ended)
        return;
      done = round;
      guard.unlock();
      attempt(rank);
      guard.lock();
      if (--busy == 0)
        changed.notify_all();
    }
  }

  std::vector<std::exception_ptr> failures;
  std::vector<std::thread> threads;
  std::mutex lock;
  std::condition_variable changed;
  const std::function<void(int)> *now = nullptr;
  size_t busy = 0;
  int round = 0;
  bool ended = false;
};

} // namespace llm
