// readResources: what the finished machine code needs, from the metadata note and the symbol table, never from what
// the compiler meant to emit.
//
// `.vgpr_count` counts the whole vector file: where VGPRs and AGPRs are one file, it is the AGPRs' start (a multiple
// of four) plus their number.
#include "compiler/codegen/CodeGen.h"
#include "compiler/codegen/Metadata.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"

namespace fly::codegen {

namespace {

using File = llvm::object::ELFFile<llvm::object::ELF64LE>;

uint32_t number(llvm::msgpack::MapDocNode &kernel, llvm::StringRef key, uint32_t otherwise = 0) {
  auto entry = kernel.find(key);
  if (entry == kernel.end())
    return otherwise;
  if (entry->second.getKind() == llvm::msgpack::Type::UInt)
    return static_cast<uint32_t>(entry->second.getUInt());
  if (entry->second.getKind() == llvm::msgpack::Type::Int)
    return static_cast<uint32_t>(entry->second.getInt());
  return otherwise;
}

/// Sizes of the functions by symbol name: the kernels' code bytes.
std::map<std::string, uint32_t> functionSizes(const File &file) {
  std::map<std::string, uint32_t> sizes;
  auto sections = file.sections();
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return sizes;
  }
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM)
      continue;
    auto symbols = file.symbols(&section);
    auto strings = file.getStringTableForSymtab(section);
    if (symbols && strings) {
      for (const auto &symbol : *symbols)
        if (symbol.getType() == llvm::ELF::STT_FUNC) {
          if (llvm::Expected<llvm::StringRef> name = symbol.getName(*strings))
            sizes[name->str()] = static_cast<uint32_t>(symbol.st_size);
          else
            llvm::consumeError(name.takeError());
        }
    }
    if (!symbols)
      llvm::consumeError(symbols.takeError());
    if (!strings)
      llvm::consumeError(strings.takeError());
  }
  return sizes;
}

} // namespace

Result<std::map<std::string, artifact::ResourceInfo>> readResources(std::string_view codeObject,
                                                                     const target::Target &target) {
  auto failure = [](std::string message) { return Failure{Failure::Stage::Read, std::move(message), "", false}; };
  llvm::StringRef bytes(codeObject.data(), codeObject.size()), note;
  if (std::string error = findMetadata(bytes, note); !error.empty())
    return failure(error);
  llvm::msgpack::Document document;
  if (!parseMetadata(note, document))
    return failure("damaged metadata note");
  llvm::Expected<File> file = File::create(bytes);
  if (!file)
    return failure(llvm::toString(file.takeError()));
  if ((file->getHeader().e_flags & llvm::ELF::EF_AMDGPU_MACH) != target.elfMachine)
    return failure("the code object is not for " + std::string(target.name));
  std::map<std::string, uint32_t> sizes = functionSizes(*file);

  std::map<std::string, artifact::ResourceInfo> result;
  for (llvm::msgpack::DocNode &node : document.getRoot().getMap()["amdhsa.kernels"].getArray()) {
    auto &kernel = node.getMap();
    std::string name = kernel[".name"].getString().str();
    artifact::ResourceInfo info;
    info.agprs = number(kernel, ".agpr_count");
    uint32_t vectorRegisters = number(kernel, ".vgpr_count");
    info.vgprs = target.unifiedRegisters && info.agprs && vectorRegisters >= info.agprs
                     ? vectorRegisters - info.agprs : vectorRegisters;
    info.sgprs = number(kernel, ".sgpr_count");
    info.ldsBytes = number(kernel, ".group_segment_fixed_size");
    info.scratchBytes = number(kernel, ".private_segment_fixed_size");
    info.codeBytes = sizes.count(name) ? sizes[name] : 0;
    info.vgprSpills = number(kernel, ".vgpr_spill_count");
    info.sgprSpills = number(kernel, ".sgpr_spill_count");
    info.waveSize = number(kernel, ".wavefront_size", target.waveSize);
    info.maxWorkgroupSize = number(kernel, ".max_flat_workgroup_size", target.maxWorkgroupSize);
    info.kernargBytes = number(kernel, ".kernarg_segment_size");
    info.occupancy = target.occupancy({info.vgprs, info.agprs, info.sgprs, info.ldsBytes, info.maxWorkgroupSize});
    result.emplace(std::move(name), info);
  }
  return result;
}

} // namespace fly::codegen
