// Typed buffer accesses: MUBUF's *_FORMAT_*, whose format is in the resource, and MTBUF, whose format is in the
// instruction. Between memory and registers each component is converted by the data format (which bits) and the
// number format (what they mean).
//
// The resource's component selects determine what each result register receives: 0, 1, or the component X..W;
// components that the format lacks are 0, and 1 for W. Formats are range-checked as a whole. D16 forms have 16-bit
// results (f16, or integers of 16 bits), two per register. gfx9 has separate data and number formats (dfmt in bits 3:0,
// nfmt in 6:4 of MTBUF's field); gfx12 has one number for both. Data formats are named from the highest bit: of
// 10_11_11 X is bits 10:0, of 2_10_10_10 bits 9:0. Sources: CDNA3 ISA, "Memory buffer load data format"; LLVM's names
// of gfx11's unified formats (same on gfx12); Mesa, for which R10G10B10A2 (red lowest) is 2_10_10_10.
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/memory/Access.h"
#include "runtime/emulator/ops/memory/BufferResource.h"

#include <algorithm>

namespace fly::emulator {

namespace {

enum Number : uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Reserved, Float };

/// Bits of X, Y, Z, W; X lowest.
struct Layout {
  uint8_t bits[4];
};
constexpr Layout layouts[16] = {{{0, 0, 0, 0}},     {{8, 0, 0, 0}},    {{16, 0, 0, 0}},    {{8, 8, 0, 0}},
                                {{32, 0, 0, 0}},    {{16, 16, 0, 0}},  {{11, 11, 10, 0}},  {{10, 11, 11, 0}},
                                {{2, 10, 10, 10}},  {{10, 10, 10, 2}}, {{8, 8, 8, 8}},     {{32, 32, 0, 0}},
                                {{16, 16, 16, 16}}, {{32, 32, 32, 0}}, {{32, 32, 32, 32}}, {{0, 0, 0, 0}}};

struct Format {
  Layout layout{};
  Number number = Unorm;
  unsigned bytes() const { return (layout.bits[0] + layout.bits[1] + layout.bits[2] + layout.bits[3]) / 8u; }
  bool integer() const { return number == Uint || number == Sint; }
};

/// gfx11's and gfx12's numbers: for each data format, in order, the number formats it has.
struct Unified {
  uint8_t first, layout;
  const char *numbers;
};
constexpr Unified unified[] = {{1, 1, "012345"},   {7, 2, "0123457"},  {14, 3, "012345"}, {20, 4, "457"},
                               {23, 5, "0123457"}, {30, 6, "7"},       {31, 7, "7"},      {32, 8, "0145"},
                               {36, 9, "012345"},  {42, 10, "012345"}, {48, 11, "457"},   {51, 12, "0123457"},
                               {58, 13, "457"},    {61, 14, "457"}};

Format formatOf(bool isUnified, unsigned code) {
  Format f;
  if (!isUnified) {
    f.layout = layouts[code & 15];
    f.number = static_cast<Number>(code >> 4 & 7);
    return f;
  }
  for (const Unified &u : unified) {
    unsigned n = code - u.first;
    if (code < u.first || n >= std::char_traits<char>::length(u.numbers)) continue;
    f.layout = layouts[u.layout];
    f.number = static_cast<Number>(u.numbers[n] - '0');
  }
  return f;
}
/// The format of the instruction or of its resource.
Format formatOf(const Wave &w, const Inst &i, const BufferResource &r, bool typed) {
  const bool isUnified = w.program->arch.generation.unifiedFormats;
  if (typed) return formatOf(isUnified, i.immediate);
  return formatOf(isUnified, isUnified ? r.word3 >> 12 & 63 : (r.word3 >> 15 & 15) | (r.word3 >> 12 & 7) << 4);
}

int32_t signExtend(uint32_t v, unsigned bits) { return static_cast<int32_t>(v << (32 - bits)) >> (32 - bits); }

/// Unsigned floats of 11 and 10 bits: 5 bits of exponent, the rest mantissa; 16-bit floats are halves.
float decodeFloat(uint32_t v, unsigned bits) {
  if (bits == 32) return std::bit_cast<float>(v);
  if (bits == 16) return halfToFloat(v);
  return bits >= 10 ? halfToFloat(v << (15 - bits)) : 0;
}
uint32_t encodeFloat(float f, unsigned bits) {
  if (bits == 32) return std::bit_cast<uint32_t>(f);
  if (bits == 16) return floatToHalf(f);
  if (bits < 10) return 0;
  uint32_t infinity = 31u << (bits - 5);
  if (f != f) return infinity | 1;
  if (!(f > 0)) return 0;
  if (std::isinf(f)) return infinity;
  // Truncated, as the packed float formats of graphics are; the largest finite value at most.
  uint32_t b = std::bit_cast<uint32_t>(f);
  unsigned mantissa = bits - 5;
  int exponent = static_cast<int>(b >> 23) - 127 + 15;
  uint32_t fraction = (b & 0x7fffff) | 0x800000;
  if (exponent >= 31) return infinity - 1;
  if (exponent <= 0)
    return exponent < -static_cast<int>(mantissa) ? 0 : fraction >> (24 - static_cast<int>(mantissa) - exponent);
  return static_cast<uint32_t>(exponent) << mantissa | (fraction & 0x7fffff) >> (23 - mantissa);
}

/// A component's bits as what a 32-bit register receives: a float or an integer.
uint32_t decode(uint32_t v, unsigned bits, Number number) {
  float f = 0;
  uint32_t most = bits == 32 ? ~0u : (1u << bits) - 1;
  switch (number) {
  case Unorm: f = static_cast<float>(static_cast<double>(v) / most); break;
  case Snorm: f = std::max(-1.0f, static_cast<float>(static_cast<double>(signExtend(v, bits)) / (most >> 1))); break;
  case Uscaled: f = static_cast<float>(v); break;
  case Sscaled: f = static_cast<float>(signExtend(v, bits)); break;
  case Uint: return v;
  case Sint: return static_cast<uint32_t>(signExtend(v, bits));
  case Float: f = decodeFloat(v, bits); break;
  case Reserved: return 0;
  }
  return std::bit_cast<uint32_t>(f);
}
uint32_t encode(uint32_t word, unsigned bits, Number number) {
  double f = std::bit_cast<float>(word);
  if (f != f) f = 0;
  double most = bits == 32 ? 4294967295.0 : (1u << bits) - 1,
         half = (bits == 32 ? 2147483647.0 : (1u << (bits - 1)) - 1);
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  auto toInteger = [&](double v, double low, double high) {
    return static_cast<uint32_t>(static_cast<int64_t>(std::nearbyint(std::clamp(v, low, high)))) & mask;
  };
  switch (number) {
  case Unorm: return toInteger(std::clamp(f, 0.0, 1.0) * most, 0, most);
  case Snorm: return toInteger(std::clamp(f, -1.0, 1.0) * half, -half, half);
  case Uscaled: return toInteger(f, 0, most);
  case Sscaled: return toInteger(f, -half - 1, half);
  case Uint: return toInteger(static_cast<double>(word), 0, most);
  case Sint: return toInteger(static_cast<double>(static_cast<int32_t>(word)), -half - 1, half);
  case Float: return encodeFloat(std::bit_cast<float>(word), bits);
  case Reserved: return 0;
  }
  return 0;
}

/// A 32-bit result in 16 bits, and back. Integers saturate.
uint32_t narrow(uint32_t v, const Format &f) {
  if (f.number == Uint) return std::min(v, 0xffffu);
  if (f.number == Sint) return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(v), -32768, 32767)) & 0xffffu;
  return floatToHalf(std::bit_cast<float>(v));
}
uint32_t widen(uint32_t v, const Format &f) {
  if (f.number == Uint) return v & 0xffff;
  if (f.number == Sint) return static_cast<uint32_t>(signExtend(v & 0xffff, 16));
  return std::bit_cast<uint32_t>(halfToFloat(v & 0xffff));
}

