// Whatever clang emits comes back byte for byte: decoded and encoded, and printed, parsed and encoded. What flyc emits
// too: FLY_TEST_CODE_OBJECTS names a folder of other code objects (round-trip-flyc.test).
#include "tests/isa/TestSupport.h"

#include <cstdlib>

namespace fly::isa::test {

class RoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, EveryInstructionReencodesAndReassembles) {
  std::string bytes = readFile(GetParam());
  auto object = CodeObject::read(bytes);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  ASSERT_FALSE(object->kernels().empty());
  for (const Kernel &kernel : object->kernels()) {
    SCOPED_TRACE(kernel.name);
    auto decoder = Decoder::create(object->architecture(), kernel.waveSize);
    auto encoder = Encoder::create(object->architecture(), kernel.waveSize);
    ASSERT_TRUE(decoder && encoder) << errorOf(decoder) << errorOf(encoder);
    auto code = (*decoder)->decodeKernel(object->text(kernel), kernel.entry);
    ASSERT_TRUE(bool(code)) << errorOf(code);
    std::string text;
    for (const Instruction &inst : *code) {
      Encoding original(inst.bytes.begin(), inst.bytes.begin() + inst.size);
      auto again = (*encoder)->encode(inst);
      ASSERT_TRUE(bool(again)) << errorOf(again);
      EXPECT_EQ(*again, original) << (*decoder)->print(inst);
      EXPECT_NE(inst.form, Form::Unknown) << (*decoder)->print(inst);
      EXPECT_NE(inst.cls, Class::Unknown) << (*decoder)->print(inst);
      text += (*decoder)->print(inst) + "\n";
    }
    auto assembled = (*encoder)->assemble(text);
    ASSERT_TRUE(bool(assembled)) << errorOf(assembled);
    ASSERT_EQ(assembled->size(), code->size());
    for (size_t i = 0; i < code->size(); ++i) {
      const Instruction &inst = (*code)[i];
      EXPECT_EQ((*assembled)[i], Encoding(inst.bytes.begin(), inst.bytes.begin() + inst.size))
          << (*decoder)->print(inst);
    }
  }
}

static std::vector<std::string> givenOrCompiled() {
  const char *folder = std::getenv("FLY_TEST_CODE_OBJECTS");
  return folder ? codeObjectPaths(folder) : codeObjectPaths();
}

INSTANTIATE_TEST_SUITE_P(AllKernels, RoundTrip, testing::ValuesIn(givenOrCompiled()), [](const auto &info) {
  std::string name = info.param.substr(info.param.rfind('/') + 1);
  for (char &c : name)
    if (!isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
});

TEST(Decoder, NamesAddressAndBytesOfWhatIsNoInstruction) {
  auto decoder = Decoder::create("gfx942");
  ASSERT_TRUE(bool(decoder));
  const uint8_t bytes[] = {0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4};
  auto code = (*decoder)->decodeKernel(bytes, 0x1234);
  ASSERT_FALSE(bool(code));
  EXPECT_EQ(errorOf(code), "no gfx942 instruction at 0x1234: bytes ff ff ff ff 01 02 03 04");
}

TEST(Decoder, RefusesUnknownArchitecturesAndWaveSizes) {
  auto unknown = Decoder::create("gfx000");
  EXPECT_NE(errorOf(unknown).find("unknown architecture `gfx000`"), std::string::npos);
  auto wave = Decoder::create("gfx942", 32);
  EXPECT_EQ(errorOf(wave), "`gfx942` has no waves of 32 lanes");
}

TEST(Encoder, ReportsWhatDoesNotAssemble) {
  auto encoder = Encoder::create("gfx942");
  ASSERT_TRUE(bool(encoder));
  auto code = (*encoder)->assemble("v_add_f32 v0, v1\n");
  EXPECT_EQ(errorOf(code).substr(0, 7), "line 1:");
}

} // namespace fly::isa::test
