// Host arrays: the reference side of a check. A small NumPy, evaluated while compiling.
//
//     a, b = random((n,), f16, seed=1), random((n,), f16, seed=2)
//     expect_close(c, a + b, rtol=ulp(f16))
//
// An array is logical: coordinates to values, row-major in here; the layout of a kernel's parameter is
// applied when it is passed (`toBytes`) and read back (`fromBytes`). Elements are held exactly, in the array's own format
// (HostElements.h): an array of 8-bit floats takes a byte per element, and one of zeros next to nothing.
//
// Type rule. An array made by `random`, `zeros`, ... or `to` has a number type. The result of arithmetic has
// none: it is mathematical, an integer (exact, overflow of 128 bits is refused) or a double, and is never
// rounded to a format until the check says `.to(T)`. So `(a + b).to(f16)` rounds once. Int with Float gives
// Float; Bool takes part in arithmetic as 0 and 1; comparisons give Bool.
//
// Poison. Unwritten memory holds one pattern per format: a signalling NaN for floats (arithmetic never makes one),
// bytes 0xA5 for integers and bool. `fromBytes` marks elements that still hold it. For floats and bool this is exact;
// an integer or an 8-bit float could come from the kernel, so there it is only a hint.
//
// No function throws or aborts on bad input: results carry an error text for the user ("cannot broadcast
// (3, 4) with (5,)"). An array of more than 2^31 bytes, in its own format, is refused.
#pragma once

#include "compiler/host/HostElements.h"
#include "compiler/host/Work.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fly::host {

using Shape = std::vector<int64_t>;

/// One element, or a number of the language's compile-time side.
struct Scalar {
  NumberClass kind = NumberClass::Int;
  Int integer = 0;     ///< Int, and Bool as 0 or 1
  double floating = 0; ///< Float
  static Scalar ofBool(bool value) { return {NumberClass::Bool, value, 0}; }
  static Scalar ofInt(Int value) { return {NumberClass::Int, value, 0}; }
  static Scalar ofFloat(double value) { return {NumberClass::Float, 0, value}; }
  double toDouble() const { return kind == NumberClass::Float ? floating : double(integer); }
};

struct HostArray {
  std::optional<Number> type; ///< none: mathematical
  NumberClass kind = NumberClass::Float;
  Shape shape;          ///< empty: one element
  Elements elements;    ///< row-major; of the same type and kind
  ElementMask poisoned; ///< set where never written; empty when no element is

  int64_t size() const { return elements.size(); }
  bool isFloat() const { return kind == NumberClass::Float; }
  bool isPoisoned(int64_t i) const { return !poisoned.empty() && poisoned.get(i); }
  Scalar at(int64_t flat) const;
  double number(int64_t flat) const { return elements.number(flat); } ///< of any kind, as a double
  Int integer(int64_t flat) const { return elements.integer(flat); }  ///< kind Int and Bool
  std::vector<double> numbers() const;                                ///< all
  std::vector<Int> integers() const;
  void set(int64_t flat, Scalar value); ///< converted to the array's type
};

/// A value, or an error text.
template <typename T> struct Result {
  T value{};
  std::string error;
  bool ok() const { return error.empty(); }
};
using ArrayResult = Result<HostArray>;

// --- Making arrays ---

ArrayResult scalarArray(Scalar value); ///< rank 0, mathematical
/// Mathematical, with as many elements as the shape has.
ArrayResult arrayOfNumbers(const Shape &shape, const std::vector<double> &elements);
ArrayResult arrayOfIntegers(const Shape &shape, const std::vector<Int> &elements);
/// Deterministic on every machine: element i is SplitMix64's output i+1 for the mixed seed. Floats: uniform
/// in [lo, hi), default [-1, 1), rounded to the type. Integers: uniform in [lo, hi), default the range of i8
/// (u8 if unsigned). Bool: 0 or 1.
ArrayResult random(const Shape &shape, Number type, uint64_t seed, std::optional<Scalar> lo = {},
                   std::optional<Scalar> hi = {});
ArrayResult full(const Shape &shape, Scalar value, std::optional<Number> type);
ArrayResult zeros(const Shape &shape, Number type);
ArrayResult empty(const Shape &shape, Number type); ///< every element poisoned
/// lo, lo+step, ... before hi, as Python's range; mathematical, or of `type`.
ArrayResult arange(Scalar lo, Scalar hi, Scalar step, std::optional<Number> type);

// --- Elementwise, with NumPy's broadcasting. Poison in an operand is poison in the result. ---

// clang-format off
enum class Unary : uint8_t {
  Neg, Plus, Not, Invert, Abs, Exp, Exp2, Log, Log2, Sqrt, Rsqrt, Rcp, Floor, Ceil, Round, Trunc,
  Sin, Cos, Tanh, Erf, IsNan, IsInf,
};
// clang-format on
// clang-format off
enum class Binary : uint8_t {
  Add, Sub, Mul, Div, FloorDiv, Mod, Pow, And, Or, Xor, Shl, Shr, Lt, Le, Gt, Ge, Eq, Ne, Min, Max,
};
// clang-format on
/// By operator or function name: "-", "~", "exp2"; "//", "<=", "max".
std::optional<Unary> unaryByName(llvm::StringRef name);
std::optional<Binary> binaryByName(llvm::StringRef name);
llvm::StringRef spelling(Unary op);
llvm::StringRef spelling(Binary op);

