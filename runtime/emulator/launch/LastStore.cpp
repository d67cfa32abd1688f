// An observer of all accesses of a launch. A report is made of the store that was the last when the launch ends.
#include "runtime/emulator/launch/LastStore.h"

#include <bit>

namespace fly::emulator {

namespace {

class StoreObserver final : public WaveObserver {
public:
  StoreObserver(uint64_t address, const LaunchConfig &config, Program &program, std::optional<FaultReport> &last)
      : byte(address), config(config), program(program), last(last) {}

  void begin(Wave &wave, const WaveStart &) override { wave.observers.add(*this, {Hook::Access}); }
  void access(Wave &wave, const Inst &, const MemoryEvent &event) override {
    if (!event.write || event.space == Space::Lds || event.space == Space::Scratch) return;
    for (uint64_t lanes = event.active; lanes; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      if (byte - event.addresses[lane] >= event.bytes) continue;
      last = describeFault(program, wave, {.lane = lane, .address = byte, .hasAddress = true}, config);
    }
  }

private:
  uint64_t byte;
  const LaunchConfig &config;
  Program &program;
  std::optional<FaultReport> &last;
};

} // namespace

LastStore::LastStore(uint64_t address) {
  rows.push_back({ObserverScope::Thread, [this, address](const ObservedLaunch &launch) {
                    return std::make_unique<StoreObserver>(address, launch.plan.config, launch.program, last);
                  }});
}

} // namespace fly::emulator
