// See FormRun.h.
#include "compiler/hardware/forms/FormRun.h"

#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/isa/ObjectAssembler.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace fly::hardware {

//===--------------------------------------------- machines -------------------------------------------------------===//

namespace {

struct Arguments {
  uint64_t input, output, memory;
  std::string text() const { return {reinterpret_cast<const char *>(this), sizeof *this}; }
};

uint64_t bytesOf(const std::vector<uint32_t> &dwords) { return dwords.size() * sizeof(uint32_t); }

} // namespace

EmulatorMachine::EmulatorMachine(llvm::StringRef architecture)
    : device(*emulator::findArchitecture(std::string_view(architecture))) {}

std::string EmulatorMachine::run(const std::string &codeObject, const std::string &symbol, unsigned rounds,
                                 unsigned lanes, const std::vector<uint32_t> &input, std::vector<uint32_t> &output,
                                 std::vector<uint32_t> &memory) {
  if (codeObject != loadedObject) {
    std::string error;
    module = device.load(codeObject, error);
    if (!module)
      return error;
    loadedObject = codeObject;
  }
  const Arguments arguments{device.allocate(bytesOf(input), "input"), device.allocate(bytesOf(output), "output"),
                            device.allocate(bytesOf(memory), "memory")};
  llvm::scope_exit free([&] {
    for (uint64_t address : {arguments.input, arguments.output, arguments.memory})
      device.free(address);
  });
  device.write(arguments.input, input.data(), bytesOf(input));
  device.write(arguments.output, output.data(), bytesOf(output));
  device.write(arguments.memory, memory.data(), bytesOf(memory));
  emulator::LaunchConfig config;
  config.grid = {rounds, 1, 1};
  config.block = {lanes, 1, 1};
  const emulator::LaunchResult result = device.launch(*module, symbol, config, arguments.text());
  if (!result.ok)
    return result.report.text();
  device.read(arguments.output, output.data(), bytesOf(output));
  device.read(arguments.memory, memory.data(), bytesOf(memory));
  return "";
}

std::string GpuMachine::run(const std::string &codeObject, const std::string &symbol, unsigned rounds, unsigned lanes,
                            const std::vector<uint32_t> &input, std::vector<uint32_t> &output,
                            std::vector<uint32_t> &memory) {
  const Arguments arguments{gpu.allocate(bytesOf(input)), gpu.allocate(bytesOf(output)), gpu.allocate(bytesOf(memory))};
  llvm::scope_exit free([&] {
    for (uint64_t address : {arguments.input, arguments.output, arguments.memory})
      (void)gpu.free(address);
  });
  const bool good = arguments.input && arguments.output && arguments.memory &&
                    gpu.write(arguments.input, input.data(), bytesOf(input)) &&
                    gpu.write(arguments.output, output.data(), bytesOf(output)) &&
                    gpu.write(arguments.memory, memory.data(), bytesOf(memory)) &&
                    gpu.launch(codeObject, symbol, {rounds, 1, 1}, {lanes, 1, 1}, 0, arguments.text()) &&
                    gpu.synchronize() && gpu.read(arguments.output, output.data(), bytesOf(output)) &&
                    gpu.read(arguments.memory, memory.data(), bytesOf(memory));
  if (good)
    return "";
  gpu.probe();
  return gpu.error();
}

//===--------------------------------------------- code -----------------------------------------------------------===//

bool FormObject::build(llvm::ArrayRef<const Form *> forms, llvm::StringRef architecture, std::string &problem) {
  std::string text = "\t.amdgcn_target \"amdgcn-amd-amdhsa--" + architecture.str() + "\"\n";
  std::vector<std::pair<std::string, const FormLayout *>> kernels;
  for (size_t n = 0; n < forms.size(); ++n)
    if (problems[n].empty()) {
      text += kernelText(*forms[n], layouts[n], architecture, symbol(n));
      kernels.push_back({symbol(n), &layouts[n]});
    }
  text += metadataText(kernels, architecture);
  const unsigned waveSize = forms.empty() ? 0 : forms.front()->waveSize;
  auto object = isa::assembleObject(architecture, text, waveSize);
  if (!object) {
    problem = llvm::toString(object.takeError());
    return false;
  }
  auto linked = codegen::linkForeignObject(*object);
  if (linked)
    bytes = std::move(*linked);
  else
    problem = linked.failure().message;
  return problem.empty();
}

FormObject::FormObject(llvm::ArrayRef<const Form *> forms, llvm::StringRef architecture) : problems(forms.size()) {
  for (const Form *form : forms)
    layouts.emplace_back(*form);
  std::string problem;
  if (build(forms, architecture, problem))
    return;
  if (forms.size() == 1) {
    problems.front() = problem;
    return;
  }
  for (size_t n = 0; n < forms.size(); ++n)
    problems[n] = FormObject(forms[n], architecture).problem(0);
  problem.clear();
  if (!build(forms, architecture, problem)) // what each alone does not have
    for (std::string &each : problems)
      if (each.empty())
        each = problem;
}

//===--------------------------------------------- comparison -----------------------------------------------------===//

