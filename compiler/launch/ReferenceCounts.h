// What launches beside the reference interpreter have come to.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace fly::driver {

/// What launches of a check have come to, by the reference.
struct ReferenceCounts {
  uint64_t launches = 0, compared = 0;          ///< in all; those that the reference could execute
  uint64_t bytesWritten = 0, bytesCompared = 0; ///< that compared launches changed; of these, known to the reference
  uint64_t differences = 0;
  std::set<std::string> kernels;                                   ///< that were compared, by their labels
  std::map<std::pair<std::string, std::string>, uint64_t> reasons; ///< by kernel: why launches were not compared
  void add(const ReferenceCounts &other);
  std::string text() const;
};

} // namespace fly::driver
