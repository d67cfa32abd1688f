// The buffer resource (V#): the four scalar registers that describe where a buffer is, how it is indexed and where it
// ends.
//
// An access has an index and an offset (instruction offset plus VGPR offset; each lane's own), and the SGPR's offset.
//
//     linear    base + sgpr offset + index * stride + offset
//     swizzled  elements of `element` bytes of `indexStride` neighbouring indices are stored together:
//               ((index / S) * stride + offset / E * E) * S + (index % S) * E + offset % E
//
// What is out of range loads 0 and stores nothing. The rules:
//
//   gfx9    stride 0, or an instruction without index (neither idxen nor add-tid): each dword for itself, in range
//           while index * stride + offset + sgpr offset <= num_records - 4. Else: index < num_records, and
//           offset < stride. (CDNA3 ISA, "Buffer addressing", and what Mesa knows of GFX9's num_records.)
//   gfx12   OOB_SELECT of the resource: 0 index < num_records and offset + size <= stride; 1 index < num_records;
//           2 num_records != 0; 3 offset + size <= num_records, but as 0 if swizzled with a stride. The whole access is
//           in range or is not. (Mesa's comment on GFX11's OOB_SELECT.)
//
// Single source: the layout of gfx1250's resource is what LLVM's make.buffer.rsrc packs.
#pragma once

#include "runtime/emulator/lanes/Scalars.h"

namespace fly::emulator {

struct BufferResource {
  uint64_t base = 0, records = 0;
  uint32_t stride = 0;
  bool swizzle = false, addThread = false;
  unsigned elementBytes = 4, indexStride = 8; ///< of swizzled buffers
  unsigned outOfBounds = 3;     ///< gfx12's OOB_SELECT
  uint32_t word3 = 0;           ///< formats and component selects

  BufferResource(const Wave &w, unsigned slot) {
    const Architecture &arch = w.program->arch;
    uint32_t w0 = w.scalar[slot], w1 = w.scalar[slot + 1], w2 = w.scalar[slot + 2];
    word3 = w.scalar[slot + 3];
    if (arch.wideBuffers) {
      base = w0 | static_cast<uint64_t>(w1 & 0x1ffffff) << 32;
      records = w1 >> 25 | static_cast<uint64_t>(w2) << 7 | static_cast<uint64_t>(word3 & 0x3f) << 39;
      stride = word3 >> 12 & 0x3fff;
      outOfBounds = word3 >> 28 & 3;
      return;
    }
    base = w0 | static_cast<uint64_t>(w1 & 0xffff) << 32;
    records = w2;
    stride = w1 >> 16 & 0x3fff;
    indexStride = 8u << (word3 >> 21 & 3);
    addThread = word3 >> 23 & 1;
    if (arch.gfx12) {
      swizzle = w1 >> 30;
      elementBytes = 2u << (w1 >> 30);
      outOfBounds = word3 >> 28 & 3;
    } else {
      swizzle = w1 >> 31;
      if (addThread) stride |= (word3 >> 15 & 15) << 14; // the data format's bits are the stride's upper ones
    }
  }

  uint64_t place(uint64_t index, uint64_t offset) const {
    if (!swizzle || !stride) return index * stride + offset;
    return (index / indexStride * stride + offset / elementBytes * elementBytes) * indexStride +
           index % indexStride * elementBytes + offset % elementBytes;
  }
  /// Dwords of an access of `bytes` bytes that are in range (one for less than a dword).
  unsigned inside(bool gfx12, bool indexed, uint64_t index, uint64_t offset, uint64_t sgprOffset,
                  unsigned bytes) const {
    unsigned words = (bytes + 3) / 4;
    if (gfx12) {
      bool raw = outOfBounds == 3 && !(swizzle && stride);
      bool in = raw                ? place(index, offset) + bytes <= records
                : outOfBounds == 1 ? index < records
                : outOfBounds == 2 ? records != 0
                                   : index < records && offset + bytes <= stride;
      return in ? words : 0;
    }
    if (stride && indexed) return index < records && offset < stride ? words : 0;
    uint64_t at = place(index, offset) + sgprOffset;
    if (bytes < 4) return at + bytes <= records;
    if (at >= records) return 0;
    uint64_t fit = (records - at) / 4;
    return fit < words ? static_cast<unsigned>(fit) : words;
  }
};

} // namespace fly::emulator
