// See ReportParts.h. Keys in a fixed order.
#include "compiler/report/ReportParts.h"

#include "compiler/isa/InstructionClasses.h"
#include "compiler/report/Arguments.h"
#include "compiler/report/RegisterUse.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace fly::report {

Json placeOf(const isa::CodeObject &object, const isa::SourceLocation &at) {
  if (!at.valid() || at.file >= object.files().size())
    return nullptr;
  return {{"file", object.files()[at.file]}, {"line", at.line}};
}

Json matrixList(const Counts &counts) {
  std::vector<std::pair<const MatrixInstruction *, uint32_t>> list;
  for (auto &[instruction, number] : counts.matrix)
    list.push_back({&instruction, number});
  llvm::stable_sort(list, [](auto &a, auto &b) { return a.first->flop() * a.second > b.first->flop() * b.second; });
  Json out = Json::array();
  for (auto &[i, number] : list)
    out.push_back({{"name", i->mnemonic},
                   {"count", number},
                   {"m", i->m},
                   {"n", i->n},
                   {"k", i->k},
                   {"blocks", i->blocks},
                   {"a", i->a},
                   {"b", i->b},
                   {"sparse", i->sparse},
                   {"flop", i->flop()}});
  return out;
}

namespace {

/// With two decimals; null if there is nothing to divide by.
Json ratio(uint64_t of, uint64_t by) {
  if (!by)
    return nullptr;
  return std::round(double(of) / double(by) * 100) / 100;
}

} // namespace

Json workJson(const Counts &counts, unsigned waveSize) {
  const Work work = workOf(counts, waveSize);
  auto bytes = [](const Work::Bytes &b) {
    return Json{{"read", b.read}, {"written", b.written}, {"atomic", b.atomic}};
  };
  auto sum = [](const Work::Bytes &b) { return b.read + b.written + b.atomic; };
  uint32_t matrix = 0, valu = 0;
  auto names = isa::instructionClasses();
  for (size_t c = 0; c < names.size(); ++c) {
    llvm::StringRef name = names[c].name;
    matrix += name == "mfma" || name == "wmma" ? counts.classes[c] : 0;
    valu += name == "valu" ? counts.classes[c] : 0;
  }
  const bool product = work.matrixFlop != 0;
  return {{"matrix_flop", work.matrixFlop},
          {"vmem_bytes", bytes(work.vmem)},
          {"smem_bytes", bytes(work.smem)},
          {"lds_bytes", bytes(work.lds)},
          {"unknown_accesses", work.unknown},
          {"matrix_per_valu", product ? ratio(matrix, valu) : Json()},
          {"flop_per_vmem_byte", product && !work.unknown ? ratio(work.matrixFlop, sum(work.vmem)) : Json()},
          {"flop_per_lds_byte", product && !work.unknown ? ratio(work.matrixFlop, sum(work.lds)) : Json()}};
}

Json useJson(const isa::CodeObject &object, const Code &code) {
  const RegisterUse used = registersUsed(code);
  const RegisterAllocation allocated = registersAllocated(object, *code.kernel);
  const LdsUse lds = ldsUsed(code);
  return {{"vgprs", {{"used", used.vgprs}, {"allocated", allocated.vgprs}}},
          {"agprs", {{"used", used.agprs}, {"allocated", allocated.agprs}}},
          {"sgprs", {{"used", used.sgprs}, {"allocated", allocated.sgprs}}},
          {"at_least", used.atLeast},
          {"lds",
           {{"touched", lds.touched ? Json(*lds.touched) : Json()},
            {"allocated", code.kernel->groupSegmentFixedSize},
            {"accesses", lds.accesses},
            {"constant_addresses", lds.constant},
            {"offsets_reach", lds.highestOffset}}}};
}

Json argumentsJson(const isa::Kernel &kernel) {
  Json out = Json::array();
  for (const isa::KernelArgument &a : kernel.arguments) {
    Json one = {{"kind", a.kind}, {"offset", a.offset}, {"size", a.size}, {"hidden", a.hidden()}};
    for (auto &[key, text] : {std::pair("name", &a.name), std::pair("address_space", &a.addressSpace),
                              std::pair("access", &a.access), std::pair("type", &a.typeName)})
      if (!text->empty())
        one[key] = *text;
    out.push_back(std::move(one));
  }
  return out;
}

Json argumentReadsJson(const Code &code) {
  if (!code.kernel->arguments.empty())
    return nullptr;
  Json out = Json::array();
  for (const ArgumentRead &read : argumentReads(code))
    out.push_back({{"offset", read.offset}, {"bytes", read.bytes}, {"preloaded", read.preloaded}});
  return out.empty() ? Json() : out;
}

/// Effects as in `findings`.
static const char *effectOf(const isa::Hazard &hazard) {
  if (hazard.broken)
    return "is wrong";
  switch (hazard.finding.effect) {
  case isa::HazardFinding::Reads: return "reads";
  case isa::HazardFinding::Overwrites: return "overwrites";
  case isa::HazardFinding::OverwritesSource: return "overwrites source";
  case isa::HazardFinding::Follows: return "follows";
  }
  return "";
}

static Json hazardJson(const isa::CodeObject &object, const Code &code, const isa::Hazard &hazard) {
  const isa::Instruction &at = code.instructions[hazard.instruction];
  Json out = {{"kind", "hazard"},
              {"address", at.address},
              {"source", placeOf(object, at.location)},
              {"text", code.texts[hazard.instruction]},
              {"effect", effectOf(hazard)}};
  if (hazard.broken) {
    out["message"] = hazard.broken;
    out["rule"] = hazard.brokenSource;
    return out;
  }
  const isa::HazardFinding &f = hazard.finding;
  const isa::Instruction &producer = code.instructions[f.producer];
  out["message"] = isa::toString(f);
  out["rule"] = f.rule->source;
  if (f.effect != isa::HazardFinding::Follows)
    out["registers"] = isa::toString(f.registers);
  out["earlier"] = {
      {"address", producer.address}, {"source", placeOf(object, producer.location)}, {"text", code.texts[f.producer]}};
  out["between"] = f.between;
  out["needed"] = f.rule->between;
  out["counted"] = f.rule->countsAll ? "instructions" : "valu";
  return out;
}

Json findingsJson(const isa::CodeObject &object, const Code &code, const WaitCoverage &coverage,
                  llvm::ArrayRef<isa::Hazard> hazards) {
  Json out = Json::array();
  for (const MissingWait &m : coverage.missing().take_front(shownMissing)) {
    const isa::Instruction &at = code.instructions[m.instruction], &operation = code.instructions[m.operation];
    Json path = Json::array();
    for (uint32_t block : m.path)
      path.push_back(code.instructions[code.flow.blocks()[block].first].address);
    out.push_back({{"kind", "missing_wait"},
                   {"address", at.address},
                   {"source", placeOf(object, at.location)},
                   {"text", code.texts[m.instruction]},
                   {"effect", m.reads ? "reads" : "overwrites"},
                   {"registers", isa::toString(m.reg)},
                   {"operation",
                    {{"address", operation.address},
                     {"source", placeOf(object, operation.location)},
                     {"text", code.texts[m.operation]},
                     {"passes_ago", 0}}},
                   {"counter", isa::name(m.counter)},
                   {"at_most", m.atMost},
                   {"path", std::move(path)}});
  }
  for (const isa::Hazard &hazard : hazards.take_front(shownMissing))
    out.push_back(hazardJson(object, code, hazard));
  return out;
}

} // namespace fly::report
