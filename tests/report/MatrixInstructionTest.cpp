// Shapes and flop of matrix instructions: every instruction of AMD's calculator, spellings of older targets, and those
// whose types are in their modifiers.
#include "compiler/report/Counts.h"
#include "tests/report/TestSupport.h"

#include <nlohmann/json.hpp>

namespace fly::report::test {

namespace {

isa::Instruction withA(isa::Form form, unsigned registers) {
  isa::Instruction i;
  i.form = form;
  isa::Operand a;
  a.role = isa::Role::Src0;
  a.kind = isa::Operand::Kind::Register;
  a.file = isa::RegisterFile::VGPR;
  a.width = uint8_t(registers);
  i.operands.push_back(a);
  return i;
}

MatrixInstruction of(const std::string &line, const char *architecture) {
  Code code = assemble(line + "\ns_endpgm\n", architecture);
  Counts c = count(code, code.whole());
  EXPECT_EQ(c.matrix.size(), 1u) << line;
  return c.matrix.empty() ? MatrixInstruction() : c.matrix.begin()->first;
}

} // namespace

TEST(MatrixInstruction, OfAllFacts) {
  unsigned tested = 0, withFlop = 0, older = 0;
  auto facts = nlohmann::json::parse(readFile(FLY_TEST_FACTS "/mma_facts.json"));
  for (auto &[key, fact] : facts.items()) {
    const std::string name = fact["instruction"];
    const bool mfma = key.find("gfx942/") == 0;
    const unsigned registers = std::stoul(fact["registers"]["A"].get<std::string>());
    auto i = withA(mfma ? isa::Form::MFMA : isa::Form::WMMA, registers);
    const uint64_t flop = 2ull * fact["M"].get<unsigned>() * fact["N"].get<unsigned>() * fact["K"].get<unsigned>() *
                          fact["blocks"].get<unsigned>();
    MatrixInstruction m = matrixInstruction(i, name);
    EXPECT_EQ(m.m, fact["M"]) << key;
    EXPECT_EQ(m.n, fact["N"]) << key;
    EXPECT_EQ(m.k, fact["K"]) << key;
    EXPECT_EQ(m.blocks, fact["blocks"]) << key;
    EXPECT_EQ(m.flop(), flop) << key;
    EXPECT_EQ(m.sparse, name.find("smfmac") != name.npos || name.find("swmmac") != name.npos) << key;
    ++tested;
    if (fact["flops"].is_number()) { // the calculator counts integer operations apart
      EXPECT_EQ(m.flop(), fact["flops"]) << key;
      ++withFlop;
    }
    // gfx90a: v_mfma_f32_32x32x1f32 for v_mfma_f32_32x32x1_2b_f32.
    if (!mfma || m.sparse)
      continue;
    std::string old = name;
    if (size_t at = old.find("b_"); at != old.npos && isdigit(old[at - 1]))
      old.erase(old.rfind('_', at), at + 1 - old.rfind('_', at));
    old.erase(old.find('_', old.find('x')), 1);
    EXPECT_EQ(matrixInstruction(i, old).flop(), flop) << key << ": " << old;
    ++older;
  }
  EXPECT_GE(tested, 70u);
  EXPECT_GE(withFlop, 50u);
  EXPECT_GE(older, 30u);
}

TEST(MatrixInstruction, TypesFromNames) {
  auto i = withA(isa::Form::MFMA, 2);
  MatrixInstruction m = matrixInstruction(i, "v_mfma_f32_16x16x32_bf8_fp8");
  EXPECT_EQ(m.a, "bf8");
  EXPECT_EQ(m.b, "fp8");
  m = matrixInstruction(i, "v_mfma_f32_32x32x4bf16_1k");
  EXPECT_EQ(m.a, "bf16");
  EXPECT_EQ(m.b, "bf16");
  EXPECT_EQ(m.blocks, 2u);
}

TEST(MatrixInstruction, TypesFromModifiers) {
  MatrixInstruction m = of("v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:7], v[8:15], v[0:3] cbsz:4 blgp:0", "gfx950");
  EXPECT_EQ(m.flop(), 2u * 16 * 16 * 128);
  EXPECT_EQ(m.a, "fp4");
  EXPECT_EQ(m.b, "fp8");
  m = of("v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:35], v[0:7] matrix_b_fmt:MATRIX_FMT_FP6", "gfx1250");
  EXPECT_EQ(m.flop(), 2u * 16 * 16 * 128);
  EXPECT_EQ(m.a, "fp8");
  EXPECT_EQ(m.b, "fp6");
  m = of("v_wmma_scale_f32_32x16x128_f4 v[0:15], v[16:31], v[32:39], v[0:15], v40, v41", "gfx1250");
  EXPECT_EQ(m.flop(), 2u * 32 * 16 * 128);
}

TEST(MatrixInstruction, WorkOfAPass) {
  Code code = assemble("s_load_dwordx4 s[4:7], s[0:1], 0x0\n"
                       "global_load_dwordx4 v[0:3], v4, s[4:5]\n" // 64 x 16
                       "global_load_lds_dwordx4 v4, s[4:5]\n"     // from memory and to LDS
                       "global_store_short v4, v0, s[4:5]\n"      // 64 x 2
                       "global_atomic_add v4, v0, s[4:5]\n"       // 64 x 4
                       "ds_read2_b64 v[8:11], v4 offset1:1\n"     // 64 x 16
                       "ds_bpermute_b32 v0, v0, v1\n"             // no memory
                       "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n"
                       "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n"
                       "s_nop 7\ns_nop 0\ns_endpgm\n",
                       "gfx950");
  Counts c = count(code, code.whole());
  EXPECT_EQ(c.nopStates, 9u);
  Work work = workOf(c, 64);
  EXPECT_EQ(work.matrixFlop, 2u * 16384);
  EXPECT_EQ(work.smem.read, 16u);
  EXPECT_EQ(work.vmem.read, 2048u);
  EXPECT_EQ(work.vmem.written, 128u);
  EXPECT_EQ(work.vmem.atomic, 256u);
  EXPECT_EQ(work.lds.read, 1024u);
  EXPECT_EQ(work.lds.written, 1024u);
  EXPECT_EQ(work.unknown, 0u);
  EXPECT_EQ(workOf(c, 32).vmem.read, 1024u);
}

TEST(MatrixInstruction, TensorMovesAreOfUnknownSize) {
  Code code = assemble("tensor_load_to_lds s[0:3], s[4:11]\ns_endpgm\n", "gfx1250");
  Work work = workOf(count(code, code.whole()), 32);
  EXPECT_EQ(work.unknown, 1u);
  EXPECT_EQ(work.vmem.read, 0u);
}

} // namespace fly::report::test
