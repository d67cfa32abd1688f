// From the analyses to JSON. Keys in a fixed order; places are {"file", "line"}, with file names as in the line table,
// so the same object gives the same bytes.
#include "compiler/report/Report.h"

#include "compiler/isa/InstructionClasses.h"
#include "compiler/report/Callees.h"
#include "compiler/report/HotLoop.h"
#include "compiler/report/Liveness.h"
#include "compiler/report/Names.h"
#include "compiler/report/Remarks.h"
#include "compiler/report/ReportParts.h"
#include "compiler/report/Resources.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <set>

namespace fly::report {

namespace {

constexpr int schemaVersion = 1;

Json readableName(const std::string &symbol) {
  std::string name = demangled(symbol);
  return name.empty() ? Json() : Json(name);
}

/// Everything about one piece of code, until it is JSON.
struct Writer {
  const isa::CodeObject &object;
  const Code &code;
  const ReportOptions &options;
  std::vector<Loop> loops;
  Liveness live;
  WaitCoverage coverage;
  std::vector<isa::Hazard> hazards;

  Writer(const isa::CodeObject &object, const Code &code, const ReportOptions &options)
      : object(object), code(code), options(options), loops(findLoops(code)), live(code),
        coverage(code, *target::findReadable(object.architecture())),
        hazards(isa::findHazards(code.instructions, code.flow, *target::findReadable(object.architecture()))) {}

  Json place(const isa::SourceLocation &at) const { return placeOf(object, at); }

  unsigned waveSize() const {
    if (code.kernel)
      return code.kernel->waveSize;
    return object.kernels().empty() ? target::findReadable(object.architecture())->waveSize
                                    : object.kernels().front().waveSize;
  }

  Json counts(const Counts &counts) const {
    Json out;
    out["bytes"] = counts.bytes;
    Json &classes = out["classes"] = Json::object();
    auto names = isa::instructionClasses();
    for (size_t c = 0; c < names.size(); ++c)
      classes[names[c].name] = counts.classes[c];
    out["dual"] = counts.dual;
    out["nop_states"] = counts.nopStates;
    Json &accesses = out["accesses"] = Json::object();
    for (const char *unit : {"lds", "vmem", "smem"}) {
      Json &of = accesses[unit] = Json::object();
      auto found = counts.accesses.find(unit);
      if (found == counts.accesses.end())
        continue;
      for (auto &[direction, widths] : found->second)
        for (auto &[width, number] : widths)
          of[direction][width.name] = number;
    }
    Json &waits = out["waits"] = Json::object();
    for (auto &[counter, values] : counts.waits)
      for (auto &[value, number] : values)
        waits[std::string(isa::name(counter))][std::to_string(value)] = number;
    out["moves"] = Json::object();
    for (auto &[move, number] : counts.moves)
      out["moves"][move] = number;
    out["mnemonics"] = Json::object();
    for (auto &[mnemonic, number] : counts.mnemonics)
      out["mnemonics"][mnemonic] = number;
    out["matrix"] = matrixList(counts);
    out["work"] = workJson(counts, waveSize());
    return out;
  }

  /// [{"file", "first", "last"}]: runs of lines that instructions come from; line 0 of a file is none.
  Json lines(llvm::ArrayRef<uint32_t> instructions) const {
    std::map<std::string, std::set<uint32_t>> found;
    for (uint32_t i : instructions)
      if (auto &at = code.instructions[i].location; at.valid() && at.file < object.files().size())
        found[object.files()[at.file]].insert(at.line);
    Json out = Json::array();
    for (auto &[file, numbers] : found)
      for (auto it = numbers.begin(); it != numbers.end();) {
        uint32_t first = *it, last = first;
        while (++it != numbers.end() && *it == last + 1)
          last = *it;
        out.push_back({{"file", file}, {"first", first}, {"last", last}});
      }
    return out;
  }

