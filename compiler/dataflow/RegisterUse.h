// The highest registers that code names.
#pragma once

#include "compiler/isa/Instruction.h"

namespace fly::dataflow {

struct RegisterUse {
  unsigned vgprs = 0, agprs = 0, sgprs = 0; ///< one more than the highest number
  bool vcc = false;
  bool atLeast = false; ///< an instruction may reach registers beyond, through an index

  void add(const isa::Operand &reg);
  void add(const isa::Instruction &instruction); ///< its halves, too
};

} // namespace fly::dataflow
