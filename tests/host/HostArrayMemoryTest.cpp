// Arrays as the memory of a tensor with strides, and back.
#include "compiler/host/HostArray.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace fly::host;

TEST(HostArrayMemory, EveryFormatRoundTripsThroughBytes) {
  for (const NumberFormat &f : allFormats())
    for (const Shape &strides : {Shape{3, 1}, Shape{1, 2}, Shape{7, 2}}) {
      HostArray x = random({2, 3}, f.number, 1).value;
      auto bytes = toBytes(x, f.number, strides);
      ASSERT_TRUE(bytes.ok()) << bytes.error;
      const size_t elements = size_t(strides[0] + 2 * strides[1] + 1);
      EXPECT_EQ(bytes.value.size(), f.bits < 8 ? (elements * f.bits + 7) / 8 : elements * f.bytes());
      HostArray y = fromBytes(bytes.value, f.number, {2, 3}, strides).value;
      EXPECT_EQ(y.numbers(), x.numbers()) << f.name;
      EXPECT_EQ(y.integers(), x.integers()) << f.name;
    }
}

TEST(HostArrayMemory, BytesAreLittleEndian) {
  HostArray x = full({1}, Scalar::ofFloat(1), Number::F16).value;
  EXPECT_EQ(toBytes(x, Number::F16, {1}).value, std::string("\x00\x3c", 2));
  EXPECT_EQ(toBytes(x, Number::I32, {1}).value, std::string("\x01\0\0\0", 4));
}

TEST(HostArrayMemory, GapsAndUnwrittenElementsHoldPoison) {
  HostArray x = full({2}, Scalar::ofInt(1), Number::F32).value;
  std::string bytes = toBytes(x, Number::F32, {2}, 4).value;
  ASSERT_EQ(bytes.size(), 16u);
  HostArray flat = fromBytes(bytes, Number::F32, {4}, {1}).value;
  EXPECT_EQ(toText(flat), "[1.0, unwritten, 1.0, unwritten]");
  HostArray e = empty({2}, Number::BF16).value;
  EXPECT_TRUE(fromBytes(toBytes(e, Number::BF16, {1}).value, Number::BF16, {2}, {1}).value.isPoisoned(1));
}

TEST(HostArrayMemory, AQuietNanOfTheKernelIsNotPoison) {
  HostArray x = full({1}, Scalar::ofFloat(NAN), Number::F16).value;
  HostArray y = fromBytes(toBytes(x, Number::F16, {1}).value, Number::F16, {1}, {1}).value;
  EXPECT_FALSE(y.isPoisoned(0));
  EXPECT_TRUE(std::isnan(y.number(0)));
}

TEST(HostArrayMemory, SharedPlacesMustAgree) {
  HostArray same = full({3}, Scalar::ofInt(5), Number::I32).value;
  EXPECT_EQ(toBytes(same, Number::I32, {0}).value.size(), 4u);
  HostArray differ = arange(Scalar::ofInt(0), Scalar::ofInt(3), Scalar::ofInt(1), Number::I32).value;
  EXPECT_NE(toBytes(differ, Number::I32, {0}).error.find("several elements in one place"), std::string::npos);
}

TEST(HostArrayMemory, ImpossibleLayoutsAreErrors) {
  HostArray x = zeros({2, 2}, Number::F32).value;
  EXPECT_FALSE(toBytes(x, Number::F32, {1}).ok());
  EXPECT_FALSE(toBytes(x, Number::F32, {-1, 1}).ok());
  EXPECT_FALSE(toBytes(x, Number::F32, {int64_t(1) << 62, int64_t(1) << 62}).ok());
  EXPECT_NE(toBytes(x, Number::F32, {int64_t(1) << 40, 1}).error.find("2 GiB"), std::string::npos);
  EXPECT_FALSE(fromBytes("abc", Number::F32, {1}, {1}).ok());
  EXPECT_EQ(fromBytes("", Number::F32, {0}, {1}).value.size(), 0);
}

