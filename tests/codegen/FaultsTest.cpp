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

} // namespace fly::codegen
