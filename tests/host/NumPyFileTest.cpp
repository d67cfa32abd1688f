// .npy files: what NumPy writes, what we write, and damage. Exchange with NumPy itself is tests/launch/.
#include "compiler/host/NumPyFile.h"

#include <gtest/gtest.h>
#include <random>

using namespace fly::host;

namespace {

/// A file with the given header text, as version 1.0.
std::string fileOf(const std::string &header, const std::string &data, char major = 1) {
  std::string f = std::string("\x93NUMPY") + major + '\0' + char(header.size()) + char(header.size() >> 8);
  if (major > 1)
    f += std::string(2, '\0');
  return f + header + data;
}
std::string header(const std::string &descr, const std::string &shape, const std::string &order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}
std::string errorOf(const std::string &file) { return readNumPy(file).error; }

} // namespace

TEST(NumPyFile, WritesWhatItReads) {
  for (const char *descr : {"|b1", "|i1", "<i2", "<u8", "<f2", "<f4", "<f8", "<c8", "|V1", "|V2"})
    for (const Shape &shape : {Shape{}, Shape{0}, Shape{5}, Shape{2, 3}, Shape{2, 0, 4}}) {
      NumPyArray a;
      a.kind = descr[1];
      a.bytes = unsigned(descr[2] - '0');
      a.shape = shape;
      for (int64_t i = 0; i < a.size() * a.bytes; ++i)
        a.data += char(i * 37);
      std::string file = writeNumPy(a);
      EXPECT_EQ((file.size() - a.data.size()) % 64, 0u);
      auto back = readNumPy(file);
      ASSERT_TRUE(back.ok()) << back.error;
      EXPECT_EQ(back.value.descr(), descr);
      EXPECT_EQ(back.value.shape, shape);
      EXPECT_EQ(back.value.data, a.data);
    }
}

TEST(NumPyFile, ReadsEveryVersionAndSpellingOfTheHeader) {
  for (char major : {1, 2, 3}) {
    auto a = readNumPy(fileOf(header("<i2", "(2,)"), "abcd", major));
    ASSERT_TRUE(a.ok()) << a.error;
    EXPECT_EQ(a.value.data, "abcd");
  }
  auto a = readNumPy(fileOf("{\"shape\":(2L , 1),'descr':\"|u1\" , 'fortran_order':False}", "ab"));
  ASSERT_TRUE(a.ok()) << a.error;
  EXPECT_EQ(a.value.shape, (Shape{2, 1}));
}

TEST(NumPyFile, ReordersColumnMajorArrays) {
  auto a = readNumPy(fileOf(header("|u1", "(2, 3)", "True"), "adbecf")); // columns ad, be, cf
  ASSERT_TRUE(a.ok()) << a.error;
  EXPECT_EQ(a.value.data, "abcdef");
  a = readNumPy(fileOf(header("|V2", "(2, 2, 2)", "True"), "aAeEcCgGbBfFdDhH"));
  ASSERT_TRUE(a.ok()) << a.error;
  EXPECT_EQ(a.value.data, "aAbBcCdDeEfFgGhH");
}

TEST(NumPyFile, SaysWhatItCannotRead) {
  EXPECT_EQ(errorOf(""), "it is not a .npy file");
  EXPECT_EQ(errorOf("PK\3\4"), "it is not a .npy file");
  EXPECT_EQ(errorOf(fileOf(header("<f4", "(1,)"), "abcd", 4)),
            "it is a .npy file of version 4.0; 1.0, 2.0 and 3.0 are known");
  EXPECT_EQ(errorOf(fileOf(header(">f4", "(1,)"), "abcd")),
            "its elements are big-endian (`>f4`); save it with `.astype('<f4')`");
  EXPECT_EQ(errorOf(fileOf(header("|O", "(1,)"), "abcd")), "elements of type `|O` are not supported");
  EXPECT_EQ(errorOf(fileOf(header("<U3", "(1,)"), "abcd")), "elements of type `<U3` are not supported");
  EXPECT_EQ(errorOf(fileOf(header("<f4", "(2,)"), "abcd")),
            "it holds 4 bytes of data, its shape (2,) of `<f4` needs 8");
  EXPECT_EQ(errorOf(fileOf(header("<f4", "(1,)"), "abcdX")),
            "it holds 5 bytes of data, its shape (1,) of `<f4` needs 4");
  EXPECT_EQ(errorOf(fileOf(header("<f4", "(9223372036854775807, 3)"), "")),
            "its shape (9223372036854775807, 3) is too large");
  EXPECT_EQ(errorOf(fileOf(header("<f4", "(-1,)"), "")), "its header has an extent that is not a count");
  EXPECT_EQ(errorOf(fileOf("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd")),
            "it holds a structured array; save the fields as arrays of their own");
  EXPECT_EQ(errorOf(fileOf("{'descr': '<f4', 'shape': (1,)}", "abcd")), "its header has no `fortran_order`");
  EXPECT_EQ(errorOf(fileOf("{'descr': '<f4', 'descr': '<f4'}", "abcd")), "its header has two entries `descr`");
}

TEST(NumPyFile, NoTruncationIsAccepted) {
  NumPyArray a;
  a.shape = {3, 2};
  a.data = std::string(24, 'x');
  std::string file = writeNumPy(a);
  for (size_t n = 0; n < file.size(); ++n)
    EXPECT_FALSE(readNumPy(llvm::StringRef(file).take_front(n)).ok()) << n;
}

TEST(NumPyFile, DamageIsAnErrorOrAnotherArrayNeverACrash) {
  NumPyArray a;
  a.shape = {3, 2};
  a.data = std::string(24, 'x');
  std::string file = writeNumPy(a);
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = file;
    for (unsigned k = 0, n = 1 + random() % 3; k < n; ++k)
      damaged[random() % damaged.size()] = char(random());
    auto read = readNumPy(damaged);
    if (read.ok())
      EXPECT_EQ(read.value.data.size(), size_t(read.value.size()) * read.value.bytes);
  }
}
