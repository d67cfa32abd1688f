// See ValueUses.h. Reaching definitions, one register at a time, because a register of a large kernel is written in few
// places:
//
//   1. List for each register the instructions that touch it, in order.
//   2. In each block, walk them: a use takes the definitions that reach it, a definition replaces or joins them.
//   3. What reaches a block is what leaves its predecessors; repeat with a work list until nothing changes.
//
// Sets are sorted lists of instructions. A block that does not touch the register passes on what reaches it.
#include "compiler/report/ValueUses.h"

#include "compiler/report/Liveness.h"

#include <algorithm>
#include <map>

namespace fly::report {

namespace {

using Set = llvm::SmallVector<uint32_t, 4>;

struct Touch {
  uint32_t instruction = 0;
  bool reads = false, writes = false, isPartial = false;
};

class OneRegister {
public:
  OneRegister(const Code &code, llvm::ArrayRef<Touch> touches, bool &isCut)
      : code(code), touches(touches), isCut(isCut) {}

  template <class Use> void run(Use use) {
    auto blocks = code.flow.blocks();
    firstOf.assign(blocks.size() + 1, uint32_t(touches.size()));
    for (size_t t = touches.size(); t-- > 0;)
      firstOf[code.flow.blockOf(touches[t].instruction)] = uint32_t(t);
    for (size_t b = blocks.size(); b-- > 0;)
      firstOf[b] = std::min(firstOf[b], firstOf[b + 1]);
    in.assign(blocks.size(), Set());
    std::vector<uint32_t> work;
    std::vector<bool> isQueued(blocks.size(), false);
    for (uint32_t b = 0; b < blocks.size(); ++b)
      if (firstOf[b] != firstOf[b + 1])
        work.push_back(b), isQueued[b] = true;
    for (size_t next = 0; next < work.size(); ++next) {
      const uint32_t b = work[next];
      isQueued[b] = false;
      const Set out = leaving(b, [](uint32_t, uint32_t) {});
      for (uint32_t s : blocks[b].successors)
        if (join(in[s], out) && !isQueued[s])
          work.push_back(s), isQueued[s] = true;
    }
    for (uint32_t b = 0; b < blocks.size(); ++b)
      if (firstOf[b] != firstOf[b + 1])
        leaving(b, use);
  }

private:
  /// Adds what is not there; whether there was any.
  bool join(Set &to, const Set &from) {
    const size_t before = to.size();
    for (uint32_t one : from) {
      auto at = std::lower_bound(to.begin(), to.end(), one);
      if (at != to.end() && *at == one)
        continue;
      if (to.size() == ValueUses::most) {
        isCut = true;
        break;
      }
      to.insert(at, one);
    }
    return to.size() != before;
  }

  template <class Use> Set leaving(uint32_t block, Use use) {
    Set now = in[block];
    for (uint32_t t = firstOf[block]; t < firstOf[block + 1]; ++t) {
      const Touch &touch = touches[t];
      if (touch.reads)
        for (uint32_t definition : now)
          use(definition, touch.instruction);
      if (touch.writes)
        now.assign(1, touch.instruction);
      else if (touch.isPartial)
        join(now, Set(1, touch.instruction));
    }
    return now;
  }

  const Code &code;
  llvm::ArrayRef<Touch> touches;
  bool &isCut;
  std::vector<uint32_t> firstOf; ///< by block, its first touch
  std::vector<Set> in;
};

} // namespace

ValueUses valueUses(const Code &code) {
  std::vector<std::vector<Touch>> touches(unit::count);
  for (uint32_t i = 0; i < code.instructions.size(); ++i) {
    if (code.isCall(i) || code.isReturn(i))
      continue; // what a callee reads and writes is an assumption, no value's use
    auto touch = [&](unsigned number) -> Touch & {
      auto &list = touches[number];
      if (list.empty() || list.back().instruction != i)
        list.push_back({i, false, false, false});
      return list.back();
    };
    const RegisterEffects effects = effectsOf(code, i);
    for (unsigned k : effects.reads)
      touch(k).reads = true;
    for (unsigned k : effects.writes)
      touch(k).writes = true;
    for (unsigned k : effects.partial)
      touch(k).isPartial = true;
  }
  ValueUses out;
  for (uint16_t k = 0; k < unit::count; ++k)
    if (!touches[k].empty())
      OneRegister(code, touches[k], out.isCut).run([&](uint32_t definition, uint32_t use) {
        out.all.push_back({definition, use, k, 1});
      });
  // Neighbouring registers of one definition and use become one entry, but not across register files.
  std::sort(out.all.begin(), out.all.end(), [](const ValueUse &a, const ValueUse &b) {
    return std::tie(a.use, a.definition, a.unit) < std::tie(b.use, b.definition, b.unit);
  });
  std::vector<ValueUse> joined;
  for (const ValueUse &one : out.all) {
    const bool follows = !joined.empty() && joined.back().use == one.use &&
                         joined.back().definition == one.definition &&
                         joined.back().unit + joined.back().count == one.unit && one.unit != unit::firstAgpr &&
                         one.unit != unit::firstSgpr;
    if (follows)
      ++joined.back().count;
    else
      joined.push_back(one);
  }
  std::sort(joined.begin(), joined.end(), [](const ValueUse &a, const ValueUse &b) {
    return std::tie(a.use, a.unit, a.definition) < std::tie(b.use, b.unit, b.definition);
  });
  out.all = std::move(joined);
  return out;
}

} // namespace fly::report
