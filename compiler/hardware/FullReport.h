// What a full check found, as one file that may be sent: docs/schema/doctor-report.schema.json. It has no name of a
// user or a host, and no path of a home.
#pragma once

#include "compiler/calibrate/Calibration.h"
#include "compiler/doctor/Advice.h"
#include "compiler/hardware/FullRun.h"

#include <optional>
#include <set>

namespace fly::hardware {

struct ReportedGpu {
  std::string architecture, name; ///< "gfx942", "AMD Instinct MI300X"
  int64_t computeUnits = 0;
};

struct ReportedTask {
  std::string group, architecture, name;
  bool isDone = false;
  std::vector<JournalResult> results;
};

struct FullReport {
  std::string version, date; ///< "flyc 0.1.0 (LLVM 22.1.8)", "2026-11-28"
  std::string stopped;       ///< why it is not complete; empty: it is
  std::vector<doctor::Section> system;
  std::vector<ReportedGpu> gpus;
  std::vector<ReportedTask> tasks;

  const ReportedGpu *gpuOf(const std::string &architecture) const;
};

std::string toJson(const FullReport &report);
/// None and `error` for what does not follow the schema.
std::optional<FullReport> parseReport(std::string_view text, std::string &error);
/// One HTML file that needs nothing else.
std::string pageOf(const FullReport &report);
/// Without the user's and the host's name, and the path of the home.
std::string impersonal(std::string text);

//===--------------------------------------------- what it tells --------------------------------------------------===//

struct GroupCount {
  std::string architecture, group;
  std::vector<std::pair<std::string, size_t>> outcomes; ///< in the order of the first one
  size_t tasks = 0, done = 0;
};

/// Something that may be wrong: an instruction or a check.
struct Suspect {
  std::string architecture, group, what; ///< "V_ADD_F32", "gemm/any_tile.fly: many_tiles"
  std::string outcome;                   ///< of the first
  size_t count = 1, of = 1;              ///< its forms or cases that are wrong, and all that ran
  std::string first, detail;             ///< the first of them, and what was found of it
};

/// Which instructions a GPU was compared with the emulator in, by isa::name.
struct Coverage {
  std::string architecture;
  std::set<std::string> matched; ///< each form that ran left the same bits, or those that its document allows
  std::set<std::string> others;  ///< ran, and did not
  size_t forms = 0;              ///< that ran
};

/// What the microbenchmarks on one GPU tell of the machine of the time model.
struct MeasuredConstants {
  driver::calibration::Results results;
  std::vector<driver::calibration::Finding> findings;
};

std::vector<GroupCount> countsOf(const FullReport &report);
std::vector<Suspect> suspectsOf(const FullReport &report);
std::vector<Coverage> coverageOf(const FullReport &report);
std::vector<MeasuredConstants> constantsOf(const FullReport &report);
/// All of this: docs/schema/doctor-findings.schema.json.
std::string findingsJson(const FullReport &report);
/// The lines of a summary that a person reads.
std::vector<std::string> summaryOf(const FullReport &report);

} // namespace fly::hardware
