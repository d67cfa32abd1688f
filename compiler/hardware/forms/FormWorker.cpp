// See FormWorker.h.
#include "compiler/hardware/forms/FormWorker.h"

#include "compiler/hardware/forms/FormRun.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>

namespace fly::hardware {

namespace {

const char *nameOf(FormOutcome outcome) {
  switch (outcome) {
  case FormOutcome::Same: return "same";
  case FormOutcome::Approximate: return "approximate";
  case FormOutcome::Differs: return "different";
  case FormOutcome::Refused: return "refused";
  case FormOutcome::Failed: return "failed";
  }
  return "";
}

/// The instruction by isa::name; of a dual one the half that is not the move beside it.
std::string subjectOf(const Form &form) {
  const isa::Instruction *subject = &form.decoded;
  for (const isa::Instruction &part : form.decoded.components)
    if (subject == &form.decoded || isa::name(part.op) != "V_MOV_B32")
      subject = &part;
  return std::string(isa::name(subject->op));
}

} // namespace

int runForms(const FormWork &work, Journal &journal) {
  const std::string architecture(work.target->name);
  std::string problem;
  std::unique_ptr<driver::GpuDevice> gpu;
  if (!work.onEmulator) {
    gpu = driver::GpuDevice::open(*work.target, problem);
    if (!gpu) {
      llvm::errs() << "flyc: " << problem << '\n';
      return 2;
    }
    gpu->secondsAtMost = work.launchSeconds;
  }
  auto forms = formsOf(architecture);
  if (!forms) {
    llvm::errs() << "flyc: " << llvm::toString(forms.takeError()) << '\n';
    return 2;
  }
  EmulatorMachine emulator(architecture), other(architecture);
  std::unique_ptr<FormMachine> machine = gpu ? std::make_unique<GpuMachine>(*gpu) : nullptr;

  std::vector<const Form *> wanted;
  for (const Form &form : *forms) {
    if (form.title.find(work.only) == std::string::npos || journal.has(form.title))
      continue;
    if (form.leftOut.empty())
      wanted.push_back(&form);
    else
      journal.end({form.title, "left out", form.leftOut, 0, subjectOf(form)});
  }
  constexpr size_t atOnce = 32; // kernels of a code object
  while (!wanted.empty()) {
    const unsigned waveSize = wanted.front()->waveSize;
    std::vector<const Form *> batch;
    for (const Form *form : wanted)
      if (form->waveSize == waveSize && batch.size() < atOnce)
        batch.push_back(form);
      else
        break;
    wanted.erase(wanted.begin(), wanted.begin() + static_cast<ptrdiff_t>(batch.size()));
    const FormObject object(batch, architecture);
    for (size_t n = 0; n < batch.size(); ++n) {
      const Form &form = *batch[n];
      if (!object.problem(n).empty()) {
        journal.end({form.title, "left out", "its kernel does not build: " + object.problem(n), 0, subjectOf(form)});
        continue;
      }
      journal.begin(form.title, subjectOf(form));
      if (gpu)
        gpu->name("`" + form.title + "`");
      const auto start = std::chrono::steady_clock::now();
      const unsigned rounds = work.rounds * (form.cls == isa::Class::Matrix ? 4 : 1);
      const FormResult result = compareForm(form, object, n, rounds, work.seed, emulator, machine ? *machine : other);
      const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
      const bool isLost = gpu && gpu->isLost();
      journal.end({form.title, isLost ? "hung" : nameOf(result.outcome), result.detail, time.count(), subjectOf(form)});
      if (isLost)
        std::_Exit(3); // HIP would wait for the kernel
    }
    if (gpu)
      gpu->forget(object.codeObject());
  }
  journal.done();
  return 0;
}

} // namespace fly::hardware
