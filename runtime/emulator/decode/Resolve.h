// Resolving: from an isa::Instruction (operands by role) to an Inst (slots, register numbers, handler).
//
// Everything that can be known before running is decided here: which slot of scalar state a register is, whether a
// register exists under the descriptor's count, the DPP lane table, how a 16-bit result is merged, which path an
// operand takes. What cannot be executed gets a handler that reports why.
#pragma once

#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

struct Resolver {
  Program &program;
  const isa::Instruction &from;
  uint32_t msb; ///< of s_set_vgpr_msb
  Inst &inst;
  const Row *row = nullptr; ///< of the instruction's handler; null if there is none
  bool bad = false;
  std::string reason = {};

  /// The whole instruction; Resolve.cpp.
  void run();
  void refuse(std::string why);

  // Operands and lanes; ResolveOperands.cpp.
  /// Scalar slot of an SGPR or special register; `write` picks the sink for NULL.
  uint16_t scalarSlot(const isa::Operand &o, bool write);
  uint16_t vectorRegister(const isa::Operand &o, isa::Role role);
  unsigned highBits(isa::Role role) const;
  void source(unsigned n, const isa::Operand &o);
  void destination(const isa::Operand &o);
  void simm(const isa::Operand &o);
  void dppTable();

  // What must have arrived before the instruction runs, and what it sets off; ResolveUse.cpp.
  void registerUse();
  void waits();
  void hazards();

private:
  bool tiedAccumulator() const;
  void addRange(std::vector<RegisterRange> &to, const isa::Operand &o, bool memory) const;
  void selectors();
  void dual();
};

/// Fills in `inst` from `instruction`, for a Wave::codeState.
void resolve(Program &program, const isa::Instruction &instruction, uint32_t number, uint32_t state, Inst &inst);

} // namespace fly::emulator
