// What an instruction should have done: executes its pseudocode on a copy of the bench's state, then compares.
//
// The texts say what one lane computes; this says what they leave to the chapters around them: where operands come
// from, negation and absolute values, op_sel, clamp and omod, which lanes run, how a 16-bit result meets its register,
// how lanes' bits make a mask.
#pragma once

#include "tests/emulator/StepBench.h"
#include "tests/emulator/pseudocode/BufferFormat.h"
#include "tests/emulator/pseudocode/Interpreter.h"
#include "tests/emulator/pseudocode/Library.h"

#include <set>

namespace fly::pseudocode {

using emulator::test::StepBench;

class Machine : public Host {
public:
  /// `functions`: where to look for an instruction that a text calls and its own document lacks.
  Machine(StepBench &bench, const Library &library, const Library &functions)
      : formats(bench), bench(bench), library(library), functions(functions) {}

  /// Works out the state after `inst` from the bench's present one. Throws Unsupported.
  void expect(const Instruction &what, const isa::Instruction &inst);
  bool jumpExpected() const { return jumps && jumpTaken; }
  /// What differs in the bench from what was expected; empty if nothing.
  std::string difference();

  /// The bytes at a device address that memory instructions may touch.
  uint64_t memoryBase = 0;
  std::vector<uint8_t> memory;
  BufferFormats formats;
  uint8_t *memoryHost = nullptr;

  Value readMemory(uint64_t address, unsigned bytes) override;
  void writeMemory(uint64_t address, unsigned bytes, const Value &v) override;
  Value readVgpr(unsigned lane, unsigned index) override;
  void writeVgpr(unsigned lane, unsigned index, const Value &v) override;
  uint32_t readSgpr(unsigned index) override { return scalar[index < 128 ? index : 0]; }
  void writeSgpr(unsigned index, uint32_t v) override {
    if (index < 128) scalar[index] = v;
  }
  Value convertFromFormat(uint64_t address, unsigned channel) override;
  void convertToFormat(uint64_t address, unsigned channel, const Value &v) override;
  const Text *instruction(const std::string &name) override;
  uint32_t beforeAt(unsigned r, unsigned lane) const {
    return before[static_cast<size_t>(r) * emulator::laneStride + lane];
  }

private:
  struct Approximate {
    size_t at;
    bool scalar;
    unsigned words, lo;
    Type type;
    float ulps, absolute;
  };
  size_t registerOf(const isa::Operand &o) const;
  Value fetchBits(const isa::Operand &o, unsigned lane, unsigned bits);
  Value source(const isa::Instruction &inst, const isa::Operand &o, unsigned n, unsigned lane, const Shape &shape);
  void writeScalarOperand(const isa::Operand &o, const Value &v, unsigned bits);
  void finishFloat(const isa::Instruction &inst, Value &v, unsigned bits, Type::Kind kind, const FloatMode &mode);
  void otherHalf(const Instruction &what, const isa::Instruction &inst, Value &v, unsigned bits);
  void prepare(Interpreter &run, const Instruction &what, const isa::Instruction &inst);
  void prepareLane(Interpreter &run, const Instruction &what, const isa::Instruction &inst, unsigned lane);
  void vectorLanes(const Instruction &what, const isa::Instruction &inst);
  void memoryOperands(Interpreter &run, const isa::Instruction &inst, unsigned lane);
  uint64_t fullAddress(const isa::Instruction &inst, unsigned lane, bool withOffset);
  void collect(Interpreter &run, const Instruction &what, const isa::Instruction &inst, unsigned lane);

  StepBench &bench;
  const Library &library, &functions;
  std::vector<uint32_t> before, vector, open; ///< vector registers: before, after, undetermined bits
  uint32_t scalar[emulator::slot::count], scalarBefore[emulator::slot::count], scalarOpen[emulator::slot::count];
  std::vector<uint8_t> lds, scratch, ldsOpen, scratchOpen, memoryOpen;
  std::vector<Approximate> approximate;
  uint64_t maskResult = 0, vccResult = 0, execResult = 0, d1Result = 0;
  bool jumps = false, jumpTaken = false;
  enum class Space { Global, Lds, Scratch } space = Space::Global;
  unsigned currentLane = 0;
  BufferFormat format;     ///< of the typed buffer access
  uint32_t selects = 0;    ///< which component each result receives, as the resource says
  bool formatHalf = false; ///< D16
  uint32_t modeAfter = 0;
  uint64_t jumpTarget = 0;
};

} // namespace fly::pseudocode
