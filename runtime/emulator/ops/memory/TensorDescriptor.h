// The descriptor of gfx1250's tensor data mover (D#), unpacked, and the walk over the tile it describes.
//
// One instruction copies a tile of up to five dimensions between global memory, where it is a part of a tensor with
// strides, and LDS, where it is packed:
//
//     2-D, f16, tile 64 x 8:   for y < 8: 128 bytes from global + 2 * y * stride0  ->  LDS, one row after the other
//
// The rest of the descriptor makes it harder: elements beyond the tensor's remaining extent load as zeros and are not
// stored; padding leaves holes in LDS at regular intervals; `iterate` repeats the walk with both starting addresses
// advanced; `gather` takes the rows from a list of indices instead of a stride.
//
// Groups of SGPRs, bits within the group (dimension 0 is the innermost, whose stride is 1):
//
//     0    1:0 count (0 does nothing, 1 a tensor, else the restore of a context)   30 indices have 32 bits   31 gather
//          63:32 LDS address   120:64 global address of the tile, both in bytes    127:126 type, 2
//     1    15:0 workgroup mask   17:16 log2 of the element's bytes   18 barrier   19 iterate   20 pad
//          21 early timeout   24:22 pad interval, 2 << n words   31:25 pad amount, n + 1 words
//          47:32 barrier's LDS address / 8
//          79:48, 111:80 tensor dims 0, 1   127:112, 143:128, 159:144 tile dims 0, 1, 2   207:160, 255:208 strides 0, 1
//     2    31:0, 63:32 tensor dims 2, 3   111:64 stride 2   127:112 tile dim 3
//          iterate: 63:32 LDS increment   111:64 global increment, both in elements   127:112 repetitions, less one
//     3    47:0 stride 3   79:48 tensor dim 4   95:80 tile dim 4
//     2, 3 gather: 16 indices of 16 bits or 8 of 32
//
// Extents and strides count elements; a tile dim of 0 means that the dimension is not used (dim 0: nothing to do).
//
// Sources: Triton's packing of the descriptor (TDMUtility, with its tables of fields) and public readings of AMD's ISA
// guide, section 10.11, which agree on every field; only MLIR has gather and index size the other way round. Only the
// guide's readings state: what iterate and gather do exactly, that a gather's order must not decrease where rows lie
// outside, that stores ignore padding, that a null descriptor sends no barrier arrival. Our own reading: a repetition
// restarts the padding and is bounded like the first; a tile of nothing (tile dim 0 is 0) sends no arrival either.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace fly::emulator {

struct TensorDescriptor {
  std::array<uint32_t, 4> group0{}, group2{}, group3{};
  std::array<uint32_t, 8> group1{};

  uint32_t count() const { return group0[0] & 3; }
  uint32_t type() const { return group0[3] >> 30; }
  bool wideIndices() const { return group0[0] >> 30 & 1; }
  bool gather() const { return group0[0] >> 31; }
  uint32_t ldsAddress() const { return group0[1]; }
  uint64_t globalAddress() const { return group0[2] | static_cast<uint64_t>(group0[3] & 0x1ffffff) << 32; }

  uint32_t workgroupMask() const { return group1[0] & 0xffff; }
  uint32_t elementBytes() const { return 1u << (group1[0] >> 16 & 3); }
  bool barrier() const { return group1[0] >> 18 & 1; }
  bool iterate() const { return (group1[0] >> 19 & 1) && !gather(); }
  bool pad() const { return group1[0] >> 20 & 1; }
  uint32_t padInterval() const { return 8u << (group1[0] >> 22 & 7); }     ///< bytes
  uint32_t padAmount() const { return 4 * ((group1[0] >> 25 & 127) + 1); } ///< bytes
  uint32_t barrierAddress() const { return (group1[1] & 0xffff) << 3; }

