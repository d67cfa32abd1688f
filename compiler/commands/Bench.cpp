// `flyc bench`: how long the kernels of each `@bench` take by the time model (docs/time-model.md), and what they
// execute, counted on the emulator, next to the author's figures for what they must move and compute.
#include "compiler/compilation/CommandErrors.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/launch/Cases.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/launch/FigureSource.h"
#include "compiler/search/Suite.h"
#include "compiler/launch/TimeOptions.h"
#include "compiler/text/Words.h"
#include "compiler/timing/Pictures.h"

#include "llvm/Support/Format.h"

#include <nlohmann/json.hpp>
#include <set>

namespace fly::driver {

namespace {

class BenchCommand final : public Command {
public:
  BenchCommand()
      : Command(
            "bench",
            "Run the @bench functions of .fly files on the emulator: modelled times, and counts of what they execute") {
    usesCache = true;
  }
  void declare(OptionTable &table) override {
    suiteOptions(table, suite);
    archOption(table, archs, "Architectures, separated by commas; all: every one");
    table.add("--only", only, "Run only this bench").type("NAME");
    table.add("--filter", filter, "Run only benches whose line contains all of these words").type("WORDS");
    table.add("--json", json, "Print everything as JSON")
        .own()
        .more("of one file; [bench.schema.json](schema/bench.schema.json) describes it");
    table.add("--listing", listing, "With --json: list each instruction of each launch and how often it was executed")
        .needs("--json")
        .own();
    emulatorOptions(table, emulator);
    deviceOptions(table, device);
    table.add("--counts", counts, "Only count what is executed: no time model");
    timeOptions(table, time);
    table
        .add(
            "--hot", hot,
            "Also list the instructions of each launch's hottest loop: the cycles of a trip that each takes, and what it "
            "waits for")
        .excludes("--json")
        .excludes("--counts")
        .own();
    table
        .add(
            "--time-page", timePage,
            "Write a page to look at, of the launch that takes longest: the waves of a compute unit over time, where the "
            "cycles go, the roofline. With the extension .svg only a still picture of the waves")
        .type("FILE")
        .excludes("--counts")
        .own();
    table.add("--quiet,-q", quiet, "Print only the figures");
    sourceOptions(table, options);
  }
  int run() override;

  std::vector<std::string> partArguments(const SuitePart &part) const;

