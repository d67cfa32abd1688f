// Encodings to try for a mnemonic, and operand values worth trying.
#pragma once

#include "tests/emulator/StepBench.h"
#include "tests/emulator/pseudocode/Library.h"

namespace fly::pseudocode {

/// splitmix64.
struct Random {
  uint64_t state;
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t operator()() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
};

/// Numbers of prepared instructions of the bench: the plain encodings of `what` that the assembler accepts for this
/// architecture, then variants of them with other operand kinds and modifiers. Empty: it has no such
/// instruction, or (`exists`) none of those tried is one.
std::vector<int> encodings(emulator::test::StepBench &bench, const Instruction &what, Random &random, unsigned variants,
                           bool *exists = nullptr);

/// A value for a source that is read as `floatBits`-wide floats (0: as an integer) in `bits` bits.
Wide interesting(Random &random, unsigned bits, unsigned floatBits, bool bfloat);

} // namespace fly::pseudocode
