// Which instruction of which lane stored to a byte of global memory last: for explaining a result that is not the
// expected one.
//
//     LastStore last(address);
//     config.observers = &last.rows;
//     config.threads = 1;                    // else workgroups run at once, and there is no last one
//     device.launch(module, ...);
//     if (auto &report = last.report()) ...  // kernel, instruction, source line, workgroup, wave, lane
#pragma once

#include "runtime/emulator/launch/LaunchObservers.h"

#include <optional>
#include <vector>

namespace fly::emulator {

class LastStore {
public:
  explicit LastStore(uint64_t address);
  LastStore(const LastStore &) = delete;

  /// Of the launches so far; none if none has stored there.
  const std::optional<FaultReport> &report() const { return last; }

  std::vector<ObserverRow> rows;

private:
  std::optional<FaultReport> last;
};

} // namespace fly::emulator