TEST(HostArrayMemory, SmallElementsLiePacked) {
  auto at = [](Number type, std::vector<double> values) {
    return to(arrayOfNumbers({int64_t(values.size())}, values).value, type).value;
  };
  // The first in the lowest bits: codes 1, 2, 3 (0.5, 1, 1.5), 15 (-6).
  HostArray four = at(Number::F4E2M1, {0.5, 1, 1.5, -6});
  EXPECT_EQ(toBytes(four, Number::F4E2M1, {1}).value, std::string("\x21\xf3", 2));
  // Four in three bytes: codes 1, 2, 3, 4 of f6E2M3 (eighths).
  HostArray six = at(Number::F6E2M3, {0.125, 0.25, 0.375, 0.5});
  EXPECT_EQ(toBytes(six, Number::F6E2M3, {1}).value, std::string("\x81\x30\x10", 3));
  for (auto [x, type] : {std::pair(four, Number::F4E2M1), std::pair(six, Number::F6E2M3)}) {
    std::string bytes = toBytes(x, type, {1}).value;
    EXPECT_EQ(fromBytes(bytes, type, {4}, {1}).value.numbers(), x.numbers());
    EXPECT_EQ(fromBytes(bytes, type, {2}, {2}).value.numbers(), (std::vector<double>{x.number(0), x.number(2)}));
    EXPECT_FALSE(fromBytes(bytes, type, {5}, {1}).ok());
  }
  // Integers: codes 1, 0xe (-2), 7, 8 (-8).
  HostArray integers = to(arrayOfIntegers({4}, {1, -2, 7, -8}).value, Number::I4).value;
  EXPECT_EQ(toBytes(integers, Number::I4, {1}).value, std::string("\xe1\x87", 2));
  EXPECT_EQ(fromBytes("\xe1\x87", Number::I4, {4}, {1}).value.integers(), integers.integers());
  EXPECT_EQ(fromBytes("\xe1\x87", Number::U4, {4}, {1}).value.integers(), (std::vector<Int>{1, 14, 7, 8}));
  // Three elements of 4 bits end inside of the second byte, five of 6 bits inside of the fourth.
  EXPECT_EQ(toBytes(at(Number::F4E2M1, {0, 0, 0}), Number::F4E2M1, {1}).value, std::string("\0\0", 2));
  EXPECT_EQ(toBytes(at(Number::F6E3M2, {0, 0, 0, 0, 0}), Number::F6E3M2, {1}).value.size(), 4u);
}

/// What `forPieces` gives, with zeros between.
static std::string ofPieces(const HostArray &x, size_t bytes) {
  std::string all(bytes, '\0');
  forPieces(x, [&](uint64_t offset, llvm::StringRef piece) {
    ASSERT_LE(offset + piece.size(), bytes);
    all.replace(offset, piece.size(), piece.str());
  });
  return all;
}

TEST(HostArrayMemory, PiecesAreTheBytesOfTheWholeArray) {
  const int64_t n = 3 * Elements::pageElements + 7;
  for (const NumberFormat &f : allFormats()) {
    if (f.isBool())
      continue;
    HostArray x = zeros({n}, f.number).value;
    const HostArray some = random({5}, f.number, 3, Scalar::ofInt(1), Scalar::ofInt(2)).value;
    for (int64_t i = 0; i < 5; ++i)
      x.elements.copy(Elements::pageElements - 2 + i, some.elements, i);
    x.elements.copy(n - 1, some.elements, 0);
    for (bool poisoned : {false, true}) {
      if (poisoned) {
        x.poisoned.assign(n, false);
        x.poisoned.set(2 * Elements::pageElements + 3, true);
        x.poisoned.set(n - 2, true);
      }
      ASSERT_TRUE(liesAsHeld(x, f.number, {1}));
      std::string bytes = toBytes(x, f.number, {1}).value;
      EXPECT_EQ(ofPieces(x, bytes.size()), bytes) << f.name;
      Elements held(f.number, f.kind, n);
      held.readFrom(bytes.data());
      const HostArray back = fromHeld(std::move(held), f.number, {n});
      EXPECT_TRUE(back.elements.hasBytesOf(fromBytes(bytes, f.number, {n}, {1}).value.elements)) << f.name;
      EXPECT_EQ(back.isPoisoned(n - 2), poisoned) << f.name;
    }
  }
  HostArray none = empty({n}, Number::BF16).value;
  EXPECT_EQ(ofPieces(none, size_t(2 * n)), toBytes(none, Number::BF16, {1}).value);
}

TEST(HostArrayMemory, EqualPagesTakeNoMemory) {
  HostArray x = zeros({int64_t(1) << 31}, Number::F8E4M3FN).value;
  EXPECT_EQ(x.elements.heldBytes(), 0u);
  x.elements.setNumber(int64_t(1) << 30, 1.5);
  EXPECT_EQ(x.elements.heldBytes(), uint64_t(Elements::pageElements));
  HostArray copy = x;
  copy.elements.setNumber(0, 2);
  EXPECT_EQ(x.number(0), 0);
  EXPECT_EQ(copy.number(int64_t(1) << 30), 1.5);
  int pieces = 0;
  forPieces(copy, [&](uint64_t, llvm::StringRef) { ++pieces; });
  EXPECT_EQ(pieces, 2);
}
