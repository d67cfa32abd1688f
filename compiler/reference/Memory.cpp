// Memory of the reference interpreter, see Memory.h.
#include "compiler/reference/Memory.h"

#include <algorithm>

namespace fly::reference {

void Memory::add(uint64_t address, std::string name, std::vector<uint8_t> bytes) {
  std::vector<uint8_t> known(bytes.size(), 0xff);
  byAddress[address] = {std::move(name), std::move(bytes), std::move(known)};
}

void Memory::addUnknown(uint64_t address, std::string name, uint64_t bytes) {
  byAddress[address] = {std::move(name), std::vector<uint8_t>(bytes), std::vector<uint8_t>(bytes)};
}

const Area *Memory::find(uint64_t address, uint64_t bytes, uint64_t &offset) const {
  auto after = byAddress.upper_bound(address);
  if (after == byAddress.begin())
    return nullptr;
  auto &[begin, area] = *std::prev(after);
  offset = address - begin;
  return offset <= area.bytes.size() && bytes <= area.bytes.size() - offset ? &area : nullptr;
}

static unsigned inMemory(unsigned bits) { return bits == 1 ? 8 : bits; }

bool Memory::load(uint64_t address, unsigned bits, unsigned count, Cell *out) const {
  const unsigned width = inMemory(bits);
  uint64_t offset = 0;
  const Area *area = find(address, llvm::divideCeil(uint64_t(width) * count, 8), offset);
  if (!area)
    return false;
  readPacked(area->bytes.data() + offset, area->known.data() + offset, 0, width, count, out);
  if (bits == 1)
    for (unsigned i = 0; i < count; ++i)
      out[i].bits &= 1, out[i].known &= 1;
  return true;
}

bool Memory::store(uint64_t address, unsigned bits, unsigned count, const Cell *in) {
  const unsigned width = inMemory(bits);
  uint64_t offset = 0;
  auto *area = const_cast<Area *>(find(address, llvm::divideCeil(uint64_t(width) * count, 8), offset));
  if (!area)
    return false;
  if (bits != 1) {
    writePacked(area->bytes.data() + offset, area->known.data() + offset, 0, width, count, in);
    return true;
  }
  for (unsigned i = 0; i < count; ++i) {
    area->bytes[offset + i] = uint8_t(in[i].bits & 1);
    area->known[offset + i] = uint8_t(0xfe | (in[i].known & 1));
  }
  return true;
}

void Memory::fill(uint64_t address, uint8_t value, uint64_t bytes) {
  uint64_t offset = 0;
  if (auto *area = const_cast<Area *>(find(address, bytes, offset))) {
    std::fill_n(area->bytes.begin() + int64_t(offset), bytes, value);
    std::fill_n(area->known.begin() + int64_t(offset), bytes, uint8_t(0xff));
  }
}

void Memory::forget(uint64_t address, uint64_t bytes) {
  uint64_t offset = 0;
  if (auto *area = const_cast<Area *>(find(address, bytes, offset)))
    std::fill_n(area->known.begin() + int64_t(offset), bytes, uint8_t(0));
}

void readPacked(const uint8_t *bytes, const uint8_t *known, uint64_t firstBit, unsigned bits, unsigned count,
                Cell *out) {
  for (unsigned i = 0; i < count; ++i) {
    Cell cell;
    for (unsigned done = 0; done < bits;) {
      const uint64_t at = firstBit + uint64_t(i) * bits + done;
      const unsigned within = unsigned(at % 8), take = std::min(8 - within, bits - done);
      cell.bits |= uint64_t((bytes[at / 8] >> within) & onesOf(take)) << done;
      cell.known |= uint64_t((known[at / 8] >> within) & onesOf(take)) << done;
      done += take;
    }
    out[i] = cell;
  }
}

void writePacked(uint8_t *bytes, uint8_t *known, uint64_t firstBit, unsigned bits, unsigned count, const Cell *in) {
  for (unsigned i = 0; i < count; ++i)
    for (unsigned done = 0; done < bits;) {
      const uint64_t at = firstBit + uint64_t(i) * bits + done;
      const unsigned within = unsigned(at % 8), take = std::min(8 - within, bits - done);
      const auto mask = uint8_t(onesOf(take) << within);
      auto put = [&](uint8_t &byte, uint64_t value) {
        byte = uint8_t((byte & ~mask) | ((((value >> done) & onesOf(take)) << within) & mask));
      };
      put(bytes[at / 8], in[i].bits);
      put(known[at / 8], in[i].known);
      done += take;
    }
}

} // namespace fly::reference
