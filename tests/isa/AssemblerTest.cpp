// One instruction at a time: text, bytes, what is said of mistakes, and shapes of operands.
#include "compiler/isa/Assembler.h"
#include "compiler/isa/OperandShapes.h"

#include "tests/isa/TestSupport.h"

#include "llvm/ADT/StringExtras.h"

#include <chrono>

using namespace fly::isa;

namespace {

std::unique_ptr<Assembler> assemblerFor(const char *arch) {
  auto assembler = Assembler::create(arch);
  EXPECT_TRUE(bool(assembler));
  return assembler ? std::move(*assembler) : nullptr;
}
AsmOperand v(unsigned index, unsigned width = 1) { return AsmOperand::ofRegister(RegisterFile::VGPR, index, width); }
AsmOperand s(unsigned index, unsigned width = 1) { return AsmOperand::ofRegister(RegisterFile::SGPR, index, width); }
AsmOperand imm(int64_t value) { return AsmOperand::ofInteger(value); }

TEST(Assembler, textHasOperandsAndModifiers) {
  AsmOperand negated = v(1);
  negated.neg = negated.abs = true;
  EXPECT_EQ(textOf(AsmInstruction{"v_add_f32", {v(0), negated, AsmOperand::ofFloat(1.5)}, {{"clamp", true}}, nullptr}),
            "v_add_f32 v0, -|v1|, 1.5 clamp");
  EXPECT_EQ(textOf(AsmInstruction{"s_waitcnt", {}, {{"vmcnt", int64_t(3)}, {"lgkmcnt", int64_t(0)}}, nullptr}),
            "s_waitcnt vmcnt(3) lgkmcnt(0)");
  EXPECT_EQ(textOf(AsmInstruction{"buffer_load_dword",
                                  {v(0), v(1), s(4, 4), imm(0)},
                                  {{"nt", true}, {"offset", int64_t(16)}, {"offen", true}},
                                  nullptr}),
            "buffer_load_dword v0, v1, s[4:7], 0 offen offset:16 nt");
  EXPECT_EQ(textOf(AsmInstruction{"s_load_dword", {s(0), s(2, 2)}, {{"glc", true}, {"offset", int64_t(8)}}, nullptr}),
            "s_load_dword s0, s[2:3], 8 glc");
  EXPECT_EQ(textOf(AsmInstruction{"s_load_dword", {s(0), s(2, 2), s(5)}, {{"offset", int64_t(8)}}, nullptr}),
            "s_load_dword s0, s[2:3], s5 offset:8");
}

/// Whatever the encoder of whole texts makes of a line.
TEST(Assembler, agreesWithTheEncoder) {
  auto assembler = assemblerFor("gfx942");
  auto encoder = Encoder::create("gfx942");
  ASSERT_TRUE(bool(encoder));
  for (const char *line :
       {"v_add_f32 v0, v1, v2", "v_add_f32_e64 v0, v1, v2", "v_add_f32 v0, -v1, |v2| clamp", "s_waitcnt vmcnt(3)",
        "buffer_load_dwordx4 v[0:3], v1, s[4:7], 0 offen offset:16 nt",
        "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]",
        "v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", "s_mov_b32 s0, 0x12345678",
        "global_load_dword v0, v1, s[2:3] offset:-8", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)", "s_endpgm"}) {
    auto code = assembler->assemble(llvm::StringRef(line));
    ASSERT_TRUE(bool(code)) << line << ": " << code.error().message;
    auto whole = (*encoder)->assemble(line);
    ASSERT_TRUE(bool(whole)) << line;
    EXPECT_EQ(llvm::toHex(*code), llvm::toHex(whole->front())) << line;
  }
}

TEST(Assembler, anErrorDoesNotSpoilTheNext) {
  auto assembler = assemblerFor("gfx942");
  EXPECT_FALSE(bool(assembler->assemble(llvm::StringRef("v_add_f32 v0, v1"))));
  EXPECT_FALSE(bool(assembler->assemble(llvm::StringRef("v_add_f32 v0, (, v1"))));
  EXPECT_FALSE(bool(assembler->assemble(llvm::StringRef(".text"))));
  EXPECT_FALSE(bool(assembler->assemble(llvm::StringRef(""))));
  EXPECT_TRUE(bool(assembler->assemble(llvm::StringRef("v_add_f32 v0, v1, v2"))));
}

AsmMistake mistakeOf(Assembler &assembler, const AsmInstruction &instruction) {
  auto code = assembler.assemble(instruction);
  EXPECT_FALSE(bool(code)) << textOf(instruction);
  return code ? AsmMistake() : assembler.explain(instruction, code.error());
}

TEST(Assembler, explainsNames) {
  auto assembler = assemblerFor("gfx942");
  auto unknown = mistakeOf(*assembler, {"v_ad_f32", {v(0), v(1), v(2)}, {}, nullptr});
  EXPECT_EQ(unknown.kind, AsmMistake::Kind::UnknownName);
  EXPECT_TRUE(llvm::is_contained(unknown.suggestions, "v_add_f32")) << unknown.message;
  auto elsewhere = mistakeOf(*assembler, {"v_permlane32_swap_b32", {v(0), v(1)}, {}, nullptr});
  EXPECT_EQ(elsewhere.kind, AsmMistake::Kind::OtherTarget);
  EXPECT_EQ(elsewhere.targets, std::vector<std::string>{"gfx950"});
}

TEST(Assembler, explainsOperands) {
  auto assembler = assemblerFor("gfx942");
  auto few = mistakeOf(*assembler, {"v_add_f32", {v(0), v(1)}, {}, nullptr});
  EXPECT_EQ(few.kind, AsmMistake::Kind::OperandCount);
  EXPECT_EQ(few.wanted, "3 operands");
  auto many = mistakeOf(*assembler, {"v_add_f32", {v(0), v(1), v(2), v(3)}, {}, nullptr});
  EXPECT_EQ(many.kind, AsmMistake::Kind::OperandCount);
  EXPECT_EQ(many.wanted, "3 operands");
  auto wide = mistakeOf(*assembler, {"s_mov_b32", {s(0), v(1)}, {}, nullptr});
  EXPECT_EQ(wide.kind, AsmMistake::Kind::Operand);
  EXPECT_EQ(wide.number, 1u);
  EXPECT_EQ(wide.wanted, "s or a constant");
  auto resource =
      mistakeOf(*assembler, {"buffer_load_dword", {v(0), v(1), s(4, 2), imm(0)}, {{"offen", true}}, nullptr});
  EXPECT_EQ(resource.kind, AsmMistake::Kind::Operand);
  EXPECT_EQ(resource.wanted, "s(4)");
  auto flag = mistakeOf(*assembler, {"buffer_load_dword", {v(0), v(1), s(4, 4), imm(0)}, {}, nullptr});
  EXPECT_TRUE(llvm::is_contained(flag.suggestions, "offen=True"));
  auto offset = mistakeOf(
      *assembler,
      {"buffer_load_dword", {v(0), v(1), s(4, 4), imm(0)}, {{"offen", true}, {"offset", int64_t(5000)}}, nullptr});
  EXPECT_EQ(offset.kind, AsmMistake::Kind::Modifier) << offset.message;
  auto modifier = mistakeOf(*assembler, {"v_add_f32", {v(0), v(1), v(2)}, {{"offset", int64_t(4)}}, nullptr});
  EXPECT_EQ(modifier.kind, AsmMistake::Kind::Modifier);
}

TEST(Assembler, findsShapes) {
  auto assembler = assemblerFor("gfx942");
  auto any = AsmOperand::any();
  auto product = shapeOf(*assembler, {"v_mfma_f32_16x16x16_f16", {any, any, any, any}, {}, nullptr});
  ASSERT_TRUE(product.has_value());
  EXPECT_EQ(product->operands[0].example.width, 4);
  EXPECT_TRUE(product->operands[0].writes && !product->operands[0].reads);
  EXPECT_EQ(product->operands[1].example.width, 2);
  EXPECT_TRUE(product->operands[3].reads && !product->operands[3].writes);
  auto read = shapeWithResults(*assembler, {"ds_read_b64", {v(0)}, {{"offset", int64_t(8)}}, nullptr});
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->operands.size(), 2u);
  EXPECT_EQ(read->operands[0].example.width, 2);
  EXPECT_TRUE(read->operands[0].writes);
  auto store = shapeWithResults(*assembler, {"global_store_dwordx2", {v(0), v(2, 2), s(0, 2)}, {}, nullptr});
  ASSERT_TRUE(store.has_value());
  EXPECT_EQ(store->operands.size(), 3u);
  auto fused = shapeOf(*assembler, {"v_fmac_f32", {any, v(0), v(0)}, {}, nullptr});
  ASSERT_TRUE(fused.has_value());
  EXPECT_TRUE(fused->operands[0].writes && fused->operands[0].reads);
}

