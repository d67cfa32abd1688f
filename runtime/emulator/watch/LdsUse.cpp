// See LdsUse.h.
#include "runtime/emulator/watch/LdsUse.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace fly::emulator {

namespace {
/// Each element `parts` times in a row.
template <class T> std::vector<T> repeated(const std::vector<T> &from, unsigned parts) {
  std::vector<T> to;
  to.reserve(from.size() * parts);
  for (const T &each : from) to.insert(to.end(), parts, each);
  return to;
}
} // namespace

LdsUse::LdsUse(uint32_t bytes, uint32_t waves) : ldsBytes(bytes), waves(waves) { clear(); }

void LdsUse::clear() {
  const size_t cells = (ldsBytes + size - 1) / size, blocks = ldsBytes / blockBytes + 1;
  writes.assign(cells, {});
  otherInstructions.assign(cells, 0);
  values.assign(cells * size, 0);
  otherValues.assign(cells * size, 0);
  reads.assign(waves, std::vector<Read>(cells));
  lastWrites.assign(blocks * waves, 0);
  lastReads.assign(blocks * waves, 0);
  otherWrites.clear();
}

void LdsUse::split(uint32_t places) {
  const unsigned parts = size >> std::countr_zero(places);
  size /= parts;
  shift = static_cast<unsigned>(std::countr_zero(size));
  writes = repeated(writes, parts);
  otherInstructions = repeated(otherInstructions, parts);
  for (std::vector<Read> &each : reads) each = repeated(each, parts);
  std::unordered_map<uint32_t, std::vector<KeptWrite>> before = std::exchange(otherWrites, {});
  for (const auto &[cell, kept] : before)
    for (unsigned part = 0; part < parts; ++part)
      for (KeptWrite write : kept) {
        std::copy_n(write.value.begin() + part * size, size, write.value.begin());
        otherWrites[cell * parts + part].push_back(write);
      }
  // A part may have had the same value before: of those the last other one is not known.
  for (uint32_t cell = 0; cell < writes.size(); ++cell)
    if (writes[cell].otherCount && std::equal(value(cell), value(cell) + size, otherValue(cell)))
      writes[cell].otherCount = 0;
}

} // namespace fly::emulator
