// See Spin.h.
#include "runtime/emulator/watch/Spin.h"

#include "runtime/emulator/wave/Observer.h"

#include <algorithm>
#include <bit>
#include <map>

namespace fly::emulator {

namespace {

constexpr unsigned stepsAtMost = 20000, turns = 4;

/// The first lane's address of each reading instruction, while it is the same.
class ReadRecorder final : public WaveObserver {
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
  const WaveObservers outer = wave.observers;
  wave.observers.remove(Hook::Access);
  wave.observers.add(recorder, {Hook::Access});
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
  wave.observers = outer;
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

namespace {

/// What a turn of a loop does to memory: stores, and atomics with what they find.
class ChangeRecorder final : public WaveObserver {
public:
  bool stores = false, polls = false;
  std::vector<std::pair<uint64_t, uint64_t>> atomics; ///< addresses, and values before
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event) override {
    polls |= event.atomic || reachOf(wave.program->instructions[inst.number]) != Reach::Group;
    if (!event.write) return;
    stores |= !event.atomic || !event.read || event.space == Space::Lds || atomics.size() > atomicsAtMost;
    for (uint64_t left = event.active; event.atomic && left; left &= left - 1) {
      const uint64_t address = event.addresses[std::countr_zero(left)];
      atomics.push_back({address, valueAt(wave, {0, false, address, event.bytes, 0})});
    }
  }
  /// Whether an atomic has found something else than another one of the same place.
  bool changes() {
    std::sort(atomics.begin(), atomics.end());
    return std::adjacent_find(atomics.begin(), atomics.end(), [](const auto &a, const auto &b) {
             return a.first == b.first && a.second != b.second;
           }) != atomics.end();
  }

private:
  static constexpr size_t atomicsAtMost = 4096;
};

} // namespace

bool goesRound(Program &program, Wave &wave) {
  // The others see the same: the wave may have left its loop by what it loads now.
  const WaveObservers outer = wave.observers;
  ChangeRecorder recorder;
  wave.observers.add(recorder, {Hook::Access});
  const size_t vectors = size_t(program.registerCount()) * laneStride;
  std::vector<uint32_t> seen[3]; // the registers at the last visits, the latest one last
  uint32_t anchor = 0;           // an instruction of the loop
  enum { Unknown, Same, Counts } how = Unknown;
  for (unsigned step = 0, visits = 0; step < stepsAtMost && visits < turns && !recorder.stores && how != Same; ++step) {
    runWave(wave, 1);
    if (wave.stop != Stop::Quantum) break;
    if (anchor && wave.at != anchor) continue;
    anchor = wave.at;
    ++visits;
    std::rotate(std::begin(seen), seen + 1, std::end(seen));
    seen[2].assign(wave.vector, wave.vector + vectors);
    seen[2].insert(seen[2].end(), std::begin(wave.scalar), std::end(wave.scalar));
    if (seen[0].empty()) continue; // an atomic is seen to change something the second time
    how = seen[0] == seen[1] && seen[1] == seen[2] ? Same : Counts;
    for (size_t k = 0; k < seen[2].size() && how == Counts; ++k)
      if (seen[2][k] - seen[1][k] != seen[1][k] - seen[0][k]) how = Unknown;
  }
  wave.observers = outer;
  return !recorder.stores && !recorder.changes() && (how == Same || (how == Counts && recorder.polls));
}

} // namespace fly::emulator