/// gfx12's assembler says nothing about the beginning of an instruction, so widths of operands must narrow the search.
TEST(Assembler, findsShapesOfKnownWidths) {
  auto assembler = assemblerFor("gfx1250");
  auto of = [](unsigned width) { return AsmOperand::anyRegister(width); };
  auto widthOf = [&](const AsmInstruction &inputs) {
    auto shape = shapeWithResults(*assembler, inputs);
    return shape && !shape->operands.empty() ? int(shape->operands[0].example.width) : 0;
  };
  EXPECT_EQ(widthOf({"v_fma_f64", {of(2), of(2), of(2)}, {}, nullptr}), 2);
  EXPECT_EQ(widthOf({"v_wmma_scale_f32_16x16x128_f8f6f4", {of(16), of(16), of(8), of(1), of(1)}, {}, nullptr}), 8);
  EXPECT_EQ(widthOf({"buffer_load_b128", {of(1), of(4), of(1)}, {{"offen", true}, {"offset", int64_t(4)}}, nullptr}),
            4);
  EXPECT_EQ(widthOf({"v_fma_f64", {of(2), of(2), of(1)}, {}, nullptr}), 0);
  EXPECT_EQ(widthOf({"v_add_f32", {of(1), of(1), of(1)}, {}, nullptr}), 0) << "the first would be overwritten";
  EXPECT_EQ(widthOf({"v_add_f64", {of(2), AsmOperand::ofFloat(0.1)}, {}, nullptr}), 0) << "32 bits do not hold it";
}

TEST(Assembler, alignsTuples) {
  EXPECT_EQ(assemblerFor("gfx942")->alignmentOf(RegisterFile::VGPR, 2), 2u);
  EXPECT_EQ(assemblerFor("gfx1201")->alignmentOf(RegisterFile::VGPR, 2), 1u);
  EXPECT_EQ(assemblerFor("gfx1250")->alignmentOf(RegisterFile::VGPR, 4), 2u);
  EXPECT_EQ(assemblerFor("gfx942")->alignmentOf(RegisterFile::SGPR, 3), 4u);
}

/// It is for streams of thousands of instructions; 100 us each would be a parser for each.
TEST(Assembler, isFast) {
  auto assembler = assemblerFor("gfx942");
  const auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < 5000; ++i)
    ASSERT_TRUE(bool(assembler->assemble(AsmInstruction{"v_add_f32", {v(i % 256), v(1), v(2)}, {}, nullptr})));
  const double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 5000;
  RecordProperty("microseconds", std::to_string(us));
  std::printf("%.1f us an instruction\n", us);
}

} // namespace
