// Whatever knows architectures knows the rows of compiler/target and no others: LLVM's ELF numbers, the decoder, the
// reader of code objects, occupancy, the emulator, and the C runtime, which has a list of its own.
#include "compiler/isa/CodeObject.h"
#include "compiler/isa/Decoder.h"
#include "compiler/target/Target.h"
#include "runtime/emulator/device/Architecture.h"
extern "C" {
#include "runtime/image.h"
}

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace fly;

namespace {

constexpr unsigned machines = 256;

/// The header of a code object for a machine, and nothing else.
std::string header(unsigned machine) {
  llvm::ELF::Elf64_Ehdr h{};
  std::memcpy(h.e_ident, "\177ELF\2\1\1\100\3", 9); // 64 bits, little endian, version 1, HSA, code object version 5
  h.e_type = llvm::ELF::ET_DYN;
  h.e_machine = llvm::ELF::EM_AMDGPU;
  h.e_version = 1;
  h.e_flags = machine;
  h.e_ehsize = sizeof h;
  h.e_shentsize = sizeof(llvm::ELF::Elf64_Shdr);
  return std::string(reinterpret_cast<const char *>(&h), sizeof h);
}

} // namespace

TEST(Consumers, LlvmHasTheSameElfNumbers) {
  for (std::span<const target::Target> rows : {target::all(), target::readable()})
    for (const target::Target &row : rows) {
      EXPECT_EQ(target::findReadable(row.name), &row) << row.name << " has two rows";
      EXPECT_EQ(target::findMachine(row.elfMachine), &row) << row.name << " shares its ELF number";
      if (row.name == "gfx940" || row.name == "gfx941")
        continue; // LLVM 22 does not know them any more
      std::string bytes = header(row.elfMachine);
      auto object = llvm::object::ELF64LEObjectFile::create(llvm::MemoryBufferRef(bytes, "header"));
      ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
      EXPECT_EQ(object->tryGetCPUName(), std::string(row.name));
    }
}

TEST(Consumers, DecoderHasEachRowWithItsWaveSizes) {
  for (const target::Target &row : target::all())
    for (unsigned lanes : {0u, 32u, 64u}) {
      auto decoder = isa::Decoder::create(row.name, lanes);
      EXPECT_EQ(bool(decoder), lanes == 0 || row.hasWaveSize(lanes)) << row.name << " with " << lanes << " lanes";
      if (!decoder)
        llvm::consumeError(decoder.takeError());
      else
        EXPECT_EQ((*decoder)->waveSize(), lanes ? lanes : row.waveSize) << row.name;
    }
  auto decoder = isa::Decoder::create("gfx701");
  EXPECT_FALSE(bool(decoder));
  llvm::consumeError(decoder.takeError());
}

TEST(Consumers, CodeObjectsOfOtherArchitecturesAreRefused) {
  for (unsigned machine = 0; machine < machines; ++machine) {
    const std::string bytes = header(machine);
    auto object = isa::CodeObject::read(llvm::StringRef(bytes));
    ASSERT_FALSE(bool(object)); // it has no segments
    const std::string error = llvm::toString(object.takeError());
    EXPECT_EQ(error.find("code object for") != error.npos, target::findMachine(machine) == nullptr) << error;
  }
}

TEST(Consumers, OccupancyIsKnownForEachRow) {
  for (const target::Target &row : target::all())
    for (unsigned lanes : {32u, 64u}) {
      const isa::Occupancy o = isa::occupancy(row.name, 1, 1, 0, lanes, lanes);
      EXPECT_EQ(o.waves, row.hasWaveSize(lanes) ? row.maxWavesPerSimd : 0) << row.name << " with " << lanes << " lanes";
    }
}

TEST(Consumers, EmulatorHasEachRow) {
  for (const target::Target &row : target::all()) {
    const emulator::Architecture *architecture = emulator::findArchitecture(row.name);
    ASSERT_TRUE(architecture) << row.name;
    EXPECT_EQ(architecture->name, row.name);
    EXPECT_EQ(architecture->elfMachine, row.elfMachine);
  }
  EXPECT_FALSE(emulator::findArchitecture("gfx900"));
}

TEST(Consumers, RuntimeHasEachRow) {
  for (unsigned machine = 0; machine < machines; ++machine) {
    const std::string bytes = header(machine);
    const char *name = nullptr;
    auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
    ASSERT_EQ(fly_image_check("test", data, bytes.size(), &name), FLY_OK);
    const target::Target *row = target::findMachine(machine);
    if (row)
      row = target::find(row->name); // the runtime loads what flyc compiles for
    EXPECT_EQ(name ? std::string(name) : "none", row ? std::string(row->name) : "none") << machine;
  }
}
