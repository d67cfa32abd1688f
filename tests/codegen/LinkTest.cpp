// linkCodeObject and readResources: several objects, one note, second names, damaged input.
#include "CodeGenTesting.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace fly;
using namespace fly::codegen;
using namespace fly::codegen::testing;

namespace {

const target::Target &gfx942 = *target::find("gfx942");

std::string object(const std::string &name, const target::Target &target = gfx942) {
  Result<Object> result = compile(kernelModule(name), target);
  EXPECT_TRUE(result) << (result ? "" : result.failure().message);
  return result ? result->bytes : "";
}

struct SymbolFacts {
  uint64_t address, size;
  uint8_t type, other;
};

std::map<std::string, SymbolFacts> dynamicSymbols(const std::string &codeObject) {
  std::map<std::string, SymbolFacts> symbols;
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(codeObject, "hsaco"));
  EXPECT_TRUE(bool(file));
  auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file->get());
  for (const llvm::object::ELFSymbolRef symbol : elf->getDynamicSymbolIterators())
    symbols[symbol.getName()->str()] = {*symbol.getAddress(), symbol.getSize(), symbol.getELFType(), symbol.getOther()};
  return symbols;
}

} // namespace

TEST(Link, SeveralObjectsGiveOneNoteWithAllKernels) {
  for (const target::Target &target : target::all()) {
    std::string a = object("first", target), b = object("second", target);
    Result<std::string> linked = linkCodeObject({a, b}, {}, target);
    ASSERT_TRUE(linked) << linked.failure().message;
    auto resources = readResources(*linked, target);
    ASSERT_TRUE(resources) << resources.failure().message;
    EXPECT_EQ(resources->size(), 2u);
    EXPECT_TRUE(resources->count("first") && resources->count("second"));
  }
}

TEST(Link, ResourcesAreThoseOfTheMachineCode) {
  for (const target::Target &target : target::all()) {
    std::string bytes = object("copy", target);
    Result<std::string> linked = linkCodeObject({bytes}, {}, target);
    ASSERT_TRUE(linked);
    artifact::ResourceInfo info = (*readResources(*linked, target))["copy"];
    EXPECT_GT(info.vgprs, 0u);
    EXPECT_LT(info.vgprs, 16u);
    EXPECT_GT(info.sgprs, 0u);
    EXPECT_EQ(info.agprs, 0u);
    EXPECT_EQ(info.scratchBytes, 0u);
    EXPECT_GT(info.codeBytes, 16u);
    EXPECT_EQ(info.waveSize, target.waveSize);
    EXPECT_GE(info.kernargBytes, 20u);
    EXPECT_EQ(info.occupancy, target.maxWavesPerSimd) << target.name;
  }
}

TEST(Link, SecondNameIsAnotherKernelAtTheSameAddress) {
  std::string bytes = object("vec_add");
  Result<std::string> linked = linkCodeObject({bytes}, {{"vec_add", "add_f32"}}, gfx942);
  ASSERT_TRUE(linked) << linked.failure().message;
  auto resources = readResources(*linked, gfx942);
  ASSERT_TRUE(resources);
  EXPECT_TRUE(resources->count("vec_add") && resources->count("add_f32"));
  auto symbols = dynamicSymbols(*linked);
  for (std::string suffix : {"", ".kd"}) {
    ASSERT_TRUE(symbols.count("add_f32" + suffix)) << suffix;
    SymbolFacts &original = symbols["vec_add" + suffix], &alias = symbols["add_f32" + suffix];
    EXPECT_EQ(alias.address, original.address);
    EXPECT_EQ(alias.size, original.size);
    EXPECT_EQ(alias.type, original.type);
    EXPECT_EQ(alias.other, original.other);
  }
  EXPECT_EQ(symbols["add_f32.kd"].size, 64u);
  EXPECT_EQ((*resources)["add_f32"].codeBytes, (*resources)["vec_add"].codeBytes);
}

TEST(Link, SameInputSameBytes) {
  std::string a = object("first"), b = object("second");
  Result<std::string> one = linkCodeObject({a, b}, {{"first", "again"}}, gfx942);
  Result<std::string> two = linkCodeObject({a, b}, {{"first", "again"}}, gfx942);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(one->find("flyc-link"), std::string::npos); // the temporary directory's name
}

TEST(Link, RefusesWhatDoesNotFit) {
  std::string a = object("first"), b = object("first"), other = object("second", *target::find("gfx950"));
  auto message = [](const Result<std::string> &result) { return result ? "linked" : result.failure().message; };
  EXPECT_EQ(message(linkCodeObject({}, {}, gfx942)), "there is no kernel to link");
  EXPECT_EQ(message(linkCodeObject({a, b}, {}, gfx942)), "two kernels are named `first`");
  EXPECT_EQ(message(linkCodeObject({a, other}, {}, gfx942)), "an object of the link is not for gfx942");
  EXPECT_EQ(message(linkCodeObject({a}, {{"second", "third"}}, gfx942)),
            "`third` cannot be a second name of `second`, which is not in the code object");
  EXPECT_NE(message(linkCodeObject({"nonsense"}, {}, gfx942)).find("damaged"), std::string::npos);
}

TEST(Link, DamagedCodeObjectsAreRefusedNotCrashedOn) {
  std::string bytes = object("copy");
  Result<std::string> linked = linkCodeObject({bytes}, {}, gfx942);
  ASSERT_TRUE(linked);
  for (size_t size = 0; size < linked->size(); size += 7)
    (void)readResources(linked->substr(0, size), gfx942);
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = *linked;
    for (int flips = 0; flips < 3; ++flips)
      damaged[random() % (i % 2 ? damaged.size() : 1024)] ^= 1 << random() % 8;
    (void)readResources(damaged, gfx942);
  }
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= 1 << random() % 8;
    (void)linkCodeObject({damaged}, {}, gfx942);
  }
}
