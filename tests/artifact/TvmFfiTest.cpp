// Numbers that a caller of Apache TVM's FFI passes for types that C lacks have the bits of the compiler's own conversion.
#include "compiler/host/NumberFormat.h"

#include "fly/tvm_ffi_arguments.h"

#include "gtest/gtest.h"

#include <bit>
#include <limits>
#include <random>

// Not called here: the header's other functions need them.
void TVMFFIErrorSetRaisedFromCStr(const char *, const char *) {}

namespace fly::artifact {

namespace {

/// As the writer of the sources makes it.
fly_ffi_format formatOf(const host::NumberFormat &format) {
  const double infinity = std::numeric_limits<double>::infinity();
  auto code = [&](double value, bool saturate) {
    return uint32_t(host::encode(format.number, value, saturate) >> format.unused);
  };
  return {int(format.exponentBits),
          int(format.mantissaBits),
          format.bias,
          format.isSigned,
          int(format.unused),
          code(std::numeric_limits<double>::quiet_NaN(), format.saturates()),
          code(infinity, true),
          code(infinity, format.saturates())};
}

TEST(TvmFfi, NumbersHaveTheBitsOfTheCompiler) {
  std::mt19937_64 random(7);
  size_t count = 0;
  for (const host::NumberFormat &format : host::allFormats()) {
    if (!format.isFloat() || format.bits > 32 || format.number == host::Number::F32)
      continue;
    const fly_ffi_format c = formatOf(format);
    auto same = [&](double value) {
      ASSERT_EQ(fly_ffi_encode(value, &c), uint32_t(host::encode(format.number, value)))
          << format.name << " of " << value;
      ++count;
    };
    // Every code, the middle between it and the next, and a little to either side.
    for (uint64_t code = 0; code < (uint64_t(1) << std::min(format.bits, 16u)); ++code) {
      const double value = host::decode(format.number, code << (format.bits > 16 ? format.unused : 0));
      const double next = host::decode(format.number, (code + 1) << (format.bits > 16 ? format.unused : 0));
      const double middle = (value + next) / 2;
      for (double each : {value, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300)})
        if (each == each)
          same(each);
    }
    for (int i = 0; i < 20000; ++i)
      if (const double value = std::bit_cast<double>(random()); value == value)
        same(value);
    for (double value : {0.0, -0.0, 1e300, -1e300, 5e-324, -5e-324, std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
      same(value);
  }
  EXPECT_GT(count, 500000u);
}

TEST(TvmFfi, FloatsAreNeverUndefined) {
  EXPECT_EQ(fly_ffi_f32(0.1), 0.1f);
  EXPECT_EQ(fly_ffi_f32(1e300), std::numeric_limits<float>::infinity());
  EXPECT_EQ(fly_ffi_f32(-1e300), -std::numeric_limits<float>::infinity());
  const double largest = std::numeric_limits<float>::max();
  EXPECT_EQ(fly_ffi_f32(largest * (1 + 0x1p-26)), std::numeric_limits<float>::max());
  EXPECT_EQ(fly_ffi_f32(largest * (1 + 0x1p-24)), std::numeric_limits<float>::infinity());
  EXPECT_NE(fly_ffi_f32(std::numeric_limits<double>::quiet_NaN()), 0.0f);
}

} // namespace

} // namespace fly::artifact
