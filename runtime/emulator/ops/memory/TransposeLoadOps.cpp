// Transposing loads of gfx12: global_load_tr*, ds_load_tr*.
//
// Each lane names 64, 96 or 128 contiguous bits; the lanes' elements are then exchanged, so that a matrix in memory
// with the wrong dimension contiguous arrives as a fragment of a WMMA operand:
//
//     16x16 f16, element (m, k) at address 2 * (16 * k + m)        ds_load_tr16_b128: lane 3 gets m = 3, k = 0..7
//
// The manuals only say "transpose". Which lane's bytes go to which lane depends on the width of the elements. Element e
// of lane L comes from lane S(L, e), where it is element L % (lanes that share a row):
//
//     16 bits  S = 8 * (L / 8) + e                                   8x8 transposes in groups of 8 lanes
//      8 bits  S = 16 * (L / 16) + 4 * (L / 8 % 2) + 8 * (e / 4) + e % 4     two runs of 4 lanes, 8 lanes apart
//      6 bits  S = 8 * (e / 4) + 4 * (L / 16) + e % 4                 runs of 4 lanes; element L % 16
//      4 bits  S = e % 8 + 8 * (L / 16) + 16 * (e / 8)                runs of 8 lanes; element L % 16
//
// Sources: 16 bits on gfx1201 and gfx1250 from published measurements with distinct elements (several, they agree).
// 8 bits from Triton's layout of ds_load_tr8_b64 ("double contiguity"), a published measurement of it on gfx1250, and
// the addresses a kernel for gfx1201 passes to global_load_tr_b64; all three agree. AMD's test of the same instruction
// has lanes in groups of 8 instead, which contradicts them. 6 and 4 bits: the addresses and results of AMD's test of
// global_load_tr6_b96 and tr4_b64 alone, single source; AMD's comgr translates these two as transposes of 16 lanes
// each.
//
// gfx1201 in wave64 (manual, 11.6.2): addresses of lanes 0-31 only, half as many registers. That lane 32 + L then gets
// what is in the second half of lane L's registers in wave32 is inferred from how a wave64 runs as two halves; single
// source. EXEC must be all ones or zero (same section; CDNA5 ISA, 10.9.2). gfx1250's from LDS ignore EXEC (11.2.4).
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/memory/Access.h"

namespace fly::emulator {

namespace {

constexpr PendingActions nothingToDo = {};

struct From {
  unsigned lane, element;
};

/// The source of element `e` of lane `l`, in wave32.
template <unsigned Bits> constexpr From sourceOf(unsigned l, unsigned e) {
  if constexpr (Bits == 16) return {l / 8 * 8 + e, l % 8};
  else if constexpr (Bits == 8) return {l / 16 * 16 + l / 8 % 2 * 4 + e / 4 * 8 + e % 4, l % 8};
  else if constexpr (Bits == 6) return {e / 4 * 8 + l / 16 * 4 + e % 4, l % 16};
  else return {e % 8 + l / 16 * 8 + e / 8 * 16, l % 16};
}

template <unsigned Bits> uint32_t elementOf(const uint8_t *bytes, unsigned e) {
  if constexpr (Bits == 16) return bytes[2 * e] | static_cast<uint32_t>(bytes[2 * e + 1]) << 8;
  else if constexpr (Bits == 8) return bytes[e];
  else {
    unsigned bit = e * Bits, byte = bit / 8;
    uint32_t two = bytes[byte] | (bit % 8 + Bits > 8 ? static_cast<uint32_t>(bytes[byte + 1]) << 8 : 0);
    return two >> bit % 8 & ((1u << Bits) - 1);
  }
}

/// Reads lanes 0 to 31 and leaves in p.data what each lane receives.
template <unsigned Bits, unsigned Bytes> inline constexpr PendingActions transposeActions = {
    [](Wave &w, Pending &p) {
      uint8_t raw[32][Bytes];
      for (unsigned l = 0; l < 32; ++l) std::memcpy(raw[l], p.at(l), Bytes);
      const unsigned halves = w.lanes / 32, perLane = Bytes * 8 / Bits / halves;
      for (unsigned l = 0; l < w.lanes; ++l) {
        uint32_t result[4] = {0, 0, 0, 0};
        for (unsigned k = 0; k < perLane; ++k) {
          From from = sourceOf<Bits>(l % 32, l / 32 * perLane + k);
          uint32_t v = elementOf<Bits>(raw[from.lane], from.element);
          unsigned bit = k * Bits;
          result[bit / 32] |= v << bit % 32;
          if (bit % 32 + Bits > 32) result[bit / 32 + 1] |= v >> (32 - bit % 32);
        }
        for (unsigned k = 0; k < p.words; ++k) p.data[k * laneStride + l] = result[k];
      }
    },
    deliverWords, nullptr};

template <Space S, unsigned Bits, unsigned Bytes> void transposeLoad(Wave &w, const Inst &i) {
  const uint64_t exec = S == Space::Lds ? w.laneMask : w.exec() & w.laneMask;
  if (exec != w.laneMask && exec)
    return w.fail(FaultKind::UnknownInstruction,
                  "a transposing load while some lanes are disabled: the result is undefined");
  Pending &p = beginPending(w, i, transposeActions<Bits, Bytes>);
  p.active = exec & 0xffffffff; // wave64: the upper lanes' addresses are not used
  if (!computeAddresses<S>(w, i, p, Bytes) || !mapAddresses(w, i, p, {S, true, false, false, Bytes}))
    return abandon(w, p);
  p.active = exec;
  p.words = exec ? static_cast<uint8_t>(Bytes / 4 / (w.lanes / 32)) : 0;
  if (!exec) p.actions = &nothingToDo;
  submit(w, p);
}

constexpr Space G = Space::Global, L = Space::Lds;
constexpr Row rows[] = {
    // gfx1250 calls them tr16 and tr8; LLVM keeps the older names of the global ones
    {"GLOBAL_LOAD_TR_B128", transposeLoad<G, 16, 16>, Row::Other},
    {"GLOBAL_LOAD_TR_B64", transposeLoad<G, 8, 8>, Row::Other},
    {"GLOBAL_LOAD_TR6_B96", transposeLoad<G, 6, 12>, Row::Other},
    {"GLOBAL_LOAD_TR4_B64", transposeLoad<G, 4, 8>, Row::Other},
    {"DS_LOAD_TR16_B128", transposeLoad<L, 16, 16>, Row::Other},
    {"DS_LOAD_TR8_B64", transposeLoad<L, 8, 8>, Row::Other},
    {"DS_LOAD_TR6_B96", transposeLoad<L, 6, 12>, Row::Other},
    {"DS_LOAD_TR4_B64", transposeLoad<L, 4, 8>, Row::Other},
};

} // namespace

std::span<const Row> transposeLoadRows() { return rows; }

} // namespace fly::emulator
