// What the waves of a workgroup have used LDS for: of each cell the last writes, and each wave's last read. RaceCheck.h
// decides what of it races.
//
// A cell is as many bytes as all accesses so far allow: 16 at first, and fewer from the first access on that is not
// aligned to them or has fewer. So each access concerns whole cells, and a cell's bytes have one history. Accesses of 16
// bytes per lane, which most tiles are filled and read with, cost a 16th of what single bytes would.
//
// Counts are a wave's, and grow over workgroups: what an earlier workgroup has left is older than all that the waves of
// this one have synchronised with, so nothing is cleared between them.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fly::emulator {

class LdsUse {
public:
  static constexpr unsigned mostBytes = 16, blockBytes = 256;
  using Value = std::array<uint8_t, mostBytes>; ///< of a cell; as many of them as it has bytes

  /// A wave's last write to a cell, and its last before that of another value.
  struct Write {
    uint32_t count = 0, instruction = 0, otherCount = 0; ///< otherCount: 0 if there is no other
    uint16_t wave = 0;
    bool atomic = false, known = false; ///< known: the value is
  };
  struct KeptWrite : Write {
    uint32_t otherInstruction = 0;
    Value value{};
  };
  struct Read {
    uint32_t count = 0, instruction = 0;
  };

  LdsUse(uint32_t bytes, uint32_t waves);
  /// Forgets everything.
  void clear();

  uint32_t bytes() const { return ldsBytes; }
  unsigned cellBytes() const { return size; }
  uint32_t cellOf(uint32_t offset) const { return offset >> shift; }
  uint32_t offsetOf(uint32_t cell) const { return cell << shift; }
  /// Makes cells no larger than what divides all addresses and lengths whose bits `places` has.
  void refine(uint32_t places) {
    if (places & (size - 1)) split(places);
  }

  Write &write(uint32_t cell) { return writes[cell]; }
  /// Of the last write; of the one that `otherCount` tells.
  uint8_t *value(uint32_t cell) { return values.data() + offsetOf(cell); }
  uint8_t *otherValue(uint32_t cell) { return otherValues.data() + offsetOf(cell); }
  uint32_t &otherInstruction(uint32_t cell) { return otherInstructions[cell]; }
  Read *readsOf(uint32_t wave) { return reads[wave].data(); }

  /// Of waves other than the last one that wrote, as far as they matter; by cell.
  std::unordered_map<uint32_t, std::vector<KeptWrite>> otherWrites;

  /// The counts of the last access of each wave to each block of LDS.
  uint32_t *blockWrites(uint32_t offset) { return lastWrites.data() + offset / blockBytes * waves; }
  uint32_t *blockReads(uint32_t offset) { return lastReads.data() + offset / blockBytes * waves; }

  // Of the blocks with bytes of [begin, end):
  /// Whether all writes there are at most as late as `counts` has it, by wave.
  bool isOld(uint32_t begin, uint32_t end, const uint32_t *counts) const {
    for (uint32_t k = begin / blockBytes * waves; k < ((end - 1) / blockBytes + 1) * waves; k += waves)
      for (uint32_t wave = 0; wave < waves; ++wave)
        if (lastWrites[k + wave] > counts[wave]) return false;
    return true;
  }
  /// The wave's last access there has this count.
  void note(uint32_t wave, bool writes, uint32_t begin, uint32_t end, uint32_t count) {
    uint32_t *last = writes ? lastWrites.data() : lastReads.data();
    for (uint32_t k = begin / blockBytes; k <= (end - 1) / blockBytes; ++k) last[k * waves + wave] = count;
  }

private:
  void split(uint32_t places);
  uint32_t ldsBytes, waves;
  unsigned size = mostBytes, shift = 4;
  std::vector<Write> writes;                   ///< by cell
  std::vector<uint32_t> otherInstructions;     ///< by cell
  std::vector<uint8_t> values, otherValues;    ///< by byte
  std::vector<std::vector<Read>> reads;        ///< by wave, then cell
  std::vector<uint32_t> lastWrites, lastReads; ///< by block, then wave
};

} // namespace fly::emulator
