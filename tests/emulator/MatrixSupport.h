// What the tests of matrix instructions share: elements in registers, instruction texts, products in double.
//
// Nothing here comes from the engine: elements are decoded by TinyFloat.h (which has tests of its own) or the host, and
// a layout is a list of matrix places that each test makes from its own source. Element is used as a name only.
#pragma once

#include "runtime/emulator/ops/matrix/MatrixKernels.h"
#include "runtime/emulator/formats/SmallFloat.h"
#include "runtime/emulator/formats/TinyFloat.h"
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace fly::emulator::test {

inline unsigned widthOf(Element e) {
  switch (e) {
  case Element::F64: return 64;
  case Element::F32:
  case Element::Xf32:
  case Element::I32: return 32;
  case Element::F16:
  case Element::Bf16: return 16;
  case Element::Fp6:
  case Element::Bf6: return 6;
  case Element::Fp4:
  case Element::I4:
  case Element::U4: return 4;
  default: return 8;
  }
}

/// Registers of one operand: element v of lane l begins at bit v * width of the lane.
struct Operand64 {
  Element type;
  unsigned registers;
  std::vector<uint32_t> words;
  Operand64(Element type, unsigned elements)
      : type(type), registers((elements * widthOf(type) + 31) / 32), words(registers * 64) {}
  uint64_t get(unsigned v, unsigned lane) const {
    uint64_t code = 0;
    for (unsigned b = 0; b < widthOf(type); ++b) {
      unsigned bit = v * widthOf(type) + b;
      code |= static_cast<uint64_t>(words[bit / 32 * 64 + lane] >> bit % 32 & 1) << b;
    }
    return code;
  }
  void put(unsigned v, unsigned lane, uint64_t code) {
    for (unsigned b = 0; b < widthOf(type); ++b) {
      unsigned bit = v * widthOf(type) + b;
      uint32_t &w = words[bit / 32 * 64 + lane];
      w = (w & ~(1u << bit % 32)) | static_cast<uint32_t>(code >> b & 1) << bit % 32;
    }
  }
  double value(unsigned v, unsigned lane) const;
  void store(StepBench &bench, unsigned first) const {
    for (unsigned r = 0; r < registers; ++r)
      for (unsigned l = 0; l < 64; ++l) bench.vgpr(first + r, l) = words[r * 64 + l];
  }
  void load(StepBench &bench, unsigned first) {
    for (unsigned r = 0; r < registers; ++r)
      for (unsigned l = 0; l < 64; ++l) words[r * 64 + l] = bench.vgpr(first + r, l);
  }
};

inline double decodeElement(Element e, uint64_t code) {
  auto c = static_cast<uint32_t>(code);
  switch (e) {
  case Element::F64: return doubleOf(code);
  case Element::F32:
  case Element::Xf32: return floatOf(c);
  case Element::F16: return halfToFloat(c);
  case Element::Bf16: return bfloatToFloat(c);
  case Element::Fp8: return decodeTiny<tiny::fp8>(c);
  case Element::Bf8: return decodeTiny<tiny::bf8>(c);
  case Element::Fp8Fnuz: return decodeTiny<tiny::fp8Fnuz>(c);
  case Element::Bf8Fnuz: return decodeTiny<tiny::bf8Fnuz>(c);
  case Element::Fp6: return decodeTiny<tiny::fp6>(c);
  case Element::Bf6: return decodeTiny<tiny::bf6>(c);
  case Element::Fp4: return decodeTiny<tiny::fp4>(c);
  case Element::I32: return static_cast<int32_t>(c);
  case Element::I8: return static_cast<int8_t>(c);
  case Element::U8: return static_cast<uint8_t>(c);
  case Element::I4: return static_cast<int8_t>(c << 4) >> 4;
  default: return c;
  }
}
inline double Operand64::value(unsigned v, unsigned lane) const { return decodeElement(type, get(v, lane)); }

/// The code of a finite random value; floats of 16 bits and more are of moderate size and (Xf32) exact in their format.
inline uint64_t randomElement(Element e, std::mt19937 &random) {
  std::uniform_real_distribution<double> values(-4, 4);
  double x = values(random);
  switch (e) {
  case Element::F64: return bitsOf(x);
  case Element::F32: return bitsOf(static_cast<float>(x));
  case Element::Xf32: return bitsOf(static_cast<float>(x)) & 0xffffe000u;
  case Element::F16: return floatToHalf(static_cast<float>(x));
  case Element::Bf16: return floatToBfloat(static_cast<float>(x));
  case Element::I32: return random();
  default:
    for (;;) {
      uint64_t code = random() & ((1u << widthOf(e)) - 1);
      if (double v = decodeElement(e, code); v - v == 0) return code;
    }
  }
}
inline void fillRandom(Operand64 &o, std::mt19937 &random) {
  for (unsigned v = 0; v < o.registers * 32 / widthOf(o.type); ++v)
    for (unsigned l = 0; l < 64; ++l) o.put(v, l, randomElement(o.type, random));
}

/// "v_mfma_f32_16x16x4_4b_f16" taken apart.
struct Shape {
  std::string name;
  unsigned m = 0, n = 0, k = 0, blocks = 1;
  Element a = Element::Count, b = Element::Count, d = Element::Count;
  bool sparse = false;
  unsigned elementsA() const { return m * k * blocks / 64 / (sparse ? 2 : 1); }
  unsigned elementsB() const { return n * k * blocks / 64; }
  unsigned elementsD() const { return m * n * blocks / 64; }
};
inline Element elementNamed(const std::string &t, bool fnuz) {
  static const std::pair<const char *, Element> names[] = {
      {"f64", Element::F64},   {"f32", Element::F32}, {"xf32", Element::Xf32}, {"f16", Element::F16},
      {"bf16", Element::Bf16}, {"i8", Element::I8},   {"i32", Element::I32}};
  if (t == "fp8") return fnuz ? Element::Fp8Fnuz : Element::Fp8;
  if (t == "bf8") return fnuz ? Element::Bf8Fnuz : Element::Bf8;
  for (auto &[name, e] : names)
    if (t == name) return e;
  return Element::Count;
}
inline Shape shapeOf(const std::string &name, const std::string &arch) {
  Shape s;
  s.name = name;
  std::vector<std::string> parts;
  for (size_t at = 0; at < name.size();) {
    size_t end = std::min(name.find('_', at), name.size());
    parts.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  bool fnuz = arch == "gfx942";
  s.sparse = parts[1] == "smfmac";
  s.d = elementNamed(parts[2], fnuz);
  std::sscanf(parts[3].c_str(), "%ux%ux%u", &s.m, &s.n, &s.k);
  size_t next = 4;
  if (parts[next].back() == 'b' && std::isdigit(static_cast<unsigned char>(parts[next][0])))
    s.blocks = static_cast<unsigned>(std::stoi(parts[next++]));
  s.a = elementNamed(parts[next], fnuz);
  s.b = elementNamed(parts.back(), fnuz);
  return s;
}

inline std::string range(char file, unsigned first, unsigned count) {
  if (count == 1) return file + std::to_string(first);
  return std::string(1, file) + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}
/// Where the tests put operands.
inline constexpr unsigned atD = 0, atC = 32, atA = 64, atB = 80, atIndex = 100, atScaleA = 102, atScaleB = 103;
inline std::string textOf(const Shape &s, const Operand64 &a, const Operand64 &b, const Operand64 &d,
                          const std::string &rest = {}) {
  return s.name + " " + range('v', atD, d.registers) + ", " + range('v', atA, a.registers) + ", " +
         range('v', atB, b.registers) + ", " + (s.sparse ? range('v', atIndex, 1) : range('v', atC, d.registers)) +
         rest;
}

/// Row, column and block of element v of lane l, at [l][v].
using Layout = std::vector<std::vector<std::array<unsigned, 3>>>;
inline Layout layoutBy(unsigned elements, const std::function<std::array<unsigned, 3>(unsigned l, unsigned v)> &f) {
  Layout layout(64);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned v = 0; v < elements; ++v) layout[l].push_back(f(l, v));
  return layout;
}
struct Layouts {
  Layout a, b, d;
};

/// A dense matrix of doubles.
struct Dense {
  unsigned rows, columns;
  std::vector<double> at;
  Dense(unsigned rows, unsigned columns, unsigned blocks) : rows(rows), columns(columns), at(rows * columns * blocks) {}
  double &operator()(unsigned r, unsigned c, unsigned block) { return at[(block * rows + r) * columns + c]; }
};
inline Dense denseOf(const Operand64 &o, const Layout &layout, unsigned rows, unsigned columns, unsigned blocks) {
  Dense x(rows, columns, blocks);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned v = 0; v < layout[l].size(); ++v)
      x(layout[l][v][0], layout[l][v][1], layout[l][v][2]) = o.value(v, l);
  return x;
}

