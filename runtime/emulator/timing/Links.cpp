// See Links.h.
#include "runtime/emulator/timing/Links.h"

#include "runtime/emulator/watch/ReportText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace fly::emulator {

LinkTiming modelLinks(const Machine &machine, std::span<const std::vector<MovedBytes>> moved) {
  LinkTiming result;
  result.machine = machine.name;
  result.devices = static_cast<unsigned>(moved.size());
  result.latency = machine.linkLatency * 1e-6;
  result.uncertainty = machine.linkUncertainty;
  const unsigned devices = result.devices;
  std::vector<double> carried(size_t(devices) * devices), out(devices), in(devices); // [from][to]
  for (unsigned d = 0; d < devices; ++d)
    for (unsigned owner = 0; owner < std::min<size_t>(devices, moved[d].size()); ++owner) {
      if (owner == d) continue;
      const double read = static_cast<double>(moved[d][owner].read),
                   written = static_cast<double>(moved[d][owner].written);
      result.read += read, result.written += written;
      carried[owner * devices + d] += read, carried[d * devices + owner] += written;
      out[owner] += read, in[d] += read;
      out[d] += written, in[owner] += written;
    }
  const double link = machine.linkBandwidth * 1e9, all = link * machine.links;
  auto consider = [&](double bytes, double bandwidth, unsigned from, unsigned to, bool isShared, bool isOut) {
    if (bytes / bandwidth <= result.seconds) return;
    result.seconds = bytes / bandwidth, result.bytes = bytes, result.bandwidth = bandwidth;
    result.from = from, result.to = to, result.isShared = isShared, result.isOut = isOut;
  };
  for (unsigned from = 0; from < devices; ++from)
    for (unsigned to = 0; to < devices; ++to) consider(carried[from * devices + to], link, from, to, false, false);
  for (unsigned d = 0; d < devices; ++d) {
    consider(out[d], all, d, d, true, true);
    consider(in[d], all, d, d, true, false);
  }
  return result;
}

std::string linksText(const LinkTiming &links) {
  std::string text;
  put(text, "%u devices at once: %.0f bytes read from others, %.0f written to them\n", links.devices, links.read,
      links.written);
  if (links.seconds <= 0) return text;
  const std::string sure =
      links.uncertainty > 0 ? "+-" + std::to_string(std::lround(100 * links.uncertainty)) + " %" : "not validated";
  std::string where;
  if (!links.isShared) put(where, "the link from device %u to %u", links.from, links.to);
  else put(where, "the links %s device %u", links.isOut ? "from" : "to", links.from);
  put(text,
      "%.4g us of data on %s: %.0f bytes at %.4g GB/s (%s, links of %s alone); each way of a signal takes some %.3g us "
      "more\n",
      links.seconds * 1e6, where.c_str(), links.bytes, links.bandwidth * 1e-9, sure.c_str(), links.machine.c_str(),
      links.latency * 1e6);
  return text;
}

std::string linksJson(const LinkTiming &links) {
  return nlohmann::ordered_json{{"machine", links.machine},
                                {"devices", links.devices},
                                {"read_bytes", static_cast<uint64_t>(links.read)},
                                {"written_bytes", static_cast<uint64_t>(links.written)},
                                {"microseconds", links.seconds * 1e6},
                                {"busiest_bytes", static_cast<uint64_t>(links.bytes)},
                                {"bytes_per_second", links.bandwidth},
                                {"latency_microseconds", links.latency * 1e6},
                                {"uncertainty", links.uncertainty}}
      .dump();
}

} // namespace fly::emulator
