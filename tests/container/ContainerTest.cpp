// What is found in each kind of file, and under which path.
#include "tests/container/TestSupport.h"

namespace fly::container::test {

using testing::Test;
using Lines = std::vector<std::string>;

namespace {
std::string two(const std::string &a = "a", const std::string &b = "b") {
  return bundle({{"host-x86_64-unknown-linux--", ""},
                 {device("gfx942"), deviceObject(a)},
                 {device("gfx90a:xnack-"), deviceObject(b)}});
}
} // namespace

TEST(Container, ACodeObjectItself) { EXPECT_EQ(Walked(deviceObject("a")).objects, Lines{" a"}); }

TEST(Container, EntriesOfABundleForDevices) {
  Walked walked(two());
  EXPECT_EQ(walked.objects,
            (Lines{"[0]:hipv4-amdgcn-amd-amdhsa--gfx942 a", "[0]:hipv4-amdgcn-amd-amdhsa--gfx90a:xnack- b"}));
  EXPECT_TRUE(walked.damages.empty());
}

TEST(Container, BundlesOneAfterAnother) {
  for (size_t alignment : {1, 8, 4096}) {
    Walked walked(padded(two(), alignment) + padded(two("c", "d"), alignment));
    EXPECT_EQ(walked.objects.size(), 4u);
    EXPECT_EQ(walked.objects.back(), "[1]:hipv4-amdgcn-amd-amdhsa--gfx90a:xnack- d");
    EXPECT_TRUE(walked.damages.empty());
  }
}

TEST(Container, CompressedBundlesOfAllVersions) {
  for (unsigned version : {1, 2, 3})
    for (bool isZstd : {false, true}) {
      const std::string one = compressed(two(), version, isZstd), other = compressed(two("c", "d"), version, isZstd);
      for (size_t alignment : {1, 4096}) {
        Walked walked(padded(one, alignment) + padded(other, alignment) + padded(two(), alignment) + padded(one, 4096));
        EXPECT_EQ(walked.damages, Lines()) << "version " << version << (isZstd ? " zstd" : " zlib");
        ASSERT_EQ(walked.objects.size(), 8u);
        EXPECT_EQ(walked.objects[2], "[1]:hipv4-amdgcn-amd-amdhsa--gfx942 c");
        EXPECT_EQ(walked.objects[7], "[3]:hipv4-amdgcn-amd-amdhsa--gfx90a:xnack- b");
      }
    }
}

TEST(Container, SectionsOfTheHost) {
  Walked walked(hostElf({{".text", "code"},
                         {".hip_fatbin", padded(two(), 4096) + compressed(two("c", "d"), 3, true)},
                         {"__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx950", deviceObject("e")},
                         {"__CLANG_OFFLOAD_BUNDLE__host-x86_64-unknown-linux-gnu-", "host"}}));
  EXPECT_EQ(walked.damages, Lines());
  EXPECT_EQ(walked.objects, (Lines{":.hip_fatbin[0]:hipv4-amdgcn-amd-amdhsa--gfx942 a",
                                   ":.hip_fatbin[0]:hipv4-amdgcn-amd-amdhsa--gfx90a:xnack- b",
                                   ":.hip_fatbin[1]:hipv4-amdgcn-amd-amdhsa--gfx942 c",
                                   ":.hip_fatbin[1]:hipv4-amdgcn-amd-amdhsa--gfx90a:xnack- d",
                                   ":__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx950 e"}));
}

TEST(Container, MembersOfArchivesWithRepeatedNames) {
  const std::string object = hostElf({{".hip_fatbin", two()}});
  Walked walked(archive({{"a-name-of-more-than-15-letters.o", object},
                         {"notes.txt", "text"},
                         {"a.o", deviceObject("x")},
                         {"a.o", deviceObject("y")},
                         {"inner.a", archive({{"b.o", deviceObject("z")}})}}));
  EXPECT_EQ(walked.damages, Lines());
  EXPECT_EQ(walked.objects,
            (Lines{"(a-name-of-more-than-15-letters.o):.hip_fatbin[0]:hipv4-amdgcn-amd-amdhsa--gfx942 a",
                   "(a-name-of-more-than-15-letters.o):.hip_fatbin[0]:hipv4-amdgcn-amd-amdhsa--gfx90a:xnack- b",
                   "(a.o) x", "(a.o#2) y", "(inner.a)(b.o) z"}));
}

TEST(Container, RepeatedEntriesAreNumbered) {
  Walked walked(bundle({{device("gfx942"), deviceObject("a")}, {device("gfx942"), deviceObject("b")}}));
  EXPECT_EQ(walked.objects,
            (Lines{"[0]:hipv4-amdgcn-amd-amdhsa--gfx942 a", "[0]:hipv4-amdgcn-amd-amdhsa--gfx942#2 b"}));
}

TEST(Container, WhatIsNoMachineCodeIsLeftOut) {
  Walked walked(bundle({{device("gfx942"), "BC\xc0\xde bitcode"},
                        {"host-x86_64-unknown-linux--", "text"},
                        {"openmp-nvptx64--sm_90", "cubin"}}));
  EXPECT_EQ(walked.damages, Lines());
  EXPECT_EQ(walked.objects, Lines());
  EXPECT_EQ(walked.contents.what, "it has entries for other targets only, or none");
}

TEST(Container, FilesWithoutCodeSayWhatTheyAre) {
  EXPECT_EQ(Walked("text").contents.what, "not a code object, nor a bundle, library or archive of them");
  EXPECT_EQ(Walked("").contents.what, "not a code object, nor a bundle, library or archive of them");
  EXPECT_EQ(Walked(hostElf({{".text", "code"}})).contents.what, "it is an ELF file without AMD GPU code");
  EXPECT_EQ(Walked(archive({{"a.txt", "text"}})).contents.what, "it is an archive without AMD GPU code");
  EXPECT_EQ(Walked("!<thin>\n").contents.what, "it is a thin archive, whose members are in files of their own");
}

TEST(Container, AVisitorEndsTheWalk) {
  struct First : Visitor {
    unsigned objects = 0;
    bool object(const Found &) override { return ++objects < 2; }
    void damage(const std::string &, const std::string &) override {}
  } first;
  walk(hostElf({{".hip_fatbin", two() + two() + two()}}), first);
  EXPECT_EQ(first.objects, 2u);
}

} // namespace fly::container::test
