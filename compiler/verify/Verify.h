// A proof over the finished machine code: on no path does an instruction use a register before the memory operation
// that fills it has been waited for, or come too close to one that the hardware does not wait for.
//
//     Result result = verify(instructions, flow, target, options);
//     result.verdict();                       // Proved, NotProved, Errors
//
//     global_load_dword v1, v0, s[2:3]
//     s_cbranch_vccnz L                       an error on the path that jumps: nothing waits for v1
//     s_waitcnt vmcnt(0)
//     L: v_add_f32 v2, v1, v1
//
// Every instruction on every path of the control-flow graph is looked at, whatever the data. So there are three
// verdicts. An error is on a path of the graph, and is wrong by all sources of the rule. `Proved` says that there is
// none. Where neither can be said, the code is `NotProved`, with a gap: the place and the reason. That is a call, a
// jump through a register, bytes that are not an instruction, an architecture whose distances no table has.
//
// A doubt is a finding that one source calls wrong and another one, or the data, may make right. It does not change the
// verdict. A hint is not about a rule of the machine at all: what else looks wrong.
//
//   1. Gaps.cpp: what the proof does not follow.
//   2. EarlyUses.cpp: uses that are too early for the operations that may be outstanding (compiler/dataflow/EarlyUses.h,
//      which the reports read, too).
//   3. Distances.cpp: the instructions that later ones must keep a distance from.
//   4. CompiledCode.cpp: what a compiler's code never does.
//   5. LdsCopies.cpp: reads of LDS that a copy is still filling.
//   6. Hints.cpp: what may be wrong but cannot be decided; only if asked for.
//
// docs/verify.md has each rule with its source.
#pragma once

#include "compiler/isa/ControlFlow.h"
#include "compiler/isa/Instruction.h"
#include "compiler/target/Target.h"
#include "compiler/verify/Rules.h"

#include <array>
#include <set>
#include <string>
#include <vector>

namespace fly::verify {

struct Options {
  std::set<std::string> off; ///< names of rules that are not looked at
  bool may = false;          ///< look for hints, too
  bool isCompiled = false;   ///< the code is what flyc has just compiled: rules that hand-written code may break hold
  bool strict = false;       ///< doubts are errors: of code that flyc has made
  std::array<uint32_t, 3> workgroup{}; ///< threads of a workgroup by dimension; 0: not known
  bool isOn(llvm::StringRef rule) const { return !off.count(rule.str()); }
};

struct Finding {
  const Rule *rule = nullptr;
  uint32_t first = 0, second = 0; ///< instructions: what begins it, and where it shows
  std::string message;            ///< "v1 is read before its value has arrived: `s_waitcnt ..."
  std::string source;             ///< where the rule stands
  std::vector<uint32_t> path{};   ///< jumps between the two on a shortest way
  unsigned others = 0;            ///< further uses of the same kind after the same instruction; of a hint: in the code
  std::string doubt{};            ///< why it may be right; empty: nothing says so
};

/// A place that the proof does not reach beyond.
struct Gap {
  uint32_t instruction = 0;
  std::string why;
  unsigned others = 0; ///< further places of the same kind
};

enum class Verdict : uint8_t { Proved, NotProved, Errors };

struct Result {
  std::vector<Finding> errors, doubts, hints; ///< by place
  std::vector<Gap> gaps;
  uint32_t instructions = 0;
  Verdict verdict() const {
    return !errors.empty() ? Verdict::Errors : gaps.empty() ? Verdict::Proved : Verdict::NotProved;
  }
};

/// `flow` is that of the instructions, which are in order of address as Decoder::decodeKernel returns them.
Result verify(llvm::ArrayRef<isa::Instruction> instructions, const isa::ControlFlow &flow, const target::Target &target,
              const Options &options = {});

} // namespace fly::verify
