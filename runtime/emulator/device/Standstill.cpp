// See Standstill.h.
#include "runtime/emulator/device/Standstill.h"

#include <algorithm>
#include <thread>

#include <unistd.h>

namespace fly::emulator {

using namespace std::chrono_literals;

namespace {

constexpr unsigned looksAtOnce = 32; ///< before a member sleeps between two looks
constexpr std::chrono::microseconds shortestSleep = 20us, longestSleep = 1ms;
constexpr std::chrono::milliseconds shortestPause = 2ms, longestPause = 200ms; // until it is looked around again

} // namespace

void Standstill::beginAnew() {
  ++turn;
  isClosedNow = false;
  for (Member *each : members) each->hasLookedAgain = false;
}

void Standstill::enter(Member &member) {
  std::lock_guard lock(mutex);
  if (member.isIn) return;
  member = Member();
  member.thread = gettid();
  member.isIn = true;
  members.push_back(&member);
  beginAnew();
}

void Standstill::leave(Member &member) {
  std::lock_guard lock(mutex);
  if (!member.isIn) return;
  member.isIn = false;
  std::erase(members, &member);
  beginAnew();
}

bool Standstill::wait(Member &member, const std::function<bool()> &stillWaits,
                      const std::function<bool(const std::vector<int> &)> &isClosed) {
  std::unique_lock lock(mutex);
  member.waits = true;
  pause = shortestPause;
  nextLook = {};
  ++waiting;
  auto sleep = shortestSleep;
  for (unsigned looks = 0; !member.isStuck; ++looks) {
    const uint64_t began = turn;
    if (waiting == members.size() && !isClosedNow && !looksAround && Clock::now() >= nextLook) {
      std::vector<int> threads;
      for (const Member *each : members) threads.push_back(each->thread);
      looksAround = true;
      lock.unlock();
      const bool closed = isClosed(threads);
      lock.lock();
      looksAround = false;
      if (turn == began) isClosedNow = closed;
      nextLook = Clock::now() + pause;
      pause = std::min<Clock::duration>(2 * pause, longestPause);
      continue;
    }
    const bool looksAgain = isClosedNow;
    lock.unlock();
    if (looks < looksAtOnce) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(sleep);
      sleep = std::min(2 * sleep, longestSleep);
    }
    const bool still = stillWaits();
    lock.lock();
    if (member.isStuck) break;
    if (!still) {
      beginAnew();
      break;
    }
    if (!looksAgain || turn != began) continue;
    member.hasLookedAgain = true;
    if (std::all_of(members.begin(), members.end(), [](const Member *each) { return each->hasLookedAgain; }))
      for (Member *each : members) each->isStuck = true;
  }
  member.waits = false;
  --waiting;
  return member.isStuck;
}

} // namespace fly::emulator
