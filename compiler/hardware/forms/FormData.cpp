// See FormData.h.
#include "compiler/hardware/forms/FormData.h"

#include "compiler/hardware/forms/OperandValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace fly::hardware {

std::vector<ValueType> typesIn(llvm::StringRef instruction) {
  std::vector<ValueType> types;
  llvm::SmallVector<llvm::StringRef> words;
  instruction.take_until([](char c) { return c == ' '; }).split(words, '_');
  for (llvm::StringRef word : words) {
    unsigned bits = 0;
    if (word.consume_front("bf")) {
      if (word == "16")
        types.push_back({16, true});
      else if (word == "8")
        types.push_back({8, false});
    } else if (word == "fp8" || word == "f8f6f4") {
      types.push_back({8, false});
    } else if (word.consume_front("f")) {
      if (!word.getAsInteger(10, bits) && (bits == 16 || bits == 32 || bits == 64))
        types.push_back({bits, false});
    } else if ((word.consume_front("i") || word.consume_front("u") || word.consume_front("b")) &&
               !word.getAsInteger(10, bits)) {
      types.push_back({0, false});
    }
  }
  return types;
}

namespace {

/// Bytes between the places of two lanes, in memory and in LDS.
constexpr unsigned laneBytes = 64;

class Filler {
public:
  Filler(const Form &form, const FormLayout &layout, FormData &data, uint64_t seed)
      : layout(layout), data(data), random(seed), types(typesIn(form.text)) {
    for (char c : form.title)
      random.state = random.state * 131 + static_cast<unsigned char>(c);
    const llvm::StringRef text = form.text;
    const bool isMemory =
        form.cls == isa::Class::Lds || form.cls == isa::Class::VectorMemory || form.cls == isa::Class::ScalarMemory;
    usesM0 = isMemory || text.contains("movrel") || text.contains("lds_direct");
  }

  void fill(unsigned round) {
    isFinite = round % 4 != 0;
    uint32_t *at = &data.input[size_t(round) * layout.inputDwords()];
    for (size_t n = 0; n < layout.scalars.size(); ++n)
      put(layout.scalars[n], at + n, /*lane=*/0);
    specials(at + layout.specialsAt(), round);
    for (unsigned k = layout.ldsAt(); k < layout.vectorsAt(); ++k)
      at[k] = static_cast<uint32_t>(value(32));
    for (size_t n = 0; n < layout.vectors.size(); ++n) {
      uint32_t *row = at + layout.vectorsAt() + n * layout.lanes;
      for (unsigned lane = 0; lane < layout.lanes; ++lane)
        put(layout.vectors[n], row + lane, lane);
      // Products alone, in some rounds: a wrong layout then shows as the same values at other places.
      if (layout.vectors[n].matrixPart == FormRegister::MatrixPart::Addend && round % 4 == 1)
        std::fill(row, row + layout.lanes, 0);
    }
    for (unsigned k = 0; k < layout.memoryDwords(); ++k)
      data.memory[size_t(round) * layout.memoryDwords() + k] = static_cast<uint32_t>(value(32));
  }

private:
  ValueType someType() {
    if (types.empty())
      return random.below(3) ? ValueType{} : ValueType{32, false};
    return types[random.below(2) ? types.size() - 1 : random.below(static_cast<unsigned>(types.size()))];
  }
  uint64_t value(unsigned bits) {
    const ValueType type = someType();
    return operandValue(random, bits, type.floatBits <= bits ? type.floatBits : 0, type.isBfloat);
  }

  /// Sums of many products with an infinity or a NaN among them would show nothing of the others: without these.
  static uint64_t finite(uint64_t value, const ValueType &type) {
    if (type.floatBits < 16)
      return type.floatBits == 8 ? value & 0xbfbfbfbf : value;
    const unsigned mantissa = type.isBfloat ? 7 : type.floatBits == 16 ? 10 : 23;
    const uint64_t exponent = lowBits(type.floatBits - 1 - mantissa) << mantissa;
    for (unsigned at = 0; at < 32; at += type.floatBits)
      if ((value >> at & exponent) == exponent)
        value &= ~((exponent & ~(exponent >> 1)) << at);
    return value;
  }

