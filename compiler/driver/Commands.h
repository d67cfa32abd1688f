// The options of each command. No LLVM or MLIR in here: main.cpp includes only this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fly::driver {

struct Options {
  std::vector<std::string> defines; ///< NAME=VALUE
  std::vector<std::string> includeDirs;
  std::vector<std::string> llvm;     ///< NAME=VALUE: LLVM options of all kernels
  unsigned llvmTimeout = 600;        ///< seconds for a kernel with LLVM options
  std::vector<std::string> bitcode;  ///< files of LLVM bitcode with extern functions
  std::vector<std::string> warnings; ///< -W: perf, NAME, no-NAME, error, error=NAME, no-verify=RULE
  std::string prefixMap;             ///< OLD=NEW for file names in line tables
  std::string errorFormat = "text";  ///< text, json
  std::string color = "auto";        ///< auto, always, never
  bool cache = true;                 ///< objects of earlier runs may be used
};

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

/// A kernel in a process of its own (BackendProcess.h).
struct BackendCommand {
  std::string job, result; ///< files
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

/// What the emulated device is like, for commands that run kernels.
struct EmulatorOptions {
  std::vector<std::string> checks; ///< "wait:warn,races"; later ones win
  unsigned computeUnits = 0;       ///< 0: the emulator's default
};

/// Of the time model (runtime/emulator/timing).
struct TimeOptions {
  std::string machine;              ///< a file with constants; empty: the architecture's own machine
  std::string computeUnits = "xcd"; ///< that are simulated: xcd, all, or a number
  unsigned rounds = 0;              ///< of workgroups; 0: all
  bool sample = false;              ///< execute only the workgroups that are simulated
  bool cold = false;                ///< the memory-side cache holds nothing when a kernel starts
};

/// What measures benches.
struct DeviceOptions {
  std::string device = "model";     ///< model, gpu, auto
  unsigned warmUp = 3, repeat = 11; ///< runs of a launch on a GPU: first without a time, then with one
};

/// Several files at once, for `flyc test` and `flyc bench` (Suite.h).
struct SuiteOptions {
  std::vector<std::string> paths; ///< files and folders
  unsigned jobs = 0;              ///< processes; 0: one a core
  unsigned timeout = 3600;        ///< seconds for one file and architecture
  bool isParallel = false;        ///< -j was given
  bool list = false;              ///< name the cases, run none
  bool failFast = false;          ///< stop after the first failure
  std::string junit;              ///< a file
  std::string results;            ///< a file for the parent process; empty: this is no part of a suite
  unsigned threads = 0;           ///< of the emulator in this part; 0: one a core
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

struct TuneCommand {
  EmulatorOptions emulator;
  TimeOptions time;
  DeviceOptions device;
  std::string path;
  std::vector<std::string> archs;
  std::string kernel, filter;      ///< only these; empty: all
  std::vector<std::string> shapes; ///< NAME=VALUE,...: parameters of benches
  unsigned jobs = 0;               ///< processes; 0: one a core
  unsigned timeout = 600;          ///< seconds for one candidate
  uint64_t limit = 0;              ///< wave instructions per launch; 0: the emulator's default
  std::string journal;             ///< empty: X.tune.journal
  bool printJobs = false, dryRun = false, json = false, quiet = false;
  std::vector<std::string> join; ///< files of rows
  int64_t job = -1;              ///< run this job alone; -1: all
  std::string rows;              ///< where its row goes; empty: standard output
  double below = -1;             ///< a candidate whose bound is above this is not run; -1: none
};

struct SweepCommand {
  EmulatorOptions emulator;
  TimeOptions time;
  std::string path, grid;
  std::vector<std::string> archs;
  std::vector<std::string> skip; ///< checks, time
  std::string by = "cycles";     ///< the figure that ranks
  unsigned jobs = 0;             ///< processes; 0: one a core
  unsigned timeout = 600;        ///< seconds for one point
  uint64_t limit = 0;            ///< wave instructions per launch; 0: the emulator's default
  std::string journal;           ///< empty: X.sweep.journal
  bool printJobs = false, pin = false, json = false, quiet = false;
  unsigned top = 0;              ///< rows that are printed; 0: all
  std::vector<std::string> join; ///< files of rows
  int64_t job = -1;              ///< run this job alone; -1: all
  std::string rows;              ///< where its row goes; empty: standard output
  bool skips(const std::string &what) const {
    for (auto &each : skip)
      if (each == what)
        return true;
    return false;
  }
};

struct RunCommand {
  EmulatorOptions emulator;
  std::string path, kernel, arch;
  std::vector<std::string> grid; ///< one to three: N, compute_units, N*compute_units; empty: its own
  std::vector<uint32_t> block;   ///< one to three numbers; alike
  std::vector<uint32_t> cluster; ///< workgroups; alike
  int64_t ldsBytes = -1;         ///< dynamic; -1: the kernel's own
  std::string kernarg;           ///< the block of arguments: @FILE or hexadecimal digits; empty: none
  std::vector<std::string> arguments, outputs, prints;
  std::string order = "ascending";
  unsigned threads = 0; ///< 0: one a core
  uint64_t limit = 0;   ///< wave instructions; 0: the emulator's
  bool races = false;   ///< a race on LDS is a fault
  std::string matrix = "exact";
  std::string profile, profileOutput;
  TimeOptions timing;
  std::string timeModel;            ///< text or json; empty: no time model
  std::string timeOutput, timePage; ///< files
  bool quiet = false, time = false;
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
int tune(const Options &options, const TuneCommand &command);
int sweep(const Options &options, const SweepCommand &command);
int run(const Options &options, const RunCommand &command);
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
int backend(const BackendCommand &command);
int cache(const Options &options, const CacheCommand &command);
/// Reports a command line that cannot be understood, in the form of every other error; `help` may be empty.
int badCommandLine(const Options &options, const std::string &message, const std::string &help);
/// Reports that standard output could not be written; returns the exit status.
int cannotWriteOutput(const Options &options, const std::string &reason);
/// The closest of `names`, or nothing.
std::string closestOf(const std::string &name, const std::vector<std::string> &names);
int targets(const Options &options, const TargetsCommand &command);

} // namespace fly::driver
