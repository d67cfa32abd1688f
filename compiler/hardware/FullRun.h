// Does the tasks of the full check one after another, each in a process of its own: what hangs or crashes is named in
// the journal, the GPU is waited for, and the task goes on behind it.
#pragma once

#include "compiler/hardware/Journal.h"
#include "compiler/hardware/Tasks.h"

#include <functional>

namespace fly::hardware {

struct FullLimits {
  unsigned stallSeconds = 300;   ///< a process that reports nothing for so long hangs
  unsigned minutes = 0;          ///< after which no more is done; 0: no limit
  unsigned mostLosses = 20;      ///< of a task: after so many kernels that end its process, it is given up
  unsigned recoverySeconds = 60; ///< how long a GPU that was lost may take to answer again
};

/// How far it is.
struct FullProgress {
  const Task *task;
  size_t number = 0, tasks = 0; ///< of the task
  const JournalTask *state;     ///< what has been done of it
  bool isDone = false;          ///< it has just ended
};

/// What stopped the run before its end; empty: nothing did. `tell` is called some times a second.
std::string doTasks(const std::vector<Task> &tasks, const std::string &journal, const FullLimits &limits,
                    const std::function<void(const FullProgress &)> &tell);

/// Whether a result says that flyc or the GPU may be wrong: a failure, other bits, an end of the process.
bool isSuspect(const std::string &outcome);

} // namespace fly::hardware
