// The generated header: clean under every compiler and standard we promise, and its arithmetic is `evaluate`'s.
#include "RandomTrees.h"
#include "SampleModule.h"
#include "compiler/artifact/HeaderExpression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace fly;
using namespace fly::artifact;
using namespace fly::artifact::testing;

namespace {

const std::string strict = " -Wall -Wextra -pedantic -Werror -I" + word(FLY_SOURCE_DIR "/runtime/include") + " ";

/// Compiles `header` alone in each language and standard.
void expectClean(const std::string &header) {
  TemporaryDirectory directory;
  writeText(directory.file("vec_add.h"), header);
  writeText(directory.file("use.c"), "#include \"vec_add.h\"\n#include \"vec_add.h\"\nint main(void) { return 0; }\n");
  for (const char *compiler :
       {FLY_C_COMPILER " -x c -std=c99", FLY_C_COMPILER " -x c -std=c11", "gcc -x c -std=c99",
        FLY_CXX_COMPILER " -x c++ -std=c++17", FLY_CXX_COMPILER " -x c++ -std=c++20", "g++ -x c++ -std=c++17"}) {
    CommandResult result = run(compiler + strict + "-fsyntax-only " + directory.word("use.c"));
    EXPECT_EQ(result.status, 0) << compiler << "\n" << result.output;
  }
}

} // namespace

TEST(Header, IsCleanAsCAndCxx) { expectClean(toHeader(sampleModule())); }

TEST(Header, HasAFunctionForEachNameOfEachInstance) {
  std::string header = toHeader(sampleModule());
  for (const char *declaration :
       {"fly_status vec_add_add_f32(fly_stream stream, const float *a, const float *b, float *c, int32_t n)",
        "fly_status vec_add_add(fly_stream stream, const float *a, const float *b, float *c, int32_t n)",
        "fly_status vec_add_add_f16(fly_stream stream, const fly_f16 *a, const fly_f16 *b, fly_f16 *c, int32_t n)"})
    EXPECT_NE(header.find(declaration), std::string::npos) << declaration;
  EXPECT_EQ(header, toHeader(sampleModule()));
}

TEST(Header, IntegersOfFourBitsAreTheLowBitsOfAByte) {
  auto text = [](const char *type) {
    return toC(*host::parameter(0, "s", host::ExprKind::Int), {scalar("s", type, 0, 1)});
  };
  EXPECT_EQ(text("i4"), "((int64_t)((s & 15) ^ 8) - 8)");
  EXPECT_EQ(text("u4"), "((int64_t)(s & 15))");
}

TEST(Header, AwkwardNamesAndTypesAreClean) {
  ModuleInfo module = sampleModule();
  module.archs[0].launches.clear(); // whose steps have as many arguments as the kernel had
  InstanceInfo &instance = module.archs[0].instances[0];
  instance.parameters[3].name = "new";
  instance.requirements[0].expr =
      host::make(host::ExprOp::Ne, {host::parameter(3, "new", host::ExprKind::Int), host::intConstant(INT64_MIN)});
  instance.requirements[0].text = "new % 4 == 0 \"?\?/\" 100%d \xc3\xa9";
  instance.grid[0] = host::parameter(3, "new", host::ExprKind::Int);
  instance.requirements.pop_back();
  uint32_t offset = 32;
  for (auto [name, type, size] :
       std::initializer_list<std::tuple<const char *, const char *, uint32_t>>{{"stream", "u64", 8},
                                                                               {"fly_code", "f64", 8},
                                                                               {"flag", "bool", 1},
                                                                               {"_x", "i8", 1},
                                                                               {"half", "f16", 2},
                                                                               {"quad", "vec[f32, 4]", 16},
                                                                               {"int32_t", "u16", 2},
                                                                               {"n", "f32", 4},
                                                                               {"linux", "i64", 8}}) {
    instance.parameters.push_back(scalar(name, type, offset, size));
    offset += 16;
  }
  host::ExprRef wide = host::parameter(4, "stream", host::ExprKind::Int);
  host::ExprRef real = host::parameter(5, "fly_code", host::ExprKind::Float);
  host::ExprRef flag = host::parameter(6, "flag", host::ExprKind::Bool);
  auto require = [&](host::ExprRef expr) { instance.requirements.push_back({expr, "", "", 0, false}); };
  require(flag);
  require(host::make(host::ExprOp::Lt, {wide, host::intConstant(5)}));
  require(host::make(host::ExprOp::Lt, {real, host::floatConstant(-0.1)}));
  require(host::make(host::ExprOp::And, {flag, host::make(host::ExprOp::Not, {flag})}));
  require(host::boolConstant(true));
  instance.dynamicLds = host::make(host::ExprOp::Select, {flag, host::intConstant(64), wide});
  module.archs.resize(1);
  expectClean(toHeader(module));
}