uint64_t pack(const Format &f) {
  uint64_t v = f.number;
  for (unsigned k = 0; k < 4; ++k) v |= static_cast<uint64_t>(f.layout.bits[k]) << (8 + 8 * k);
  return v;
}
Format unpack(uint64_t v) {
  Format f;
  f.number = static_cast<Number>(v & 0xff);
  for (unsigned k = 0; k < 4; ++k) f.layout.bits[k] = static_cast<uint8_t>(v >> (8 + 8 * k));
  return f;
}
/// Component k begins at bit `at` of the element.
uint32_t readBits(const uint8_t *p, unsigned at, unsigned bits) {
  uint64_t v = 0;
  std::memcpy(&v, p + at / 8, (at % 8 + bits + 7) / 8);
  v >>= at % 8;
  return bits == 32 ? static_cast<uint32_t>(v) : static_cast<uint32_t>(v) & ((1u << bits) - 1);
}

enum Width { Full, D16, D16High };

template <unsigned N, Width Kind> constexpr unsigned registers = Kind == Full ? N : (N + 1) / 2;

/// extra[0]: the format; extra[1]: the resource's component selects.
template <unsigned N, Width Kind> inline constexpr PendingActions loadFormatActions = {
    [](Wave &, Pending &p) {
      Format f = unpack(p.extra[0]);
      forLanes(p.active, [&](unsigned l) {
        bool in = !(p.outside >> l & 1);
        uint32_t one = f.integer() ? 1u : std::bit_cast<uint32_t>(1.0f), component[4] = {0, 0, 0, in ? one : 0};
        for (unsigned k = 0, at = 0; in && k < 4; at += f.layout.bits[k++])
          if (f.layout.bits[k])
            component[k] = decode(readBits(p.at(l), at, f.layout.bits[k]), f.layout.bits[k], f.number);
        for (unsigned k = 0; k < N; ++k) {
          unsigned select = p.extra[1] >> 3 * k & 7;
          uint32_t v = select >= 4 ? component[select - 4] : select == 1 ? one : 0;
          if constexpr (Kind == Full) p.data[k * laneStride + l] = v;
          else {
            uint32_t &word = p.data[k / 2 * laneStride + l];
            word = k & 1 ? (word & 0xffffu) | narrow(v, f) << 16 : narrow(v, f);
          }
        }
      });
    },
    [](Wave &w, Pending &p) {
      uint32_t *d = w.reg(p.dst);
      if constexpr (Kind == Full || N % 2 == 0) return deliverWords(w, p);
      forLanes(p.active, [&](unsigned l) {
        for (unsigned k = 0; k + 1 < registers<N, Kind>; ++k) d[k * laneStride + l] = p.data[k * laneStride + l];
        uint32_t &last = d[(registers<N, Kind> - 1) * laneStride + l],
                 v = p.data[(registers<N, Kind> - 1) * laneStride + l];
        last = w.program->withHalf(last, v, Kind == D16High);
      });
    },
    nullptr};
