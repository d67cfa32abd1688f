// The forms of an architecture, one after another, with a line in a journal for each.
#pragma once

#include "compiler/hardware/Journal.h"
#include "compiler/target/Target.h"

#include <string>

namespace fly::hardware {

struct FormWork {
  const target::Target *target = nullptr;
  std::string only;     ///< part of the title; empty: all
  unsigned rounds = 16; ///< of the rest; matrix instructions, whose sums have more cases, take four times as many
  uint64_t seed = 1;
  unsigned launchSeconds = 20; ///< the GPU counts as lost after a launch that takes longer
  bool onEmulator = false;     ///< instead of a GPU another emulator, which shows that the forms run
};

/// 0: all ran; 2: there is no GPU; 3: the GPU is lost, and the journal's last `begin` says during what. Ends the
/// process itself where HIP would wait for a kernel that does not end.
int runForms(const FormWork &work, Journal &journal);

} // namespace fly::hardware
