// The buffer resource (V#): the four scalar registers that describe where a buffer is, how it is indexed and where it
// ends.
//
// An access has an index (idxen's register, the lane's number with add-tid), a VGPR offset, the instruction's offset
// and the SGPR's offset. `offset` is VGPR offset + instruction offset; except on gfx1250 it wraps at 32 bits.
//
//     linear    base + sgpr offset + index * stride + offset
//     swizzled  elements of `element` bytes of S neighbouring indices are stored together:
//               ((index / S) * stride + offset / E * E) * S + (index % S) * E + offset % E
//
// What is out of range loads 0 and stores nothing. Atomics and accesses with a format are in range as a whole or not at
// all; others by dwords, where the list says so.
//
//   gfx9     with idxen and a stride: index < num_records. With add-tid and without idxen: unchecked. Else by dwords:
//            index * stride + offset + sgpr offset <= num_records - 4. add-tid adds the lane to idxen's index only in
//            swizzled buffers. (AMD's own emulator after a comparison with gfx950: ROCm/rocm-systems#10928; unverified
//            for gfx942, and whether swizzling needs add-tid. CDNA3 ISA, "Buffer addressing", and what Mesa knows of
//            GFX9's num_records agree with the rest.)
//   gfx1201  OOB_SELECT of the resource: 0 index < num_records and offset + size <= stride; 1 index < num_records;
//            2 num_records != 0; 3 by dwords, index * stride + offset + sgpr offset + 4 <= num_records, but as 0 if
//            swizzled with a stride. idxen replaces add-tid. (Mesa's comment on GFX11's OOB_SELECT; mode 3 with the
//            SGPR's offset: rocm-systems addr_calc_buffer.h for "physical gfx11/gfx12", ROCm/rocMLIR#678. By dwords:
//            the former alone.)
//   gfx1250  num_records are bytes. `offset` has the SGPR's, too. By dwords, with total = index * stride + offset:
//            OOB_SELECT 0 total + 4 <= num_records; 1 that, and offset + 4 <= stride. Unchecked if swizzled, or if
//            num_records is all ones; 0 is an unbound resource. A type that is not 0 makes the instruction do nothing.
//            (CDNA5 ISA of July 2026, 9.4 and 9.6. That the check has the SGPR's offset is doubted by
//            ROCm/rocm-systems#10362, which follows the manual nevertheless; this is the stricter rule.)
#pragma once

#include "runtime/emulator/lanes/Scalars.h"

namespace fly::emulator {

class BufferResource {
public:
  uint64_t base = 0, records = 0;
  uint32_t stride = 0;
  bool swizzle = false, addThread = false;
  bool ignored = false;                       ///< gfx1250: of another type
  unsigned elementBytes = 4, indexStride = 8; ///< of swizzled buffers
  unsigned outOfBounds = 3;                   ///< gfx12's OOB_SELECT
  uint32_t word3 = 0;                         ///< formats and component selects

  BufferResource(const Wave &w, unsigned slot)
      : family(w.program->arch.wideBuffers             ? Family::Gfx1250
               : w.program->arch.generation.boundsMode ? Family::Gfx1201
                                                       : Family::Gfx9) {
    const uint32_t w0 = w.scalar[slot], w1 = w.scalar[slot + 1], w2 = w.scalar[slot + 2];
    word3 = w.scalar[slot + 3];
    if (family == Family::Gfx1250) {
      base = w0 | static_cast<uint64_t>(w1 & 0x1ffffff) << 32;
      records = w1 >> 25 | static_cast<uint64_t>(w2) << 7 | static_cast<uint64_t>(word3 & 0x3f) << 39;
      constexpr uint8_t strideScale[] = {1, 4, 8, 32};
      stride = (word3 >> 12 & 0x3fff) * strideScale[word3 >> 26 & 3];
      swizzle = word3 >> 28 & 1;
      outOfBounds = word3 >> 29 & 1;
      ignored = word3 >> 30;
      elementBytes = 16;
      indexStride = 32;
      return;
    }
    base = w0 | static_cast<uint64_t>(w1 & 0xffff) << 32;
    records = w2;
    stride = w1 >> 16 & 0x3fff;
    indexStride = 8u << (word3 >> 21 & 3);
    addThread = word3 >> 23 & 1;
    if (family == Family::Gfx1201) {
      swizzle = w1 >> 30;
      elementBytes = 2u << (w1 >> 30);
      outOfBounds = word3 >> 28 & 3;
    } else {
      swizzle = w1 >> 31;
      if (addThread) stride |= (word3 >> 15 & 15) << 14; // the data format's bits are the stride's upper ones
    }
  }

