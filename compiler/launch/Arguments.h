// The arguments of `flyc run`, from text to bytes.
//
//     --arg x=in.npy            a buffer with the file's content
//     --arg out=o.npy:zeros:f32[1024]    a buffer of zeros, written to the file after the run
//     --arg w=random:42:f16[64,64]       a buffer of random numbers
//     --arg n=i32:1024          a value
//     --arg s=bytes:00ff10      a structure by value
//     --arg @16=in.npy          the buffer's address at byte 16 of the block of arguments
//
// Without `NAME=` arguments go to the kernel's parameters in order; a number is a position, counted from 0, since
// compilers often leave the names out. `@OFFSET=` is a place of the block, whatever the metadata says about it. Parsing
// does not depend on the kernel; the argument is then checked against `KernelParameter`.
#pragma once

#include "compiler/launch/ElementType.h"

namespace fly::driver {

struct ArgumentSpec {
  enum Kind { File, Zeros, Empty, Fill, Random, Normal, Arange, Value, Bytes, Null, Lds };
  std::string text; ///< as typed, for messages
  std::string name; ///< or position, or "@16"; empty: the next one
  Kind kind = File;
  std::string input, output;         ///< .npy files to read and to write
  const ElementType *type = nullptr; ///< File: null means as in the file
  host::Shape shape;
  uint64_t seed = 0;
  std::optional<host::Scalar> low, high; ///< Random: bounds; Normal: mean, deviation
  std::string bytes;                     ///< Value, Bytes, one element of Fill
  uint64_t ldsBytes = 0;
};
host::Result<ArgumentSpec> parseArgument(llvm::StringRef text);

/// What an argument puts into memory or into the argument block.
struct ArgumentContent {
  bool isBuffer = false, isEmpty = false; ///< isEmpty: unwritten memory
  std::string bytes;                      ///< isEmpty: none
  uint64_t size = 0;                      ///< of the buffer or value, in bytes
  const ElementType *type = nullptr;      ///< null: raw
  char numpyKind = 'V';
  unsigned elementBytes = 1;
  host::Shape shape;
};
/// `wanted`: the parameter's element type when it is known; decides what a file of integers or raw bytes holds.
host::Result<ArgumentContent> contentOf(const ArgumentSpec &spec, const ElementType *wanted);

/// `NAME=FILE` of `--out`.
struct OutputSpec {
  std::string text, name, path;
};
host::Result<OutputSpec> parseOutput(llvm::StringRef text);

/// `NAME[subscripts]` of `--print`.
struct PrintSpec {
  std::string text, name;
  std::vector<host::Subscript> subscripts; ///< empty: the whole array, long axes shortened
};
host::Result<PrintSpec> parsePrint(llvm::StringRef text);

/// The offset of "@16" or "@0x10"; none for other names.
std::optional<uint32_t> offsetOf(llvm::StringRef name);

/// "@FILE" or hexadecimal digits to bytes, for `what`.
host::Result<std::string> parseBytes(llvm::StringRef text, const std::string &what);

/// The whole content of a file, or why there is none.
host::Result<std::string> readFile(const std::string &path);

} // namespace fly::driver
