// The formats of typed buffers, which the pseudocode leaves to two functions: ConvertFromFormat and ConvertToFormat.
//
// A format's number is turned into its name by LLVM, and everything else follows from the name: the widths of the
// components (named from the highest bits down) and what they mean. Conversions are computed exactly and rounded to
// nearest even. Where no document says what happens (integers and scaled values that do not fit, packed floats of 10
// and 11 bits on stores) the stored bits are open.
#pragma once

#include "tests/emulator/StepBench.h"
#include "tests/emulator/pseudocode/Float.h"

#include <map>

namespace fly::pseudocode {

struct BufferFormat {
  enum Number { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float } number = Uint;
  unsigned bits[4] = {0, 0, 0, 0}; ///< of X, Y, Z, W
  bool valid = false;              ///< these components can mean this
  unsigned bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8; }
  unsigned position(unsigned channel) const;
  bool integer() const { return number == Uint || number == Sint; }
  /// What a 32-bit (or, `half`, 16-bit) register receives.
  Value decode(Value field, bool half) const;
  Value encode(const Value &word, unsigned channel, bool half) const;
  /// 1, as a register receives it.
  Value one(bool half) const;
};

class BufferFormats {
public:
  explicit BufferFormats(emulator::test::StepBench &bench) : bench(bench) {}
  /// By the number that MTBUF's format field has; the resource's fields make one like it.
  const BufferFormat &operator[](unsigned code);

private:
  emulator::test::StepBench &bench;
  std::map<unsigned, BufferFormat> known;
};

} // namespace fly::pseudocode
