// The collecting side of a profile: counters by Inst::number, one set for each thread of a launch.
#pragma once

#include "compiler/target/LdsBanks.h"
#include "runtime/emulator/watch/Profile.h"
#include "runtime/emulator/wave/Program.h"
#include "runtime/emulator/wave/Observer.h"

#include <map>
#include <mutex>

namespace fly::emulator {

class ProfileCollector;

class ProfileCounters final : public WaveObserver {
public:
  /// `owned`: LaunchConfig's. `collector`: what the counts are handed over to.
  ProfileCounters(std::string_view arch, unsigned waveSize, const std::vector<OwnedMemory> *owned,
                  ProfileCollector &collector);
  void begin(Wave &wave, const WaveStart &start) override;
  void finish(Program &program) override;
  void instruction(Wave &wave, const Inst &inst) override {
    if (inst.number >= counts.size()) [[unlikely]]
      counts.resize(inst.number + 256);
    ProfileCounts &c = counts[inst.number];
    ++c.executions;
    c.lanes += static_cast<unsigned>(__builtin_popcountll(wave.exec() & wave.laneMask));
  }
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event) override;
  uint64_t waves = 0, workgroups = 0;

  std::vector<ProfileCounts> counts; ///< by Inst::number
  std::vector<MovedBytes> moved;     ///< by device

private:
  void global(ProfileCounts &c, const MemoryEvent &event);
  void lds(ProfileCounts &c, const MemoryEvent &event);
  void move(const MemoryEvent &event);
  const std::vector<OwnedMemory> *owned;
  ProfileCollector &collector;
  target::LdsRule rules[2][17]; ///< by write, bytes
  std::vector<uint64_t> lines;  ///< of the current access: the 32-byte lines that it touches
};

/// Combines the counts of the threads; each has its own Program, so addresses are used as common keys.
class ProfileCollector {
public:
  /// From any thread.
  void add(Program &program, const ProfileCounters &counters);
  void finish(Profile &profile, const LaunchConfig &config);

private:
  std::mutex mutex;
  Profile sum;
  std::map<uint64_t, ProfiledInstruction> instructions; ///< by address
};

/// 2*M*N*K*blocks of a matrix instruction, 0 of others. Sparse ones count as if dense, as AMD's tables do.
uint64_t matrixFlops(const isa::Instruction &instruction, unsigned waveSize);

} // namespace fly::emulator
