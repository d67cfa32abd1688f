// Number formats, layouts and the reference product of WmmaBench.h.
#include "tests/emulator/WmmaBench.h"

#include "llvm/Support/MemoryBuffer.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <map>

namespace fly::emulator::test {

namespace {

struct FloatRow {
  unsigned bits, mantissa;
  int bias;
  bool infinity, nan;
};
/// Formats by width, explicit mantissa bits and bias; fp8 has a NaN at its top but no infinity.
const FloatRow *floatRow(Type type) {
  static const std::map<Type, FloatRow> rows{
      {Type::F16, {16, 10, 15, true, true}}, {Type::Bf16, {16, 7, 127, true, true}},
      {Type::Fp8, {8, 3, 7, false, true}},   {Type::Bf8, {8, 2, 15, true, true}},
      {Type::Fp6, {6, 3, 1, false, false}},  {Type::Bf6, {6, 2, 3, false, false}},
      {Type::Fp4, {4, 1, 1, false, false}}};
  auto it = rows.find(type);
  return it == rows.end() ? nullptr : &it->second;
}

const std::map<std::string, Type> &typeNames() {
  static const std::map<std::string, Type> names{{"f32", Type::F32}, {"f16", Type::F16}, {"bf16", Type::Bf16},
                                                 {"fp8", Type::Fp8}, {"bf8", Type::Bf8}, {"fp6", Type::Fp6},
                                                 {"bf6", Type::Bf6}, {"fp4", Type::Fp4}, {"f4", Type::Fp4},
                                                 {"i32", Type::I32}, {"iu8", Type::U8},  {"iu4", Type::U4}};
  return names;
}

bool isInteger(Type type) { return type >= Type::I32; }

} // namespace

unsigned widthOf(Type type) {
  if (const FloatRow *row = floatRow(type)) return row->bits;
  switch (type) {
  case Type::I8:
  case Type::U8: return 8;
  case Type::I4:
  case Type::U4: return 4;
  default: return 32;
  }
}

double valueOf(Type type, uint32_t code) {
  switch (type) {
  case Type::F32: return std::bit_cast<float>(code);
  case Type::I32: return static_cast<int32_t>(code);
  case Type::I8: return static_cast<int8_t>(code);
  case Type::U8: return code & 0xff;
  case Type::I4: return static_cast<int>(code & 15) - (code & 8 ? 16 : 0);
  case Type::U4: return code & 15;
  default: break;
  }
  const FloatRow &row = *floatRow(type);
  const uint32_t magnitude = code & ((1u << (row.bits - 1)) - 1), exponent = magnitude >> row.mantissa;
  const uint32_t mantissa = magnitude & ((1u << row.mantissa) - 1), top = (1u << (row.bits - 1 - row.mantissa)) - 1;
  const double sign = code >> (row.bits - 1) & 1 ? -1 : 1;
  if (row.infinity && exponent == top) return mantissa ? NAN : sign * INFINITY;
  if (!row.infinity && row.nan && magnitude == (1u << (row.bits - 1)) - 1) return NAN;
  if (!exponent) return sign * std::ldexp(mantissa, 1 - row.bias - static_cast<int>(row.mantissa));
  return sign * std::ldexp(mantissa + (1u << row.mantissa),
                           static_cast<int>(exponent) - row.bias - static_cast<int>(row.mantissa));
}

uint32_t codeOf(Type type, int value) {
  if (type == Type::F32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (isInteger(type)) return static_cast<uint32_t>(value) & (widthOf(type) == 32 ? ~0u : (1u << widthOf(type)) - 1);
  static std::map<std::pair<Type, int>, uint32_t> known;
  auto [it, fresh] = known.try_emplace({type, value}, 0);
  if (fresh)
    for (uint32_t code = 0; code < 1u << widthOf(type); ++code)
      if (valueOf(type, code) == value) {
        it->second = code;
        break;
      }
  return it->second;
}

uint32_t randomCode(Type type, std::mt19937 &random, bool any) {
  if (isInteger(type)) return random() & (widthOf(type) == 32 ? 0xffffu : (1u << widthOf(type)) - 1);
  if (!any) return codeOf(type, static_cast<int>(random() % 5) - 2);
  if (type == Type::F32) return std::bit_cast<uint32_t>(std::uniform_real_distribution<float>(-2, 2)(random));
  for (;;) {
    uint32_t code = random() & ((1u << widthOf(type)) - 1);
    double v = std::fabs(valueOf(type, code));
    if (v <= 64 && (v >= 0x1p-20 || v == 0)) return code;
  }
}

uint32_t roundTo(Type type, double value) {
  if (type == Type::F32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  const FloatRow &row = *floatRow(type);
  const uint32_t sign = std::signbit(value) ? 1u << (row.bits - 1) : 0;
  int exponent;
  std::frexp(value, &exponent);
  const int last = std::max(exponent - 1, 1 - row.bias) - static_cast<int>(row.mantissa); // exponent of the last bit
  const double rounded = std::fabs(std::ldexp(std::nearbyint(std::ldexp(value, -last)), last));
  // Codes ascend with the magnitude: find it by halving.
  const uint32_t top = (((1u << (row.bits - 1 - row.mantissa)) - 1) << row.mantissa);
  uint32_t low = 0, high = top;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (valueOf(type, middle) < rounded) low = middle + 1;
    else high = middle;
  }
  return sign | low;
}

Bits::At Bits::at(unsigned k) const {
  At r{0, 0};
  for (size_t i = 0; i < lane.size(); ++i) r.group |= (k >> lane[i] & 1) << i;
  for (size_t i = 0; i < slot.size(); ++i) r.slot |= (k >> slot[i] & 1) << i;
  return r;
}

Bits plainBits(unsigned k, unsigned lanes, unsigned outer) {
  Bits bits;
  const unsigned groups = static_cast<unsigned>(std::countr_zero(lanes / outer)),
                 all = static_cast<unsigned>(std::countr_zero(k));
  for (unsigned bit = 0; bit < all; ++bit) (bit < all - groups ? bits.slot : bits.lane).push_back(bit);
  return bits;
}

Bits bitsFrom(const llvm::json::Object &object, llvm::StringRef slotKey) {
  Bits bits;
  for (const auto &v : *object.getArray("lane")) bits.lane.push_back(static_cast<unsigned>(*v.getAsInteger()));
  for (const auto &v : *object.getArray(slotKey)) bits.slot.push_back(static_cast<unsigned>(*v.getAsInteger()));
  return bits;
}

const llvm::json::Value &facts(const std::string &name) {
  static std::map<std::string, llvm::json::Value> files;
  auto it = files.find(name);
  if (it != files.end()) return it->second;
  llvm::json::Value value = nullptr;
  if (auto buffer = llvm::MemoryBuffer::getFile(EMULATOR_TEST_FACTS "/" + name)) {
    if (auto parsed = llvm::json::parse((*buffer)->getBuffer())) value = std::move(*parsed);
    else llvm::consumeError(parsed.takeError());
  }
  return files.emplace(name, std::move(value)).first->second;
}

//===--------------------------------------------------------------------------------------------------------===//
// The test
//===--------------------------------------------------------------------------------------------------------===//

void WmmaTest::parse(const std::string &instruction) {
  name = instruction;
  std::vector<std::string> parts;
  for (size_t from = 0; from <= name.size();) {
    size_t to = std::min(name.find('_', from), name.size());
    parts.push_back(name.substr(from, to - from));
    from = to + 1;
  }
  sparse = parts[1] == "swmmac";
  size_t at = 2;
  if (parts[at].substr(0, 5) == "scale") ++at;
  if (parts[at] == "bf16f32") d = Type::Bf16, c = Type::F32;
  else c = d = typeNames().at(parts[at]);
  sscanf(parts[at + 1].c_str(), "%ux%ux%u", &m, &n, &k);
  if (parts[at + 2] != "f8f6f4") a = typeNames().at(parts[at + 2]);
  if (parts.size() > at + 3) b = typeNames().at(parts[at + 3]);
  else if (parts[at + 2] != "f8f6f4") b = a;
  layoutA = plainBits(sparse ? k / 2 : k, lanes);
  layoutB = plainBits(k, lanes);
}

WmmaTest wmmaTest(const std::string &arch, unsigned wave, const std::string &name) {
  WmmaTest t;
  t.arch = arch;
  t.lanes = wave;
  t.parse(name);
  for (const llvm::json::Value &v : *facts("wmma_bits.json").getAsObject()->getArray("D")) {
    const llvm::json::Object &o = *v.getAsObject();
    if (o.getString("arch") == llvm::StringRef(arch) && o.getInteger("wave") == wave && o.getInteger("M") == t.m)
      t.layoutD = bitsFrom(o);
  }
  EXPECT_FALSE(t.layoutD.slot.empty()) << "no layout of D for " << arch;
  return t;
}

namespace {

constexpr unsigned registerD = 0, registerC = 16, registerA = 32, registerB = 64, registerIndex = 96,
                   registerScaleA = 98, registerScaleB = 100;

std::string range(unsigned first, unsigned count) {
  if (count == 1) return "v" + std::to_string(first);
  return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

void putBits(StepBench &bench, unsigned reg, unsigned lane, unsigned bit, unsigned width, uint32_t value) {
  for (unsigned i = 0; i < width; ++i, ++bit) {
    uint32_t &r = bench.vgpr(reg + bit / 32, lane);
    r = (r & ~(1u << bit % 32)) | (value >> i & 1) << bit % 32;
  }
}
uint32_t getBits(StepBench &bench, unsigned reg, unsigned lane, unsigned bit, unsigned width) {
  uint32_t v = bench.vgpr(reg + bit / 32, lane) >> bit % 32;
  return width == 32 ? v : v & ((1u << width) - 1);
}

} // namespace

void WmmaTest::run(StepBench &bench, const char *source, unsigned seed) {
  std::mt19937 random(seed);
  // A scale's block is found by the byte that k's bits name; rows and columns by their numbers.
  auto scaleByte = [](const std::vector<unsigned> &bits, unsigned of) {
    unsigned r = 0;
    for (size_t i = 0; i < bits.size(); ++i) r |= (of >> bits[i] & 1) << i;
    return r;
  };
  auto placeA = [&](unsigned row, unsigned column) {
    Bits::At at = layoutA.at(column);
    unsigned laneRow = row % 16;
    if (!laneRowA.empty()) {
      laneRow = scaleByte(laneRowA, row);
      unsigned rest = 0, shift = 0;
      for (unsigned bit = 0; 1u << bit < m; ++bit)
        if (std::find(laneRowA.begin(), laneRowA.end(), bit) == laneRowA.end()) rest |= (row >> bit & 1) << shift++;
      at.slot |= rest << layoutA.slot.size();
    }
    return std::pair(laneRow + 16 * at.group, at.slot);
  };
  auto scaleLaneOfA = [&](unsigned row) { // where the row's A lies, its group replaced by the part of the row above 16
    if (laneRowA.empty()) return row + scaleLaneA;
    return placeA(row, 0).first % 16 + 16 * (placeA(row, 0).second >> layoutA.slot.size());
  };

  // Operands
  const unsigned stored = sparse ? k / 2 : k;
  std::vector<std::vector<double>> av(m, std::vector<double>(k, 0)), bv(k, std::vector<double>(n)),
      cv(m, std::vector<double>(n));
  for (unsigned r = 0; r < 128; ++r)
    for (unsigned l = 0; l < lanes; ++l) bench.vgpr(r, l) = random();
  for (unsigned i = 0; i < m; ++i)
    for (unsigned s = 0; s < stored; ++s) {
      uint32_t code = randomCode(a, random, any);
      auto [lane, slot] = placeA(i, s);
      putBits(bench, registerA, lane, slot * widthOf(a), widthOf(a), code);
      unsigned column = s;
      if (sparse) {
        // Of four columns the two kept are any two, in ascending order.
        static constexpr unsigned pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        column = 4 * (s / 2) + pairs[std::mt19937(seed * 7919 + i * 331 + s / 2)() % 6][s % 2];
        Bits::At at = layoutIndex.at(s);
        putBits(bench, registerIndex, i % 16 + 16 * at.group, indexBit + 2 * at.slot, 2, column % 4);
      }
      double v = valueOf(a, code);
      av[i][column] = negateA[widthOf(a) == 16 ? slot % 2 : 0] ? -v : v;
    }
  for (unsigned q = 0; q < k; ++q)
    for (unsigned j = 0; j < n; ++j) {
      uint32_t code = randomCode(b, random, any);
      Bits::At at = layoutB.at(q);
      putBits(bench, registerB, j + 16 * at.group, at.slot * widthOf(b), widthOf(b), code);
      double v = valueOf(b, code);
      bv[q][j] = negateB[widthOf(b) == 16 ? at.slot % 2 : 0] ? -v : v;
    }
  const unsigned from = sparse ? registerD : registerC;
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j) {
      uint32_t code = largeC ? (random() & 1 ? 0x7fffffffu - random() % 999 : 0x80000000u + random() % 999)
                             : randomCode(c, random, any);
      Bits::At at = layoutD.at(i);
      if (constantC.empty()) putBits(bench, from, j + 16 * at.group, at.slot * widthOf(c), widthOf(c), code);
      double v = constantC.empty() ? valueOf(c, code) : constantCValue;
      if (absoluteC) v = std::fabs(v);
      cv[i][j] = negateC ? -v : v;
    }
  auto scaleOf = [&](unsigned reg, unsigned lane, unsigned byte) { return getBits(bench, reg, lane, 8 * byte, 8); };
  if (scaleBlock)
    for (unsigned reg : {registerScaleA, registerScaleB})
      for (unsigned l = 0; l < lanes; ++l)
        for (unsigned byte = 0; byte < 8; ++byte)
          putBits(bench, reg, l, 8 * byte, 8, scaleCodes[random() % scaleCodes.size()]);

  // The product
  std::vector<std::vector<double>> want = cv, bound(m, std::vector<double>(n, 0));
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j) {
      bound[i][j] = std::fabs(cv[i][j]);
      for (unsigned q = 0; q < k; ++q) {
        double term = av[i][q] * bv[q][j];
        if (scaleBlock)
          term *= scaleA(scaleOf(registerScaleA, scaleLaneOfA(i), scaleByte(scaleBitsA, q))) *
                  scaleB(scaleOf(registerScaleB, j + scaleLaneB, scaleByte(scaleBitsB, q)));
        want[i][j] += term;
        bound[i][j] += std::fabs(term);
      }
    }

  // The instruction
  auto registers = [&](unsigned rows, unsigned columns, Type type) {
    return std::max(1u, rows * columns * widthOf(type) / 32 / lanes);
  };
  std::string text = name + " " + range(registerD, registers(m, n, sparse ? c : d)) + ", " +
                     range(registerA, registers(m, stored, a)) + ", " + range(registerB, registers(k, n, b));
  if (sparse) text += ", " + range(registerIndex, k == 128 ? 2 : 1);
  else text += ", " + (constantC.empty() ? range(registerC, registers(m, n, c)) : constantC);
  if (scaleBlock)
    text +=
        ", " + range(registerScaleA, scaleBlock == 16 ? 2 : 1) + ", " + range(registerScaleB, scaleBlock == 16 ? 2 : 1);
  if (!modifiers.empty()) text += " " + modifiers;
  if (clamp) text += " clamp";
  SCOPED_TRACE(arch + " wave" + std::to_string(lanes) + ": " + text);
  int number = bench.add(text);
  ASSERT_GE(number, 0) << bench.error();
  if (prefixSrc2) {
    const isa::Instruction &written = bench.instruction(number);
    std::vector<uint8_t> bytes(written.bytes.begin(), written.bytes.begin() + written.size);
    uint32_t second;
    std::memcpy(&second, bytes.data() + 4, 4);
    second = (second & ~(0x1ffu << 18)) | *prefixSrc2 << 18;
    std::memcpy(bytes.data() + 4, &second, 4);
    const std::string name = bench.print(number);
    number = bench.add(bytes);
    ASSERT_GE(number, 0) << bench.error();
    ASSERT_EQ(bench.print(number), name);
    ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(), bench.instruction(number).bytes.begin())) << "changed bytes";
  }
  ASSERT_TRUE(bench.step(number)) << bench.error();

  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j) {
      Bits::At at = layoutD.at(i);
      uint32_t code = getBits(bench, registerD + at.slot * widthOf(d) / 32, j + 16 * at.group,
                              at.slot * widthOf(d) % 32, widthOf(d));
      if (d == Type::I32) {
        int64_t v = static_cast<int64_t>(want[i][j]);
        if (clamp) v = std::min<int64_t>(std::max<int64_t>(v, INT32_MIN), INT32_MAX);
        ASSERT_EQ(static_cast<int32_t>(code), static_cast<int32_t>(v)) << "row " << i << ", column " << j;
      } else if (!any) {
        ASSERT_EQ(valueOf(d, code), valueOf(d, roundTo(d, want[i][j]))) << "row " << i << ", column " << j;
      } else {
        // Each of k + 1 additions may lose half a last bit of what is summed; the result is rounded once more to d.
        double last = d == Type::F16 ? 0x1p-10 : d == Type::Bf16 ? 0x1p-7 : 0x1p-23;
        // gfx1201 narrows the sum after every four k's, to bf16 by cutting it off.
        if (arch == "gfx1201" && !sparse && widthOf(d) == 16) last *= 1 + k / 4 * bound[i][j] / std::fabs(want[i][j]);
        double allowed =
            (k + 1) * 0x1p-23 * bound[i][j] + std::fabs(want[i][j]) * last + (d == Type::F16 ? 0x1p-24 : 0x1p-126);
        ASSERT_NEAR(valueOf(d, code), want[i][j], allowed) << "row " << i << ", column " << j;
      }
    }
  recordSource(arch, isa::name(bench.instruction(number).op), source);
}

void WmmaTest::runEverySign(StepBench &bench, const char *source, unsigned seed) {
  const bool eight = widthOf(a) == 8;
  for (unsigned choice = 0; choice < 16; ++choice) {
    const bool signedA = choice & 1, signedB = choice & 2;
    clamp = choice & 4;
    largeC = choice & 8;
    a = eight ? (signedA ? Type::I8 : Type::U8) : signedA ? Type::I4 : Type::U4;
    b = eight ? (signedB ? Type::I8 : Type::U8) : signedB ? Type::I4 : Type::U4;
    modifiers = std::string("neg_lo:[") + (signedA ? "1," : "0,") + (signedB ? "1,0]" : "0,0]");
    run(bench, source, seed + choice);
  }
}

} // namespace fly::emulator::test
