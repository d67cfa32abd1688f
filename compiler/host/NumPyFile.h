// NumPy's .npy files: one array per file, as `numpy.save` writes it and `numpy.load` reads it.
//
//     \x93NUMPY 1 0 <header length, 2 bytes> {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n  data
//
// Versions 2.0 and 3.0 have four bytes of header length (3.0: the header is UTF-8). The header is a Python literal;
// only what NumPy writes there is understood, nothing is evaluated.
//
// A file may be damaged or of another type: every length is checked against the file size, products of extents are
// checked for overflow, and errors become texts for the user.
//
// Elements keep their bytes. NumPy has no bf16 and no 8-bit floats: such arrays are stored as uint16 or uint8, or as
// raw '|V2' and '|V1' (what ml_dtypes leaves in a file); the reader of the array determines their type.
#pragma once

#include "compiler/host/HostArray.h"

namespace fly::host {

struct NumPyArray {
  char kind = 'f';    ///< b bool, i signed, u unsigned, f float, c complex, V raw bytes
  unsigned bytes = 4; ///< of one element
  Shape shape;        ///< empty: one element
  std::string data;   ///< row-major, little-endian
  /// "<f4", "|u1": what NumPy calls it.
  std::string descr() const;
  int64_t size() const; ///< elements
};

/// An array in column-major (Fortran) order is reordered to row-major. Big-endian, structured, string and object
/// arrays are refused, and so is a file with too few or too many bytes.
Result<NumPyArray> readNumPy(llvm::StringRef file);
/// The bytes of a file: version 1.0 unless the header needs 2.0, data aligned to 64 bytes.
std::string writeNumPy(const NumPyArray &array);

} // namespace fly::host
