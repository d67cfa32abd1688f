#include "compiler/verify/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace fly::verify {

bool Program::isCall(uint32_t instruction) const { return isa::isCall(code[instruction]); }

void Program::gap(uint32_t instruction, const std::string &why) {
  auto known = llvm::find_if(result.gaps, [&](const Gap &d) { return d.why == why; });
  if (known == result.gaps.end())
    result.gaps.push_back({instruction, why});
  else if (known->instruction != instruction)
    ++known->others;
}

void Program::found(Finding finding) {
  if (!options.isOn(finding.rule->name))
    return;
  auto &list = finding.rule->may                           ? result.hints
               : !finding.doubt.empty() && !options.strict ? result.doubts
                                                           : result.errors;
  list.push_back(std::move(finding));
}

/// Breadth first against the edges, from the second instruction's block to the first's.
std::vector<uint32_t> Program::path(uint32_t first, uint32_t second) const {
  const uint32_t from = flow.blockOf(first), to = flow.blockOf(second);
  if (from == to && first < second)
    return {};
  auto blocks = flow.blocks();
  std::vector<uint32_t> next(blocks.size(), ~0u), work{to};
  for (size_t at = 0; at < work.size(); ++at)
    for (uint32_t p : blocks[work[at]].predecessors) {
      if (next[p] != ~0u || !flow.reachable(p))
        continue;
      next[p] = work[at];
      if (p != from) {
        work.push_back(p);
        continue;
      }
      std::vector<uint32_t> jumps;
      for (uint32_t b = p;; b = next[b]) {
        if (code[blocks[b].last - 1].isBranch())
          jumps.push_back(blocks[b].last - 1);
        if (next[b] == to)
          return jumps;
      }
    }
  return {};
}

Result verify(llvm::ArrayRef<isa::Instruction> instructions, const isa::ControlFlow &flow, const target::Target &target,
              const Options &options) {
  Result result;
  result.instructions = uint32_t(instructions.size());
  if (instructions.empty())
    return result;
  Program program{instructions, flow, target, options, result};
  findGaps(program);
  if (options.isOn("wait-read") || options.isOn("wait-overwrite"))
    findEarlyUses(program);
  findDistances(program);
  if (options.isCompiled)
    findInCompiledCode(program);
  if (options.isOn("lds-copy"))
    findLdsCopies(program);
  if (options.may)
    findHints(program);
  for (auto *list : {&result.errors, &result.doubts, &result.hints})
    llvm::stable_sort(*list, [](const Finding &a, const Finding &b) { return a.second < b.second; });
  llvm::stable_sort(result.gaps, [](const Gap &a, const Gap &b) { return a.instruction < b.instruction; });
  return result;
}

} // namespace fly::verify
