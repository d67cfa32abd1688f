// The verifier sees a wait that is missing: in kernels that clang compiled, each wait is replaced by `s_nop 0`, each
// count is weakened by one, each s_nop is shortened, and gfx1201's waits for SGPRs are replaced as well. Waits for
// stores say nothing of registers, so they are left out; so are waits for LDS and memory together, which stand before
// barriers. Of the others nearly all must be errors: a few stand there twice, or order LDS. scripts/mutate_code.py
// makes the same mutants of any code object.
#include "compiler/isa/Decoder.h"
#include "compiler/isa/SgprHazards.h"
#include "tests/verify/TestSupport.h"

namespace fly::verify::test {

namespace {

struct Tally {
  unsigned mutants = 0, killed = 0;
};

/// A wait for one counter of results alone. gfx9's vmcnt counts stores, too, and is left out.
bool fillsRegisters(const isa::Waits &waits) {
  using isa::Counter;
  unsigned counters = 0;
  for (unsigned c = 0; c < isa::counterCount; ++c)
    counters += waits.limit[c] != isa::Waits::none;
  bool results = false;
  for (Counter c : {Counter::Lgkm, Counter::Km, Counter::Load, Counter::Ds})
    results |= waits[c] != isa::Waits::none;
  return results && counters == 1;
}

isa::Instruction assembled(const std::string &text, const std::string &arch) {
  auto encoder = isa::Encoder::create(arch);
  auto decoder = isa::Decoder::create(arch);
  auto parts = (*encoder)->assemble(text);
  EXPECT_TRUE(bool(parts)) << errorOf(parts);
  auto decoded = (*decoder)->decodeOne((*parts)[0], 0);
  return *decoded;
}

} // namespace

TEST(Mutants, AreErrors) {
  std::map<std::string, Tally> tallies;
  for (const std::string &path : codeObjectPaths()) {
    if (llvm::StringRef(path).contains(".O0."))
      continue;
    const std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    ASSERT_TRUE(bool(object)) << path;
    const target::Target *target = target::find(object->architecture());
    if (!target)
      continue;
    const isa::Instruction nop = assembled("s_nop 0", object->architecture());
    for (const isa::Kernel &kernel : object->kernels()) {
      auto decoder = isa::Decoder::create(object->architecture(), kernel.waveSize);
      auto list = (*decoder)->decodeKernel(object->text(kernel), kernel.entry);
      ASSERT_TRUE(bool(list)) << path;
      const isa::ControlFlow flow(*list);
      auto judge = [&](const std::string &kind, size_t place, const isa::Instruction &changed) {
        const isa::Instruction as = (*list)[place];
        (*list)[place] = changed;
        (*list)[place].address = as.address;
        Tally &tally = tallies[kind];
        ++tally.mutants;
        tally.killed += !verify(*list, flow, *target).errors.empty();
        (*list)[place] = as;
      };
      for (size_t i = 0; i < list->size(); ++i) {
        const isa::Instruction as = (*list)[i];
        if (fillsRegisters(as.waits)) {
          judge("wait", i, nop);
          for (unsigned c = 0; c < isa::counterCount; ++c)
            if (as.waits.limit[c] != isa::Waits::none) {
              isa::Instruction weaker = as;
              ++weaker.waits.limit[c];
              judge("count", i, weaker);
            }
        }
        if (const isa::SgprUse use = isa::sgprUse(as, *target); use.endsSalu || use.endsValu || use.endsVcc)
          judge("alu", i, nop);
        if (isa::name(as.op) == "S_NOP" && as.find(isa::Role::Simm)->bits > 0) {
          isa::Instruction shorter = as;
          for (isa::Operand &o : shorter.operands)
            if (o.role == isa::Role::Simm)
              --o.bits;
          judge("nop", i, shorter);
        }
      }
    }
  }
  for (auto &[kind, tally] : tallies) {
    std::printf("%-6s %5u mutants, %5u killed\n", kind.c_str(), tally.mutants, tally.killed);
    EXPECT_GT(tally.killed * 100, tally.mutants * 95) << kind;
  }
  EXPECT_EQ(tallies.size(), 4u);
}

} // namespace fly::verify::test
