// The size of an image without a size; nothing is read that `readable` did not allow.
#include "compiler/container/InMemory.h"
#include "tests/container/TestSupport.h"

namespace fly::container::test {

namespace {

llvm::Expected<uint64_t> sizeOf(const std::string &bytes, uint64_t there) {
  std::vector<char> exact(bytes.begin(), bytes.begin() + there); // so that a sanitizer sees a read beyond the end
  return sizeInMemory(exact.data(),
                      [&](uint64_t offset, uint64_t size) { return offset <= there && size <= there - offset; });
}

std::string two() { return bundle({{device("gfx942"), deviceObject("a")}, {device("gfx90a"), deviceObject("bb")}}); }

} // namespace

TEST(InMemory, AllOfAnElfFileAndNoMore) {
  const std::string elf = hostElf({{".a", "first"}, {".b", std::string(1000, 'x')}});
  auto size = sizeOf(elf + std::string(5000, '\0'), elf.size() + 5000);
  ASSERT_TRUE(bool(size)) << errorOf(size);
  EXPECT_EQ(*size, elf.size());
}

TEST(InMemory, ABundleEndsWithItsLastEntry) {
  const std::string good = two();
  auto size = sizeOf(good + good, 2 * good.size());
  ASSERT_TRUE(bool(size)) << errorOf(size);
  EXPECT_EQ(*size, good.size() - (64 - 2));
}

TEST(InMemory, ACompressedBundleSaysItsSize) {
  for (unsigned version : {2, 3}) {
    const std::string good = compressed(two(), version, true);
    auto size = sizeOf(good + good, 2 * good.size());
    ASSERT_TRUE(bool(size)) << errorOf(size);
    EXPECT_EQ(*size, good.size());
  }
  const std::string old = compressed(two(), 1, false);
  auto size = sizeOf(old, old.size());
  ASSERT_TRUE(bool(size)) << errorOf(size);
  EXPECT_EQ(*size, old.size());
}

TEST(InMemory, WhatIsCutOffIsAnError) {
  for (const std::string &good :
       {two(), hostElf({{".a", "first"}}), compressed(two(), 2, true), compressed(two(), 3, false)}) {
    auto whole = sizeOf(good, good.size());
    ASSERT_TRUE(bool(whole)) << errorOf(whole);
    for (uint64_t there = 0; there < *whole; ++there) {
      auto size = sizeOf(good, there);
      EXPECT_FALSE(bool(size)) << there;
      EXPECT_NE(errorOf(size), "");
    }
  }
}

TEST(InMemory, HolesAreSeen) {
  const std::string good = hostElf({{".a", "first"}, {".b", std::string(1000, 'x')}});
  auto size =
      sizeInMemory(good.data(), [](uint64_t offset, uint64_t size) { return offset + size <= 80 || offset >= 120; });
  ASSERT_FALSE(bool(size));
  EXPECT_EQ(errorOf(size),
            "some of its " + std::to_string(good.size()) + " bytes is outside of the memory that can be read");
}

TEST(InMemory, FlippedAnywhereItStaysInside) {
  for (const std::string &good :
       {two(), hostElf({{".a", "first"}}), compressed(two(), 1, true), compressed(two(), 3, false)})
    for (size_t at = 0; at < good.size(); ++at)
      for (unsigned bits : {0x01, 0x80, 0xff}) {
        std::string flipped = good;
        flipped[at] ^= static_cast<char>(bits);
        auto size = sizeOf(flipped, flipped.size());
        if (size)
          EXPECT_LE(*size, flipped.size());
        else
          EXPECT_NE(errorOf(size), "");
      }
}

} // namespace fly::container::test