ArrayResult apply(Unary op, const HostArray &x);
/// `//` and `%` floor; `/` on integers, division of an integer by zero, negative shifts and an integer to a
/// negative power are errors. Min and Max return the number when the other is NaN.
ArrayResult apply(Binary op, const HostArray &x, const HostArray &y);
/// x * y + z with one rounding: to double if an operand is f64 or mathematical, else to odd, so that a
/// following `.to(f32)` is the correctly rounded fma.
ArrayResult fma(const HostArray &x, const HostArray &y, const HostArray &z);
ArrayResult where(const HostArray &condition, const HostArray &yes, const HostArray &no);

// --- Reductions and shape. Axes count from 0; negative ones from the end. ---

enum class Reduction : uint8_t { Sum, Prod, Max, Min, Mean, All, Any };
std::optional<Reduction> reductionByName(llvm::StringRef name);
/// Over one axis, or over all without. `keep` leaves the axis with extent 1. Float sums are compensated.
ArrayResult reduce(Reduction op, const HostArray &x, std::optional<int64_t> axis, bool keep);
ArrayResult cumsum(const HostArray &x, int64_t axis);
ArrayResult repeat(const HostArray &x, int64_t count, int64_t axis);      ///< each element `count` times in a row
ArrayResult reshape(const HostArray &x, const Shape &shape);              ///< one extent may be -1
ArrayResult transpose(const HostArray &x, llvm::ArrayRef<int64_t> order); ///< empty: reverses
ArrayResult transposeLast(const HostArray &x);                            ///< `.T`: the last two
/// (..., m, k) @ (..., k, n), batches broadcast. Floats are added in double, one product after the other in ascending k
/// (MatrixProduct.h); integers are exact.
ArrayResult matmul(const HostArray &x, const HostArray &y, const Work &work = {});
ArrayResult broadcastTo(const HostArray &x, const Shape &shape);

/// One subscript: a number (drops the axis), or start:stop:step with Python's defaults and clamping.
struct Subscript {
  bool isSlice = false;
  int64_t at = 0;
  std::optional<int64_t> start, stop, step;
};
/// Missing subscripts select whole axes. Out of range is an error that shows index and extent.
ArrayResult subscript(const HostArray &x, llvm::ArrayRef<Subscript> subscripts);
/// x[subscripts] = y, y broadcast; returns an error text, empty on success.
std::string assign(HostArray &x, llvm::ArrayRef<Subscript> subscripts, const HostArray &y);

/// Conversion with one rounding: integers wrap, floats round to nearest even, float to integer truncates and
/// saturates (NaN: 0), to bool is `!= 0`. What is too large becomes the largest number if `saturate`, by default
/// in floats of 8 bits and fewer.
ArrayResult to(const HostArray &x, Number type, std::optional<bool> saturate = {});

// --- Memory ---

/// The bytes of `x` as elements of `type` at sum(index * strides) elements from the start; as many bytes as
/// the last element needs (at least `minimumElements`). Memory between elements holds the format's poison.
/// Two elements with different values at one place, and negative strides, are errors. `x` is converted as by `to`.
/// Elements of 4 and 6 bits are packed.
Result<std::string> toBytes(const HostArray &x, Number type, llvm::ArrayRef<int64_t> strides,
                            int64_t minimumElements = 0);
/// Whether `toBytes` would give the elements as an array of the type holds them, also after a kernel; then `forPieces` has the same bytes, without those
/// that are zero and without memory for all of them.
bool liesAsHeld(const HostArray &x, Number type, llvm::ArrayRef<int64_t> strides);
void forPieces(const HostArray &x, llvm::function_ref<void(uint64_t offset, llvm::StringRef bytes)> piece);
/// The array whose elements lie in memory in that way.
HostArray fromHeld(Elements elements, Number type, const Shape &shape);
/// The reverse of `toBytes`; too few bytes are an error.
ArrayResult fromBytes(llvm::StringRef bytes, Number type, const Shape &shape, llvm::ArrayRef<int64_t> strides);
Shape rowMajorStrides(const Shape &shape);
/// sum((extent - 1) * stride) + 1 elements, 0 if an extent is 0; an error when it overflows or is negative.
Result<int64_t> elementSpan(const Shape &shape, llvm::ArrayRef<int64_t> strides);

// --- Comparing a kernel's result with what it should be ---

struct Difference {
  Shape index;
  Scalar expected, got;
  double ulps = 0;        ///< in the result's format; infinity against NaN or inf
  bool unwritten = false; ///< holds the poison pattern (a hint only for integers)
};
struct Comparison {
  std::string error; ///< not comparable (shapes differ); else empty
  int64_t total = 0, differing = 0;
  std::vector<Difference> first; ///< at most 8, in row-major order
  // Over all elements that are numbers on both sides, also the ones that pass. Near zero an ulp says little.
  double maxUlps = 0, maxError = 0;
  Number format = Number::F64;
  bool ok() const { return error.empty() && differing == 0; }
};
/// |got - expected| <= atol + rtol * |expected|; NaN equals NaN, infinities equal themselves only. `format`
/// is for errors in ulp; by default the type of `got`. `expected` broadcasts to the shape of `got`.
/// An error of up to `ulps` in the format passes too.
Comparison compareClose(const HostArray &got, const HostArray &expected, double rtol, double atol,
                        std::optional<Number> format = {}, double ulps = 0);
/// Equal values; NaN equals NaN, and -0 equals 0.
Comparison compareEqual(const HostArray &got, const HostArray &expected, std::optional<Number> format = {});
/// Several lines, each beginning with two spaces: the count, then a line a difference.
std::string describe(const Comparison &comparison);

/// NumPy's way, long axes shortened: "[1, 2, 3]".
std::string toText(const HostArray &x);
std::string toText(const Shape &shape); ///< as a tuple: "(3,)", "(2, 4)"
std::string toText(Scalar value, std::optional<Number> type);

} // namespace fly::host
