// Where the elements of a matrix instruction lie, for the tests that compare bits: the instructions are those of
// facts/matrix_numerics.json, the places are spelt out here (facts/README.md has the numbering of k).
#pragma once

#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <string>

namespace fly::emulator::test::numerics {

inline unsigned widthOf(const std::string &type) {
  if (type == "f64") return 64;
  if (type == "f32" || type == "xf32" || type == "i32") return 32;
  if (type == "f16" || type == "bf16") return 16;
  return type == "i4" ? 4 : 8;
}

struct Entry {
  std::string arch, instruction, modifiers, a, c, d;
  unsigned wave = 64, k = 0, m = 16, blocks = 1;
  bool wmma = false;

  std::string b, rule;

  explicit Entry(const llvm::json::Object &o) {
    auto text = [](const llvm::json::Object &from, const char *key) { return from.getString(key).value_or("").str(); };
    arch = text(o, "arch");
    instruction = text(o, "instruction");
    modifiers = text(o, "modifiers");
    const llvm::json::Object &types = *o.getObject("types");
    a = text(types, "a");
    b = text(types, "b"); // as wide as A's
    rule = text(o, "rule");
    c = text(types, "c");
    d = text(types, "d");
    wave = static_cast<unsigned>(*o.getInteger("wave"));
    k = static_cast<unsigned>(*o.getInteger("K"));
    wmma = instruction.starts_with("v_wmma");
    size_t shape = instruction.find('_', 7) + 1;
    std::sscanf(instruction.c_str() + shape, "%u", &m);
    if (size_t at = instruction.find("b_", shape); at != std::string::npos && std::isdigit(instruction[at - 1]))
      blocks = static_cast<unsigned>(std::stoi(instruction.substr(instruction.rfind('_', at) + 1)));
  }
  unsigned elements() const { return std::max(1u, m * k * blocks / wave); }
  unsigned results() const { return m * m * blocks / wave; }

  struct At {
    unsigned lane, element;
  };
  /// Of row (or column) `outer`, k.
  At factorAt(unsigned outer, unsigned block, unsigned kk) const {
    if (wmma) {
      const unsigned width = widthOf(a);
      if (wave == 64) return {16 * (kk / 4) + outer, kk % 4};
      // Runs of k alternate between the halves of a wave32.
      const unsigned run = width == 16 ? 4 : 8;
      return {16 * (kk / run % 2) + outer, kk / run / 2 * run + kk % run};
    }
    if (a == "f64" && blocks > 1) return {16 * kk + 4 * block + outer, 0};
    if (blocks > 1) return {block * m + outer, kk};
    return {kk / elements() * m + outer, kk % elements()};
  }
  At resultAt(unsigned row, unsigned column, unsigned block) const {
    if (wmma && wave == 32) return {16 * (row / 8) + column, row % 8};
    if (wmma) return {16 * (row / 8) + 32 * (row / 4 % 2) + column, row % 4};
    if (a == "f64") return blocks > 1 ? At{16 * row + 4 * block + column, 0} : At{16 * (row % 4) + column, row / 4};
    if (m == 4) return {4 * block + column, row};
    if (m == 16) return {16 * (row / 4) + column, 4 * block + row % 4};
    return {32 * (row / 4 % 2) + column, 16 * block + row / 8 * 4 + row % 4};
  }
};

inline void put(StepBench &bench, unsigned reg, unsigned width, Entry::At at, uint64_t code) {
  if (width == 64) return bench.setVgpr64(reg + 2 * at.element, at.lane, code);
  const unsigned bit = at.element * width;
  const uint32_t mask = width == 32 ? ~0u : ((1u << width) - 1) << bit % 32;
  uint32_t &word = bench.vgpr(reg + bit / 32, at.lane);
  word = (word & ~mask) | (static_cast<uint32_t>(code) << bit % 32 & mask);
}
inline uint64_t get(StepBench &bench, unsigned reg, unsigned width, Entry::At at) {
  if (width == 64) return bench.vgpr64(reg + 2 * at.element, at.lane);
  const unsigned bit = at.element * width;
  const uint32_t word = bench.vgpr(reg + bit / 32, at.lane) >> bit % 32;
  return width == 32 ? word : word & ((1u << width) - 1);
}

inline bool isNan(const std::string &type, uint64_t code) {
  if (type == "f64") return (code & ~(1ull << 63)) > 0x7ff0000000000000ull;
  const uint32_t magnitude = static_cast<uint32_t>(code) & (widthOf(type) == 16 ? 0x7fffu : 0x7fffffffu);
  return magnitude > (type == "f32" ? 0x7f800000u : type == "f16" ? 0x7c00u : 0x7f80u);
}
inline std::string range(unsigned first, unsigned count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}
inline constexpr unsigned atD = 0, atC = 32, atA = 64, atB = 80;

/// Those of facts/matrix_numerics.json.
inline llvm::json::Object instructions() {
  auto file = llvm::MemoryBuffer::getFile(FLY_MATRIX_NUMERICS);
  if (!file) return {};
  auto parsed = llvm::json::parse((*file)->getBuffer());
  if (!parsed) return llvm::consumeError(parsed.takeError()), llvm::json::Object();
  return *parsed->getAsObject()->getObject("instructions");
}

/// The text of a matrix instruction on these registers.
inline std::string textOf(const Entry &entry) {
  auto registers = [&](unsigned elements, const std::string &type) {
    return std::max(1u, elements * widthOf(type) / 32);
  };
  return entry.instruction + " " + range(atD, registers(entry.results(), entry.d)) + ", " +
         range(atA, registers(entry.elements(), entry.a)) + ", " + range(atB, registers(entry.elements(), entry.a)) +
         ", " + range(atC, registers(entry.results(), entry.c)) +
         (entry.modifiers.empty() ? "" : " " + entry.modifiers);
}

} // namespace fly::emulator::test::numerics
