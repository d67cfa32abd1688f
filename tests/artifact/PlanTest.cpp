// The tables of a plan (fly/plan.h): their values are those of evaluate, their messages those of the C of a kernel's own
// launch, and what several steps have in common is there once.
#include "RandomTrees.h"
#include "SampleModule.h"
#include "compiler/artifact/HeaderParts.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace fly;
using namespace fly::artifact;
using namespace fly::artifact::testing;

namespace {

/// A module with one launch function, whose preconditions are trees.
ModuleInfo moduleOf(const std::vector<host::ExprRef> &trees) {
  ModuleInfo module;
  module.name = "m";
  LaunchInfo launch;
  launch.symbol = launch.function = "f";
  launch.parameters = treeParameters();
  for (const host::ExprRef &tree : trees)
    launch.requirements.push_back({tree, "", "", 0, false});
  ArchInfo arch;
  arch.arch = "gfx942";
  arch.launches = {launch};
  module.archs = {arch};
  return module;
}

/// Prints the value or fault of each precondition for some arguments, and whether its message is that of the C of kernels.
std::string programOf(const std::vector<host::ExprRef> &trees) {
  std::string text = "#include <stdio.h>\n#include \"m.h\"\n#include \"plan.h\"\n";
  for (size_t i = 0; i < trees.size(); ++i) {
    text += "static fly_status f" + std::to_string(i) +
            "(int64_t a, int64_t b, double x) {\n  int fly_fault = 0, fly_holds = 1;\n  (void)a; (void)b; (void)x;\n";
    require(text, {trees[i], "", "", 0, false}, treeParameters(), "\"m.f\"", "  ");
    text += "  return FLY_OK;\n}\n";
  }
  text += R"(
static void one(uint32_t i, fly_status (*inlined)(int64_t, int64_t, double), int64_t a, int64_t b, double x) {
  const fly_plan *plan = fly_plan_of_m_f();
  const void *const values[] = {&a, &b, &x};
  const uint32_t node = plan->checks[plan->lists[plan->bodies[0].checks + 1 + i]].node;
  static fly_value memo[10000];
  static unsigned char known[10000];
  const fly_plan_room room = {memo, known, NULL, NULL, NULL};
  static char message[4096];
  fly_plan_run run;
  fly_value value;
  int holds;
  fly_plan_begin(&run, plan, values, &room);
  value = fly_plan_value(&run, node);
  if ((plan->nodes[node].kind & FLY_PLAN_KIND) != FLY_PLAN_FLOAT)
    value.number = (double)value.integer;
  if (run.fault)
    puts("fault");
  else
    printf("%a\n", value.number != value.number ? 0.25 : value.number);
  holds = fly_plan_holds(&run, node);
  fly_refuse(FLY_OK, "%s", "");
  inlined(a, b, x);
  strcpy(message, fly_error());
  fly_refuse(FLY_OK, "%s", "");
  if (!holds || run.fault)
    fly_plan_refuse(&run, "m.f", node, NULL);
  puts(strcmp(message, fly_error()) == 0 ? "the same" : fly_error());
}
int main(void) {
)";
  return text;
}

} // namespace

TEST(Plan, ValuesAndMessagesAreThoseOfEvaluateAndOfKernels) {
  std::mt19937 random(11);
  const int64_t values[] = {0, 1, -1, 7, -6, 64, INT64_MAX, INT64_MIN};
  const double reals[] = {0.5, -2.0, 0.0, 1e300};
  std::vector<host::ExprRef> trees;
  for (int i = 0; i < 150; ++i)
    trees.push_back(randomTree(random, 1 + i % 4));
  std::string program = programOf(trees);
  std::vector<std::string> expected;
  for (size_t i = 0; i < trees.size(); ++i)
    for (int sample = 0; sample < 12; ++sample) {
      const int64_t a = values[random() % 8], b = values[random() % 8];
      const double x = reals[random() % 4];
      auto literal = [](int64_t v) { return toC(*host::intConstant(v), {}); };
      char call[200], text[64];
      std::snprintf(call, sizeof call, "  one(%zu, f%zu, %s, %s, %a);\n", i, i, literal(a).c_str(), literal(b).c_str(),
                    x);
      program += call;
      const std::vector<host::ScalarValue> arguments = {a, b, x};
      const host::EvalResult result = host::evaluate(*trees[i], arguments);
      const double value = std::visit([](auto v) { return double(v); }, result.value);
      std::snprintf(text, sizeof text, "%a", std::isnan(value) ? 0.25 : value);
      expected.push_back(result.ok() ? text : "fault");
      expected.push_back("the same");
    }
  TemporaryDirectory directory;
  writeText(directory.file("m.h"), toHeader(moduleOf(trees)));
  writeText(directory.file("f.c"), program + "  return 0;\n}\n");
  const std::string runtime = FLY_SOURCE_DIR "/runtime";
  CommandResult built =
      run(FLY_C_COMPILER " -std=c99 -w -O1 -I" + word(runtime) + " -I" + word(runtime + "/include") + " " +
          directory.word("f.c") + " " + word(runtime + "/plan_expression.c") + " " + word(runtime + "/error.c") +
          " -o " + directory.word("f") + " -Wl,--unresolved-symbols=ignore-all");
  ASSERT_EQ(built.status, 0) << built.output.substr(0, 2000);
  std::istringstream lines(run(directory.word("f")).output);
  std::string line;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(std::getline(lines, line));
    ASSERT_EQ(line, expected[i]) << host::toFly(*trees[i / 24]);
  }
}

TEST(Plan, IsThereOnceForAllArchitecturesAndNames) {
  ModuleInfo module = sampleModule();
  module.archs[1].instances[0] = module.archs[0].instances[0];
  module.archs[0].launches[0].aliases = module.archs[1].launches[0].aliases = {"again"};
  const std::string header = toHeader(module);
  auto count = [&](const std::string &text) {
    size_t found = 0;
    for (size_t at = header.find(text); at != std::string::npos; at = header.find(text, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("static inline const fly_plan *"), 1u);
  EXPECT_EQ(count("fly_plan_of_vec_add_add_twice(), \"again\""), 2u); // and the size of its workspace
  EXPECT_EQ(count("places[] = {\n      0, 0,"), 1u);
}
