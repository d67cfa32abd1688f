// See Profile.h.
#include "compiler/host/Profile.h"

#include <algorithm>

namespace fly::host {

size_t Profile::leafCount() const {
  size_t count = parts.empty();
  for (auto &part : parts)
    count += part.leafCount();
  return count;
}

bool isSame(const Profile &a, const Profile &b) {
  return a.parts.size() == b.parts.size() && std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), isSame);
}

std::vector<size_t> leafCounts(const Profiles &modes, size_t leaves) {
  if (modes.empty())
    return std::vector<size_t>(leaves, 1);
  std::vector<size_t> out;
  for (auto &mode : modes)
    out.push_back(mode.leafCount());
  return out;
}

std::string nestedText(const Profiles &modes, const std::vector<std::string> &leaves) {
  return nested(modes, leaves, [](const std::vector<std::string> &parts) {
    std::string text = "(";
    for (auto &part : parts)
      text += (text.size() > 1 ? ", " : "") + part;
    return text + (parts.size() == 1 ? ",)" : ")");
  });
}

HostAxes hostAxes(const Profiles &modes, const Shape &extents, const Shape &strides) {
  HostAxes out;
  size_t begin = 0;
  for (size_t count : leafCounts(modes, extents.size())) {
    int64_t extent = 1;
    for (size_t i = begin + count; i-- > begin;) {
      out.extents.push_back(extents[i]);
      out.strides.push_back(strides[i]);
      if (__builtin_mul_overflow(extent, extents[i], &extent))
        out.error = "an extent of more than 63 bits";
    }
    out.modes.push_back(extent);
    begin += count;
  }
  return out;
}

} // namespace fly::host
