// The backend in a process of its own: for kernels with global LLVM options, which are variables of a process.
//
//     flyc backend JOB RESULT        a command that `flyc --help` does not show
//
// The parent writes the job to a file, and the other process sets the options before anything of LLVM runs, compiles,
// and writes the result to another. A crash or an endless pass ends that process alone. The cache is the parent's, so
// an object that is known needs no process. The process ends with its parent.
#pragma once

#include "compiler/compilation/Backend.h"

namespace fly::driver {

/// The job's result, or a failure that says what became of the process.
BackendResult runBackendProcess(const BackendJob &job);

/// The other process: reads the job from a file and writes its result to another; the exit status.
int runBackendJob(const std::string &job, const std::string &result);

} // namespace fly::driver
