// Forms of instructions: which there are, that their kernels run, and that a machine that differs is found.
#include "compiler/hardware/forms/FormRun.h"

#include "compiler/isa/OpcodeList.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <gtest/gtest.h>

using namespace fly;
using namespace fly::hardware;

namespace {

/// The emulator, whose results are changed.
class Changed final : public FormMachine {
public:
  using Change = std::function<void(const FormLayout &, std::vector<uint32_t> &output)>;
  Changed(llvm::StringRef architecture, const FormLayout &layout, Change change)
      : emulator(architecture), layout(layout), change(std::move(change)) {}
  std::string run(const std::string &codeObject, const std::string &symbol, unsigned rounds, unsigned lanes,
                  const std::vector<uint32_t> &input, std::vector<uint32_t> &output,
                  std::vector<uint32_t> &memory) override {
    std::string error = emulator.run(codeObject, symbol, rounds, lanes, input, output, memory);
    change(layout, output);
    return error;
  }

private:
  EmulatorMachine emulator;
  const FormLayout &layout;
  Change change;
};

struct Architecture : testing::TestWithParam<const char *> {};

const std::vector<Form> &all(const std::string &architecture) {
  static std::map<std::string, std::vector<Form>> known;
  auto [at, isNew] = known.try_emplace(architecture);
  if (isNew)
    at->second = llvm::cantFail(formsOf(architecture));
  return at->second;
}

const Form *find(const std::string &architecture, const std::string &begin) {
  auto found = llvm::find_if(all(architecture), [&](const Form &form) {
    return form.leftOut.empty() && llvm::StringRef(form.text).starts_with(begin);
  });
  return found == all(architecture).end() ? nullptr : &*found;
}

FormResult compare(const std::string &architecture, const Form &form, const Changed::Change &change) {
  const FormObject object({&form}, architecture);
  EXPECT_EQ(object.problem(0), "");
  EmulatorMachine emulator(architecture);
  Changed machine(architecture, object.layout(0), change);
  return compareForm(form, object, 0, 16, 1, emulator, machine);
}

/// The row of a register in the output; the scalars and vectors stand at the ends of their parts.
uint32_t &wordOf(const FormLayout &layout, std::vector<uint32_t> &output, unsigned round, unsigned vector,
                 unsigned lane) {
  const size_t row = layout.outputRows() - layout.vectors.size() + vector;
  return output[size_t(round) * layout.outputDwords() + row * layout.lanes + lane];
}

const auto nothing = [](const FormLayout &, std::vector<uint32_t> &) {};

TEST_P(Architecture, EveryFormHasATitleOfItsOwnAndRegistersApart) {
  std::set<std::string> titles;
  size_t run = 0;
  for (const Form &form : all(GetParam())) {
    EXPECT_TRUE(titles.insert(form.title).second) << form.title;
    if (!form.leftOut.empty())
      continue;
    ++run;
    const FormLayout layout(form);
    std::set<std::pair<isa::RegisterFile, unsigned>> registers;
    for (const FormRegister &one : layout.vectors) {
      EXPECT_LT(one.index, firstOwnVgpr) << form.title;
      EXPECT_TRUE(registers.insert({one.file, one.index}).second) << form.title;
    }
    for (const FormRegister &one : layout.scalars)
      EXPECT_LT(one.index, firstOwnSgpr) << form.title;
    EXPECT_LE(layout.scalars.size() + unsigned(SpecialPlace::Count), layout.scalarDwords()) << form.title;
  }
  EXPECT_GT(run, 2000u);
}

/// Nothing that computes is lost: an instruction without a form that runs has a reason.
TEST_P(Architecture, WhatIsLeftOutHasAReason) {
  std::set<std::string> run, leftOut;
  for (const Form &form : all(GetParam())) {
    std::set<std::string> &to = form.leftOut.empty() ? run : leftOut;
    to.insert(std::string(isa::name(form.decoded.op)));
    for (const isa::Instruction &part : form.decoded.components)
      to.insert(std::string(isa::name(part.op)));
  }
  auto opcodes = llvm::cantFail(isa::listOpcodes(GetParam()));
  for (const isa::OpcodeEntry &entry : opcodes.entries) {
    const std::string name(isa::name(entry.op));
    if (!entry.examples.empty())
      EXPECT_TRUE(run.count(name) || leftOut.count(name)) << name << ": " << entry.examples.front().text;
    if (entry.cls == isa::Class::Matrix && entry.assembles && name.find("LD_SCALE") == std::string::npos)
      EXPECT_TRUE(run.count(name)) << name;
  }
}

/// Every 40th form, with its memory, waits and hazards, under the emulator's checks.
TEST_P(Architecture, KernelsOfFormsRun) {
  std::vector<const Form *> some;
  size_t count = 0;
  for (const Form &form : all(GetParam()))
    if (form.leftOut.empty() && form.waveSize == all(GetParam()).front().waveSize && count++ % 40 == 0)
      some.push_back(&form);
  const FormObject object(some, GetParam());
  EmulatorMachine emulator(GetParam()), other(GetParam());
  for (size_t n = 0; n < some.size(); ++n) {
    ASSERT_EQ(object.problem(n), "") << some[n]->title;
    const FormResult result = compareForm(*some[n], object, n, 4, 1, emulator, other);
    if (result.detail.find("is not emulated in this form") == std::string::npos)
      EXPECT_EQ(result.outcome, FormOutcome::Same) << some[n]->title << "\n" << result.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(, Architecture, testing::Values("gfx942", "gfx950", "gfx1201", "gfx1250"),
                         [](auto &param) { return std::string(param.param); });

TEST(Forms, AFlippedBitIsFoundAndNamed) {
  const Form *form = find("gfx942", "v_add_f32_e32 ");
  ASSERT_TRUE(form);
  EXPECT_EQ(compare("gfx942", *form, nothing).outcome, FormOutcome::Same);
  const FormResult result =
      compare("gfx942", *form, [](const FormLayout &layout, auto &output) { wordOf(layout, output, 3, 0, 17) ^= 1; });
  EXPECT_EQ(result.outcome, FormOutcome::Differs);
  EXPECT_NE(result.detail.find(", lane 17: expected 0x"), std::string::npos) << result.detail;
  EXPECT_NE(result.detail.find("1 dword in 1 of 16 rounds differ"), std::string::npos) << result.detail;
}

/// A register behind the result, and EXEC, must stay.
TEST(Forms, WhatMustStayIsCompared) {
  const Form *form = find("gfx1201", "v_mul_f32_e32 ");
  ASSERT_TRUE(form);
  const FormLayout layout(*form);
  size_t guard = 0;
  while (layout.vectors[guard].index != layout.vectors[0].index + 1)
    ++guard;
  EXPECT_EQ(compare("gfx1201", *form,
                    [&](const FormLayout &of, auto &output) { wordOf(of, output, 0, unsigned(guard), 0) ^= 8; })
                .outcome,
            FormOutcome::Differs);
  EXPECT_EQ(compare("gfx1201", *form, [](const FormLayout &, auto &output) { output[0] ^= 2; }).outcome,
            FormOutcome::Differs);
}

TEST(Forms, AnApproximationMayBeOneUlpApart) {
  const Form *rcp = find("gfx942", "v_rcp_f32_e32 "), *add = find("gfx942", "v_add_f32_e32 ");
  ASSERT_TRUE(rcp && add);
  for (auto [form, by, outcome] :
       {std::tuple(rcp, 1u, FormOutcome::Approximate), std::tuple(rcp, 2u, FormOutcome::Differs),
        std::tuple(add, 1u, FormOutcome::Differs)})
    EXPECT_EQ(compare("gfx942", *form,
                      [by = by](const FormLayout &layout, auto &output) { wordOf(layout, output, 0, 0, 5) += by; })
                  .outcome,
              outcome)
        << form->title << " by " << by;
}

/// Results in other lanes are told as a layout, not as wrong values.
TEST(Forms, AWrongLayoutIsTold) {
  const Form *form = find("gfx950", "v_mfma_f32_16x16x32_f16 v");
  ASSERT_TRUE(form);
  const FormResult result = compare("gfx950", *form, [](const FormLayout &layout, auto &output) {
    for (unsigned round = 0; round < 16; ++round)
      for (unsigned n = 0; n < 4; ++n)
        for (unsigned lane = 0; lane < 32; ++lane)
          std::swap(wordOf(layout, output, round, n, lane), wordOf(layout, output, round, n, lane + 32));
  });
  EXPECT_EQ(result.outcome, FormOutcome::Differs);
  EXPECT_NE(result.detail.find("the same values stand at other places: a layout"), std::string::npos) << result.detail;
}

/// Most sums of products are numbers, so that each product shows.
TEST(Forms, MatrixProductsAreMostlyFinite) {
  for (const char *name :
       {"v_mfma_f32_16x16x32_f16 v", "v_mfma_f32_16x16x32_bf8_bf8 v", "v_mfma_scale_f32_16x16x128_f8f6f4 v"}) {
    const Form *form = find("gfx950", name);
    ASSERT_TRUE(form) << name;
    size_t finite = 0, all = 0;
    compare("gfx950", *form, [&](const FormLayout &layout, auto &output) {
      for (unsigned round = 1; round < 16; ++round)
        for (unsigned lane = 0; round % 4 && lane < 64; ++lane) {
          ++all;
          finite += (wordOf(layout, output, round, 0, lane) >> 23 & 0xff) != 0xff;
        }
    });
    EXPECT_GT(finite, all / 2) << name;
  }
}

} // namespace
