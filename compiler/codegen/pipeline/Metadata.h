// The metadata note of AMDGPU ELF files (NT_AMDGPU_METADATA, MessagePack; AMDGPUUsage "Code Object V5 Metadata"):
// finding it, merging the notes of several objects into one, and making an object that holds only a note.
//
// lld joins `.note` sections end to end, and a loader reads only the first note. So a code object of several
// objects needs their notes merged before the link.
#pragma once

#include "compiler/codegen/pipeline/Compile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"

#include <string>
#include <vector>

namespace fly::codegen {

struct Alias;

/// The MessagePack bytes of the first metadata note of an ELF file; an error text when it is not a well-formed ELF
/// file for AMDGPU or has no note. The bytes point into `elf`.
std::string findMetadata(llvm::StringRef elf, llvm::StringRef &metadata);

/// Parses; false when it is damaged or has no list of kernels.
bool parseMetadata(llvm::StringRef bytes, llvm::msgpack::Document &document);

/// One note for all: kernels in order, then a copy of a kernel's entry for each alias. An error text.
std::string mergeMetadata(const std::vector<llvm::StringRef> &notes, const std::vector<Alias> &aliases,
                          std::string &merged);

/// A relocatable ELF file with nothing but a `.note` section; machine and flags as in `like`, an object file.
std::string objectWithNote(llvm::StringRef metadata, llvm::StringRef like);

/// Marks sections of an object file, chosen by type and name, as not to be linked. An error text.
std::string excludeSections(std::string &object, llvm::function_ref<bool(uint32_t type, llvm::StringRef name)> chosen);

} // namespace fly::codegen