/// Error of `terms` sums and products in an arithmetic with unit roundoff `unit`, relative to the sum of magnitudes.
inline double errorBound(Element d, unsigned terms, double magnitude) {
  double unit = d == Element::F64 ? 0x1p-53 : 0x1p-24;
  return d == Element::I32 ? 0 : 1.01 * (terms + 2) * unit * magnitude;
}

/// Checks D against A B + C in double; integers modulo 2^32.
inline void expectProduct(const Shape &s, const Operand64 &a, const Operand64 &b, const Operand64 &c,
                          const Operand64 &d, const Layouts &at) {
  Dense x = denseOf(a, at.a, s.m, s.k, s.blocks), y = denseOf(b, at.b, s.k, s.n, s.blocks);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned v = 0; v < at.d[l].size(); ++v) {
      auto [i, j, block] = at.d[l][v];
      // f64 in the host's long double, which has 11 bits more.
      long double sum = c.value(v, l), magnitude = std::fabs(sum);
      for (unsigned k = 0; k < s.k; ++k) {
        long double product = static_cast<long double>(x(i, k, block)) * y(k, j, block);
        sum += product;
        magnitude += std::fabs(product);
      }
      if (s.d == Element::I32) {
        ASSERT_EQ(static_cast<uint32_t>(d.get(v, l)), static_cast<uint32_t>(static_cast<int64_t>(sum)))
            << s.name << " lane " << l << " element " << v;
        continue;
      }
      ASSERT_LE(std::fabs(static_cast<double>(d.value(v, l) - sum)),
                errorBound(s.d, s.k, static_cast<double>(magnitude)))
          << s.name << " D[" << i << "][" << j << "] block " << block << ", lane " << l << " element " << v << ": "
          << d.value(v, l) << " instead of " << static_cast<double>(sum);
    }
}

