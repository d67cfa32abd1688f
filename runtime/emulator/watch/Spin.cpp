// See Spin.h.
#include "runtime/emulator/watch/Spin.h"

#include "runtime/emulator/wave/Watcher.h"

#include <algorithm>
#include <bit>
#include <map>

namespace fly::emulator {

namespace {

constexpr unsigned stepsAtMost = 20000, turns = 4;

/// The first lane's address of each reading instruction, while it is the same.
class ReadRecorder final : public Watcher {
public:
  struct Read {
    PolledRead read;
    bool moves = false;
  };
  std::map<uint32_t, Read> reads;

  void access(Wave &wave, const Inst &, const MemoryEvent &event) override {
    if (!event.read || !event.active || event.space == Space::Scratch) return;
    uint64_t address = event.addresses[std::countr_zero(event.active)];
    bool isLds = event.space == Space::Lds;
    if (event.space == Space::Flat && address >> 32 == sharedAperture) isLds = true, address &= 0xffffffff;
    auto [at, isNew] = reads.try_emplace(wave.at);
    Read &read = at->second;
    if (isNew) read.read = {wave.at, isLds, address, event.bytes, 0};
    else read.moves |= read.read.address != address || read.read.isLds != isLds;
  }
};

uint64_t valueAt(const Wave &wave, const PolledRead &read) {
  uint64_t value = 0;
  const unsigned bytes = std::min(read.bytes, 8u);
  const uint8_t *from = read.isLds
                            ? (read.address + bytes <= wave.group->ldsBytes ? wave.group->lds + read.address : nullptr)
                            : wave.memory->host(read.address, bytes);
  if (from) std::memcpy(&value, from, bytes);
  return value;
}

} // namespace

Spin findSpin(Program &program, Wave &wave) {
  static const isa::Op sleeping[] = {isa::findOp("S_SLEEP"), isa::findOp("S_SLEEP_VAR")};
  Spin spin;
  ReadRecorder recorder;
  Watcher *outer = std::exchange(wave.watcher, &recorder);
  std::vector<uint32_t> trace;
  size_t lastVisit = 0;
  unsigned visits = 0;
  for (unsigned step = 0; step < stepsAtMost && visits < turns; ++step) {
    runWave(wave, 1);
    trace.push_back(wave.at);
    if (wave.stop != Stop::Quantum) break;
    if (step && wave.at == trace.front()) {
      spin.loop.assign(trace.begin() + static_cast<ptrdiff_t>(lastVisit), trace.end() - 1);
      lastVisit = step;
      ++visits;
    }
  }
  wave.watcher = outer;
  std::sort(spin.loop.begin(), spin.loop.end());
  spin.loop.erase(std::unique(spin.loop.begin(), spin.loop.end()), spin.loop.end());
  for (uint32_t at : spin.loop) {
    const isa::Op op = program.instructions[at].op;
    spin.sleeps |= op == sleeping[0] || op == sleeping[1];
    if (auto found = recorder.reads.find(at); found != recorder.reads.end() && !found->second.moves)
      spin.polled.push_back(found->second.read);
  }
  for (PolledRead &read : spin.polled) read.value = valueAt(wave, read);
  return spin;
}

} // namespace fly::emulator