TEST(Header, ModulesWithoutKernelsAndWithoutCodeAreClean) {
  expectClean(toHeader({"empty", "empty.fly", "", {}}));
  expectClean(toHeader({"empty", "empty.fly", "", {{"gfx942", "x", {}}}}));
}

// Random trees: the generated C gives evaluate's value or its fault.
TEST(Header, ArithmeticIsThatOfEvaluate) {
  std::mt19937 random(7);
  const std::vector<ParameterInfo> parameters = treeParameters();
  const int64_t values[] = {0, 1, -1, 7, -6, 64, INT64_MAX, INT64_MIN};
  const double reals[] = {0.5, -2.0, 0.0, 1e300};
  std::vector<host::ExprRef> trees;
  std::string program = "#include <stdio.h>\n#include \"fly/runtime.h\"\n";
  for (int i = 0; i < 400; ++i) {
    trees.push_back(randomTree(random, 1 + i % 3));
    program += "static void f" + std::to_string(i) +
               "(int64_t a, int64_t b, double x) {\n  int fly_fault = 0;\n"
               "  double v = (double)(" +
               toC(*trees.back(), parameters) +
               ");\n  (void)a; (void)b; (void)x;\n"
               "  if (fly_fault) puts(\"fault\"); else printf(\"%a\\n\", v != v ? 0.25 : v);\n}\n";
  }
  program += "int main(void) {\n";
  std::vector<std::string> expected;
  for (size_t i = 0; i < trees.size(); ++i)
    for (int sample = 0; sample < 12; ++sample) {
      int64_t a = values[random() % 8], b = values[random() % 8];
      double x = reals[random() % 4];
      char call[200];
      auto literal = [](int64_t v) { return toC(*host::intConstant(v), {}); };
      std::snprintf(call, sizeof call, "  f%zu(%s, %s, %a);\n", i, literal(a).c_str(), literal(b).c_str(), x);
      program += call;
      std::vector<host::ScalarValue> arguments = {a, b, x};
      host::EvalResult result = host::evaluate(*trees[i], arguments);
      double value = std::visit([](auto v) { return double(v); }, result.value);
      char text[64];
      std::snprintf(text, sizeof text, "%a", std::isnan(value) ? 0.25 : value);
      expected.push_back(result.ok() ? text : "fault");
    }
  program += "  return 0;\n}\n";
  TemporaryDirectory directory;
  writeText(directory.file("f.c"), program);
  CommandResult built = run(FLY_C_COMPILER " -std=c99 -w -O1 -I" + word(FLY_SOURCE_DIR "/runtime/include") + " " +
                            directory.word("f.c") + " -o " + directory.word("f"));
  ASSERT_EQ(built.status, 0) << built.output.substr(0, 2000);
  std::istringstream lines(run(directory.word("f")).output);
  std::string line;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(std::getline(lines, line));
    ASSERT_EQ(line, expected[i]) << host::toFly(*trees[i / 12]) << "\n" << toC(*trees[i / 12], parameters);
  }
}