  /// Registers of an operand follow each other: the upper half of a value of 64 bits comes after the lower one.
  void put(const FormRegister &one, uint32_t *to, unsigned lane) {
    constexpr unsigned step = 16;
    switch (one.content) {
    case Content::MemoryAddress:
    case Content::MemoryOffset:
    case Content::LdsAddress: *to = (lane * laneBytes) % memoryBytes + step * random.below(2); return;
    case Content::ScratchOffset: *to = step * random.below(4); return;
    case Content::Index: *to = lane; return;
    case Content::SmallOffset: *to = step * random.below(2); return;
    case Content::Buffer:
    case Content::Upper: *to = 0; return;
    case Content::Value: break;
    }
    const bool isPair = one.width % 2 == 0;
    if (isPair && one.word % 2 == 1 && high) {
      *to = static_cast<uint32_t>(pairs[lane] >> 32);
      return;
    }
    using MatrixPart = FormRegister::MatrixPart;
    if (one.matrixPart != MatrixPart::None && isFinite) {
      high = false;
      if (one.matrixPart == MatrixPart::Scale) {
        for (unsigned byte = *to = 0; byte < 4; ++byte) // e8m0: factors from 1/16 to 16
          *to |= (123 + random.below(9)) << 8 * byte;
        return;
      }
      const ValueType type = one.matrixPart == MatrixPart::Addend ? types.front() : types.back();
      if (type.floatBits != 64) {
        *to = static_cast<uint32_t>(finite(operandValue(random, 32, type.floatBits, type.isBfloat), type));
        return;
      }
    }
    if (lane == 0 || !isPair)
      high = isPair && llvm::any_of(types, [](const ValueType &type) { return type.floatBits == 64; });
    if (high) {
      pairs[lane] = value(64);
      *to = static_cast<uint32_t>(pairs[lane]);
    } else {
      *to = static_cast<uint32_t>(value(32));
    }
  }

  void specials(uint32_t *to, unsigned round) {
    const uint64_t all = lowBits(layout.lanes);
    uint64_t exec = all;
    if (round && !layout.needsAllLanes)
      exec = random.below(8) == 0 ? 1ull << random.below(layout.lanes) : random.below(3) == 0 ? all : random() & all;
    const uint64_t vcc = random();
    auto set = [&](SpecialPlace place, uint64_t word) { to[unsigned(place)] = static_cast<uint32_t>(word); };
    set(SpecialPlace::ExecLow, exec);
    set(SpecialPlace::ExecHigh, exec >> 32);
    set(SpecialPlace::VccLow, vcc);
    set(SpecialPlace::VccHigh, vcc >> 32);
    set(SpecialPlace::Scc, random.below(2));
    set(SpecialPlace::M0, usesM0 ? 0 : random());
    // Rounding and denormals, of single, and of half and double.
    set(SpecialPlace::Mode, round % 4 == 0 ? 0xf0 : random.below(256));
  }

  const FormLayout &layout;
  FormData &data;
  Random random;
  std::vector<ValueType> types;
  bool usesM0 = false;
  bool isFinite = false; ///< factors and addends of matrix products in this round
  bool high = false;     ///< the operand in work holds values of 64 bits
  std::array<uint64_t, 64> pairs{};
};

} // namespace

FormData dataOf(const Form &form, const FormLayout &layout, unsigned rounds, uint64_t seed) {
  FormData data{rounds, std::vector<uint32_t>(size_t(rounds) * layout.inputDwords()),
                std::vector<uint32_t>(size_t(rounds) * layout.memoryDwords())};
  Filler filler(form, layout, data, seed);
  for (unsigned round = 0; round < rounds; ++round)
    filler.fill(round);
  return data;
}

} // namespace fly::hardware
