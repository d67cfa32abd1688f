// The cases of inputs/cases.def, executed by the emulator and by the host: the results must be the same bits.
// Operands are random bits mixed with special values, so that most of a float's are denormals, infinities and NaNs
// somewhere.
#include "tests/emulator/TestSupport.h"

#include "runtime/emulator/formats/SmallFloat.h"

#include <cmath>
#include <functional>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;

template <class T> constexpr bool isFloat = std::is_same_v<T, f16> || std::is_floating_point_v<T>;

template <class T> std::vector<T> operands(size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> v(count);
  for (size_t k = 0; k < count; ++k) {
    u64 bits = random();
    std::memcpy(&v[k], &bits, sizeof(T));
    if constexpr (isFloat<T>) {
      static const double special[] = {0.0,      -0.0,      1.0, -1.0,  0.5,  3.0,  1e-5, 65504.0, -2.5,
                                       INFINITY, -INFINITY, NAN, 1e-40, 1e38, 7e-8, 2.0,  255.0,   1e-310};
      unsigned kind = static_cast<unsigned>(random() % 8);
      if (kind < 2) v[k] = static_cast<T>(special[random() % std::size(special)]);
      else if (kind < 5) v[k] = static_cast<T>((static_cast<double>(random() % 2000000) - 1000000) / 977.0);
    } else {
      static const i64 special[] = {0,   1,     -1,    2,         7,         127,       128,       255,
                                    256, 32767, 65535, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 10};
      unsigned kind = static_cast<unsigned>(random() % 6);
      if (kind == 0) v[k] = static_cast<T>(special[random() % std::size(special)]);
      else if (kind == 1) v[k] = static_cast<T>(random() % 100);
    }
  }
  return v;
}

struct Case {
  std::string name;
  std::function<void(Machine &)> run;
};

template <class R, class A, class B> void check(Machine &machine, const std::string &name, R (*host)(A, B)) {
  const size_t count = 700;
  std::vector<A> a = operands<A>(count, 1);
  std::vector<B> b = operands<B>(count, 2);
  uint64_t da = machine.upload(a, "a"), db = machine.upload(b, "b"),
           dr = machine.device.allocate(count * sizeof(R), "out");
  LaunchResult result = machine.device.launch(*machine.module, name, shape(8, 96), arguments(dr, da, db, i32(count)));
  ASSERT_TRUE(result.ok) << name << ": " << result.report.text();
  std::vector<R> got = machine.download<R>(dr, count);
  unsigned wrong = 0;
  for (size_t k = 0; k < count && wrong < 3; ++k) {
    R want = host(a[k], b[k]);
    if constexpr (isFloat<R>)
      if (want != want && got[k] != got[k]) continue;
    if (std::memcmp(&want, &got[k], sizeof(R)) == 0) continue;
    ++wrong;
    auto bits = [](auto v) {
      u64 u = 0;
      std::memcpy(&u, &v, sizeof v);
      std::ostringstream s;
      s << std::hex << "0x" << u;
      return s.str();
    };
    ADD_FAILURE() << name << "[" << k << "]: a " << bits(a[k]) << " b " << bits(b[k]) << " got " << bits(got[k])
                  << " want " << bits(want);
  }
  for (uint64_t p : {da, db, dr}) machine.device.free(p);
}

#define CASE(NAME, R, A, B, EXPRESSION)                                                                                \
  R host_##NAME(A a, B b) { (void)b; return (EXPRESSION); }
#include "tests/emulator/inputs/cases.def"
#undef CASE

const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
#define CASE(NAME, R, A, B, EXPRESSION) {#NAME, [](Machine &m) { check<R, A, B>(m, #NAME, host_##NAME); }},
#include "tests/emulator/inputs/cases.def"
#undef CASE
  };
  return all;
}

TEST(Elementwise, AgreesWithTheHost) {
  everywhere(
      "elementwise",
      [](Machine &machine) {
        for (const Case &c : cases()) {
          c.run(machine);
          recordNoticed(*machine.module, "host", [&] { c.run(machine); }, c.name);
        }
      },
      nullptr);
}

} // namespace
