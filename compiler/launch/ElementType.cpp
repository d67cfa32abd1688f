// The table of element types and the conversions over it.
#include "compiler/launch/ElementType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::driver {

using host::Number;

namespace {

constexpr ElementType table[] = {
    {"bool", 1, 'b', Number::Bool},
    {"i8", 1, 'i', Number::I8},
    {"i16", 2, 'i', Number::I16},
    {"i32", 4, 'i', Number::I32},
    {"i64", 8, 'i', Number::I64},
    {"u8", 1, 'u', Number::U8},
    {"u16", 2, 'u', Number::U16},
    {"u32", 4, 'u', Number::U32},
    {"u64", 8, 'u', Number::U64},
    {"f16", 2, 'f', Number::F16},
    {"bf16", 2, 'u', Number::BF16},
    {"f32", 4, 'f', Number::F32},
    {"f64", 8, 'f', Number::F64},
    {"tf32", 4, 'f', Number::TF32},
    {"f8E4M3FN", 1, 'u', Number::F8E4M3FN},
    {"f8E5M2", 1, 'u', Number::F8E5M2},
    {"f8E4M3FNUZ", 1, 'u', Number::F8E4M3FNUZ},
    {"f8E5M2FNUZ", 1, 'u', Number::F8E5M2FNUZ},
    {"e8m0", 1, 'u', Number::E8M0},
    {"f8E8M0FNU", 1, 'u', Number::E8M0}, // MLIR's name for it
};

} // namespace

const ElementType *findElementType(llvm::StringRef name) {
  for (const ElementType &type : table)
    if (name == type.name)
      return &type;
  return nullptr;
}

const ElementType *elementTypeOf(Number number) { return findElementType(host::format(number).name); }

std::string elementTypeNames() {
  std::string names;
  for (const ElementType &type : table)
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

const ElementType *naturalType(const host::NumPyArray &array) {
  for (const ElementType &type : table)
    if (!type.unknownToNumPy() && type.numpyKind == array.kind && type.bytes == array.bytes)
      return &type;
  return nullptr;
}

bool fits(const host::NumPyArray &array, const ElementType &type) {
  return type.bytes == array.bytes && (array.kind == type.numpyKind || array.kind == 'V');
}

std::string toElements(const host::HostArray &array, const ElementType &type) {
  return host::toBytes(array, type.number, host::rowMajorStrides(array.shape)).value;
}

host::HostArray fromElements(llvm::StringRef bytes, const ElementType &type, const host::Shape &shape) {
  host::HostArray array = host::fromBytes(bytes, type.number, shape, host::rowMajorStrides(shape)).value;
  array.poisoned.clear(); // the pattern of checks means nothing here
  return array;
}

host::Result<std::string> parseValue(llvm::StringRef text, const ElementType &type) {
  auto failure = [&] {
    return host::Result<std::string>{"", "`" + text.str() + "` is not a value of type " + type.name};
  };
  uint64_t bits = 0;
  auto &format = host::format(type.number);
  bool negative = text.starts_with("-");
  llvm::StringRef magnitude = text.drop_front(negative);
  uint64_t integer;
  bool isInteger = !magnitude.empty() && llvm::isDigit(magnitude[0]) && !magnitude.getAsInteger(0, integer);
  if (format.isBool()) {
    if (text != "true" && text != "false" && text != "0" && text != "1")
      return failure();
    bits = text == "true" || text == "1";
  } else if (format.isInteger()) {
    host::Int value = isInteger ? (negative ? -host::Int(integer) : host::Int(integer)) : 0;
    if (!isInteger || !host::representable(type.number, value))
      return failure();
    bits = host::encodeInteger(type.number, value);
  } else {
    std::string copy = text.str();
    char *end;
    double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || llvm::isSpace(copy[0]) || *end)
      return failure();
    bits = host::encode(type.number, value);
  }
  std::string out;
  for (unsigned i = 0; i < type.bytes; ++i)
    out += char(bits >> 8 * i);
  return {out, ""};
}

} // namespace fly::driver
