// Private: the steps of reading a code object, one file each.
#pragma once

#include "compiler/isa/CodeObject.h"
#include "compiler/isa/ElfView.h"
#include "compiler/isa/Machine.h"

#include "llvm/Support/AMDHSAKernelDescriptor.h"

namespace fly::isa {

/// KernelDescriptor.cpp
KernelDescriptor unpackDescriptor(const llvm::amdhsa::kernel_descriptor_t &from, const target::Target &row);

/// Metadata.cpp: reads the metadata note's blob (msgpack) into the kernels of the same descriptor name.
llvm::Error readMetadata(llvm::StringRef blob, std::vector<Kernel> &kernels);

/// LineTable.cpp: rows by address; empty if there is no usable DWARF.
void readLineTable(const ElfView &elf, std::vector<std::string> &files, std::vector<LineRow> &rows);

struct CodeObjectReader {
  CodeObject object;
  ElfView elf;
  const target::Target *row = nullptr;

  llvm::Error readHeader();
  llvm::Error readSegments();
  llvm::Error readSymbols();
  llvm::Error readRelocations();
  llvm::Error readKernels();
  llvm::Error readCodeSizes();
  llvm::Error readNotes();
  llvm::Error compareWithDescriptors();
  static llvm::Expected<CodeObject> read(llvm::ArrayRef<uint8_t> bytes);

  uint32_t waveSizeOf(const KernelDescriptor &d) const { return !row->hasWaveSize(32) || !d.wave32 ? 64 : 32; }
  uint64_t endOfCode(uint64_t address) const;
  std::vector<Symbol> symbolsOf(const llvm::ELF::Elf64_Shdr &section, llvm::Error &error) const;
};

} // namespace fly::isa