  /// Bytes that scalar loads see: num_records, times the stride (unscaled) if there is one.
  uint64_t scalarBytes() const {
    const uint64_t plain = family == Family::Gfx1250 ? word3 >> 12 & 0x3fff : stride & 0x3fff;
    return plain ? plain * records : records;
  }

  bool isSwizzled() const { return swizzle && stride; }

  /// One lane's part in an instruction.
  struct Lane {
    uint64_t index;
    uint32_t vgprOffset;
    bool idxen;
  };
  struct Place {
    uint64_t address;
    unsigned words;
  };
  /// Where the lane's `bytes` bytes are, and how many dwords of them are in range (one for less than a dword).
  Place find(const Lane &lane, int64_t instructionOffset, uint32_t sgprOffset, unsigned bytes) const {
    const unsigned words = (bytes + 3) / 4;
    if (family == Family::Gfx1250) {
      constexpr uint64_t mask45 = (uint64_t(1) << 45) - 1;
      const uint64_t all = uint64_t(lane.vgprOffset) + static_cast<uint64_t>(instructionOffset) + sgprOffset;
      if (isSwizzled()) return {base + place(lane.index, all & mask45), words};
      const uint64_t total = lane.index * stride + all;
      const uint64_t address = base + sgprOffset + ((total - sgprOffset) & mask45);
      if (records == mask45) return {address, words};
      unsigned inside = upTo(records, total, bytes);
      if (outOfBounds) inside = std::min(inside, upTo(stride, all, bytes));
      return {address, inside};
    }
    const uint32_t offset = lane.vgprOffset + static_cast<uint32_t>(instructionOffset);
    const uint64_t at = isSwizzled() ? place(lane.index, offset) : lane.index * stride + offset;
    const uint64_t address = base + sgprOffset + at;
    if (family == Family::Gfx9) {
      if (lane.idxen && stride) return {address, lane.index < records ? words : 0};
      if (addThread && !lane.idxen) return {address, words};
      return {address, upTo(records, at + sgprOffset, bytes)};
    }
    if (outOfBounds == 3 && !isSwizzled()) return {address, upTo(records, at + sgprOffset, bytes)};
    const bool in = outOfBounds == 1   ? lane.index < records
                    : outOfBounds == 2 ? records != 0
                                       : lane.index < records && uint64_t(offset) + bytes <= stride;
    return {address, in ? words : 0};
  }

private:
  enum class Family : uint8_t { Gfx9, Gfx1201, Gfx1250 } family;

  uint64_t place(uint64_t index, uint64_t offset) const {
    return (index / indexStride * stride + offset / elementBytes * elementBytes) * indexStride +
           index % indexStride * elementBytes + offset % elementBytes;
  }
  /// Dwords of the `bytes` bytes at `at` that end at or before `end`.
  static unsigned upTo(uint64_t end, uint64_t at, unsigned bytes) {
    if (bytes < 4) return at <= end && bytes <= end - at;
    return at > end ? 0 : static_cast<unsigned>(std::min<uint64_t>((end - at) / 4, (bytes + 3) / 4));
  }
};

} // namespace fly::emulator
