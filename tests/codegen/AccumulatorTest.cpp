// Accumulators in AGPRs that hold: what the machine code is, what it computes, and what is refused. LLVM's machine
// verifier checks the code after every pass.
#include "AccumulatorPrograms.h"
#include "CodeGenTesting.h"

#include "compiler/isa/CodeObject.h"
#include "compiler/isa/Decoder.h"
#include "runtime/emulator/Emulator.h"

#include "llvm/Support/CommandLine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

using namespace fly;
using namespace fly::codegen;
using namespace fly::codegen::testing;

namespace {

struct Accumulators : ::testing::Test {
  static void SetUpTestSuite() {
    const char *arguments[] = {"codegen_test", "-verify-machineinstrs"};
    ASSERT_TRUE(llvm::cl::ParseCommandLineOptions(2, arguments));
  }
};

std::string messageOf(const Product &product) {
  Result<Object> object = compile(product.module(), *target::find(product.shape.architecture));
  if (object || object.failure().refusals.empty())
    return object ? "compiled" : object.failure().message;
  std::string text;
  for (const Refusal &refusal : object.failure().refusals)
    text += refusal.file + ":" + std::to_string(refusal.line) + ":" + std::to_string(refusal.column) + ": " +
            refusal.message;
  return text;
}

struct Compiled {
  std::string codeObject;
  artifact::ResourceInfo resources;
};

Compiled linked(const std::string &module, const char *architecture, const char *kernel) {
  const target::Target &target = *target::find(architecture);
  Result<Object> object = compile(module, target);
  EXPECT_TRUE(object) << object.failure().message << "\n" << object.failure().details;
  if (!object)
    return {};
  Result<std::string> bytes = linkCodeObject({object->bytes}, {}, target);
  EXPECT_TRUE(bytes) << bytes.failure().message;
  return {*bytes, (*readResources(*bytes, target))[kernel]};
}

/// Instructions of the only loop, as text.
std::vector<std::string> loopOf(const Compiled &compiled, const char *architecture, const char *kernel) {
  auto object = llvm::cantFail(isa::CodeObject::read(llvm::StringRef(compiled.codeObject)));
  auto decoder = llvm::cantFail(isa::Decoder::create(architecture));
  const isa::Kernel &k = *object.find(kernel);
  auto code = llvm::cantFail(decoder->decodeKernel(object.text(k), k.entry));
  std::vector<std::string> texts;
  for (const isa::Instruction &end : code)
    if (end.target() && *end.target() <= end.address)
      for (const isa::Instruction &each : code)
        if (each.address >= *end.target() && each.address <= end.address)
          texts.push_back(decoder->print(each));
  return texts;
}

size_t count(const std::vector<std::string> &texts, const char *prefix) {
  return size_t(std::count_if(texts.begin(), texts.end(), [&](auto &text) { return text.starts_with(prefix); }));
}

/// Small whole numbers: every sum is exact.
int valueAt(unsigned i) { return int(i * 2654435761u >> 13) % 4; }

uint16_t encoded(const Shape &shape, int value) {
  constexpr uint16_t halves[] = {0x4200, 0x4000, 0x3c00, 0, 0x3c00, 0x4000, 0x4200};
  if (std::string_view(shape.type) == "bf16")
    return uint16_t(std::bit_cast<uint32_t>(float(value)) >> 16);
  return uint16_t(halves[value + 3] | (value < 0 ? 0x8000 : 0));
}

/// C after `steps` steps, in the order of the kernel's stores.
std::vector<float> expected(const Product &product, unsigned steps) {
  const Shape &shape = product.shape;
  const unsigned groups = 64 / shape.rows;
  // Element [row, k] of a fragment: lane row + rows * (k / elements), element k % elements.
  auto element = [&](unsigned salt, unsigned fragment, unsigned row, unsigned k) {
    unsigned lane = row + shape.rows * (k / shape.elements);
    return valueAt(salt + (fragment * 64 + lane) * shape.elements + k % shape.elements);
  };
  std::vector<float> c;
  const unsigned tiles = product.rows * product.columns;
  for (unsigned t = 0; t < tiles + product.continues; ++t)
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < shape.registers(); ++r) {
        const unsigned row = r / 4 * 4 * groups + lane / shape.rows * 4 + r % 4, column = lane % shape.rows;
        int sum = product.startsFromMemory ? valueAt(77 + unsigned(c.size())) : 0;
        auto add = [&](unsigned step, unsigned tile) {
          for (unsigned k = 0; k < shape.depth(); ++k)
            sum += element(0, step * product.rows + tile / product.columns, row, k) *
                   element(5, step * product.columns + tile % product.columns, column, k);
        };
        for (unsigned i = 0; i < steps * product.phases; ++i) {
          sum *= product.rescales ? 2 : 1;
          add(i % steps, t % tiles);
          if (product.doubles && (i + 1) % steps == 0)
            sum *= 2; // at the end of a phase
        }
        if (t == tiles)
          add(steps - 1, 0);
        c.push_back(float(sum));
      }
  return c;
}

