// See Paths.h.
#include "compiler/assembly/Paths.h"

#include "compiler/assembly/Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace fly::assembly {

namespace {

llvm::StringRef opOf(const isa::Instruction &i) { return isa::name(i.op); }
/// LLVM does not count it among those that end a block.
bool addsToPc(const isa::Instruction &i) { return opOf(i).starts_with("S_ADD_PC"); }

} // namespace

bool isComputedJump(const isa::Instruction &i) { return i.isBranch() && !i.target(); }

Paths::Paths(llvm::ArrayRef<isa::Instruction> code) : flow(code) {
  auto blocks = flow.blocks();
  next.resize(blocks.size());
  isReached.resize(blocks.size());
  llvm::SmallVector<uint32_t, 4> behindCalls;
  auto lastOf = [&](uint32_t b) -> const isa::Instruction & { return code[blocks[b].last - 1]; };
  for (uint32_t b = 0; b < blocks.size(); ++b)
    if (isCall(lastOf(b)) && b + 1 < blocks.size())
      behindCalls.push_back(b + 1);
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    const isa::Instruction &last = lastOf(b);
    const bool jumps = isComputedJump(last) && !isCall(last);
    if (jumps)
      next[b].assign(behindCalls.begin(), behindCalls.end());
    if (!(jumps && addsToPc(last)))
      for (uint32_t to : blocks[b].successors)
        if (!llvm::is_contained(next[b], to))
          next[b].push_back(to);
  }
  previous.resize(blocks.size());
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (uint32_t to : next[b])
      previous[to].push_back(b);
  const uint64_t end = code.empty() ? 0 : code.back().next();
  std::vector<uint32_t> work;
  auto reach = [&](uint32_t b) {
    if (!isReached[b])
      isReached[b] = true, work.push_back(b);
  };
  if (!blocks.empty())
    reach(0);
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    const isa::Instruction &last = lastOf(b);
    computed |= isComputedJump(last);
    const bool ends = addsToPc(last) || llvm::any_of(code.slice(blocks[b].first, blocks[b].last - blocks[b].first),
                                                     [](const isa::Instruction &i) { return endsWave(i); });
    const bool fallsOff = b + 1 == blocks.size() && !ends;
    if ((fallsOff || last.target() == end) && !off)
      off = blocks[b].last - 1;
    for (uint32_t to : next[b])
      reach(to);
  }
}

} // namespace fly::assembly
