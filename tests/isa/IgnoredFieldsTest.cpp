// Fields that an instruction ignores may have any value; no other bits may.
#include "compiler/isa/IgnoredFields.h"
#include "compiler/isa/Machine.h"
#include "compiler/isa/OpcodeList.h"
#include "tests/isa/TestSupport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

namespace fly::isa::test {

namespace {

Encoding bytesOf(std::initializer_list<uint32_t> words) {
  Encoding bytes;
  for (uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i)
      bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  return bytes;
}
std::string read(const Encoding &bytes) {
  auto decoder = Decoder::create("gfx1250");
  auto inst = (*decoder)->decodeOne(bytes, 0);
  if (!inst)
    return llvm::consumeError(inst.takeError()), "refused";
  return inst->size == bytes.size() ? (*decoder)->print(*inst) : "of another size";
}

TEST(IgnoredFieldsTest, OlderAssemblersWroteOtherValues) {
  EXPECT_EQ(read(bytesOf({0xd0310000, 0, 0x7c7c241c})), "tensor_load_to_lds s[28:31], s[36:43]");
  EXPECT_EQ(read(bytesOf({0xd0710001, 0x7c000000, 0x7c7c241c})), "tensor_load_to_lds s[28:31], s[36:43]");
  EXPECT_EQ(read(bytesOf({0xd0314000, 0, 0x14100800})), "tensor_store_from_lds s[0:3], s[8:15], s[16:19], s[20:23]");
  EXPECT_EQ(read(bytesOf({0xcc880064, 0x1c220d06})), "v_wmma_f32_32x16x128_f4 v[100:115], v[6:21], v[6:13], v[8:23]");
  EXPECT_EQ(read(bytesOf({0xcc350000, 0x00021509, 0xcc880004, 0x1c220d06})),
            "v_wmma_scale_f32_32x16x128_f4 v[4:19], v[6:21], v[6:13], v[8:23], v9, v10");
}

TEST(IgnoredFieldsTest, OperandsThatAreNotThere) {
  EXPECT_EQ(read(bytesOf({0xbf94ffff})), "s_barrier_wait 0xffff"); // it has one
  EXPECT_EQ(read(bytesOf({0xd8d80000, 0x04ffff05})), "ds_load_b32 v4, v5");
  EXPECT_EQ(read(bytesOf({0xd8340000, 0xffff0605})), "ds_store_b32 v5, v6");
  EXPECT_EQ(read(bytesOf({0xee0ac000, 0, 0})), "global_inv");
}

TEST(IgnoredFieldsTest, OperandsThatAreThereMustBeLegal) {
  EXPECT_EQ(read(bytesOf({0xee05007d, 4, 6})), "refused");          // SADDR is M0
  EXPECT_EQ(read(bytesOf({0xcc60c004, 0x1c2a110f})), "refused");    // matrix A is s15
  EXPECT_EQ(read(bytesOf({0xd0720000, 0, 0x7c7c241c})), "refused"); // no such tensor operation
  EXPECT_EQ(read(bytesOf({0xcc8f4004, 0x1c220d06})), "refused");    // no such product
}

/// Every instruction with each bit changed: it is the same as before, or what LLVM reads, or another operation, whose
/// bits are not ignored.
TEST(IgnoredFieldsTest, NoBitThatMattersIsIgnored) {
  auto machine = Machine::create("gfx1250", 32);
  auto list = listOpcodes("gfx1250");
  auto encoder = Encoder::create("gfx1250");
  ASSERT_TRUE(machine && list && encoder);
  auto textOf = [&](const llvm::MCInst &inst) {
    std::string text;
    llvm::raw_string_ostream out(text);
    (*machine)->printer->printInst(&inst, 0, "", *(*machine)->subtarget, out);
    return text;
  };
  std::mt19937 random(std::random_device{}());
  unsigned ignored = 0, together = 0;
  for (const OpcodeEntry &entry : list->entries)
    for (const OpcodeExample &example : entry.examples) {
      auto code = (*encoder)->assemble(example.text);
      if (!code || code->size() != 1) {
        llvm::consumeError(code.takeError());
        continue;
      }
      Encoding plain = code->front();
      const size_t size = plain.size();
      plain.resize(size + 16); // a literal may follow
      llvm::MCInst inst, exact;
      uint64_t length, exactLength;
      ASSERT_TRUE((*machine)->disassembleExactly(plain, 0, inst, length)) << example.text;
      const std::string text = textOf(inst);
      const unsigned opcode = inst.getOpcode();
      std::vector<unsigned> bits;
      for (unsigned bit = 0; bit < size * 8; ++bit) {
        Encoding changed = plain;
        changed[bit / 8] ^= 1 << (bit % 8);
        if (!(*machine)->disassemble(changed, 0, inst, length))
          continue;
        if ((*machine)->disassembleExactly(changed, 0, exact, exactLength) && exactLength == length)
          continue;
        if (inst.getOpcode() != opcode)
          continue;
        EXPECT_EQ(textOf(inst), text) << "bit " << bit;
        bits.push_back(bit);
      }
      ignored += bits.size();
      // All of them at once, at random.
      for (unsigned trial = 0; trial < 3 && bits.size() > 1; ++trial, ++together) {
        Encoding changed = plain;
        for (unsigned bit : bits)
          if (random() & 1)
            changed[bit / 8] ^= 1 << (bit % 8);
        ASSERT_TRUE((*machine)->disassemble(changed, 0, inst, length)) << text << llvm::toHex(changed);
        EXPECT_EQ(textOf(inst), text) << llvm::toHex(changed);
      }
    }
  EXPECT_GT(ignored, 2000u);
  EXPECT_GT(together, 500u);
}

} // namespace

} // namespace fly::isa::test