namespace {

/// What two results of an approximation may be apart: one of the last place of the format (f64: of the upper half).
bool isNear(uint32_t a, uint32_t b, const ValueType &type) {
  auto near = [](int64_t x, int64_t y) { return std::abs(x - y) <= 1; };
  if (type.floatBits == 16)
    return near(a & 0xffff, b & 0xffff) && near(a >> 16, b >> 16);
  return near(a, b);
}

struct Difference {
  size_t round = 0, dword = 0; ///< the first one
  bool inMemory = false;
  size_t dwords = 0, rounds = 0; ///< how many
  bool isNear = true;            ///< each is what an approximation may have
  size_t sameValues = 0;         ///< parts of rounds in which the same values stand at other places
};

/// Adds one round's part of a buffer.
void addRound(Difference &all, size_t round, const uint32_t *expected, const uint32_t *got, size_t count, bool inMemory,
              const FormLayout &layout, const ValueType &type, bool &counted) {
  std::vector<uint32_t> left, right;
  for (size_t k = 0; k < count; ++k) {
    if (expected[k] == got[k] || (!inMemory && !layout.compares(static_cast<unsigned>(k))))
      continue;
    if (!all.dwords++) {
      all.round = round;
      all.dword = k;
      all.inMemory = inMemory;
    }
    all.rounds += !std::exchange(counted, true);
    all.isNear &= !inMemory && isNear(expected[k], got[k], type);
    left.push_back(expected[k]);
    right.push_back(got[k]);
  }
  llvm::sort(left);
  llvm::sort(right);
  constexpr size_t telling = 4; // of fewer it may be by chance
  all.sameValues += left.size() >= telling && left == right;
}

std::string hex(uint32_t value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("0x%08x", value);
  return text;
}

/// What the form read in the round and lane of the difference.
std::string sourcesOf(const FormLayout &layout, const FormData &data, size_t round, unsigned lane) {
  const uint32_t *input = &data.input[round * layout.inputDwords()];
  std::string text;
  constexpr size_t most = 12;
  size_t told = 0;
  auto tell = [&](const std::string &name, uint32_t value) {
    if (told++ < most)
      text += (text.empty() ? "" : ", ") + name + " = " + hex(value);
  };
  for (size_t n = 0; n < layout.vectors.size(); ++n)
    if (layout.vectors[n].isCompared)
      tell(nameOf(layout.vectors[n]), input[layout.vectorsAt() + n * layout.lanes + lane]);
  for (size_t n = 0; n < layout.scalars.size(); ++n)
    if (layout.scalars[n].isCompared)
      tell(nameOf(layout.scalars[n]), input[n]);
  if (told > most)
    text += ", ...";
  const uint32_t *specials = input + layout.specialsAt();
  text += "; exec = " + hex(specials[unsigned(SpecialPlace::ExecHigh)]) + hex(specials[0]).substr(2) +
          ", vcc_lo = " + hex(specials[unsigned(SpecialPlace::VccLow)]) +
          ", MODE = " + hex(specials[unsigned(SpecialPlace::Mode)]);
  return text;
}

} // namespace

FormResult compareForm(const Form &form, const FormObject &object, size_t number, unsigned rounds, uint64_t seed,
                       EmulatorMachine &emulator, FormMachine &machine) {
  const FormLayout &layout = object.layout(number);
  const FormData data = dataOf(form, layout, rounds, seed);
  const size_t outputs = layout.outputDwords(), inMemory = layout.memoryDwords();
  constexpr uint32_t unwritten = 0xa5a5a5a5;
  std::vector<uint32_t> expected(rounds * outputs, unwritten), got = expected;
  std::vector<uint32_t> expectedMemory = data.memory, gotMemory = data.memory;
  const std::string symbol = FormObject::symbol(number);
  if (std::string error =
          emulator.run(object.codeObject(), symbol, rounds, layout.lanes, data.input, expected, expectedMemory);
      !error.empty())
    return {FormOutcome::Refused, error};
  if (std::string error = machine.run(object.codeObject(), symbol, rounds, layout.lanes, data.input, got, gotMemory);
      !error.empty())
    return {FormOutcome::Failed, error};

  const std::vector<ValueType> types = typesIn(form.text);
  const ValueType type = types.empty() ? ValueType{} : types.front();
  Difference all;
  for (size_t round = 0; round < rounds; ++round) {
    bool counted = false;
    addRound(all, round, &expected[round * outputs], &got[round * outputs], outputs, false, layout, type, counted);
    addRound(all, round, &expectedMemory[round * inMemory], &gotMemory[round * inMemory], inMemory, true, layout, type,
             counted);
  }
  if (!all.dwords)
    return {};
  const std::vector<uint32_t> &left = all.inMemory ? expectedMemory : expected, &right = all.inMemory ? gotMemory : got;
  const size_t at = all.round * (all.inMemory ? inMemory : outputs) + all.dword;
  FormResult result;
  result.outcome =
      form.cls == isa::Class::Transcendental && all.isNear ? FormOutcome::Approximate : FormOutcome::Differs;
  const std::string place =
      all.inMemory ? "memory at " + std::to_string(all.dword * 4) : layout.placeOf(static_cast<unsigned>(all.dword));
  const unsigned lane = all.inMemory ? 0 : static_cast<unsigned>(all.dword % layout.lanes);
  result.detail = place + ": expected " + hex(left[at]) + ", got " + hex(right[at]) + "; " +
                  counted(all.dwords, "dword") + " in " + std::to_string(all.rounds) + " of " +
                  counted(rounds, "round") + " differ" +
                  (all.sameValues ? "; in some the same values stand at other places: a layout" : "") +
                  "\nbefore it: " + sourcesOf(layout, data, all.round, lane);
  return result;
}

} // namespace fly::hardware
