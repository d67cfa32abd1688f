// The memory operations that may be outstanding at a place, per counter.
//
// A counter is raised when an operation is issued and lowered when it completes. Operations of one line of a counter
// (compiler/isa/Counters.h) complete in the order of issue, so what counts of an operation is how many of its line were
// issued after it: a wait for `counter(n)` covers it if that are at least n. The state keeps the smallest number of all
// paths. Scalar memory and messages complete in any order; only 0 covers them.
//
//     s_waitcnt vmcnt(1) after       global_load A         newer: 1     covered
//                                    global_load B         newer: 0     still outstanding
//
// At a join the states are united, and of an operation that both have the smaller number is kept. Numbers only fall and
// sets only grow, so loops reach a fixed point. A counter that is full delays the next operation until the oldest is
// done: what has as many newer ones as the counter holds is done.
//
// An operation that is issued again replaces its own earlier instance: what covers the later one covers the earlier
// one, too, since both are of one line, or of none. Who asks which wait covers which operation wants to know of both
// (`Follow::Everything`): then instances are told apart, up to three passes of a loop back.
//
// gfx1250 may translate the addresses of an operation anew after a page fault, and then reads its registers again. xcnt
// counts translations, and is an entry of its own here. It ends with the operation, at the latest; between scalar and
// vector memory the hardware waits for it.
//
// FLAT raises two counters, and before gfx12 it is in no line, because it may go to LDS or to memory. A compiler that
// knows where it goes waits for one counter alone and relies on its order. So two numbers are kept: `newer`, of what is
// certain, and `likely`, as if all FLAT went to the unit of the counter.
//
// A call counts as a wait: LLVM's functions begin with one for all counters except those of stores, asynchronous
// operations and transfers of tensors, and end so.
#pragma once

#include "compiler/isa/ControlFlow.h"
#include "compiler/target/Target.h"

#include <tuple>

namespace fly::dataflow {

struct Outstanding {
  uint32_t operation; ///< instruction
  isa::Counter counter;
  uint8_t line, newer = 0, likely = 0;
  bool done = false; ///< if FLAT goes where the compiler may know it to go
  uint8_t pass = 0;  ///< 0: as it was issued last; 1: the time before; oldestPass: that or earlier
  std::tuple<uint32_t, isa::Counter, uint8_t> key() const { return {operation, counter, pass}; }
  bool operator==(const Outstanding &) const = default;
};
constexpr uint8_t oldestPass = 3;
using InFlight = std::vector<Outstanding>; ///< by key
/// Adds what another path brings; whether that changes anything.
bool unite(InFlight &to, const InFlight &from);
/// Whether a wait covers the operation, whatever FLAT does.
bool isCovered(const Outstanding &operation, const isa::Waits &waits);

/// Whether a memory operation fills the register. Counters that LLVM names as registers are none.
bool isFilled(const isa::Operand &operand);
bool fillsRegister(const isa::Instruction &instruction);
/// Whether it fills LDS from memory.
bool movesToLds(const isa::Instruction &instruction);
bool storesToLds(const isa::Instruction &instruction);
/// Whether it is the first half of a split barrier, or a whole one.
bool arrivesAtBarrier(const isa::Instruction &instruction);
/// Whether the translation of addresses may begin anew and read the operation's registers again, until xcnt says that
/// it is over.
bool translates(const isa::Instruction &instruction);
/// The counters that an operation raises and whose waits concern its result or LDS: all but xcnt.
isa::CounterMask countersOf(const isa::Instruction &instruction);
/// What an instruction waits for, or a call.
isa::Waits waitsOf(const isa::Instruction &instruction);

/// Which operations are followed.
enum class Follow : uint8_t {
  Results,       ///< those that fill registers, and translations
  ResultsAndLds, ///< those that write LDS, too
  Everything,    ///< all, but no translations; by passes, and in code that no path leads to as well
};

class InFlightFlow {
public:
  /// Code, graph and target stay the caller's.
  InFlightFlow(llvm::ArrayRef<isa::Instruction> code, const isa::ControlFlow &flow, const target::Target &target,
               Follow follow);
  /// Code that no path leads to adds nothing to code that one leads to.
  const InFlight &before(uint32_t block) const { return in[block]; }
  InFlight after(uint32_t block) const;
  void step(InFlight &state, uint32_t instruction) const;
  /// What a wait ends.
  void wait(InFlight &state, const isa::Waits &waits) const;

  const llvm::ArrayRef<isa::Instruction> code;
  const isa::ControlFlow &flow;
  const target::Target &target;

private:
  struct Raise {
    isa::CounterMask counters;
    bool flat, tracked;
  };
  const bool byPass;
  std::vector<Raise> raises;                   ///< by instruction
  std::vector<std::vector<uint32_t>> relevant; ///< by block: what changes the state
  std::vector<InFlight> in;
  void run(bool reachableAlone);
};

} // namespace fly::dataflow