std::vector<float> run(const Product &product, const Compiled &compiled, int steps) {
  emulator::Device device(*emulator::findArchitecture(product.shape.architecture));
  std::string error;
  auto module = device.load(compiled.codeObject, error);
  EXPECT_TRUE(module) << error;
  auto upload = [&](size_t fragments, unsigned salt, const char *name) {
    std::vector<uint16_t> values(fragments * 64 * product.shape.elements);
    for (unsigned i = 0; i < values.size(); ++i)
      values[i] = encoded(product.shape, valueAt(salt + i));
    uint64_t address = device.allocate(values.size() * 2, name);
    device.write(address, values.data(), values.size() * 2);
    return address;
  };
  std::vector<float> c((product.accumulators() + (product.continues ? product.shape.registers() : 0)) * 64);
  for (unsigned i = 0; i < c.size(); ++i)
    c[i] = float(valueAt(77 + i));
  struct {
    uint64_t a, b, c;
    int32_t n;
  } arguments = {upload(unsigned(steps) * product.rows, 0, "a"), upload(unsigned(steps) * product.columns, 5, "b"),
                 device.allocate(c.size() * 4, "c"), steps};
  device.write(arguments.c, c.data(), c.size() * 4);
  emulator::LaunchConfig config;
  config.block = {64, 1, 1};
  emulator::LaunchResult result = device.launch(
      *module, "product", config, std::string_view(reinterpret_cast<const char *>(&arguments), sizeof arguments - 4));
  EXPECT_TRUE(result.ok) << result.report.text();
  device.read(arguments.c, c.data(), c.size() * 4);
  return c;
}

void expectProduct(const Product &product, unsigned agprs) {
  Compiled compiled = linked(product.module(), product.shape.architecture, "product");
  EXPECT_EQ(compiled.resources.agprs, agprs);
  EXPECT_EQ(compiled.resources.scratchBytes, 0u);
  EXPECT_EQ(count(loopOf(compiled, product.shape.architecture, "product"), "v_accvgpr"), 0u);
  EXPECT_EQ(run(product, compiled, 3), expected(product, 3)) << product.shape.architecture << product.shape.intrinsic;
}

Product tileOf(const Shape &shape, unsigned rows, unsigned columns) {
  Product product;
  product.shape = shape, product.rows = rows, product.columns = columns;
  return product;
}

/// A tile of 256 registers.
Product largest(const Shape &shape) {
  const unsigned side = shape.rows == 16 ? 8 : 4;
  return tileOf(shape, side, side);
}

} // namespace

TEST_F(Accumulators, TheLoopOfALargeTileHasNoMoves) {
  Compiled tile = linked(largeTile(), "gfx950", "tile");
  std::vector<std::string> loop = loopOf(tile, "gfx950", "tile");
  EXPECT_EQ(count(loop, "v_mfma_"), 256u);
  EXPECT_EQ(count(loop, "v_"), 256u); // and no moves
  EXPECT_LE(loop.size(), 440u);
  EXPECT_EQ(tile.resources.agprs, 256u);
  EXPECT_EQ(tile.resources.scratchBytes, 0u);
}

TEST_F(Accumulators, FromZero) {
  for (const Shape &shape : shapes)
    expectProduct(largest(shape), 256);
}

TEST_F(Accumulators, FromMemoryAndThroughVgprsAtTheEnd) {
  for (const Shape &shape : shapes) {
    Product product = largest(shape);
    product.startsFromMemory = product.doubles = true;
    expectProduct(product, 256);
  }
}

TEST_F(Accumulators, AreReadThroughVgprsEvenWhereAnInstructionTakesOtherRegisters) {
  for (const Shape &shape : shapes) {
    Product product = largest(shape);
    product.roundsAtOnce = true; // the conversion takes scalar registers too, and VGPRs are used up
    Compiled compiled = linked(product.module(), shape.architecture, "product");
    EXPECT_EQ(compiled.resources.agprs, 256u);
    EXPECT_EQ(run(product, compiled, 3), expected(product, 3));
  }
}

