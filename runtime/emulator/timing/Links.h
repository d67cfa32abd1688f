// How long the data takes that launches on several devices move between them: a model of the links alone.
//
// Each device has its links, one to each other device if there are enough; what a device reads goes through the link from
// the memory's device, what it writes to it. A link carries both ways at once. Each access counts, as if no cache kept
// anything. Kernels, meetings and launches take their time beside it.
#pragma once

#include "runtime/emulator/timing/Machine.h"
#include "runtime/emulator/watch/Profile.h"

namespace fly::emulator {

struct LinkTiming {
  std::string machine;
  unsigned devices = 0;
  double read = 0, written = 0;    ///< bytes of memory of others, summed over the devices
  double seconds = 0;              ///< of what takes longest; 0: nothing is moved
  double bytes = 0, bandwidth = 0; ///< what that is: bytes, bytes per second
  unsigned from = 0, to = 0;       ///< the link's devices
  bool isShared = false;           ///< all links of device `from`, or those to `to`
  bool isOut = false;              ///< if shared: what leaves `from`
  double latency = 0;              ///< seconds, of one way; not in `seconds`
  double uncertainty = 0;          ///< of `seconds`, relative; 0: not validated
};

/// `moved[d]` is Profile::moved of the launch on device d.
LinkTiming modelLinks(const Machine &machine, std::span<const std::vector<MovedBytes>> moved);
/// Two lines for people.
std::string linksText(const LinkTiming &links);
/// `links` of docs/schema/bench.schema.json.
std::string linksJson(const LinkTiming &links);

} // namespace fly::emulator
