// Whether threads that run waves will ever go on: those of one launch, and those of launches that share memory.
//
// A thread becomes a member when it starts to run waves. When all its waves only wait for memory it says so, and from
// then on runs them under observation alone: they read the same again and again, and store nothing. It is a standstill
// if
//
//     1. all members wait,
//     2. nobody else can change memory: `isClosed`, which for launches of a program means that each of its other
//        threads waits for a thread of the process, and that no other process has the memory (HostThreads.h),
//     3. then each member looks again, and its waves still wait.
//
// Between the last step's beginning and its end nobody stores anything, so all of them read what they will always read.
// A member that goes on, one more or one fewer begin this anew.
//
//     device 0   waits . . . . . . . . looks again: waits ---+
//     device 1        runs waits . . . looks again: waits ---+-- standstill: all end with a report
//     main       prints, waits for both                      |
//                              ^ closed from here on --------+
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace fly::emulator {

class Standstill {
public:
  /// A thread that runs waves, between `enter` and `leave`.
  struct Member {
    int thread = 0; ///< the system's number
    bool isIn = false, waits = false, hasLookedAgain = false, isStuck = false;
  };
  /// Called by the member's own thread.
  void enter(Member &member);
  void leave(Member &member);

  /// All waves of the member only wait. Returns true if that will never change, and false as soon as `stillWaits` does,
  /// which runs the waves on for a while and tells whether they have stored nothing and are where they were.
  /// `isClosed`: whether nobody but the members, of these threads, can change memory.
  bool wait(Member &member, const std::function<bool()> &stillWaits,
            const std::function<bool(const std::vector<int> &threads)> &isClosed);

private:
  using Clock = std::chrono::steady_clock;
  void beginAnew();

  std::mutex mutex;
  std::vector<Member *> members;
  size_t waiting = 0;
  uint64_t turn = 0; ///< of how often it began anew
  bool looksAround = false, isClosedNow = false;
  Clock::time_point nextLook{};
  Clock::duration pause{};
};

} // namespace fly::emulator
