// Which registers may hold different values in the waves of a workgroup, followed forward from what differs at the start:
// the work-item's number (v0 to v2) and, on gfx12, the wave's (ttmp8).
//
//     v_cmp_gt_u32_e32 vcc, s2, v0           vcc differs
//     s_cbranch_vccz L                       waves may decide differently
//     s_cmp_lt_u32 s4, s5                    s4 and s5 are arguments
//     s_cbranch_scc1 L                       all decide alike
//
// A result differs if a source does; so does what a load reads from an address that differs. What VALU writes while the
// active lanes differ does, too. The end of a divergent region, `s_or exec, exec, s[..]`, gives the lanes back that were
// active before. It is a heuristic for hints: that a counter differs because a loop ends differently is not followed.
#include "compiler/verify/WaveBranches.h"

#include "compiler/dataflow/Solver.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace fly::verify {

namespace {

using isa::Operand;
using isa::Special;

/// Numbers of registers: VGPRs and AGPRs, SGPRs, then the special ones.
namespace number {
constexpr unsigned firstAgpr = 1024, firstSgpr = 2048, firstTtmp = firstSgpr + 128, firstSpecial = firstTtmp + 16,
                   registerCount = firstSpecial + unsigned(Special::Other) + 1;
constexpr unsigned exec = firstSpecial + unsigned(Special::EXEC), vcc = firstSpecial + unsigned(Special::VCC),
                   wave = firstTtmp + 8;
} // namespace number

struct WaveState {
  bool isReached = false;
  llvm::BitVector differs{number::registerCount};
};

unsigned firstOf(const Operand &o) {
  switch (o.file) {
  case isa::RegisterFile::VGPR: return o.index;
  case isa::RegisterFile::AGPR: return number::firstAgpr + o.index;
  case isa::RegisterFile::SGPR: return number::firstSgpr + o.index;
  case isa::RegisterFile::Special: break;
  }
  return o.isSpecial(Special::TTMP) ? number::firstTtmp + (o.sub & 15u) : number::firstSpecial + o.index;
}
/// The numbers of an operand's registers: from the first to the one after the last. VCC and EXEC have one.
std::pair<unsigned, unsigned> numbersOf(const Operand &o) {
  const unsigned first = firstOf(o);
  const bool isOne = o.isSpecial() && !o.isSpecial(Special::TTMP);
  return {first, std::min(first + (isOne ? 1u : std::max<unsigned>(o.width, 1)), number::registerCount)};
}

class Differences {
public:
  explicit Differences(const Program &program) : program(program), before(program.flow.blocks().size()) {
    auto blocks = program.flow.blocks();
    before[0].isReached = true;
    before[0].differs.set(0, 3);
    if (program.target.generation.idsInTtmp)
      before[0].differs.set(number::wave);
    llvm::BitVector begin(unsigned(blocks.size()));
    begin.set(0);
    dataflow::solve(
        dataflow::Direction::Forward, begin, before,
        [&](uint32_t b) -> llvm::ArrayRef<uint32_t> { return blocks[b].successors; },
        [&](uint32_t b, WaveState state) {
          for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
            step(state.differs, program.code[i]);
          return state;
        },
        [](WaveState &to, const WaveState &from) {
          const bool isNew = !to.isReached;
          to.isReached = true;
          return dataflow::uniteSets(to.differs, from.differs) || isNew;
        });
  }

  bool atBranch(uint32_t block) const {
    const isa::Block &b = program.flow.blocks()[block];
    const isa::Instruction &branch = program.code[b.last - 1];
    if (b.successors.size() < 2 || !branch.isBranch())
      return false;
    llvm::BitVector differs = before[block].differs;
    for (uint32_t i = b.first; i + 1 < b.last; ++i)
      step(differs, program.code[i]);
    return anyUse(differs, branch);
  }

private:
  const Program &program;
  std::vector<WaveState> before;

  static bool any(const llvm::BitVector &differs, const Operand &o) {
    if (!o.isRegister())
      return false;
    if (o.isSpecial(Special::VCCZ) || o.isSpecial(Special::EXECZ))
      return differs[o.isSpecial(Special::VCCZ) ? number::vcc : number::exec];
    const auto [first, end] = numbersOf(o);
    return differs.find_first_in(first, end) >= 0;
  }
  static bool anyUse(const llvm::BitVector &differs, const isa::Instruction &i) {
    const llvm::StringRef op = isa::name(i.op);
    if (i.isBranch() && op.contains("_EXEC"))
      return differs[number::exec];
    if (i.isBranch() && op.contains("_VCC"))
      return differs[number::vcc];
    return llvm::any_of(i.operands, [&](const Operand &o) { return !o.def && any(differs, o); });
  }

  void step(llvm::BitVector &differs, const isa::Instruction &i) const {
    const llvm::StringRef op = isa::name(i.op);
    const Operand *to = i.find(isa::Role::Dst);
    bool result = anyUse(differs, i);
    if (to && to->isSpecial(Special::EXEC) && (op.starts_with("S_OR_B") || op.starts_with("S_MOV_B")))
      result = llvm::any_of(i.operands,
                            [&](const Operand &o) { return !o.def && !o.isSpecial(Special::EXEC) && any(differs, o); });
    for (const isa::Instruction &part : i.components)
      result |= anyUse(differs, part);
    const bool differsBefore = differs[number::exec];
    const auto define = [&](const isa::Instruction &part) {
      for (const Operand &o : part.operands) {
        if (!o.def || !o.isRegister())
          continue;
        // s_and_saveexec: the first result is the lanes of before.
        const bool saves = op.contains("SAVEEXEC") && !o.isSpecial(Special::EXEC) && !o.isSpecial(Special::SCC);
        const auto [first, end] = numbersOf(o);
        if (saves ? differsBefore : result)
          differs.set(first, end);
        else
          differs.reset(first, end);
      }
    };
    define(i);
    for (const isa::Instruction &part : i.components)
      define(part);
  }
};

} // namespace

std::vector<bool> findBranchesOfWaves(const Program &program) {
  const Differences differences(program);
  std::vector<bool> found;
  for (uint32_t b = 0; b < program.flow.blocks().size(); ++b)
    found.push_back(differences.atBranch(b));
  return found;
}

} // namespace fly::verify
