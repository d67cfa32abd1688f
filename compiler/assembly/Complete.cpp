// Inserts what the verifier finds missing: waits first, then the distances, which waits help to keep. What is inserted
// stands directly before the instruction that needs it, behind the labels that are placed there.
#include "compiler/assembly/Program.h"
#include "compiler/isa/HazardPaths.h"
#include "compiler/verify/Needs.h"

#include <algorithm>

namespace fly::assembly {

using isa::Counter;

namespace {

/// Texts of instructions to insert, by the item before which they go.
using Insertions = std::map<uint32_t, std::vector<std::string>>;

void insert(Program &program, const Insertions &insertions) {
  if (insertions.empty())
    return;
  std::vector<Item> items;
  items.reserve(program.items.size() + insertions.size());
  for (uint32_t k = 0; k < program.items.size(); ++k) {
    if (auto found = insertions.find(k); found != insertions.end())
      for (const std::string &text : found->second) {
        Item item;
        auto code = program.assembler->assemble(llvm::StringRef(text));
        if (!code)
          continue;
        auto decoded = program.assembler->decode(*code);
        if (!decoded) {
          llvm::consumeError(decoded.takeError());
          continue;
        }
        auto shape = std::make_shared<Shape>();
        shape->code = item.code = *code;
        shape->decoded = item.decoded = *decoded;
        item.shape = std::move(shape);
        item.inserted = true;
        item.statement.place = program.items[k].statement.place;
        items.push_back(std::move(item));
      }
    items.push_back(std::move(program.items[k]));
  }
  program.items = std::move(items);
}

/// One instruction on gfx9; on gfx12 one a counter, or one for the two of loads and LDS.
std::vector<std::string> textsOf(const isa::Waits &waits, target::Generation generation) {
  auto count = [&](Counter c) { return waits[c]; };
  auto has = [&](Counter c) { return waits[c] != isa::Waits::none; };
  std::vector<std::string> texts;
  if (generation != target::Generation::Gfx12) {
    std::string text = "s_waitcnt";
    for (auto [counter, name] : {std::pair{Counter::Vm, "vmcnt"}, {Counter::Exp, "expcnt"}, {Counter::Lgkm, "lgkmcnt"}})
      if (has(counter))
        text += std::string(" ") + name + "(" + std::to_string(count(counter)) + ")";
    texts.push_back(text);
    return texts;
  }
  struct Row {
    Counter counter;
    const char *name;
  };
  constexpr Row rows[] = {{Counter::Load, "s_wait_loadcnt"},     {Counter::Store, "s_wait_storecnt"},
                          {Counter::Ds, "s_wait_dscnt"},         {Counter::Km, "s_wait_kmcnt"},
                          {Counter::Exp, "s_wait_expcnt"},       {Counter::Sample, "s_wait_samplecnt"},
                          {Counter::Bvh, "s_wait_bvhcnt"},       {Counter::Async, "s_wait_asynccnt"},
                          {Counter::Tensor, "s_wait_tensorcnt"}, {Counter::X, "s_wait_xcnt"}};
  const bool both = has(Counter::Load) && has(Counter::Ds);
  if (both)
    texts.push_back("s_wait_loadcnt_dscnt " + std::to_string(count(Counter::Load) << 8 | count(Counter::Ds)));
  for (const Row &row : rows)
    if (has(row.counter) && !(both && (row.counter == Counter::Load || row.counter == Counter::Ds)))
      texts.push_back(std::string(row.name) + " " + std::to_string(count(row.counter)));
  return texts;
}

/// Distances that are missing, by item; true if there are any.
bool distances(Program &program) {
  std::vector<isa::Instruction> code;
  std::vector<uint32_t> itemOf;
  if (placeCode(program, code, itemOf, /*final=*/true))
    return false;
  const isa::ControlFlow flow(code);
  std::map<uint32_t, unsigned> nops, vectors;
  Insertions insertions;
  auto unchecked = [&](uint32_t i) { return program.items[itemOf[i]].statement.unchecked; };
  for (const isa::WaitStatePair &pair : isa::findWaitStates(code, flow, program.target))
    if (!unchecked(pair.instruction))
      nops[itemOf[pair.instruction]] = std::max(nops[itemOf[pair.instruction]], pair.finding.missing());
  for (const isa::Hazard &hazard : isa::findHazards(code, flow, program.target))
    if (!hazard.broken && !unchecked(hazard.instruction)) {
      auto &list = hazard.finding.rule->countsAll ? nops : vectors;
      list[itemOf[hazard.instruction]] = std::max<unsigned>(list[itemOf[hazard.instruction]], hazard.finding.missing());
    }
  for (const isa::SgprPair &pair : isa::findSgprHazards(code, flow, program.target))
    if (!unchecked(pair.instruction)) {
      auto &list = insertions[itemOf[pair.instruction]];
      const std::string text = std::string("s_wait_alu ") + (!pair.finding.byValu       ? "depctr_sa_sdst(0)"
                                                             : pair.finding.sgpr == 106 ? "depctr_va_vcc(0)"
                                                                                        : "depctr_va_sdst(0)");
      if (std::find(list.begin(), list.end(), text) == list.end())
        list.push_back(text);
    }
  for (auto [item, states] : nops)
    for (unsigned left = states; left;) {
      const unsigned now = std::min(left, 8u); // s_nop 7 on all targets
      insertions[item].push_back("s_nop " + std::to_string(now - 1));
      left -= now;
    }
  for (auto [item, count] : vectors)
    for (unsigned k = 0; k < count; ++k)
      insertions[item].push_back("v_nop");
  insert(program, insertions);
  return !insertions.empty();
}

} // namespace

void complete(Program &program) {
  std::vector<isa::Instruction> code;
  std::vector<uint32_t> itemOf;
  if (placeCode(program, code, itemOf, /*final=*/true))
    return;
  Insertions insertions;
  {
    const isa::ControlFlow flow(code);
    const auto waits = verify::findNeededWaits(
        code, flow, program.target, [&](uint32_t i) { return !program.items[itemOf[i]].statement.unchecked; });
    for (uint32_t i = 0; i < waits.size(); ++i)
      if (waits[i].any())
        insertions[itemOf[i]] = textsOf(waits[i], program.target.generation);
  }
  insert(program, insertions);
  constexpr unsigned rounds = 8; // an insertion moves others' distances only apart
  for (unsigned round = 0; round < rounds && distances(program); ++round) {
  }
}

} // namespace fly::assembly
