// What a kernel is given: the arguments that its metadata lists, or, where it lists none, the places from which the
// code reads them.
//
// Without metadata, all that is known is the register pair that holds the address of the arguments when a wave starts
// (its place follows from the descriptor's flags). Scalar loads through that pair, or through a copy of it, with a
// constant offset are reads of arguments. Loads through an address that was computed from it are not found.
#pragma once

#include "compiler/report/Code.h"

namespace fly::report {

struct ArgumentRead {
  uint32_t offset = 0, bytes = 0;
  bool preloaded = false; ///< into SGPRs, before the first instruction
  auto operator<=>(const ArgumentRead &) const = default;
};

/// In order of offsets, each place once.
std::vector<ArgumentRead> argumentReads(const Code &code);

} // namespace fly::report
