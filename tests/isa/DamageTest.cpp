// Damaged and truncated code objects end in an error or in fewer things read, never in a crash.
#include "compiler/isa/ControlFlow.h"
#include "compiler/isa/Disassembly.h"
#include "tests/isa/TestSupport.h"

#include <random>

namespace fly::isa::test {

/// Everything a user of the library does with a code object.
void useAll(const std::string &bytes) {
  // An exact copy on the heap, so that a sanitizer sees a read beyond the end.
  std::vector<char> copy(bytes.begin(), bytes.end());
  auto object = CodeObject::read(llvm::StringRef(copy.data(), copy.size()));
  if (!object) {
    EXPECT_FALSE(errorOf(object).empty());
    return;
  }
  for (const Kernel &kernel : object->kernels())
    occupancy(*object, kernel);
  auto text = disassemble(*object);
  if (!text)
    llvm::consumeError(text.takeError());
}

TEST(Damage, TruncatedAnywhere) {
  std::string bytes = codeObject("memory.gfx942");
  ASSERT_FALSE(bytes.empty());
  for (size_t size = 0; size < bytes.size(); size += 64)
    useAll(bytes.substr(0, size));
}

class DamagedBits : public testing::TestWithParam<const char *> {};

TEST_P(DamagedBits, FlippedAtRandom) {
  const std::string bytes = codeObject(GetParam());
  ASSERT_FALSE(bytes.empty());
  std::mt19937 random(20);
  for (unsigned round = 0; round < 400; ++round) {
    std::string damaged = bytes;
    for (unsigned flips = 1 + random() % 8; flips; --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1u << (random() % 8));
    useAll(damaged);
  }
}
INSTANTIATE_TEST_SUITE_P(Files, DamagedBits,
                         testing::Values("control.gfx942", "matrix.gfx950", "control.gfx1201", "matrix.gfx1250"),
                         [](const auto &info) {
                           std::string n = info.param;
                           std::replace(n.begin(), n.end(), '.', '_');
                           return n;
                         });

TEST(Damage, OfTheHeaderIsNamed) {
  auto messageOf = [](const std::string &bytes) {
    auto object = CodeObject::read(llvm::StringRef(bytes));
    return errorOf(object);
  };
  std::string bytes = codeObject("control.gfx942");
  EXPECT_EQ(messageOf("short"), "not a code object: 5 bytes are too few for an ELF header");
  EXPECT_EQ(messageOf(std::string(100, 'x')), "not a code object: it does not begin like an ELF file");
  std::string other = bytes;
  other[48] = 0x77; // e_flags
  EXPECT_NE(messageOf(other).find("unknown architecture"), std::string::npos);
}

TEST(Damage, RandomBytesDecodeOrFail) {
  std::mt19937 random(7);
  std::vector<std::pair<std::string, unsigned>> rounds;
  for (const std::string &arch : architectures())
    rounds.emplace_back(arch, 30000);
  for (const target::Target &row : target::readable())
    rounds.emplace_back(row.name, 4000);
  for (auto &[arch, count] : rounds) {
    auto decoder = Decoder::create(arch);
    ASSERT_TRUE(bool(decoder)) << arch;
    for (unsigned round = 0; round < count; ++round) {
      uint8_t bytes[20];
      for (uint8_t &b : bytes)
        b = static_cast<uint8_t>(random());
      SCOPED_TRACE(arch);
      auto inst = (*decoder)->decodeOne(bytes, 0x1000);
      if (!inst)
        llvm::consumeError(inst.takeError());
      else
        ASSERT_FALSE((*decoder)->print(*inst).empty());
    }
  }
}

} // namespace fly::isa::test
