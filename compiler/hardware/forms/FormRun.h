// Runs forms on the emulator and on another machine, and compares what they leave bit for bit.
#pragma once

#include "compiler/hardware/forms/FormData.h"
#include "compiler/launch/GpuDevice.h"
#include "runtime/emulator/Emulator.h"

#include <map>
#include <memory>

namespace fly::hardware {

enum class FormOutcome : uint8_t {
  Same,        ///< all bits
  Approximate, ///< an approximation, within what its document promises
  Differs,
  Refused, ///< the emulator ends with an error
  Failed,  ///< the machine does
};

struct FormResult {
  FormOutcome outcome = FormOutcome::Same;
  std::string detail; ///< of all but Same
};

/// What executes the kernels of forms.
class FormMachine {
public:
  virtual ~FormMachine() = default;
  /// Workgroups of one wave; `output` and `memory` hold what is there before, and then what is left. What went wrong,
  /// or empty.
  virtual std::string run(const std::string &codeObject, const std::string &symbol, unsigned rounds, unsigned lanes,
                          const std::vector<uint32_t> &input, std::vector<uint32_t> &output,
                          std::vector<uint32_t> &memory) = 0;
};

class EmulatorMachine final : public FormMachine {
public:
  explicit EmulatorMachine(llvm::StringRef architecture);
  std::string run(const std::string &codeObject, const std::string &symbol, unsigned rounds, unsigned lanes,
                  const std::vector<uint32_t> &input, std::vector<uint32_t> &output,
                  std::vector<uint32_t> &memory) override;

private:
  emulator::Device device;
  std::string loadedObject;
  std::shared_ptr<emulator::Module> module;
};

class GpuMachine final : public FormMachine {
public:
  explicit GpuMachine(driver::GpuDevice &gpu) : gpu(gpu) {}
  std::string run(const std::string &codeObject, const std::string &symbol, unsigned rounds, unsigned lanes,
                  const std::vector<uint32_t> &input, std::vector<uint32_t> &output,
                  std::vector<uint32_t> &memory) override;

private:
  driver::GpuDevice &gpu;
};

/// A code object with a kernel for each form; forms that cannot be built have a reason instead.
class FormObject {
public:
  FormObject(llvm::ArrayRef<const Form *> forms, llvm::StringRef architecture);
  const std::string &codeObject() const { return bytes; }
  const FormLayout &layout(size_t n) const { return layouts[n]; }
  static std::string symbol(size_t n) { return "form" + std::to_string(n); }
  const std::string &problem(size_t n) const { return problems[n]; }

private:
  bool build(llvm::ArrayRef<const Form *> forms, llvm::StringRef architecture, std::string &problem);

  std::string bytes;
  std::vector<FormLayout> layouts;
  std::vector<std::string> problems;
};

/// The form of `object` with this number, so many rounds.
FormResult compareForm(const Form &form, const FormObject &object, size_t number, unsigned rounds, uint64_t seed,
                       EmulatorMachine &emulator, FormMachine &machine);

} // namespace fly::hardware
