// The options of each command. No LLVM or MLIR in here: main.cpp includes only this.
#pragma once

#include "compiler/launch/LaunchOptions.h"
#include "compiler/compilation/Options.h"
#include "compiler/launch/RunSettings.h"
#include "compiler/search/Suite.h"
#include "compiler/search/sweep/SweepSettings.h"
#include "compiler/search/tune/TuneSettings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fly::driver {

struct BuildCommand {
  std::string path, output = ".";
  std::vector<std::string> archs;
  std::string emit, stopAfter;
  unsigned jobs = 0;                                     ///< threads; 0: one a core
  std::string host;                                      ///< machine of `--emit=obj`; empty: this one
  bool depFile = false, phonyTargets = false;            ///< -MD, -MP
  std::string depFilePath;                               ///< -MF; empty: next to the artifacts
  std::vector<std::string> depTargets, quotedDepTargets; ///< -MT, -MQ; none: the artifacts
  bool quiet = false, time = false;
};

struct ImportCommand {
  std::string path, output; ///< empty: standard output
  std::string arch;         ///< of assembly that does not say it
  std::string kernel;       ///< only this; empty: all
  bool quiet = false;
};

struct CacheCommand {
  bool clear = false;
};

struct TestCommand {
  EmulatorOptions emulator;
  SuiteOptions suite;
  std::string path;  ///< one file; empty: those of the suite
  bool json = false; ///< results as JSON
  std::vector<std::string> archs;
  std::string order = "all"; ///< in which order waves run: all, ascending, descending, seeded, interleaved
  uint64_t seed = 1;
  std::string only;   ///< the name of one check
  std::string filter; ///< words of its title: name, architecture, parameters
  bool quiet = false, time = false;
  bool failFast = false;   ///< nothing runs after the first failure
  bool allowEmpty = false; ///< checks that test nothing are no failure
  uint64_t limit = 0;      ///< wave instructions per launch; 0: the default
};

struct BenchCommand {
  EmulatorOptions emulator;
  SuiteOptions suite;
  TimeOptions time;
  DeviceOptions device;
  bool counts = false; ///< only count: no time model
  std::string path;
  std::vector<std::string> archs;
  std::string filter;
  bool json = false, quiet = false;
  bool listing = false; ///< with `json`: each instruction, and how often it was executed
};

struct FormatCommand {
  std::vector<std::string> paths; ///< `-`: standard input to standard output
  bool check = false, diff = false, quiet = false;
};

struct FixCommand {
  std::string path;
  std::vector<std::string> archs;
  bool dryRun = false, quiet = false;
};

struct DocCommand {
  std::string path, output = "-"; ///< `-`: standard output
  bool builtins = false;
};

struct LayoutCommand {
  std::string expression, arch = "gfx942";
  bool svg = false, html = false; ///< neither: text
  std::string output = "-";       ///< `-`: standard output
  std::string tile, over, tiler;  ///< expressions: --tv, --over, --tile
  std::string fill = "auto";
  int64_t elementBits = 0, banks = 0; ///< 0: unknown; the architecture's
  std::vector<int64_t> limit;         ///< rows, columns; one number is both
};

struct TargetsCommand {
  std::string arch; ///< empty: all
  bool json = false;
  bool machine = false;     ///< the constants of the time model
  std::string instructions; ///< "json" or a pattern of names; empty: not asked for
};

/// Microbenchmarks that tell the constants of a machine. One of: a program for a GPU, times of the model, a file to
/// read.
struct CalibrateCommand {
  std::string arch, output, read; ///< read: a file of results
  std::string machine;            ///< a file with constants; empty: the architecture's own machine
  bool model = false;
};

struct ReportCommand {
  std::vector<std::string> paths; ///< .fly, files and folders with code objects, reports
  std::vector<std::string> archs; ///< of .fly files; empty: gfx942
  std::string kernel;
  bool diff = false, json = false, listing = false, summary = false;
  std::string html;                  ///< write a page there; empty: no page
  std::vector<std::string> profiles; ///< of launches, for the page
  std::vector<std::string> pairs;    ///< OLD=NEW, for diff
};

struct VerifyCommand {
  std::vector<std::string> paths; ///< files and folders with code objects
  std::vector<std::string> archs; ///< of the code objects; empty: all
  std::string kernel;
  bool json = false, may = false, requireProof = false, quiet = false;
};

struct StatCommand {
  std::string path, baseline, failOn;
};

// Each returns the exit status: 0, 1 for errors in the input or failed checks, 2 for a wrong request.
int build(const Options &options, const BuildCommand &command);
int test(const Options &options, const TestCommand &command);
int bench(const Options &options, const BenchCommand &command);
int tune(const Options &options, const TuneSettings &command);
int sweep(const Options &options, const SweepSettings &command);
int run(const Options &options, const RunSettings &command);
int eval(const Options &options, const std::string &expression, const std::string &arch);
int layout(const Options &options, const LayoutCommand &command);
int format(const Options &options, const FormatCommand &command);
int fix(const Options &options, const FixCommand &command);
int calibrate(const Options &options, const CalibrateCommand &command);
int report(const Options &options, const ReportCommand &command);
int verify(const Options &options, const VerifyCommand &command);
int importCode(const Options &options, const ImportCommand &command);
int stat(const Options &options, const StatCommand &command);
int doc(const Options &options, const DocCommand &command);
int explain(const Options &options, const std::string &code);
int cache(const Options &options, const CacheCommand &command);
int targets(const Options &options, const TargetsCommand &command);

} // namespace fly::driver
