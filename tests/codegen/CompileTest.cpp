// compileToObject on every architecture, and what comes back when LLVM gives up.
#include "CodeGenTesting.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <set>

using namespace fly;
using namespace fly::codegen;
using namespace fly::codegen::testing;

TEST(Compile, EveryArchitectureGetsItsObject) {
  for (const target::Target &target : target::all()) {
    Result<Object> object = compile(kernelModule("copy"), target);
    ASSERT_TRUE(object) << target.name << ": " << object.failure().message;
    EXPECT_EQ(object->bytes.substr(0, 4), "\x7f"
                                          "ELF");
    EXPECT_EQ(static_cast<uint8_t>(object->bytes[48]), target.elfMachine) << target.name; // low byte of e_flags
  }
}

TEST(Compile, SameInputSameBytes) {
  const target::Target &target = *target::find("gfx942");
  Result<Object> first = compile(kernelModule("copy"), target), second = compile(kernelModule("copy"), target);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->bytes, second->bytes);
}

TEST(Compile, LlvmIrIsKeptWhenAsked) {
  Result<Object> object =
      compile(kernelModule("copy"), *target::find("gfx942"), {.keepLlvmIr = true, .emitObject = false});
  ASSERT_TRUE(object) << object.failure().message;
  EXPECT_TRUE(object->bytes.empty());
  EXPECT_NE(object->llvmIr.find("define amdgpu_kernel void @copy"), std::string::npos) << object->llvmIr;
  EXPECT_NE(object->optimizedLlvmIr.find("amdhsa_code_object_version"), std::string::npos);
}

TEST(Compile, LineTableHasTheLocationsFilesAndNoDirectory) {
  Result<Object> object = compile(kernelModule("copy"), *target::find("gfx942"));
  ASSERT_TRUE(object);
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object->bytes, "o"));
  ASSERT_TRUE(bool(file));
  auto dwarf = llvm::DWARFContext::create(**file);
  ASSERT_EQ(dwarf->getNumCompileUnits(), 1u);
  llvm::DWARFUnit *unit = dwarf->getUnitAtIndex(0);
  EXPECT_STREQ(unit->getCompilationDir() ? unit->getCompilationDir() : "", "");
  const llvm::DWARFDebugLine::LineTable *table = dwarf->getLineTableForUnit(unit);
  ASSERT_NE(table, nullptr);
  std::set<unsigned> lines;
  for (const auto &row : table->Rows) {
    std::string name;
    table->getFileNameByIndex(row.File, "", llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, name);
    EXPECT_EQ(name, "kernels/copy.fly");
    lines.insert(row.Line);
  }
  EXPECT_TRUE(lines.count(7) && lines.count(8));
}

TEST(Compile, MissingLibraryCallIsAFailureWithLlvmsWords) {
  std::string body = "%d = llvm.fpext %x : f32 to f64\n"
                     "%e = llvm.intr.exp2(%d) : (f64) -> f64\n"
                     "%value = llvm.fptrunc %e : f64 to f32";
  for (int again = 0; again < 2; ++again) { // and the process goes on
    Result<Object> object = compile(kernelModule("exponential", body), *target::find("gfx942"));
    ASSERT_FALSE(object);
    EXPECT_NE(object.failure().message.find("exp2"), std::string::npos) << object.failure().message;
  }
  EXPECT_TRUE(compile(kernelModule("copy"), *target::find("gfx942")));
}

TEST(Compile, InstructionTheGpuLacksIsAFailure) {
  // A matrix instruction of gfx942 on gfx1201: LLVM cannot select it.
  std::string body = "%zero = llvm.mlir.constant(0.0 : f32) : f32\n"
                     "%acc = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>\n"
                     "%d = llvm.call_intrinsic \"llvm.amdgcn.mfma.f32.4x4x1f32\"(%x, %x, %acc, %i, %i, %i) : "
                     "(f32, f32, vector<4xf32>, i32, i32, i32) -> vector<4xf32>\n"
                     "%value = llvm.extractelement %d[%i : i32] : vector<4xf32>";
  std::string text = "%i = llvm.mlir.constant(0 : i32) : i32\n" + body;
  EXPECT_TRUE(compile(kernelModule("matrix", text), *target::find("gfx942")));
  Result<Object> object = compile(kernelModule("matrix", text), *target::find("gfx1201"));
  ASSERT_FALSE(object);
  EXPECT_NE(object.failure().message.find("annot select"), std::string::npos) << object.failure().message;
}

TEST(Compile, BrokenInlineAssemblyIsAFailure) {
  std::string body = "llvm.inline_asm has_side_effects \"v_no_such_instruction\", \"\" : () -> ()\n"
                     "%value = llvm.fadd %x, %x : f32";
  Result<Object> object = compile(kernelModule("broken", body), *target::find("gfx942"));
  ASSERT_FALSE(object);
  EXPECT_NE(object.failure().message.find("invalid instruction"), std::string::npos) << object.failure().message;
}

TEST(Compile, UnconvertedOperationIsAFailure) {
  Result<Object> object =
      compile("module { llvm.func @f() { \"llvm.no_such_op\"() : () -> () llvm.return } }", *target::find("gfx942"));
  EXPECT_FALSE(object);
}

TEST(Instructions, AreAskedOfTheAssembler) {
  auto has = [](const char *arch, const char *name) { return target::find(arch)->has(name); };
  EXPECT_TRUE(has("gfx942", "v_exp_f32"));
  EXPECT_TRUE(has("gfx942", "v_mfma_f32_32x32x8_f16"));
  EXPECT_FALSE(has("gfx942", "v_permlane16_swap_b32"));
  EXPECT_TRUE(has("gfx950", "v_permlane16_swap_b32"));
  EXPECT_FALSE(has("gfx1201", "v_mfma_f32_32x32x8_f16"));
  EXPECT_TRUE(has("gfx1201", "s_wait_loadcnt"));
  EXPECT_FALSE(has("gfx942", "s_wait_loadcnt"));
  EXPECT_TRUE(has("gfx1250", "tensor_load_to_lds"));
  EXPECT_TRUE(has("gfx942", "s_endpgm"));
  EXPECT_FALSE(has("gfx942", "v_exp"));
  EXPECT_FALSE(has("gfx942", "no_such_thing"));
}