  Json loopList() const {
    Json out = Json::array();
    const int hot = hotLoop(code, loops);
    auto addressOf = [&](uint32_t block) { return code.instructions[code.flow.blocks()[block].first].address; };
    for (const Loop &loop : loops) {
      Json one;
      one["kind"] = loop.irreducible ? "irreducible" : "natural";
      one["parent"] = loop.parent < 0 ? Json() : Json(loop.parent);
      one["depth"] = loop.depth;
      one["hot"] = int(&loop - loops.data()) == hot;
      one["address"] = addressOf(loop.entries.front());
      one["entries"] = Json::array();
      for (uint32_t entry : loop.entries)
        one["entries"].push_back(addressOf(entry));
      one["blocks"] = loop.blocks.size();
      one["source"] = place(loop.location);
      auto all = code.of(loop.blocks);
      one["lines"] = lines(all);
      LiveCount most;
      for (uint32_t i : all) {
        most.vgprs = std::max(most.vgprs, live.before(i).vgprs);
        most.agprs = std::max(most.agprs, live.before(i).agprs);
        most.sgprs = std::max(most.sgprs, live.before(i).sgprs);
      }
      one["live"] = {{"vgprs", most.vgprs}, {"agprs", most.agprs}, {"sgprs", most.sgprs}};
      one["own_instructions"] = code.of(inLine(loop, loop.ownBlocks)).size();
      one["cold_instructions"] = code.of(loop.coldBlocks).size();
      one["counts"] = counts(count(code, code.of(inLine(loop, loop.blocks))));
      out.push_back(std::move(one));
    }
    return out;
  }

  Json liveness() const {
    Json out;
    auto peak = live.peak();
    auto file = [&](const char *name, uint16_t most, uint32_t at) {
      out[name] = {{"most", most},
                   {"address", code.instructions[at].address},
                   {"source", place(code.instructions[at].location)}};
    };
    file("vgprs", peak.most.vgprs, peak.vgprsAt);
    file("agprs", peak.most.agprs, peak.agprsAt);
    file("sgprs", peak.most.sgprs, peak.sgprsAt);
    return out;
  }

  /// [{"name", "demangled", "calls"}]; name null: unknown, or no function of this object.
  Json callees() const {
    std::map<std::string, uint32_t> byName; // "" is unknown
    for (auto &[address, number] : calleesOf(code)) {
      auto symbol = llvm::find_if(object.symbols(), [address = address](const isa::Symbol &s) {
        return s.address == address && s.defined && s.size && address;
      });
      byName[symbol == object.symbols().end() ? "" : symbol->name] += number;
    }
    Json out = Json::array();
    for (auto &[name, number] : byName)
      out.push_back(
          {{"name", name.empty() ? Json() : Json(name)}, {"demangled", readableName(name)}, {"calls", number}});
    return out;
  }

  /// What waits cover, from the side of the wait or of the operation.
  Json relations(llvm::ArrayRef<Covered> list) const {
    Json out = Json::array();
    for (const Covered &c : list)
      out.push_back({{"address", code.instructions[c.operation].address},
                     {"counter", isa::name(c.counter)},
                     {"passes_ago", c.passesAgo}});
    return out;
  }

  Json listing() const {
    Json out = Json::array();
    std::vector<int> innermost(code.flow.blocks().size(), -1);
    for (size_t i = 0; i < loops.size(); ++i)
      for (uint32_t block : loops[i].ownBlocks)
        innermost[block] = int(i);
    for (uint32_t i = 0; i < code.instructions.size(); ++i) {
      const isa::Instruction &instruction = code.instructions[i];
      Json one;
      one["address"] = instruction.address;
      one["text"] = code.texts[i];
      one["source"] = place(instruction.location);
      const uint32_t block = code.flow.blockOf(i);
      one["block"] = block;
      one["loop"] = innermost[block] < 0 ? Json() : Json(innermost[block]);
      one["target"] = nullptr;
      if (auto target = instruction.target())
        one["target"] = *target;
      LiveCount now = live.before(i);
      one["live"] = {{"vgprs", now.vgprs}, {"agprs", now.agprs}, {"sgprs", now.sgprs}};
      if (WaitCoverage::waitsFor(instruction) || !coverage.by(i).empty())
        one["covers"] = relations(coverage.by(i));
      if (WaitCoverage::isFollowed(instruction))
        one["covered_by"] = relations(coverage.of(i));
      out.push_back(std::move(one));
    }
    return out;
  }

