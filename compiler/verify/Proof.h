// The proofs of a code object, as text and as JSON.
//
//     auto proofs = prove(object, {});        // a proof per kernel, then one per device function
//     llvm::outs() << toText(*proofs);
//
//     gemm_f16: proved, 1204 instructions
//     early: 1 error
//       error: v2 is read before its value has arrived: `s_waitcnt vmcnt(0)` is missing [wait-read]
//         0x1708  global_load_dword v2, v0, s[2:3]        early.s:4
//         0x1710  v_add_f32_e32 v3, v2, v2                early.s:5
#pragma once

#include "compiler/isa/CodeObject.h"
#include "compiler/verify/Verify.h"

#include <nlohmann/json.hpp>

namespace fly::verify {

using Json = nlohmann::ordered_json;

/// An instruction on a path.
struct Step {
  uint64_t address = 0;
  std::string text; ///< assembly
  std::string file; ///< from the line table; empty if it is not known
  unsigned line = 0, column = 0;
};

struct PlacedFinding {
  const Rule *rule = nullptr;
  std::string message, source, doubt;
  std::vector<Step> steps; ///< from what begins it, over jumps, to where it shows
  unsigned others = 0;
};
struct PlacedGap {
  std::string why;
  Step step;
  unsigned others = 0;
};

struct Proof {
  std::string name;
  bool isKernel = true; ///< else a device function
  std::string architecture;
  uint32_t instructions = 0;
  std::vector<PlacedFinding> errors, doubts, hints;
  std::vector<PlacedGap> gaps;
  Verdict verdict() const {
    return !errors.empty() ? Verdict::Errors : gaps.empty() ? Verdict::Proved : Verdict::NotProved;
  }
  /// "proved", "not proved: a call at 0x1200 and 3 others", "2 errors", "proved, 1 doubt".
  std::string summary() const;
};

/// Of all kernels, or the one of that name, in order of address. Code that cannot be decoded is not proved. With
/// `functions`, those of device functions follow.
std::vector<Proof> prove(const isa::CodeObject &object, const Options &options, llvm::StringRef only = "",
                         bool functions = true);

std::string toText(const Proof &proof);
Json toJson(const Proof &proof);
/// "0x1708  global_load_dword v2, v0, s[2:3]        early.s:4", a line each without its end.
std::vector<std::string> toLines(llvm::ArrayRef<Step> steps);

} // namespace fly::verify
