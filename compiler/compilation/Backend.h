// The second half of a compilation: an elaborated kernel through the passes and LLVM to an object.
//
// Elaboration is one ordered pass over shared state, and so its diagnostics have an order. What follows depends only on
// the instance: a BackendJob is its Fly IR as MLIR bytecode, the target and the options, all by value, and runs on any
// thread in a context of its own. Bytecode is used even with one thread and no cache, because a module that was read
// back may list uses in another order, which affects passes. This way the bytes are the same for any `-j`, `flyc test`
// runs the code that `flyc build` writes, and the cache returns exactly what would be compiled.
#pragma once

#include "compiler/codegen/CodeGen.h"
#include "compiler/target/Target.h"

#include "mlir/IR/MLIRContext.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class JobserverClient;
class thread;
}

namespace fly::driver {

class ObjectCache;

/// What to keep besides objects.
struct Keep {
  bool fly = false, rocdl = false, llvmIr = false, object = true;
  bool reference = false;              ///< what the reference interpreter needs
  bool page = false;                   ///< texts with places, and accesses, for a page
  bool places = false;                 ///< the Fly IR with places, whether or not the object is in the cache
  std::string stopAfter;               ///< the pass that is the last one wanted: its text is in `after`
  std::vector<std::string> printAfter; ///< passes whose texts are in `after`, too
  bool printAll = false;               ///< all passes' are: the first without a name, as MLIR prints its passes

  /// The passes after which IR or machine code is kept, in any order.
  std::vector<std::string> after() const;
};

/// The names of all passes, from the Fly dialect to the object, in the order in which they run.
std::vector<std::string> allPassNames(mlir::MLIRContext &context);

struct BackendJob {
  const target::Target *target = nullptr;
  std::string bytecode;   ///< a module with one fly.kernel
  std::string object;     ///< of a kernel with `isa=True`: there is nothing left to do
  std::string plantFault; ///< the pass after which a mistake is made on purpose; empty: none
  codegen::Options options;
  Keep keep;
};

struct BackendResult {
  std::string object, rocdl, llvmIr;
  artifact::PlacedText placedIr;
  std::vector<codegen::PassText> after; ///< in the order in which the passes ran
  std::optional<codegen::Failure> failure;
  double passesMs = 0, llvmMs = 0, cacheMs = 0;
  double processMs = 0; ///< of a process for LLVM's options, beyond its passes and LLVM
  double total() const { return passesMs + llvmMs + cacheMs + processMs; }
};

/// A context with all dialects of the pipeline. Single-threaded: instances are what runs side by side.
std::unique_ptr<mlir::MLIRContext> newContext();
/// The module of a job's bytecode, not verified; null if it is none.
mlir::OwningOpRef<mlir::ModuleOp> readModule(const std::string &bytecode, mlir::MLIRContext &context);

/// Contexts for jobs, each used by one thread at a time and then again.
class ContextPool {
public:
  std::unique_ptr<mlir::MLIRContext> take();
  void give(std::unique_ptr<mlir::MLIRContext> context);

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<mlir::MLIRContext>> free;
};

/// Runs one job on this thread, or in a process if it has global LLVM options. Takes the object from the cache if only
/// the object is needed.
BackendResult runBackend(ContextPool &contexts, ObjectCache &cache, const BackendJob &job);

/// Jobs on up to `threads` threads, the calling one among them: the others start with the first job, this one joins
/// in `finish`. 0 threads: one per core. Under a jobserver (MAKEFLAGS) each of the others holds a slot of it while it
/// runs a job.
class BackendQueue {
public:
  BackendQueue(ContextPool &contexts, ObjectCache &cache, unsigned threads);
  /// Drops what has not begun and waits for the rest.
  ~BackendQueue();
  /// Both must stay where they are until `finish` returns.
  void add(const BackendJob &job, BackendResult &result);
  /// Returns when all jobs are done.
  void finish();

private:
  struct Item {
    const BackendJob *job;
    BackendResult *result;
  };
  std::optional<Item> next();
  void work();
  void close(bool drop);

  ContextPool &contexts;
  ObjectCache &cache;
  unsigned threads;
  llvm::JobserverClient *jobserver = nullptr;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Item> waiting;
  bool closed = false;
  std::vector<llvm::thread> workers;
};

} // namespace fly::driver
