// Private: formats that hold others. Each reader calls back with its parts in order and stops at false; it reads
// nothing outside of the bytes that it is given, and its error names the field that is wrong. Parts do not overlap, so
// that reading all of them takes time in proportion to the file, whatever it says.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace fly::container {

using Part = llvm::function_ref<bool(llvm::StringRef name, llvm::StringRef bytes)>;

/// Archive.cpp: `ar`, with names as GNU and BSD write them. Tables of symbols and names are not members.
bool isArchive(llvm::StringRef bytes);
bool isThinArchive(llvm::StringRef bytes);
llvm::Error readArchive(llvm::StringRef bytes, Part part);

/// ElfSections.cpp: the sections of a 64-bit little-endian ELF file that clang puts device code into.
bool isElf(llvm::StringRef bytes);
bool isDeviceElf(llvm::StringRef bytes); ///< for AMD GPUs
llvm::Error readDeviceSections(llvm::StringRef bytes, Part part);

/// OffloadBinary.cpp: LLVM's format of one image with its target, as in sections `.llvm.offloading`.
bool isOffloadBinary(llvm::StringRef bytes);
struct OffloadImage {
  std::string id; ///< as in a bundle: "hip-amdgcn-amd-amdhsa--gfx90a"
  llvm::StringRef bytes;
  uint64_t size = 0; ///< of the whole; the next one may follow
};
llvm::Expected<OffloadImage> readOffloadBinary(llvm::StringRef bytes);

} // namespace fly::container
