// See Mending.h.
#include "compiler/codegen/check/Mending.h"

#include "compiler/codegen/check/FunctionCode.h"
#include "compiler/dataflow/EarlyUses.h"
#include "compiler/isa/Encoder.h"
#include "compiler/isa/HazardPaths.h"
#include "compiler/isa/WaitTexts.h"

namespace fly::codegen {

namespace {

using isa::Counter;

/// What is missing before an instruction.
struct Missing {
  isa::Waits waits;
  unsigned states = 0, vectorInstructions = 0;
  std::set<std::string> scalarWaits;
};
using Places = std::map<uint32_t, Missing>;

class Reader {
public:
  Reader(llvm::ArrayRef<isa::Instruction> code, const target::Target &target, const std::set<std::string> &rulesOff)
      : code(code), flow(code), target(target), off(rulesOff) {}

  Places find() {
    findWaits();
    for (const isa::WaitStatePair &pair : isa::findWaitStates(code, flow, target))
      if (isWanted(pair.instruction, pair.finding.rule->name))
        widen(places[pair.instruction].states, pair.finding.missing());
    for (const isa::Hazard &hazard : isa::findHazards(code, flow, target))
      if (!hazard.broken && isWanted(hazard.instruction, isa::nameOf(*hazard.finding.rule)))
        widen(hazard.finding.rule->countsAll ? places[hazard.instruction].states
                                             : places[hazard.instruction].vectorInstructions,
              hazard.finding.missing());
    for (const isa::SgprPair &pair : isa::findSgprHazards(code, flow, target))
      if (isWanted(pair.instruction, "sgpr"))
        places[pair.instruction].scalarWaits.insert(isa::waitText(pair.finding));
    return std::move(places);
  }

private:
  llvm::ArrayRef<isa::Instruction> code;
  const isa::ControlFlow flow;
  const target::Target &target;
  const std::set<std::string> &off;
  Places places;

  /// Code that nothing leads to may be data.
  bool isWanted(uint32_t instruction, const char *rule) const {
    return !off.count(rule) && flow.reachable(flow.blockOf(instruction));
  }
  static void widen(unsigned &most, unsigned value) { most = std::max(most, value); }
  void limit(uint32_t instruction, Counter counter, uint8_t count) {
    uint8_t &kept = places[instruction].waits.limit[size_t(counter)];
    kept = std::min(kept, count);
  }

  void findWaits() {
    const dataflow::InFlightFlow operations(code, flow, target, dataflow::Follow::Results);
    const dataflow::EarlyUses uses(operations);
    uses.walk([&](uint32_t i, llvm::ArrayRef<dataflow::EarlyUse> early, const dataflow::InFlight &before) {
      for (const dataflow::EarlyUse &use : early)
        if (use.certain && isWanted(i, use.conflict.reads ? "wait-read" : "wait-overwrite"))
          for (const dataflow::EarlyUse::Wait &wait : use.waits)
            limit(i, wait.counter, wait.count);
      for (const dataflow::Outstanding &operation : before)
        if (operation.counter == Counter::X && isWanted(i, "wait-source") && uses.overwrittenSource(i, operation))
          limit(i, Counter::X, 0);
    });
  }
};

/// Lines of assembly.
std::string linesOf(const Missing &missing, const target::Target &target) {
  std::string text;
  if (missing.waits.any())
    for (const std::string &wait : isa::waitTexts(missing.waits, target.generation))
      text += wait + "\n";
  for (const std::string &wait : missing.scalarWaits)
    text += wait + "\n";
  for (unsigned left = missing.vectorInstructions; left; --left)
    text += "v_nop\n";
  for (const std::string &nop : isa::nopTexts(missing.states, target.generation))
    text += nop + "\n";
  return text;
}

/// What is missing within a clause is inserted before it: nothing else may be in a clause. What the clause itself
/// issues before the instruction does not count yet at that place.
Places beforeClauses(const Places &places, llvm::ArrayRef<isa::Instruction> code) {
  std::vector<uint32_t> starts(code.size()); // by instruction
  for (uint32_t i = 0; i < code.size(); ++i)
    starts[i] = i;
  for (uint32_t i = 0; i < code.size(); ++i)
    if (const isa::Operand *count =
            isa::name(code[i].op).starts_with("S_CLAUSE") ? code[i].find(isa::Role::Simm) : nullptr)
      for (size_t n = 0, length = (count->bits & 63) + 1; n < length && i + 1 + n < code.size(); ++n)
        starts[i + 1 + n] = i;
  Places moved;
  for (const auto &[instruction, missing] : places) {
    const uint32_t start = starts[instruction], issued = start == instruction ? 0 : instruction - start - 1;
    Missing &there = moved[start];
    for (size_t counter = 0; counter < there.waits.limit.size(); ++counter)
      if (const uint8_t limit = missing.waits.limit[counter]; limit != isa::Waits::none)
        there.waits.limit[counter] =
            std::min<uint8_t>(there.waits.limit[counter], limit - std::min<uint32_t>(limit, issued));
    there.states = std::max(there.states, missing.states);
    there.vectorInstructions = std::max(there.vectorInstructions, missing.vectorInstructions);
    there.scalarWaits.insert(missing.scalarWaits.begin(), missing.scalarWaits.end());
  }
  return moved;
}

} // namespace

Insertions findMissing(llvm::StringRef object, const target::Target &target, const std::set<std::string> &rulesOff) {
  Insertions insertions;
  for (const DecodedFunction &function : decodedFunctionsOf(object, target)) {
    const Places places = beforeClauses(Reader(function.code, target, rulesOff).find(), function.code);
    if (places.empty())
      continue;
    auto encoder = isa::Encoder::create(target.name);
    if (!encoder) {
      llvm::consumeError(encoder.takeError());
      return insertions;
    }
    for (auto &[instruction, missing] : places) {
      auto encodings = (*encoder)->assemble(linesOf(missing, target));
      if (!encodings) {
        llvm::consumeError(encodings.takeError());
        continue;
      }
      std::string bytes;
      for (const isa::Encoding &encoding : *encodings)
        bytes.append(encoding.begin(), encoding.end());
      if (!bytes.empty())
        insertions[function.name][instruction] = bytes;
    }
  }
  return insertions;
}

} // namespace fly::codegen
