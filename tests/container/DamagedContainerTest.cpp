// Damage is named, ends what it is in, and never does more: no crash, no memory or time out of proportion.
#include "tests/container/TestSupport.h"

#include <chrono>
#include <random>

namespace fly::container::test {

using Lines = std::vector<std::string>;

namespace {

std::string two() { return bundle({{device("gfx942"), deviceObject("a")}, {device("gfx90a"), deviceObject("b")}}); }

std::string changed(std::string bytes, size_t at, const std::string &to) { return bytes.replace(at, to.size(), to); }

/// The first damage.
std::string damageOf(const std::string &bytes, const Limits &limits = {}) {
  Walked walked(bytes, limits);
  return walked.damages.empty() ? "" : walked.damages.front();
}

/// One file of each kind.
std::vector<std::string> samples() {
  const std::string plain = two(), host = hostElf({{".hip_fatbin", padded(plain, 64) + compressed(plain, 3, true)}});
  std::vector<std::string> out{plain, plain + plain, host, archive({{"a.o", host}, {"b.o", deviceObject("b")}})};
  for (unsigned version : {1, 2, 3})
    for (bool isZstd : {false, true})
      out.push_back(compressed(plain, version, isZstd));
  return out;
}

} // namespace

TEST(DamagedContainer, FieldsOfABundleAreNamed) {
  const std::string good = two();
  EXPECT_EQ(damageOf(good.substr(0, 28)), "[0]: the offload bundle ends before its number of entries");
  EXPECT_EQ(damageOf(changed(good, 24, number(1u << 30))),
            "[0]: the offload bundle has 1073741824 entries according to its header, which 448 bytes cannot hold");
  EXPECT_EQ(damageOf(changed(good, 32, number(~0ull))),
            "[0]: entry 0 of the offload bundle (hipv4-amdgcn-amd-amdhsa--gfx942) has offset 0xffffffffffffffff and "
            "size 0x41, outside of its 0x1c0 bytes");
  EXPECT_EQ(damageOf(changed(good, 40, number(0x4000))),
            "[0]: entry 0 of the offload bundle (hipv4-amdgcn-amd-amdhsa--gfx942) has offset 0xc0 and size 0x4000, "
            "outside of its 0x1c0 bytes");
  EXPECT_EQ(damageOf(changed(good, 48, number(5000))), "[0]: entry 0 of the offload bundle has a name of 5000 bytes");
  EXPECT_EQ(
      damageOf(changed(good, 40, number(0x81))),
      "[0]: entry 1 of the offload bundle (hipv4-amdgcn-amd-amdhsa--gfx90a) at offset 0x140 overlaps what precedes it");
  EXPECT_EQ(
      damageOf(changed(good, 32, number(16))),
      "[0]: entry 0 of the offload bundle (hipv4-amdgcn-amd-amdhsa--gfx942) at offset 0x10 overlaps what precedes it");
  EXPECT_EQ(damageOf(changed(good, 192, "x")),
            "[0]:hipv4-amdgcn-amd-amdhsa--gfx942: it does not begin like a code object");
}

TEST(DamagedContainer, OneBundleDoesNotEndTheOthers) {
  const std::string good = two(), bad = changed(good, 24, number(~0ull));
  Walked walked(good + bad + good);
  EXPECT_EQ(walked.objects.size(), 4u);
  EXPECT_EQ(walked.damages.size(), 1u);
  Walked between(good + "something else" + good);
  EXPECT_EQ(between.objects.size(), 4u);
  EXPECT_EQ(between.damages, Lines{"[1]: there is no offload bundle at offset 0x1c0"});
}

TEST(DamagedContainer, FieldsOfACompressedBundleAreNamed) {
  const std::string good = compressed(two(), 3, true);
  EXPECT_EQ(damageOf(good.substr(0, 30)), "[0]: the header of the compressed offload bundle is truncated");
  EXPECT_EQ(damageOf(changed(good, 4, number(4, 2))),
            "[0]: the compressed offload bundle has version 4; the known versions are 1 to 3");
  EXPECT_EQ(damageOf(changed(good, 6, number(2, 2))),
            "[0]: the compressed offload bundle has method 2; the known methods are 0 (zlib) and 1 (zstd)");
  EXPECT_EQ(damageOf(changed(good, 8, number(16))),
            "[0]: the compressed offload bundle has 16 bytes according to its header, fewer than the header itself");
  EXPECT_EQ(damageOf(changed(good, 8, number(1u << 20)))
                .find("[0]: the compressed offload bundle has 1048576 bytes according to its header; there are only"),
            0u);
  EXPECT_NE(damageOf(changed(good, 16, number(449))).find("inflates to 448 bytes; its header says 449"),
            std::string::npos);
  EXPECT_NE(damageOf(changed(good, 16, number(447))).find("cannot be inflated"), std::string::npos);
  EXPECT_NE(damageOf(changed(good, 24, "?")).find("do not match the hash in its header"), std::string::npos);
}

TEST(DamagedContainer, ImpossibleSizesAreRefusedBeforeMemoryIsTaken) {
  const std::string good = compressed(two(), 3, true);
  EXPECT_EQ(
      damageOf(changed(good, 16, number(uint64_t(1) << 40))),
      "[0]: the compressed offload bundle inflates to 1099511627776 bytes according to its header; at most 4294967296 "
      "are allowed");
  EXPECT_NE(damageOf(changed(good, 16, number(uint64_t(1) << 32))).find("bytes of zstd cannot hold"),
            std::string::npos);
  EXPECT_NE(
      damageOf(changed(compressed(two(), 3, false), 16, number(uint64_t(1) << 24))).find("bytes of zlib cannot hold"),
      std::string::npos);
  // Each is small, but all of them are not.
  Limits limits;
  limits.file = 1000;
  Walked walked(good + good + good, limits);
  EXPECT_EQ(walked.objects.size(), 4u);
  ASSERT_EQ(walked.damages.size(), 1u);
  EXPECT_NE(walked.damages[0].find("at most 104 are allowed"), std::string::npos) << walked.damages[0];
}

TEST(DamagedContainer, NestingHasAnEnd) {
  std::string inside = deviceObject("a");
  for (unsigned depth = 0; depth < 20; ++depth)
    inside = archive({{"a", inside}});
  EXPECT_NE(damageOf(inside).find("it is nested more than 8 deep"), std::string::npos);
  const std::string twice = compressed(bundle({{device("gfx942"), compressed(two(), 3, true)}}), 3, true);
  EXPECT_NE(damageOf(twice).find("a compressed offload bundle is inside of another one"), std::string::npos);
}

TEST(DamagedContainer, ErrorsHaveAnEnd) {
  std::string many;
  for (unsigned i = 0; i < 5000; ++i)
    many += "CCOB" + number(2, 2) + number(1, 2) + number(4, 4);
  Walked walked(many);
  EXPECT_EQ(walked.damages.size(), 101u);
  EXPECT_EQ(walked.damages.back(), ": too much of it is damaged; the rest is not read");
}

TEST(DamagedContainer, FieldsOfElfFilesAndArchivesAreNamed) {
  const std::string host = hostElf({{".hip_fatbin", two()}});
  uint64_t sections;
  std::memcpy(&sections, host.data() + 40, 8);
  EXPECT_EQ(damageOf(host.substr(0, 63)), ": the ELF header is truncated after 63 bytes");
  EXPECT_EQ(damageOf(changed(host, 40, number(1u << 30))),
            ": e_shoff of the ELF header is 0x40000000, outside of the file");
  EXPECT_EQ(damageOf(changed(host, 58, number(63, 2))), ": e_shentsize of the ELF header is 63");
  EXPECT_EQ(damageOf(changed(host, 60, number(4000, 2))),
            ": the ELF file has 4000 sections according to its header, which do not fit into it");
  EXPECT_EQ(damageOf(changed(host, 62, number(9, 2))),
            ": the names of the ELF file's sections (section 9) are outside of it");
  EXPECT_EQ(damageOf(changed(host, sections + 2 * 64 + 32, number(1u << 20))),
            ": section .hip_fatbin has offset 0x40 and size 0x100000, outside of the file");
  const std::string good = archive({{"a.o", deviceObject("a")}});
  EXPECT_EQ(damageOf(changed(good, 8 + 48, "x")), ": the archive's member at offset 0x8 has the size `x`");
  EXPECT_EQ(damageOf(changed(good, 8 + 48, "9999999999")),
            ": the archive's member at offset 0x8 has 9999999999 bytes according to its header, more than remain");
  EXPECT_EQ(damageOf(changed(good, 8 + 58, "x")), ": the archive's member at offset 0x8 has no valid header");
  EXPECT_EQ(damageOf(good.substr(0, 100)), ": the archive's member at offset 0x4a has a truncated header");
}

TEST(DamagedContainer, TruncatedOrFlippedAnywhere) {
  std::mt19937 random(1);
  for (const std::string &sample : samples()) {
    for (size_t size = 0; size < sample.size(); size += 1) {
      std::vector<char> exact(sample.begin(), sample.begin() + size); // so that a sanitizer sees a read beyond the end
      Walked walked(llvm::StringRef(exact.data(), exact.size()));
      for (const std::string &line : walked.damages)
        EXPECT_EQ(line.find('\n'), std::string::npos);
    }
    for (size_t at = 0; at < sample.size(); ++at)
      for (unsigned char bits : {0x01, 0x80, 0xff, int(1 + random() % 255)}) {
        std::string flipped = sample;
        flipped[at] ^= static_cast<char>(bits);
        std::vector<char> exact(flipped.begin(), flipped.end());
        Walked walked(llvm::StringRef(exact.data(), exact.size()));
        EXPECT_EQ(walked.objects.size(), walked.contents.objects);
      }
  }
}

} // namespace fly::container::test
