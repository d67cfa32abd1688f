// How the numbers of a shape are grouped: the mode (8, 4, k // 32) of ((16, n // 16), (8, 4, k // 32)) is a tuple of
// three.
//
// Shapes and strides of tensors are flat lists here, one number per leaf, in the order in which they are written.
// Within a mode the first leaf runs fastest, so that the mode is counted by one number: 0 to 8 * 4 * (k // 32) - 1.
#pragma once

#include "compiler/host/HostArray.h"

#include <string>
#include <vector>

namespace fly::host {

/// A number, or a tuple of what `parts` has. No tuple is empty.
struct Profile {
  std::vector<Profile> parts; ///< empty: one number
  size_t leafCount() const;
};

/// How a list of modes is grouped. Empty: each mode is one number.
using Profiles = std::vector<Profile>;

bool isSame(const Profile &a, const Profile &b);

/// The count of leaves of each of the modes, of which `leaves` are numbers in all.
std::vector<size_t> leafCounts(const Profiles &modes, size_t leaves);

/// The tree of the leaves. `tuple` makes one T of a list of them.
template <typename T, typename MakeTuple>
T nested(const Profiles &modes, std::vector<T> leaves, const MakeTuple &tuple) {
  if (modes.empty())
    return tuple(std::move(leaves));
  size_t next = 0;
  auto grouped = [&](auto &self, const Profiles &parts) -> T {
    std::vector<T> out;
    for (auto &part : parts)
      out.push_back(part.parts.empty() ? std::move(leaves[next++]) : self(self, part.parts));
    return tuple(std::move(out));
  };
  return grouped(grouped, modes);
}

/// `((16, n), k)` for the texts of the leaves.
std::string nestedText(const Profiles &modes, const std::vector<std::string> &leaves);

/// A tensor as the array that it is on the host: one axis per mode; and as an array of leaves, in which each axis of
/// the former is split into some, the last of which runs fastest as everywhere on the host.
struct HostAxes {
  Shape modes;            ///< extents of the modes
  Shape extents, strides; ///< of the leaves, those of a mode in reverse
  std::string error;      ///< an extent of more than 63 bits; else empty
};
HostAxes hostAxes(const Profiles &modes, const Shape &extents, const Shape &strides);

} // namespace fly::host