TEST_F(Accumulators, OfTwoLoopsShareAgprs) {
  for (const Shape &shape : shapes) {
    Product product = tileOf(shape, shape.rows == 16 ? 8 : 3, shape.rows == 16 ? 6 : 4);
    product.startsFromMemory = product.doubles = true, product.phases = 2, product.counted = 384;
    expectProduct(product, product.accumulators() + shape.registers()); // what begins never meets what ends
  }
}

TEST_F(Accumulators, WhoseFormerValueIsNeededGetOthers) {
  for (const Shape &shape : shapes) {
    Product product = tileOf(shape, shape.rows == 16 ? 7 : 3, shape.rows == 16 ? 7 : 4);
    product.continues = true;
    expectProduct(product, product.accumulators() + shape.registers());
  }
}

TEST_F(Accumulators, ThatTheLoopRescalesAreInVgprsWhileTheyFit) {
  for (const Shape &shape : shapes) {
    Product product = tileOf(shape, shape.rows == 16 ? 8 : 2, 4);
    product.rescales = true, product.counted = 256;
    expectProduct(product, 0);
    product = largest(shape);
    product.rescales = true;
    Compiled compiled = linked(product.module(), shape.architecture, "product");
    EXPECT_EQ(compiled.resources.agprs, 256u);
    EXPECT_EQ(run(product, compiled, 3), expected(product, 3));
  }
}

TEST_F(Accumulators, AreInVgprsUpToHalfAFile) {
  for (const Shape &shape : shapes)
    expectProduct(tileOf(shape, shape.rows == 16 ? 8 : 2, 4), 0);
}

TEST_F(Accumulators, OfWhichThereAreMoreThanAgprsAreRefused) {
  EXPECT_EQ(
      messageOf(tileOf(shapes[2], 9, 8)),
      "kernels/product.fly:12:5: the kernel's accumulators need 288 AGPRs of 256; make the tile of a wave smaller");
}

TEST_F(Accumulators, ThatTheLoopExchangesAreRefused) {
  Product product = largest(shapes[2]);
  product.rotates = true;
  EXPECT_NE(messageOf(product).find("the accumulator of v_mfma_f32_16x16x32_bf16 (4 registers) would be moved on every "
                                    "iteration of its loop"),
            std::string::npos)
      << messageOf(product);
}

TEST_F(Accumulators, LeaveVgprsToTheWavesOfAWorkgroup) {
  for (const Shape &shape : shapes) {
    Product product = tileOf(shape, shape.rows == 16 ? 7 : 3, shape.rows == 16 ? 6 : 3);
    product.threads = 512; // two waves per SIMD
    Compiled compiled = linked(product.module(), shape.architecture, "product");
    EXPECT_EQ(compiled.resources.agprs, product.accumulators());
    EXPECT_LE(compiled.resources.vgprs + compiled.resources.agprs, 256u);
    EXPECT_GE(compiled.resources.occupancy, 2u);
    EXPECT_EQ(run(product, compiled, 3), expected(product, 3));
  }
  Product product = largest(shapes[2]);
  product.threads = 512;
  EXPECT_EQ(messageOf(product),
            "kernels/product.fly:12:5: the kernel's accumulators leave too few registers for 2 waves "
            "per SIMD; make the tile of a wave smaller, or the workgroup");
}

TEST_F(Accumulators, OfKernelsThatCallFunctionsAreRefused) {
  Product product = largest(shapes[2]);
  product.beforeStep = "llvm.call @other() : () -> ()\n";
  EXPECT_EQ(messageOf(product),
            "kernels/product.fly:12:5: the kernel calls a function, which may change accumulators in "
            "AGPRs; inline it");
}

TEST_F(Accumulators, AreTheOnlyOnesInAgprs) {
  Product product = tileOf(shapes[2], 8, 6);
  product.beforeStep = "llvm.inline_asm has_side_effects \"v_accvgpr_write_b32 a200, 0\", \"\" : () -> ()\n";
  EXPECT_EQ(messageOf(product),
            "internal error: in `product`, an instruction names AGPRs that are not one accumulator: "
            "v_accvgpr_write_b32 a200, 0");
  product.beforeStep = "llvm.inline_asm has_side_effects \"scratch_store_dword off, a3, off\", \"\" : () -> ()\n";
  EXPECT_NE(messageOf(product).find("spills an accumulator"), std::string::npos) << messageOf(product);
  product.beforeStep = "llvm.inline_asm has_side_effects \"v_accvgpr_write_b32 a200, 0\", \"~{a200}\" : () -> ()\n";
  EXPECT_NE(messageOf(product).find("assembly names AGPRs"), std::string::npos) << messageOf(product);
}
