// Kernels, descriptors, arguments, line tables and listings are what clang wrote.
#include "compiler/isa/Disassembly.h"
#include "tests/isa/TestSupport.h"

namespace fly::isa::test {

TEST(CodeObject, HasKernelsWithArgumentsAndResources) {
  std::string bytes = codeObject("memory.gfx942");
  auto object = CodeObject::read(bytes);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  EXPECT_EQ(object->architecture(), "gfx942");
  EXPECT_EQ(object->kernels().size(), 6u);
  const Kernel *k = object->find("vectors");
  ASSERT_TRUE(k);
  EXPECT_EQ(object->find("vectors.kd"), k);
  EXPECT_FALSE(object->text(*k).empty());
  EXPECT_EQ(k->waveSize, 64u);
  EXPECT_EQ(k->maxFlatWorkgroupSize, 1024u);
  EXPECT_EQ(k->explicitKernargSize(), 28u);
  ASSERT_GE(k->arguments.size(), 4u);
  EXPECT_EQ(k->arguments[1].offset, 8u);
  EXPECT_EQ(k->arguments[3].kind, "by_value");
  EXPECT_EQ(k->arguments[3].size, 4u);
  EXPECT_TRUE(k->descriptor.kernargSegmentPtr);
  EXPECT_TRUE(k->descriptor.workgroupIdX);
  EXPECT_GT(k->vgprs, 0u);
  const Kernel *local = object->find("local_memory");
  ASSERT_TRUE(local);
  EXPECT_EQ(local->groupSegmentFixedSize, 33u * 32 * 4 + 64 * 16);
  EXPECT_EQ(local->descriptor.groupSegmentFixedSize, local->groupSegmentFixedSize);
  const Kernel *scratch = object->find("scratch");
  ASSERT_TRUE(scratch);
  EXPECT_GE(scratch->privateSegmentFixedSize, 160u);
  EXPECT_TRUE(scratch->descriptor.usesPrivateSegment);
}

TEST(CodeObject, KnowsTheWaveSize) {
  for (auto [file, wave] :
       {std::pair("memory.gfx1201", 32u), std::pair("memory.gfx1201.wave64", 64u), std::pair("memory.gfx1250", 32u)}) {
    std::string bytes = codeObject(file);
    auto object = CodeObject::read(bytes);
    ASSERT_TRUE(bool(object)) << errorOf(object);
    EXPECT_EQ(object->kernels().front().waveSize, wave) << file;
    EXPECT_EQ(object->kernels().front().descriptor.wave32, wave == 32) << file;
  }
}

TEST(CodeObject, HasHiddenArguments) {
  std::string bytes = codeObject("memory.gfx942.O0");
  auto object = CodeObject::read(bytes);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  bool hidden = false;
  for (const KernelArgument &a : object->find("vectors")->arguments)
    hidden |= a.kind == "hidden_block_count_x";
  EXPECT_TRUE(hidden);
}

TEST(CodeObject, HasALineTable) {
  std::string bytes = codeObject("control.gfx942");
  auto object = CodeObject::read(bytes);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  const Kernel *k = object->find("wave");
  auto decoder = Decoder::create("gfx942");
  auto code = (*decoder)->decodeKernel(object->text(*k), k->entry);
  ASSERT_TRUE(bool(code)) << errorOf(code);
  object->attachLocations(*code);
  unsigned located = 0;
  for (const Instruction &inst : *code)
    if (inst.location.valid()) {
      ++located;
      ASSERT_LT(inst.location.file, object->files().size());
    }
  EXPECT_GT(located, code->size() / 2);
  EXPECT_TRUE(std::any_of(object->files().begin(), object->files().end(),
                          [](const std::string &file) { return llvm::StringRef(file).ends_with("control.c"); }));
  EXPECT_FALSE(object->locationOf(0).valid());
}

TEST(Disassembly, ShowsKernelsLinesAndLabels) {
  std::string bytes = codeObject("control.gfx942");
  DisassemblyOptions options;
  options.source = [](llvm::StringRef, unsigned line) { return "source " + std::to_string(line); };
  auto text = disassemble(llvm::StringRef(bytes), options);
  ASSERT_TRUE(bool(text)) << errorOf(text);
  EXPECT_NE(text->find("loops: "), std::string::npos);
  EXPECT_NE(text->find("control.c:9: source 9"), std::string::npos);
  EXPECT_NE(text->find("\n.L0:\n"), std::string::npos);
  EXPECT_NE(text->find("s_cbranch_execz .L"), std::string::npos);
}

} // namespace fly::isa::test
