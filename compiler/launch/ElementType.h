// The element and scalar types of `flyc run`: the language's number formats that fill whole bytes. One row per type,
// with NumPy's name for it.
#pragma once

#include "compiler/host/NumPyFile.h"

namespace fly::driver {

struct ElementType {
  const char *name; ///< "f16", "f8E4M3FN"
  unsigned bytes;
  char numpyKind; ///< of the array that holds it in a .npy file
  host::Number number;

  /// NumPy has no such type: the file holds unsigned integers of the same size, or raw bytes.
  bool unknownToNumPy() const { return numpyKind == 'u' && host::format(number).isFloat(); }
};

const ElementType *findElementType(llvm::StringRef name);
const ElementType *elementTypeOf(host::Number number);
std::string elementTypeNames(); ///< "bool, i8, ..."

/// The type of a file's elements, null for raw bytes and complex numbers.
const ElementType *naturalType(const host::NumPyArray &array);
/// Whether a file with such elements may be read as `type`.
bool fits(const host::NumPyArray &array, const ElementType &type);

/// Row-major bytes of an array, converted to the type.
std::string toElements(const host::HostArray &array, const ElementType &type);
/// The reverse; `bytes` has as many as the shape needs.
host::HostArray fromElements(llvm::StringRef bytes, const ElementType &type, const host::Shape &shape);
/// "-5", "0x1f", "1.5e-3", "inf", "true": the bits of one value, or why it is none of the type.
host::Result<std::string> parseValue(llvm::StringRef text, const ElementType &type);

} // namespace fly::driver
