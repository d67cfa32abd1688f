// What keeps LLVM from wrong code and no language test reaches: divisions at -O0, and the instructions that are inserted
// into the finished code.
#include "CodeGenTesting.h"

#include "compiler/codegen/check/FunctionCode.h"
#include "compiler/codegen/check/Mending.h"
#include "compiler/isa/Decoder.h"

#include <gtest/gtest.h>

namespace fly::codegen {

namespace {

const target::Target &gfx942() { return *target::find("gfx942"); }

/// LLVM IR or MIR after a pass, at -O0.
std::string unoptimizedAfter(const std::string &pass, const std::string &body) {
  Options options;
  options.optimizationLevel = 0;
  options.keepAfter = {pass};
  Result<Object> object = testing::compile(testing::kernelModule("k", body), gfx942(), options);
  EXPECT_TRUE(bool(object)) << (object ? "" : object.failure().message);
  return object && object->after.size() == 1 ? object->after[0].text : "";
}

const std::string divided = R"(
    %bits = llvm.bitcast %x : f32 to i32
    %eight = llvm.mlir.constant(8 : i32) : i32
    %small = llvm.lshr %bits, %eight : i32
    %quotient = llvm.udiv DIVIDEND, %small : i32
    %value = llvm.bitcast %quotient : i32 to f32)";

std::string dividedBy(const std::string &dividend) {
  std::string text = divided;
  return text.replace(text.find("DIVIDEND"), 8, dividend);
}

} // namespace

TEST(Faults, DivisionsOf24BitsAtO0AreExpanded) {
  const std::string ir = unoptimizedAfter("fly-divisions-0", dividedBy("%small"));
  EXPECT_NE(ir.find("llvm.amdgcn.rcp"), std::string::npos) << ir;
  EXPECT_EQ(ir.find("udiv"), std::string::npos) << ir;
}

TEST(Faults, OtherDivisionsAtO0HideWhatIsKnown) {
  const std::string ir = unoptimizedAfter("fly-divisions-0", dividedBy("%bits"));
  EXPECT_NE(ir.find("udiv"), std::string::npos) << ir;
  EXPECT_NE(ir.find("asm \"\", \"=v,0\""), std::string::npos) << ir;
}

TEST(Faults, NothingIsMissingInWhatLlvmGetsRight) {
  Result<Object> object = testing::compile(testing::kernelModule("k"), gfx942());
  ASSERT_TRUE(bool(object));
  EXPECT_TRUE(findMissing(object->bytes, gfx942(), {}).empty());
  EXPECT_TRUE(findMissing("no object", gfx942(), {}).empty());
}

// LLVM does not look into assembly.
TEST(Faults, WhatIsMissingInAClauseComesBeforeIt) {
  const target::Target &gfx1201 = *target::find("gfx1201");
  const std::string assembly =
      "ds_load_b32 v20, $1\\0Ads_load_b32 v21, $1 offset:4\\0Ads_load_b32 v22, $1 offset:8\\0A"
      "s_clause 0x1\\0Aglobal_store_b32 $1, v21, $2\\0Aglobal_store_b32 $1, v20, $2 offset:4\\0A"
      "v_mov_b32 $0, 0";
  Result<Object> object = testing::compile(
      testing::kernelModule(
          "k", "%zero = llvm.mlir.constant(0 : i32) : i32\n%value = llvm.inline_asm has_side_effects \"" + assembly +
                   "\", \"=v,v,s,~{v20},~{v21},~{v22}\" %zero, %out : (i32, !llvm.ptr<1>) -> f32"),
      gfx1201);
  ASSERT_TRUE(bool(object)) << object.failure().message;
  EXPECT_TRUE(findMissing(object->bytes, gfx1201, {}).empty());
  const auto functions = decodedFunctionsOf(object->bytes, gfx1201);
  ASSERT_EQ(functions.size(), 1u);
  auto decoder = llvm::cantFail(isa::Decoder::create("gfx1201"));
  std::string text, before;
  for (const isa::Instruction &each : functions[0].code) {
    const std::string line = decoder->print(each);
    if (llvm::StringRef(line).starts_with("s_clause"))
      text = before;
    before = line;
  }
  EXPECT_EQ(text, "s_wait_dscnt 0x1");
}

} // namespace fly::codegen
