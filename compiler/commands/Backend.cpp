// `flyc backend`: the other process of a kernel with LLVM options. flyc starts it itself (BackendProcess.h).
#include "compiler/commands/Command.h"
#include "compiler/compilation/BackendProcess.h"

namespace fly::driver {

namespace {

class BackendCommand final : public Command {
public:
  BackendCommand() : Command("backend", "") { isHidden = true; }
  void declare(OptionTable &table) override {
    table.add("job", job, "").required();
    table.add("result", result, "").required();
  }
  int run() override { return runBackendJob(job, result); }

private:
  std::string job, result; ///< files
};

} // namespace

std::unique_ptr<Command> backendCommand() { return std::make_unique<BackendCommand>(); }

} // namespace fly::driver
