// What went wrong in a launch, as a structure. Programs read its fields, and whoever ran the kernel may add notes; text and
// JSON are made of it at the end, here and nowhere else. Its text reads like this:
//
//     kernel `vec_add` on gfx942: read of 4 bytes outside of any allocation
//       instruction: global_load_dword v2, v[2:3], off   (at 0x100000004740)
//       source: vec_add.fly:12
//       workgroup (3, 0, 0), wave 1, lane 17, work-item (81, 0, 0)
//       address 0x100000008400: 0 bytes past the end of `a` (4096 bytes at 0x100000007400)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fly::emulator {

// clang-format off
enum class FaultKind {
  None, BadLaunch, UnknownInstruction, OutOfBounds, LdsOutOfBounds, RegisterOutOfRange, BadJump, Misaligned,
  Deadlock, Runaway, Trap, UninitialisedRead, MissingWait, Race, Hazard,
  SkippedBarrier, ///< a wave ends without a barrier that others of its workgroup wait at
  EqualStores, ///< never a fault: waves race, but store the same
};
// clang-format on

/// The name of the kind: "OutOfBounds".
std::string_view nameOf(FaultKind kind);

/// Three indices or sizes: x first.
using GridIndex = std::array<uint32_t, 3>;

/// An instruction of the kernel.
struct ReportedInstruction {
  std::string text;     ///< as the disassembler has it
  uint64_t address = 0; ///< on the device
  std::string file;     ///< from the line table; empty if it does not know
  unsigned line = 0;
  /// "vec_add.fly:12"; empty if that is not known.
  std::string source() const;
  bool operator==(const ReportedInstruction &) const = default;
};

/// Whose the fault is: a lane's, or a wave's.
struct ReportedPlace {
  GridIndex workgroup{};
  uint32_t wave = 0;
  int lane = -1;        ///< -1: the wave's as a whole
  GridIndex workItem{}; ///< of the lane
};

/// The memory that was accessed: an address, or an offset in LDS.
struct ReportedAddress {
  uint64_t address = 0;
  std::string where; ///< "inside `a` (4096 bytes at 0x100000007400)"; empty: LDS
};

/// What waves are about that do not end. Those of a workgroup that do the same are told together.
struct ReportedWaves {
  /// A read that gives a loop the same each time.
  struct Poll {
    unsigned bytes = 0;
    bool isLds = false;
    uint64_t address = 0; ///< LDS: the offset
    std::string where{};  ///< as in ReportedAddress
    uint64_t value = 0;   ///< that is there now
    std::string source{}; ///< of the instruction that reads
    bool operator==(const Poll &) const = default;
  };
  enum class Doing : uint8_t { HasEnded, HasJustEnded, Waits, Runs, Loops };
  struct State {
    Doing doing = Doing::HasEnded;
    ReportedInstruction at{}; ///< unless it has ended
    std::string barrier{};    ///< Waits: which one, and how many have signalled; empty: there is only one
    bool hasSignalled = true, sleeps = false;
    std::vector<Poll> polls{}; ///< Loops
    bool operator==(const State &) const = default;
  };
  uint32_t first = 0, last = 0;
  std::optional<GridIndex> workgroup{}; ///< where a report has waves of several in one list
  State state{};
};

struct ReportedGroup {
  GridIndex workgroup{};
  /// How many waves have arrived at the workgroup's barrier, and how many it has.
  std::optional<std::pair<uint32_t, uint32_t>> arrived{};
  std::vector<ReportedWaves> waves{};
};

struct FaultReport {
  FaultKind kind = FaultKind::None;
  std::string kernel{}, arch{}; ///< empty: `what` tells everything
  std::string what{};           ///< the cause
  std::optional<ReportedInstruction> instruction{};
  std::optional<ReportedInstruction> other{}; ///< that the fault is about, too; what it did follows from the kind
  std::optional<ReportedPlace> place{};
  std::optional<ReportedAddress> address{};
  std::vector<ReportedGroup> groups{}; ///< Deadlock, Runaway: where waves are
  uint64_t moreGroups = 0;             ///< that are not told
  std::vector<FaultReport> others{};   ///< of kernels of other devices, which wait, too
  std::vector<std::string> notes{};    ///< of who ran the kernel

  /// One sentence: the kernel and the cause.
  std::string summary() const;
  /// The other lines, indented below the summary. `found` stands before the place: "once, in ".
  std::vector<std::string> details(std::string_view found = {}) const;
  /// All lines, each with its end; a summary alone has none.
  std::string text(std::string_view found = {}) const;
  /// The fields that are set, as an object of JSON (docs/emulator.md).
  std::string json() const;
};

} // namespace fly::emulator
