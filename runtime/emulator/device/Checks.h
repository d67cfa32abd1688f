// Checks that a launch may switch off, or downgrade to a warning, and what such a check finds.
//
// After a fault there is usually no right value to continue with. Five checks differ: a register that is used before
// the wait for it can be completed at its use, a race leaves bytes that one of the orders of the waves allows, after a
// hazard the emulator, which executes one instruction after the other, has the value that was meant, a value that was
// never written is the pattern of fresh memory, and the hardware does not wait for a wave that has ended. With
// CheckMode::Warn these are findings: the launch continues and lists each place once.
#pragma once

#include "runtime/emulator/device/FaultReport.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace fly::emulator {

/// Off: not checked. Warn: what is found becomes a Finding, and the launch continues. Error: it is a fault.
enum class CheckMode : uint8_t { Off, Warn, Error };

struct Checks {
  /// A register is used while the operation that fills it is under way. Warn: the use sees the value, as if the missing
  /// wait had been there. Off: it sees the old value.
  CheckMode waits = CheckMode::Error;
  CheckMode races = CheckMode::Off; ///< on LDS; costs memory and time (RaceCheck.h)
  /// One of the races that `races` finds: a release does not cover stores of other waves before a barrier. LLVM's code
  /// for gfx942 and gfx950 has it, and no document says whether these machines make it right; so code of other compilers
  /// gets a finding. Never more than `races`.
  CheckMode releases = CheckMode::Error;
  /// Instructions that software must keep apart are too close (compiler/isa/Hazards.h, WaitStates.h). The result is the
  /// same.
  CheckMode hazards = CheckMode::Error;
  /// Those of them that one source calls hazards and that may be right (docs/verify.md, doubts). Code of other compilers
  /// has many and gets findings. Never more than `hazards`.
  CheckMode doubts = CheckMode::Error;
  /// A value that was never written reaches global memory, an address or a branch (InitCheck.h).
  CheckMode init = CheckMode::Off;
  /// A wave ends, and others of its workgroup wait at a barrier that it did not reach. The hardware lets them go on.
  CheckMode barriers = CheckMode::Off;
  bool operator==(const Checks &) const = default;

  /// What holds of a code object of another compiler unless its user says otherwise: it may be right where a rule says
  /// that it is not, and its author has seen it run.
  static Checks ofOthers() {
    Checks checks;
    checks.waits = checks.hazards = checks.doubts = checks.releases = CheckMode::Warn;
    return checks;
  }
};

/// Applies "wait:warn,races" to `checks`: a list of CHECK or CHECK:MODE, where MODE is error, warn or off, and error if
/// it is left out. `all` is every check. Returns what is wrong with the text, and then changes nothing; empty if
/// nothing is.
std::string parseChecks(std::string_view text, Checks &checks);

/// What a check found at one place, over all waves. A race of equal stores is a note, whatever the mode.
struct Finding {
  bool isNote() const { return kind == FaultKind::EqualStores; }
  FaultKind kind = FaultKind::None;
  uint64_t instruction = 0, earlier = 0; ///< device addresses: where it shows, and of the operation it is about
  FaultReport report;                    ///< of the first one
  uint64_t count = 0;                    ///< executions by waves
  uint64_t unit = 0;                     ///< of the first one: the number of its workgroup or cluster
  /// Keeps the one of the lower unit as the first.
  void keepFirst(uint64_t ofUnit, const FaultReport &other);
  /// Below the report's summary, as in a fault's: how often, and where first.
  std::vector<std::string> details() const { return report.details(frequency()); }
  std::string text() const { return report.text(frequency()); }

private:
  std::string frequency() const;
};

/// Findings by place, at most `limit` places.
class FindingList {
public:
  static constexpr size_t limit = 100;
  using Place = std::tuple<uint64_t, uint64_t, FaultKind>;
  /// The finding at a place: a new one has no `what`. Null if there are too many; the execution is counted in `others`.
  Finding *at(const Place &place);
  void merge(const FindingList &other);
  bool empty() const { return places.empty(); }
  size_t size() const { return places.size(); }
  auto begin() const { return places.begin(); }
  auto end() const { return places.end(); }
  uint64_t others = 0; ///< executions at further places

private:
  std::map<Place, Finding> places;
};

} // namespace fly::emulator