  uint32_t tensorDim(unsigned n) const {
    switch (n) {
    case 0: return group1[1] >> 16 | group1[2] << 16;
    case 1: return group1[2] >> 16 | group1[3] << 16;
    case 2: return group2[0];
    case 3: return group2[1];
    default: return group3[1] >> 16 | group3[2] << 16;
    }
  }
  uint32_t tileDim(unsigned n) const {
    switch (n) {
    case 0: return group1[3] >> 16;
    case 1: return group1[4] & 0xffff;
    case 2: return gather() ? 0 : group1[4] >> 16;
    case 3: return gather() || iterate() ? 0 : group2[3] >> 16;
    default: return gather() || iterate() ? 0 : group3[2] >> 16;
    }
  }
  /// From one index of dimension n + 1 to the next, in elements.
  uint64_t stride(unsigned n) const {
    switch (n) {
    case 0: return group1[5] | static_cast<uint64_t>(group1[6] & 0xffff) << 32;
    case 1: return group1[6] >> 16 | static_cast<uint64_t>(group1[7]) << 16;
    case 2: return group2[2] | static_cast<uint64_t>(group2[3] & 0xffff) << 32;
    default: return group3[0] | static_cast<uint64_t>(group3[1] & 0xffff) << 32;
    }
  }
  uint32_t repetitions() const { return iterate() ? (group2[3] >> 16) + 1 : 1; }
  uint32_t ldsIncrement() const { return group2[1]; }
  uint64_t globalIncrement() const { return stride(2); }
  /// How many row indices are used, and the n-th.
  uint32_t rows() const { return std::min(tileDim(1), wideIndices() ? 8u : 16u); }
  uint32_t row(unsigned n) const {
    if (wideIndices()) return n < 4 ? group2[n] : group3[n - 4];
    return (n < 8 ? group2[n / 2] : group3[n / 2 - 4]) >> 16 * (n % 2) & 0xffff;
  }

  /// Calls `run(global, lds, inside, bytes)` for each run of bytes that is contiguous in both memories: `bytes` bytes
  /// in LDS, of which the first `inside` are within the tensor. False as soon as `run` returns false. A load visits
  /// every byte of the tile and leaves holes for the padding; a store skips elements outside of the tensor. Within a
  /// repetition, each visit has different LDS bytes, so a caller that stops at the end of LDS finishes in bounded time.
  template <class F> bool walk(bool load, F run) const {
    const uint64_t element = elementBytes(), rowBytes = tileDim(0) * element;
    const uint64_t rowInside = std::min(tileDim(0), tensorDim(0)) * element;
    const uint64_t interval = load && pad() ? padInterval() : ~0ull, amount = padAmount();
    if (!rowBytes || (gather() && !rows()) || (!load && !rowInside)) return true;
    std::array<uint32_t, 4> extent, visited; // of dimensions 1 to 4
    for (unsigned n = 0; n < 4; ++n) {
      const bool used = tileDim(n + 1) != 0;
      extent[n] = gather() && n == 0 ? rows() : used ? tileDim(n + 1) : 1;
      visited[n] = load || !used || (gather() && n == 0) ? extent[n] : std::min(extent[n], tensorDim(n + 1));
      if (!visited[n]) return true;
    }
    for (uint32_t repeat = 0; repeat < repetitions(); ++repeat) {
      const uint64_t origin = globalAddress() + (iterate() ? repeat * globalIncrement() * element : 0);
      const uint64_t ldsOrigin = ldsAddress() + (iterate() ? uint64_t(repeat) * ldsIncrement() * element : 0);
      std::array<uint32_t, 4> at{};
      do {
        bool inside = true;
        uint64_t global = 0, position = 0;
        for (unsigned n = 4; n-- > 0;) {
          uint32_t index = n == 0 && gather() ? row(at[0]) : at[n];
          inside &= tileDim(n + 1) == 0 || index < tensorDim(n + 1);
          global += index * stride(n);
          position = position * extent[n] + at[n];
        }
        global = origin + global * element;
        position *= rowBytes;
        const uint64_t rowEnd = inside ? rowInside : 0, end = load ? rowBytes : rowEnd;
        for (uint64_t done = 0; done < end;) {
          uint64_t sincePad = (position + done) % interval, bytes = std::min(end - done, interval - sincePad);
          uint64_t lds = ldsOrigin + position + done + (position + done) / interval * amount;
          if (!run(global + done, lds, done < rowEnd ? std::min(bytes, rowEnd - done) : 0, bytes)) return false;
          done += bytes;
        }
      } while (next(at, visited));
    }
    return true;
  }

private:
  static bool next(std::array<uint32_t, 4> &at, const std::array<uint32_t, 4> &extent) {
    for (unsigned n = 0; n < 4; ++n) {
      if (++at[n] < extent[n]) return true;
      at[n] = 0;
    }
    return false;
  }
};
static_assert(sizeof(TensorDescriptor) == 20 * 4);

} // namespace fly::emulator
