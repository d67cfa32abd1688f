// The list of all instructions of an architecture: complete against the decoder, and exact against the assembler.
#include "compiler/isa/OpcodeList.h"
#include "tests/isa/TestSupport.h"

#include <map>
#include <random>

namespace fly::isa::test {

namespace {

const OpcodeList &listOf(const std::string &architecture) {
  static std::map<std::string, OpcodeList> lists;
  auto it = lists.find(architecture);
  if (it == lists.end()) {
    auto list = listOpcodes(architecture);
    if (!list)
      ADD_FAILURE() << errorOf(list);
    it = lists.emplace(architecture, list ? std::move(*list) : OpcodeList()).first;
  }
  return it->second;
}

const OpcodeEntry *entryOf(const std::string &architecture, std::string_view instruction) {
  for (const OpcodeEntry &e : listOf(architecture).entries)
    if (name(e.op) == instruction)
      return &e;
  return nullptr;
}

class OpcodeListTest : public testing::TestWithParam<std::string> {};

TEST_P(OpcodeListTest, NothingIsLeftUnbuilt) {
  EXPECT_GT(listOf(GetParam()).entries.size(), 900u);
  for (const std::string &opcode : listOf(GetParam()).unbuilt)
    ADD_FAILURE() << opcode;
}

TEST_P(OpcodeListTest, HoldsWhatRandomBytesDecodeTo) {
  auto decoder = Decoder::create(GetParam());
  ASSERT_TRUE(bool(decoder));
  std::map<Op, const OpcodeEntry *> known;
  for (const OpcodeEntry &e : listOf(GetParam()).entries)
    known[e.op] = &e;
  std::mt19937_64 random(7);
  std::set<Op> met;
  for (unsigned trial = 0; trial < 60000; ++trial) {
    std::array<uint64_t, 3> words{random(), random(), random()};
    auto inst = (*decoder)->decodeOne(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(words.data()), 20), 0);
    if (!inst) {
      llvm::consumeError(inst.takeError());
      continue;
    }
    if (name(inst->op).starts_with("IMAGE_") || !inst->components.empty() || !met.insert(inst->op).second)
      continue;
    EXPECT_TRUE(known.count(inst->op)) << name(inst->op);
  }
  EXPECT_GT(met.size(), 300u);
}

TEST_P(OpcodeListTest, ExamplesDecodeToTheirInstruction) {
  for (const OpcodeEntry &e : listOf(GetParam()).entries) {
    auto decoder = Decoder::create(GetParam(), e.exampleWaveSize);
    ASSERT_TRUE(bool(decoder));
    auto inst = (*decoder)->decodeOne(llvm::ArrayRef(e.example.bytes).take_front(e.example.size), 0);
    ASSERT_TRUE(bool(inst)) << name(e.op) << ": " << errorOf(inst);
    EXPECT_TRUE(inst->op == e.op || !inst->components.empty()) << name(e.op) << " is " << name(inst->op);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, OpcodeListTest, testing::ValuesIn(architectures()),
                         [](const auto &i) { return i.param; });

TEST(OpcodeList, TellsTheArchitecturesApart) {
  EXPECT_TRUE(entryOf("gfx950", "V_PERMLANE16_SWAP_B32"));
  EXPECT_FALSE(entryOf("gfx942", "V_PERMLANE16_SWAP_B32"));
  EXPECT_TRUE(entryOf("gfx1250", "TENSOR_LOAD_TO_LDS"));
  EXPECT_FALSE(entryOf("gfx1201", "TENSOR_LOAD_TO_LDS"));
  EXPECT_TRUE(entryOf("gfx942", "V_ADD_F32") && entryOf("gfx1201", "V_ADD_F32"));
}

TEST(OpcodeList, KnowsTheFormsOfAnInstruction) {
  const OpcodeEntry *add = entryOf("gfx942", "V_ADD_F32");
  ASSERT_TRUE(add);
  EXPECT_EQ(add->forms, (std::set<Form>{Form::VOP2, Form::VOP3, Form::SDWA, Form::DPP16}));
  const OpcodeEntry *dual = entryOf("gfx1201", "V_ADD_F32");
  ASSERT_TRUE(dual);
  EXPECT_TRUE(dual->forms.count(Form::VOPD) && dual->forms.count(Form::DPP8));
}

} // namespace
} // namespace fly::isa::test
