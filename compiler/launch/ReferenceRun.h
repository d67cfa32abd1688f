// Launches beside the reference interpreter: the same kernel on the same memory, without machine code.
//
//     ReferenceRun run(code, target, launch, memoryBefore);
//     run.execute();                                   // as elaborated
//     if (auto difference = run.compare(read, types))  // with what the machine code left
//       ... run.suspect()                              // the pass that first changes the result
#pragma once

#include "compiler/compilation/ArchCompilation.h"
#include "compiler/launch/ReferenceCounts.h"
#include "compiler/reference/Reference.h"

namespace fly::driver {

class ReferenceRun {
public:
  ReferenceRun(const ReferenceCode &code, const target::Target &target, reference::Launch launch,
               reference::Memory before)
      : code(code), target(target), launch(std::move(launch)), before(std::move(before)) {}

  /// Executes the kernel as elaborated.
  const reference::Outcome &execute();

  /// How memory differs from what the machine code left, as text; empty: nothing that is known differs. `read` gives
  /// the bytes of an area, `typeOf` the language's name of its elements or "".
  std::string compare(llvm::function_ref<std::string(uint64_t address, uint64_t bytes)> read,
                      llvm::function_ref<std::string(const std::string &area)> typeOf, ReferenceCounts &counts);

  /// Memory with as few bytes other than 0 in its inputs as still make a difference, as text: what is left of each
  /// area. `differs` executes both on a memory. Ends after `seconds`.
  std::string reduced(llvm::function_ref<bool(const reference::Memory &)> differs,
                      llvm::function_ref<std::string(const std::string &area)> typeOf, double seconds);

  /// Who made the difference: the first pass after which the interpreter leaves something else, or what follows it.
  std::string suspect();

  /// The same launch on other memory.
  ReferenceRun on(reference::Memory memory) const { return {code, target, launch, std::move(memory)}; }

private:
  const ReferenceCode &code;
  const target::Target &target;
  reference::Launch launch;
  reference::Memory before, after;
  reference::Outcome outcome;
};

} // namespace fly::driver
