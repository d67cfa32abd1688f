// A resource that serves one request after another: when each begins, and how long the resource was busy in all.
#pragma once

#include <algorithm>

namespace fly::emulator {

struct Server {
  double freeAt = 0, busy = 0;
  /// Serves a request that arrives at `now` for `cycles`; returns when it begins. Calls come in the order of `now`.
  double take(double now, double cycles) {
    const double begin = std::max(now, freeAt);
    freeAt = begin + cycles;
    busy += cycles;
    return begin;
  }
  /// Of `busy`, what is after `end`: requests that nobody waits for. All of them came before.
  double lateAfter(double end) const { return std::clamp(freeAt - end, 0.0, busy); }
  double busyUntil(double end) const { return busy - lateAfter(end); }
};

} // namespace fly::emulator