/// Executes it on random operands and checks the product; false if it does not run.
inline bool checkProduct(StepBench &bench, const Shape &s, const Layouts &at, std::mt19937 &random,
                         const std::string &rest = {}) {
  Operand64 a(s.a, s.elementsA()), b(s.b, s.elementsB()), c(s.d, s.elementsD()), d(s.d, s.elementsD());
  fillRandom(a, random);
  fillRandom(b, random);
  fillRandom(c, random);
  a.store(bench, atA);
  b.store(bench, atB);
  c.store(bench, atC);
  if (!bench.run(textOf(s, a, b, d, rest))) {
    ADD_FAILURE() << bench.error();
    return false;
  }
  d.load(bench, atD);
  expectProduct(s, a, b, c, d, at);
  return !::testing::Test::HasFatalFailure();
}

/// isa::name of a text, for the coverage records.
inline std::string opNameOf(StepBench &bench, const std::string &text) {
  int n = bench.add(text);
  return n < 0 ? std::string() : std::string(isa::name(bench.instruction(n).op));
}

/// D of 32-bit results: columns along the lanes, four rows of a group of lanes in adjacent registers.
inline Layout layoutD32(unsigned m, unsigned n, unsigned blocks) {
  return layoutBy(m * n * blocks / 64, [=](unsigned l, unsigned v) -> std::array<unsigned, 3> {
    if (m == 4) return {v, l % 4, l / 4};
    if (m == 16) return {4 * (l / 16) + v % 4, l % 16, v / 4};
    return {8 * (v / 4 % 4) + 4 * (l / 32) + v % 4, l % 32, v / 16};
  });
}

} // namespace fly::emulator::test
