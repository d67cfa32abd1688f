// What the transforms write for the code generator, its parsers read: statements and attributes of LLVM IR as text.
#include "compiler/protocol/Assembly.h"
#include "compiler/protocol/FixedOrder.h"
#include "compiler/protocol/Opcode.h"
#include "compiler/protocol/Pin.h"
#include "compiler/protocol/RegisterCounts.h"
#include "compiler/protocol/Unwritten.h"

#include <gtest/gtest.h>

using namespace fly::protocol;

namespace {

TEST(Opcode, WriterAndParserAgree) {
  const OpcodeStatement written{"V_WMMA_F32_16X16X16_F16_w32_twoaddr",
                                {OpcodeOperand::number(8), OpcodeOperand::ofStatement(1), OpcodeOperand::number(-1)}};
  EXPECT_EQ(written.text(), "fly.opcode V_WMMA_F32_16X16X16_F16_w32_twoaddr 8 $1 -1");
  auto read = parseOpcode(written.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, written.name);
  EXPECT_EQ(read->operands, written.operands);
}

TEST(Opcode, WhatIsMalformedIsStillOfItsKind) {
  for (const char *text : {"fly.opcode ", "fly.opcode V_NOP $", "fly.opcode V_NOP x", "fly.opcode V_NOP $-1"}) {
    EXPECT_TRUE(isOpcode(text)) << text;
    EXPECT_FALSE(parseOpcode(text)) << text;
  }
  EXPECT_FALSE(isOpcode("fly.asm v_nop"));
  EXPECT_FALSE(parseOpcode("s_nop 0"));
}

TEST(Assembly, WriterAndParserAgree) {
  const std::string statement = assemblyStatement("v_nop");
  EXPECT_EQ(statement, "fly.asm v_nop");
  EXPECT_EQ(assemblyWords(statement), "v_nop");
  EXPECT_TRUE(isAssembly(statement));
  EXPECT_FALSE(isAssembly("v_nop"));
  EXPECT_FALSE(isAssembly(OpcodeStatement{"V_NOP", {}}.text()));
}

TEST(Assembly, OperandsAreTakenAsTheyWereWritten) {
  const std::string text = operandText(0, 13) + ", " + operandText(12);
  EXPECT_EQ(text, "$0<$13, $12");
  llvm::StringRef words = text;
  auto result = takeOperand(words);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->number, 0u);
  EXPECT_EQ(result->former, 13u);
  EXPECT_FALSE(takeOperand(words));
  ASSERT_TRUE(words.consume_front(", "));
  auto source = takeOperand(words);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->number, 12u);
  EXPECT_FALSE(source->former);
  EXPECT_TRUE(words.empty());
}

TEST(Assembly, M0IsSplitFromTheWords) {
  const std::string text = withM0(1, "ds_append $0");
  EXPECT_EQ(text, "m0=$1 ds_append $0");
  EXPECT_EQ(withoutM0(text).m0, 1u);
  EXPECT_EQ(withoutM0(text).words, "ds_append $0");
  EXPECT_FALSE(withoutM0("ds_append $0").m0);
  EXPECT_EQ(withoutM0("ds_append $0").words, "ds_append $0");
}

TEST(Pin, WriterAndParserAgree) {
  for (const Pinned &written : {Pinned{'v', 96, 4}, Pinned{'a', 0, 1}, Pinned{'s', 40, 16}}) {
    EXPECT_EQ(parsePinned(written.statement()), written) << written.statement();
  }
  EXPECT_EQ((Pinned{'v', 96, 4}).statement(), "fly.pin v 96 4");
}

TEST(Pin, RegistersAreShownAsTheAssemblerSpellsThem) {
  EXPECT_EQ((Pinned{'v', 96, 4}).text(), "v[96:99]");
  EXPECT_EQ((Pinned{'a', 7, 1}).text(), "a7");
}

TEST(Pin, OtherStatementsAreNotRead) {
  for (const char *text : {"fly.pin v 96", "fly.pin vv 96 4", "fly.pin v x 4", "fly.asm v_nop", ""})
    EXPECT_FALSE(parsePinned(text)) << text;
}

TEST(Unwritten, WriterAndParserAgree) {
  EXPECT_TRUE(isUnwritten(unwrittenStatement(3)));
  EXPECT_FALSE(isUnwritten(assemblyStatement("v_nop")));
}

TEST(RegisterCounts, WriterAndParserAgree) {
  EXPECT_EQ(RegisterCount::read(RegisterCount::write(128)), 128u);
  EXPECT_EQ(RegisterCount::read(RegisterCount::write(0)), 0u);
  EXPECT_FALSE(RegisterCount::read("")); // a function without the attribute
}

TEST(Names, AreDistinct) {
  EXPECT_NE(vgprBudget.name, agprBudget.name);
  EXPECT_NE(vgprBudget.name, accumulatorRegisters.name);
  EXPECT_NE(fixedBegin, fixedEnd);
}

} // namespace