  /// What kernels and functions have in common.
  void describe(Json &out) const {
    isa::SourceLocation first;
    for (const isa::Instruction &i : code.instructions)
      if (!first.valid())
        first = i.location;
    out["address"] = code.address;
    out["code_bytes"] = code.size;
    out["source"] = place(first);
    out["calls"] = code.calls;
    out["callees"] = callees();
    out["indirect_jumps"] = code.indirectJumps;
    out["live"] = liveness();
    out["counts"] = counts(count(code, code.whole()));
    uint32_t idle = 0;
    for (uint32_t i = 0; i < code.instructions.size(); ++i)
      idle += WaitCoverage::waitsFor(code.instructions[i]) && code.flow.reachable(code.flow.blockOf(i)) &&
              coverage.by(i).empty();
    out["waits_without_effect"] = idle;
    out["missing_waits"] = coverage.missing().size();
    out["hazards"] = hazards.size();
    out["findings"] = findingsJson(object, code, coverage, hazards);
    out["loops"] = loopList();
    if (options.listing)
      out["listing"] = listing();
  }
};

Json resources(const Resources &r) {
  return {{"from", r.fromMetadata ? "metadata" : "descriptor"},
          {"vgprs", r.vgprs},
          {"agprs", r.agprs},
          {"vector_registers", r.vectorRegisters},
          {"sgprs", r.sgprs},
          {"lds_bytes", r.ldsBytes},
          {"scratch_bytes", r.scratchBytes},
          {"vgpr_spills", r.vgprSpills},
          {"sgpr_spills", r.sgprSpills},
          {"kernarg_bytes", r.kernargBytes},
          {"max_workgroup_size", r.maxWorkgroupSize},
          {"wave_size", r.waveSize},
          {"dynamic_stack", r.dynamicStack}};
}

Json occupancy(const OccupancyReport &report) {
  const isa::Occupancy &o = report.occupancy;
  Json out = {{"waves", o.waves},
              {"by_vector_registers", o.byVgprs},
              {"by_sgprs", o.bySgprs},
              {"by_lds", o.byLds},
              {"wave_slots", o.byWaveSlots},
              {"vector_registers_allocated", o.vgprsAllocated},
              {"vector_registers_of_simd", o.vgprsOfSimd},
              {"limited_by", report.limitedBy},
              {"next", nullptr}};
  if (!report.nextWaves)
    return out;
  Json needs = Json::array();
  for (const Need &need : report.needs)
    needs.push_back(
        {{"resource", need.resource}, {"now", need.now}, {"at_most", need.atMost}, {"free", need.now - need.atMost}});
  out["next"] = {{"waves", report.nextWaves}, {"needs", needs}};
  return out;
}

} // namespace

llvm::Expected<Json> reportOf(const isa::CodeObject &object, const std::string &file, const ReportOptions &options) {
  auto codes = readCode(object, options.kernel);
  if (!codes)
    return codes.takeError();
  Json out;
  out["file"] = file;
  out["arch"] = object.architecture();
  out["line_table"] = !object.files().empty();
  out["kernels"] = Json::array();
  out["functions"] = Json::array();
  for (const Code &code : *codes) {
    Json one;
    one["name"] = code.name;
    one["demangled"] = readableName(code.name);
    // Another name for the same code with the same resources is not a separate kernel.
    if (code.kernel) {
      one["aliases"] = Json::array();
      Resources r = resourcesOf(object, *code.kernel);
      r.sgprSpills = std::max(r.sgprSpills, isa::laneSpills(code.instructions).registers);
      one["resources"] = resources(r);
      bool known = false;
      for (Json &other : out["kernels"])
        if (options.kernel.empty() && other["address"] == code.address && other["resources"] == one["resources"]) {
          other["aliases"].push_back(code.name);
          known = true;
        }
      if (known)
        continue;
      one["occupancy"] = occupancy(explainOccupancy(object.architecture(), r));
      one["use"] = useJson(object, code);
      one["arguments"] = argumentsJson(*code.kernel);
      one["argument_reads"] = argumentReadsJson(code);
      one["remarks"] = remarksOf(object, code);
    }
    Writer(object, code, options).describe(one);
    out[code.kernel ? "kernels" : "functions"].push_back(std::move(one));
  }
  return out;
}

Json wrap(std::vector<Json> objects) {
  Json out;
  out["schema_version"] = schemaVersion;
  out["objects"] = Json::array();
  for (Json &object : objects)
    out["objects"].push_back(std::move(object));
  return out;
}

llvm::Expected<Json> readReport(llvm::StringRef text) {
  auto fail = [](const char *why) { return llvm::createStringError(llvm::inconvertibleErrorCode(), why); };
  Json report = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (report.is_discarded())
    return fail("it is not JSON");
  if (!report.is_object() || !report.contains("objects") || !report["objects"].is_array())
    return fail("it is not a report; `flyc report --json` writes one");
  if (!report.contains("schema_version") || report["schema_version"] != schemaVersion)
    return fail("this flyc does not support the version of the report");
  for (const Json &object : report["objects"]) {
    if (!object.is_object() || !object.contains("arch") || !object.contains("kernels") || !object["kernels"].is_array())
      return fail("one of its objects has no kernels");
    for (const Json &kernel : object["kernels"])
      for (const char *key : {"name", "resources", "occupancy", "counts", "loops", "live", "code_bytes"})
        if (!kernel.is_object() || !kernel.contains(key))
          return fail("one of its kernels lacks some keys");
  }
  return report;
}

} // namespace fly::report
