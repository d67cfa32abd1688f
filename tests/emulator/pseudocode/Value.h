// Values of AMD's pseudocode: bits with a type, of any width.
//
// Three things a plain integer lacks. `open` marks bits that the text leaves undetermined (the payload of a NaN that
// arithmetic made): a comparison ignores them, and they travel through slices and assignments. `ulps` and `absolute`
// mark a result that the hardware only approximates. Values wider than 128 bits (operands of up to 32 registers) keep
// the rest in `more`; only slicing and copying reach there.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace fly::pseudocode {

using Wide = unsigned __int128;
using SignedWide = __int128;

/// The text says something that the interpreter does not know.
struct Unsupported : std::runtime_error {
  using runtime_error::runtime_error;
};

struct Type {
  enum Kind : uint8_t { Bits, Unsigned, Signed, Float, BFloat, Fp8, Bf8, Fp6, Bf6, Fp4 } kind = Bits;
  uint16_t bits = 32;
  bool operator==(const Type &) const = default;
  bool isFloat() const { return kind >= Float; }
};
/// "u32", "f16", "bf16", "fp8", ... False if `name` is not a type.
bool parseType(const std::string &name, Type &type);

inline Wide maskOf(unsigned bits) { return bits >= 128 ? ~Wide(0) : (Wide(1) << bits) - 1; }

struct Value {
  Type type;
  Wide v = 0, open = 0;
  float ulps = 0, absolute = 0;
  std::vector<uint64_t> more, moreOpen; ///< bits 128 and up

  Value() = default;
  Value(Type t, Wide bits) : type(t), v(bits & maskOf(t.bits)) {}
  bool truth() const { return v != 0; }
  /// As an integer, extended by its own signedness.
  SignedWide integer() const {
    if (type.kind == Type::Signed && type.bits < 128 && (v >> (type.bits - 1) & 1))
      return static_cast<SignedWide>(v | ~maskOf(type.bits));
    return static_cast<SignedWide>(v);
  }
};
inline Value makeBool(bool b) { return {{Type::Unsigned, 1}, b}; }
inline Value makeSigned(int64_t v, uint16_t bits = 32) {
  return {{Type::Signed, bits}, static_cast<Wide>(static_cast<SignedWide>(v))};
}
inline Value makeUnsigned(uint64_t v, uint16_t bits = 32) { return {{Type::Unsigned, bits}, v}; }

/// Bits lo .. lo+width-1, zeros where there are none.
Value slice(const Value &from, unsigned lo, unsigned width);
/// Replaces them.
void insert(Value &to, unsigned lo, unsigned width, const Value &bits);
Value reversed(const Value &v);
/// The same bits under another type: truncated, or extended by v's own signedness. No float conversion.
Value retype(const Value &v, Type type);

} // namespace fly::pseudocode