  EmulatorOptions emulator;
  SuiteOptions suite;
  TimeOptions time;
  DeviceOptions device;
  bool counts = false; ///< only count: no time model
  std::string path;
  std::vector<std::string> archs;
  std::string only;   ///< the name of one bench
  std::string filter; ///< words of its title: name, architecture, parameters
  bool json = false, quiet = false;
  bool hot = false;     ///< list the hottest loops
  std::string timePage; ///< a file
  bool listing = false; ///< with `json`: each instruction, and how often it was executed
};

using Json = nlohmann::ordered_json;
using emulator::Profile;
using emulator::ProfileCounts;

/// Executions by unit, in the order of the first execution's address.
std::vector<std::pair<std::string, uint64_t>> mixOf(const Profile &profile) {
  std::vector<std::pair<std::string, uint64_t>> mix;
  for (auto &instruction : profile.instructions) {
    auto found = llvm::find_if(mix, [&](auto &entry) { return entry.first == instruction.unit; });
    if (found == mix.end())
      found = mix.insert(mix.end(), {instruction.unit, 0});
    found->second += instruction.counts.executions;
  }
  std::sort(mix.begin(), mix.end(),
            [](auto &a, auto &b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  return mix;
}

uint64_t movedBytes(const ProfileCounts &c) { return c.globalReadBytes + c.globalWrittenBytes + c.scalarReadBytes; }

uint64_t matrixExecutions(const Profile &profile) {
  uint64_t count = 0;
  for (auto &instruction : profile.instructions)
    count += instruction.unit == "matrix" ? instruction.counts.executions : 0;
  return count;
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string bytesText(double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 10240 && unit + 1 < std::size(units))
    bytes /= 1024, ++unit;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(unit ? "%.4g " : "%.0f ", bytes) << units[unit];
  return text;
}

std::string sizeText(const std::array<uint32_t, 3> &size) {
  std::string text = std::to_string(size[0]);
  for (size_t i = 1; i < 3 && (size[1] > 1 || size[2] > 1); ++i)
    text += "x" + std::to_string(size[i]);
  return text;
}

/// With --sample only some workgroups are executed: how many times a launch has those that were counted.
double wholeOf(const LaunchCounts &launch) {
  return launch.timing && launch.profile.workgroups
             ? double(launch.timing->workgroups) / double(launch.profile.workgroups)
             : 1;
}

/// " of 32 of 256 workgroups", if not all were executed.
std::string sampleText(uint64_t executed, uint64_t all) {
  return executed == all ? "" : " of " + std::to_string(executed) + " of " + std::to_string(all) + " workgroups";
}

/// One case with its launches summed up.
struct Result {
  std::string arch;
  const Case &each;
  std::vector<LaunchCounts> launches;
  std::vector<MeasuredLaunch> measured; ///< on a GPU, and then no counts
  std::optional<double> bytes, flops;
  ProfileCounts total; ///< of what was executed
  uint64_t matrix = 0;
  uint64_t executed = 0, workgroups = 0;               ///< with --sample fewer are executed
  double instructions = 0, moved = 0, matrixFlops = 0; ///< of all workgroups

  void sumUp() {
    for (auto &launch : launches) {
      const ProfileCounts counts = launch.profile.total();
      const double whole = wholeOf(launch);
      total += counts;
      matrix += matrixExecutions(launch.profile);
      executed += launch.profile.workgroups;
      workgroups += launch.timing ? launch.timing->workgroups : launch.profile.workgroups;
      instructions += whole * double(counts.executions);
      moved += whole * double(movedBytes(counts));
      matrixFlops += whole * double(counts.matrixFlops);
    }
  }
};

std::string nameOf(const LaunchCounts &launch) {
  return launch.kernel->kernel + (launch.constants.empty() ? "" : "[" + launch.constants + "]");
}

/// Cycles first, then rates at both clocks. All launches follow each other; what lies between them is not modelled.
void printTimes(llvm::raw_ostream &os, const Result &result) {
  double cycles = 0, flops = 0, bytes = 0;
  const emulator::Timing *last = nullptr;
  for (auto &launch : result.launches)
    if (launch.timing) {
      last = &*launch.timing;
      cycles += double(last->cycles), flops += last->matrixFlops, bytes += last->memoryBytes;
    }
  if (!last)
    return;
  const std::string sure = emulator::uncertaintyText(*last);
  os << llvm::format("  %.0f cycles on ", cycles) << last->machine << " (" << sure << ")";
  if (result.launches.size() == 1)
    os << ", bound by " << last->bound;
  os << '\n';
  for (auto [clock, megahertz] :
       {std::pair("maximum", last->maximumClock), {"sustained matrix load", last->sustainedClock}}) {
    if (clock != std::string_view("maximum") && last->maximumClock == megahertz)
      continue;
    const double seconds = cycles / (megahertz * 1e6);
    os << llvm::format("  at %.0f MHz (%s): %.4g us", megahertz, clock, seconds * 1e6);
    if (const double work = result.flops.value_or(flops); work > 0)
      os << llvm::format(", %.4g TFLOP/s", work / seconds * 1e-12);
    if (const double moved = result.bytes.value_or(bytes); moved > 0)
      os << llvm::format(", %.3g TB/s", moved / seconds * 1e-12) << (result.bytes ? "" : " beyond L2");
    os << " (" << sure << ")\n";
  }
}

/// What a GPU took: the sum of the medians, and the rates that follow from the author's figures.
void printMeasured(const Result &result, const FigureSource &source) {
  auto &os = llvm::outs();
  double all = 0;
  for (auto &launch : result.measured)
    all += launch.times.median();
  os << result.each.title << '\n' << llvm::format("  %.4g us on ", all) << source.how;
  if (result.flops && all > 0)
    os << llvm::format(", %.4g TFLOP/s", *result.flops / all * 1e-6);
  if (result.bytes && all > 0)
    os << llvm::format(", %.3g TB/s", *result.bytes / all * 1e-6);
  os << '\n';
  for (auto &launch : result.measured) {
    auto [least, most] = std::minmax_element(launch.times.samples.begin(), launch.times.samples.end());
    os << "  " << launch.title
       << llvm::format(": %.4g us, the median of %zu from %.4g to %.4g\n", launch.times.median(),
                       launch.times.samples.size(), *least, *most);
  }
}

Json measuredJson(const Result &result, const FigureSource &source) {
  Json json;
  json["arch"] = result.arch;
  json["bench"] = result.each.definition->def->name;
  json["parameters"] = Json::object();
  for (auto &[name, value] : result.each.parameters)
    json["parameters"][name] = sema::toText(value, true);
  json["bytes"] = result.bytes ? Json(*result.bytes) : Json();
  json["flops"] = result.flops ? Json(*result.flops) : Json();
  json["device"] = source.how;
  json["measured"] = Json::array();
  for (auto &launch : result.measured)
    json["measured"].push_back(
        {{"launch", launch.title}, {"microseconds", launch.times.median()}, {"samples", launch.times.samples}});
  return json;
}

/// `hot`: with the hottest loop of each launch.
void printText(const Result &result, bool hot) {
  auto &os = llvm::outs();
  auto &c = result.total;
  os << result.each.title << '\n';
  printTimes(os, result);
  os << llvm::format("  %llu wave instructions in ", (unsigned long long)c.executions)
     << counted(result.launches.size(), "launch", "launches") << sampleText(result.executed, result.workgroups)
     << llvm::format(", %.1f %% matrix; global memory: ", 100 * share(double(result.matrix), double(c.executions)))
     << bytesText(double(c.globalReadBytes + c.scalarReadBytes)) << " read, " << bytesText(double(c.globalWrittenBytes))
     << " written\n";
  if (result.bytes)
    os << "  bytes: " << bytesText(*result.bytes)
       << llvm::format(", moved %.3g times; %.4g per instruction\n", share(result.moved, *result.bytes),
                       share(*result.bytes, result.instructions));
  if (result.flops)
    os << llvm::format("  flops: %.6g, %.1f %% of them in matrix instructions; %.4g per instruction\n", *result.flops,
                       100 * share(result.matrixFlops, *result.flops), share(*result.flops, result.instructions));
  const std::array<uint32_t, 3> one{1, 1, 1};
  for (auto &launch : result.launches) {
    auto &p = launch.profile;
    auto t = p.total();
    const std::string links = launch.links ? emulator::linksText(*launch.links) : "";
    for (llvm::StringRef line : llvm::split(llvm::StringRef(links).rtrim(), '\n'))
      if (!line.empty())
        os << "  " << line << '\n';
    auto &r = launch.kernel->resources;
    os << "  " << nameOf(launch) << (launch.together ? " (device " + std::to_string(launch.device) + ")" : "")
       << ": grid " << sizeText(p.grid) << ", block " << sizeText(p.block)
       << (launch.kernel->cluster == one ? "" : ", cluster " + sizeText(launch.kernel->cluster))
       << llvm::format(", %llu waves, %llu instructions", (unsigned long long)p.waves, (unsigned long long)t.executions)
       << (launch.timing ? sampleText(p.workgroups, launch.timing->workgroups) : "") << " (";
    bool first = true;
    for (auto &[unit, count] : mixOf(p))
      if (count) {
        os << (first ? "" : ", ") << unit << llvm::format(" %.1f %%", 100 * share(double(count), double(t.executions)));
        first = false;
      }
    os << ")\n    " << bytesText(double(t.globalReadBytes + t.scalarReadBytes)) << " read, "
       << bytesText(double(t.globalWrittenBytes)) << " written; LDS " << bytesText(double(t.ldsReadBytes)) << " read, "
       << bytesText(double(t.ldsWrittenBytes)) << " written; " << r.vgprs << " VGPR, " << r.agprs << " AGPR, "
       << r.sgprs << " SGPR, " << r.ldsBytes << " B LDS, " << r.scratchBytes << " B scratch, occupancy " << r.occupancy
       << '\n';
    if (!launch.timing)
      continue;
    if (result.launches.size() > 1)
      os << llvm::format("    %llu cycles (", (unsigned long long)launch.timing->cycles)
         << emulator::uncertaintyText(*launch.timing) << "), bound by " << launch.timing->bound << '\n';
    // Its rates are those of the bench, above.
    const std::string text = emulator::timingText(*launch.timing, 0);
    for (llvm::StringRef line : llvm::drop_begin(llvm::split(llvm::StringRef(text).rtrim(), '\n')))
      if (!line.starts_with("  at "))
        os << "  " << line << '\n';
    const std::string loop = hot ? emulator::hotLoopText(*launch.timing) : "";
    for (llvm::StringRef line : llvm::split(llvm::StringRef(loop).rtrim(), '\n'))
      if (!line.empty())
        os << "    " << line << '\n';
  }
}

Json countsOf(const ProfileCounts &counts) {
  Json json;
  for (auto &[name, member] : emulator::profileCountNames())
    json[name] = counts.*member;
  return json;
}

/// Each instruction of a launch, in the order of their addresses.
Json listingOf(const Profile &profile) {
  Json listing = Json::array();
  for (auto &instruction : profile.instructions)
    listing.push_back({{"address", instruction.address},
                       {"text", instruction.text},
                       {"unit", instruction.unit},
                       {"executions", instruction.counts.executions}});
  return listing;
}

Json toJson(const Result &result, bool listing) {
  Json json;
  json["arch"] = result.arch;
  json["bench"] = result.each.definition->def->name;
  json["parameters"] = Json::object();
  for (auto &[name, value] : result.each.parameters)
    json["parameters"][name] = sema::toText(value, true);
  json["bytes"] = result.bytes ? Json(*result.bytes) : Json();
  json["flops"] = result.flops ? Json(*result.flops) : Json();
  json["executed_workgroups"] = result.executed;
  json["workgroups"] = result.workgroups;
  json["total"] = countsOf(result.total);
  json["derived"] = {{"matrix_instruction_share", share(double(result.matrix), double(result.total.executions))},
                     {"moved_bytes", uint64_t(result.moved)}};
  if (result.bytes)
    json["derived"]["bytes_per_instruction"] = share(*result.bytes, result.instructions);
  if (result.flops)
    json["derived"]["flops_per_instruction"] = share(*result.flops, result.instructions);
  json["launches"] = Json::array();
  for (auto &launch : result.launches) {
    auto &p = launch.profile;
    auto &r = launch.kernel->resources;
    Json one;
    one["kernel"] = launch.kernel->kernel;
    one["constants"] = Json::object();
    for (auto &[name, value] : launch.kernel->constants)
      one["constants"][name] = value;
    one["grid"] = p.grid;
    one["block"] = p.block;
    one["cluster"] = launch.kernel->cluster;
    one["waves"] = p.waves;
    one["executed_workgroups"] = p.workgroups;
    one["workgroups"] = launch.timing ? launch.timing->workgroups : p.workgroups;
    one["total"] = countsOf(p.total());
    one["mix"] = Json::object();
    for (auto &[unit, count] : mixOf(p))
      one["mix"][unit] = count;
    one["resources"] = {{"vgprs", r.vgprs},
                        {"agprs", r.agprs},
                        {"sgprs", r.sgprs},
                        {"lds_bytes", r.ldsBytes},
                        {"scratch_bytes", r.scratchBytes},
                        {"code_bytes", r.codeBytes},
                        {"occupancy", r.occupancy}};
    if (launch.together) {
      one["device"] = launch.device;
      one["moved"] = Json::array();
      for (size_t owner = 0; owner < p.moved.size(); ++owner)
        one["moved"].push_back(
            {{"device", owner}, {"read_bytes", p.moved[owner].read}, {"written_bytes", p.moved[owner].written}});
    }
    if (launch.links)
      one["links"] = Json::parse(emulator::linksJson(*launch.links));
    if (launch.timing) {
      one["timing"] = Json::parse(emulator::timingJson(*launch.timing));
      if (!listing)
        one["timing"].erase("instructions");
    }
    if (listing)
      one["listing"] = listingOf(p);
    json["launches"].push_back(std::move(one));
  }
  return json;
}

/// Lines of the sources that were read, by their names in line tables.
timing::SourceLookup sourceLookup(const Session &session) {
  std::map<std::string, FileId> files;
  for (FileId file = 1; file <= session.sources.fileCount(); ++file)
    files.emplace(session.locationName(file), file);
  return [&session, files](const std::string &name, unsigned line) -> std::string {
    auto found = files.find(name);
    return found == files.end() || line == 0 || line > session.sources.lineCount(found->second)
               ? ""
               : session.sources.line(found->second, line).trim().str();
  };
}

} // namespace

std::vector<std::string> BenchCommand::partArguments(const SuitePart &part) const {
  std::vector<std::string> out = argumentsLike(*this, [&](BenchCommand &child) {
    child.archs = {part.arch};
    becomePart(child.suite, part);
  });
  out.insert(out.begin(), name);
  return out;
}

int BenchCommand::run() {
  const BenchCommand &given = *this;
  BenchCommand command = given;
  command.archs = expandedArchs(given.archs);
  const llvm::StringRef page = command.timePage;
  if (!page.empty() && !page.ends_with(".html") && !page.ends_with(".svg"))
    return badCommandLine(options, "`--time-page " + command.timePage + "`",
                          "a page is a file `.html`, a picture of the waves a file `.svg`");
  if (isSuite(command.suite, /*json=*/false)) {
    if (!page.empty())
      return badCommandLine(options, "`--time-page` takes one file and one architecture; there are several",
                            "`--filter` chooses benches");
    if (command.json)
      return badCommandLine(options, "`--json` takes one file; for figures of several, use `flyc bench FILE --json`",
                            "`--junit FILE` has what failed in which file");
    return runSuite(
        options, command.suite, "bench", command.archs, [&](const SuitePart &part) { return partArguments(part); },
        /*json=*/false, command.quiet);
  }
  command.path = command.suite.paths.front();
  std::vector<CaseResult> results;
  Session session(options);
  auto targets = targetsOf(session, command.archs);
  auto timing = timingOptionsOf(session, command.time);
  if (!targets || !timing || !session.open(command.path)) {
    session.finish();
    return targets && timing ? 1 : 2;
  }
  if (!page.empty())
    timing->timelineCycles = UINT32_MAX;
  std::optional<emulator::Timing> longest;
  unsigned done = 0, failed = 0;
  bool isModelled = false;
  std::set<std::pair<const target::Target *, const sema::CheckDefinition *>> skipped; ///< said once per bench
  Json document{
      {"schema_version", 1}, {"module", session.moduleName}, {"benches", Json::array()}, {"findings", Json::array()}};
  // Standard error is for people, unless a log of diagnostics is to be there alone.
  auto tell = [&](const std::string &title, const std::string &text, const char *level) {
    document["findings"].push_back(
        {{"title", title}, {"level", level}, {"text", llvm::StringRef(text).rtrim('\n').str()}});
    if (options.errorFormat == "text")
      llvm::errs() << title << ": " << text;
    else if (!command.json)
      llvm::outs() << title << ": " << text;
  };
  for (auto *target : *targets) {
    ArchCompilation compilation(session, *target);
    if (!compilation.run()) {
      session.finish();
      return statusOf(session.diags);
    }
    auto source = figureSourceOf(session, *target, command.device.device);
    if (!source) {
      session.finish();
      return 1;
    }
    CheckRunner runner(compilation, {{{emulator::WaveOrder::Ascending, 0, "ascending"}}, command.emulator});
    if (!command.counts)
      runner.timing = timing;
    runner.gpu = source->gpu.get();
    runner.repetitions = {command.device.warmUp, command.device.repeat};
    isModelled |= !source->gpu;
    for (auto &definition : compilation.main->checks) {
      if (!definition.isBench || (!command.only.empty() && definition.def->name != command.only))
        continue;
      std::string elsewhere;
      auto cases = casesOf(compilation, definition, elsewhere);
      failed += !cases;
      for (auto &each : cases ? *cases : std::vector<Case>{}) {
        if (!matches(command.filter, each.title))
          continue;
        ++done;
        if (command.suite.list) {
          llvm::outs() << session.mainPath << "  " << each.title << '\n';
          continue;
        }
        const auto start = std::chrono::steady_clock::now();
        auto keep = [&](bool good) {
          const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
          std::string detail = runner.failures.empty() ? "" : runner.failures.front();
          for (auto &diagnostic : session.diags.all())
            if (diagnostic.severity == Severity::Error && detail.empty())
              detail = std::string(info(diagnostic.kind).code) + ": " + diagnostic.message;
          results.push_back({llvm::StringRef(each.title).split("  ").second.str(), good ? "passed" : "failed",
                             good ? "" : detail, ms.count()});
        };
        Result result{std::string(target->name), each, {}, {}, {}, {}, {}};
        runner.counts = runner.gpu ? nullptr : &result.launches;
        runner.measured = &result.measured;
        bool ok = runCase(compilation, runner, each);
        runner.counts = nullptr;
        if (!runner.elsewhere.empty()) {
          --done;
          if (!command.json && skipped.insert({target, &definition}).second)
            llvm::outs() << "skip  " << target->name << "  " << definition.def->name << ": " << runner.elsewhere
                         << '\n';
          continue;
        }
        if (definition.bytes)
          ok &= (result.bytes = numberOf(compilation, each, *definition.bytes, "bytes")).has_value();
        if (definition.flops)
          ok &= (result.flops = numberOf(compilation, each, *definition.flops, "flops")).has_value();
        for (auto &failure : runner.failures)
          tell(each.title, failure + "\n", "error");
        for (auto &finding : runner.takeFindings())
          tell(each.title, finding.text, finding.isNote ? "note" : "warning");
        session.tell();
        if (!ok) {
          ++failed;
          keep(false);
          continue;
        }
        for (auto &launch : result.launches)
          if (launch.timing && !keepModelledPromises(session.diags, *launch.promises, *launch.kernel, *launch.timing))
            ok = false;
        session.tell();
        failed += !ok;
        keep(ok);
        result.sumUp();
        if (command.json)
          document["benches"].push_back(source->gpu ? measuredJson(result, *source) : toJson(result, command.listing));
        else if (source->gpu)
          printMeasured(result, *source);
        else
          printText(result, command.hot);
        llvm::outs().flush();
        for (auto &launch : result.launches)
          if (!page.empty() && launch.timing && (!longest || launch.timing->cycles > longest->cycles))
            longest = std::move(launch.timing);
      }
    }
  }
  if (done + failed == 0) {
    session.diags.report(diag::no_checks, {})
        .arg(session.mainPath)
        .arg(!command.only.empty()    ? " or `@bench` named `" + command.only + "`"
             : command.filter.empty() ? " and no `@bench`"
                                      : " or `@bench` that `--filter " + command.filter + "` selects");
    session.finish();
    return 2;
  }
  if (longest)
    if (auto problem = artifact::writeAtomically(
            {{command.timePage, page.ends_with(".svg") ? timing::timelineSvg(*longest)
                                                       : timing::timingPage(*longest, sourceLookup(session))}});
        !problem.empty()) {
      auto [path, why] = llvm::StringRef(problem).split(": ");
      session.diags.report(diag::cannot_write, {}).arg(path).arg(why);
      session.finish();
      return 1;
    }
  if (!command.suite.results.empty())
    return writeResults(session, command.suite.results, results) && !failed && session.finish() ? 0 : 1;
  if (command.suite.list)
    return session.finish() && !failed ? 0 : 1;
  if (command.json)
    llvm::outs() << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  else if (!command.quiet && isModelled)
    llvm::outs() << (command.counts ? "counted on the emulator\n"
                                    : "counted on the emulator; times are modelled (docs/time-model.md)\n");
  session.finish();
  return failed ? 1 : 0;
}

std::unique_ptr<Command> benchCommand() { return std::make_unique<BenchCommand>(); }

} // namespace fly::driver