template <unsigned N, Width Kind> inline constexpr PendingActions storeFormatActions = {
    [](Wave &, Pending &p) {
      Format f = unpack(p.extra[0]);
      forLanes(p.lanes(), [&](unsigned l) {
        uint8_t element[16] = {};
        for (unsigned k = 0, at = 0; k < 4; at += f.layout.bits[k++]) {
          unsigned bits = f.layout.bits[k];
          if (!bits || k >= N) continue;
          uint32_t v = Kind == Full ? p.data[k * laneStride + l]
                                    : widen(p.data[k / 2 * laneStride + l] >> (Kind == D16High || (k & 1) ? 16 : 0), f);
          uint64_t field = static_cast<uint64_t>(encode(v, bits, f.number)) << at % 8;
          for (unsigned b = 0; b < (at % 8 + bits + 7) / 8; ++b)
            element[at / 8 + b] |= static_cast<uint8_t>(field >> 8 * b);
        }
        std::memcpy(p.at(l), element, f.bytes());
      });
    },
    nullptr, nullptr};

template <unsigned N, Width Kind, bool Typed, bool Store> void access(Wave &w, const Inst &i) {
  constexpr const PendingActions &actions = Store ? storeFormatActions<N, Kind> : loadFormatActions<N, Kind>;
  BufferResource r(w, i.saddr);
  Format f = formatOf(w, i, r, Typed);
  Pending &p = beginPending(w, i, actions);
  p.writes = Store;
  p.extra[0] = pack(f);
  p.extra[1] = r.word3 & 0xfff;
  unsigned bytes = f.bytes();
  if (bytes == 0) p.outside = p.active; // an invalid format reads 0 and writes nothing
  else {
    if (!bufferAddresses(w, i, p, bytes)) return abandon(w, p);
    p.outside |= p.partial; // all or nothing
    p.partial = 0;
    if (!mapAddresses(w, i, p, {Space::Buffer, !Store, Store, false, bytes})) return abandon(w, p);
  }
  if constexpr (Store) captureData(w, i, p, registers<N, Kind>);
  else p.words = registers<N, Kind>;
  submit(w, p);
}

#define COMPONENTS(P, TYPED, DIRECTION, STORE, D, KIND)                                                                \
  {P "_" DIRECTION "_FORMAT_" D "X", access<1, KIND, TYPED, STORE>, Row::Other},                                       \
  {P "_" DIRECTION "_FORMAT_" D "XY", access<2, KIND, TYPED, STORE>, Row::Other},                                      \
  {P "_" DIRECTION "_FORMAT_" D "XYZ", access<3, KIND, TYPED, STORE>, Row::Other},                                     \
  {P "_" DIRECTION "_FORMAT_" D "XYZW", access<4, KIND, TYPED, STORE>, Row::Other}
#define BOTH_WIDTHS(P, TYPED, DIRECTION, STORE)                                                                        \
  COMPONENTS(P, TYPED, DIRECTION, STORE, "", Full), COMPONENTS(P, TYPED, DIRECTION, STORE, "D16_", D16)

constexpr Row rows[] = {
    BOTH_WIDTHS("BUFFER", false, "LOAD", false),
    BOTH_WIDTHS("BUFFER", false, "STORE", true),
    BOTH_WIDTHS("TBUFFER", true, "LOAD", false),
    BOTH_WIDTHS("TBUFFER", true, "STORE", true),
    {"BUFFER_LOAD_FORMAT_D16_HI_X", access<1, D16High, false, false>, Row::Other},
    {"BUFFER_STORE_FORMAT_D16_HI_X", access<1, D16High, false, true>, Row::Other},
};

} // namespace

std::span<const Row> bufferFormatRows() { return rows; }

} // namespace fly::emulator
