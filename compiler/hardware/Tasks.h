// The parts of the full check: each is a process of flyc that appends to the journal, and may be begun again where it
// stopped.
#pragma once

#include <string>
#include <vector>

namespace fly::hardware {

struct Task {
  std::string group;                  ///< "first checks", "litmus tests", "instructions", "constants", "kernels"
  std::string architecture;           ///< "gfx942"
  std::string name;                   ///< in the journal: "gfx942 instructions", "gfx942 kernels gemm/any_tile.fly"
  std::vector<std::string> arguments; ///< of flyc, without those of the journal
};

struct TaskChoice {
  std::vector<std::string> architectures;
  std::string kernels;               ///< the folder of flyc's kernels; empty: not installed
  std::string only;                  ///< part of a task's name; empty: all
  std::string form;                  ///< part of an instruction's form; empty: all
  unsigned launchSeconds = 20;       ///< a launch that takes longer hangs
  unsigned litmusRepetitions = 1000; ///< on the GPU alone, where what seldom happens may show
};

/// What is short and tells most comes first. `sources`: a folder into which embedded sources are written, and which
/// must live as long as the tasks.
std::vector<Task> tasksOf(const TaskChoice &choice, const std::string &sources);

/// Where flyc's kernels are installed beside this program; empty: they are not.
std::string installedKernels();

} // namespace fly::hardware
