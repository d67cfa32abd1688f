// math-ulp: how far the functions of floats are from the mathematical result, in units in the last place.
//
// A code object of functions.fly has one kernel for each function and type. Each runs on the emulator over many inputs,
// three times: with the hardware's approximations rounded to nearest, and with the neighbour below and above of each,
// which is all that their documents promise. Errors are found against long double (double for the small formats) and
// the worst of each function is settled with MPFR.
#pragma once

#include "compiler/host/NumberFormat.h"
#include "runtime/emulator/Emulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fly::ulp {

struct Function {
  const char *name;
  double (*small)(double, double); ///< for formats of at most 32 bits
  long double (*large)(long double, long double);
  int (*exact)(void *result, const void *x, const void *y); ///< MPFR's: mpfr_ptr, mpfr_srcptr
  bool two;                                                 ///< takes two arguments
  double low, high; ///< where most of its inputs are drawn from, besides all magnitudes
};
const std::vector<Function> &functions();

/// Bits of the arguments, the same count in each.
struct Inputs {
  std::vector<uint64_t> x, y;
};
/// All values of a 16-bit format; else `count` over all bit patterns and as many in the function's range, and all
/// special values, of two arguments all pairs of them.
Inputs inputsOf(const Function &function, host::Number number, uint64_t count);

struct Worst {
  double ulps = 0; ///< infinity: a special value is wrong
  uint64_t x = 0, y = 0, got = 0;
  std::string where; ///< architecture and approximation
};
/// |got - exact| in ulp of the format at the exact result; infinity for a wrong NaN, infinity or sign of zero.
double errorOf(host::Number number, uint64_t got, long double exact);
double settledError(const Function &function, host::Number number, uint64_t x, uint64_t y, uint64_t got);

inline constexpr host::Number formats[] = {host::Number::F16, host::Number::BF16, host::Number::F32, host::Number::F64};

struct Results {
  std::vector<uint64_t> values;
  uint64_t waveInstructions;
};
/// Runs one kernel over the inputs. Exits with a report when the emulator refuses.
Results run(emulator::Device &device, const emulator::Module &module, const std::string &kernel,
            const Function &function, host::Number number, const Inputs &inputs, emulator::Approximation approximation);

} // namespace fly::ulp
