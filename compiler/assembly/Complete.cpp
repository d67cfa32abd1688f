// Inserts what the verifier finds missing: waits first, then the distances, which waits help to keep. What is inserted
// stands directly before the instruction that needs it, after the labels that are placed there. On a straight line
// that is the fewest: a distance that is kept as late as possible is kept for most of those that come later.
#include "compiler/assembly/Program.h"
#include "compiler/dataflow/NeededWaits.h"
#include "compiler/isa/HazardPaths.h"
#include "compiler/isa/WaitTexts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace fly::assembly {

namespace {

/// Texts of instructions to insert, by the item before which they go.
using Insertions = std::map<uint32_t, std::vector<std::string>>;

/// True if there was anything to insert.
bool insert(Program &program, const Insertions &insertions) {
  if (insertions.empty())
    return false;
  bool any = false;
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
        any = true;
      }
    items.push_back(std::move(program.items[k]));
  }
  program.items = std::move(items);
  return any;
}

/// A program with its places, for one round of insertions.
struct Round {
  std::vector<isa::Instruction> code;
  std::vector<uint32_t> itemOf;
  std::optional<isa::ControlFlow> flow;
  bool isPlaced = false;

  explicit Round(Program &program) : isPlaced(!placeCode(program, code, itemOf, /*final=*/true)) {
    if (!isPlaced)
      return;
    if (program.target.hasFeature("vgpr_msb")) {
      isa::VgprMsb msb;
      for (isa::Instruction &i : code)
        msb.apply(i);
    }
    flow.emplace(code);
  }
  /// Code that nothing leads to may be data, and `unchecked` instructions are right as they are.
  bool isWanted(const Program &program, uint32_t i) const {
    return !program.items[itemOf[i]].statement.unchecked && flow->reachable(flow->blockOf(i));
  }
};

/// Waits for SGPRs of gfx1201; true if any were missing.
bool scalars(Program &program) {
  const Round round(program);
  if (!round.isPlaced)
    return false;
  Insertions insertions;
  for (const isa::SgprPair &pair : isa::findSgprHazards(round.code, *round.flow, program.target)) {
    if (!round.isWanted(program, pair.instruction))
      continue;
    auto &list = insertions[round.itemOf[pair.instruction]];
    const std::string text = isa::waitText(pair.finding);
    if (!llvm::is_contained(list, text))
      list.push_back(text);
  }
  return insert(program, insertions);
}

/// An instruction that comes too early after another one.
struct TooEarly {
  uint32_t first, second;
  unsigned missing;
  bool ofVectors; ///< only VALU instructions count, so it takes v_nop
};

std::vector<TooEarly> findTooEarly(const Program &program, const Round &round) {
  std::vector<TooEarly> found;
  for (const isa::WaitStatePair &pair : isa::findWaitStates(round.code, *round.flow, program.target))
    found.push_back({pair.finding.first, pair.instruction, pair.finding.missing(), false});
  for (const isa::Hazard &hazard : isa::findHazards(round.code, *round.flow, program.target))
    if (!hazard.broken)
      found.push_back(
          {hazard.finding.producer, hazard.instruction, hazard.finding.missing(), !hazard.finding.rule->countsAll});
  llvm::erase_if(found, [&](const TooEarly &t) { return !round.isWanted(program, t.second); });
  llvm::stable_sort(found, [](const TooEarly &a, const TooEarly &b) { return a.second < b.second; });
  return found;
}

/// Whether a path leads from one of `changed` to the beginning of a block, with too few instructions on it to matter.
bool isNearBehind(const isa::ControlFlow &flow, const std::vector<bool> &changed, uint32_t block) {
  constexpr unsigned longest = 32; // more than any distance
  std::map<uint32_t, unsigned> distanceTo{{block, 0}};
  std::vector<uint32_t> work{block};
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    for (uint32_t from : flow.blocks()[b].predecessors) {
      if (changed[from])
        return true;
      const unsigned distance = distanceTo[b] + (flow.blocks()[from].last - flow.blocks()[from].first);
      auto [known, isNew] = distanceTo.try_emplace(from, distance);
      if (distance >= longest || (!isNew && known->second <= distance))
        continue;
      known->second = distance;
      work.push_back(from);
    }
  }
  return false;
}

/// Distances; true if any were missing. What is inserted counts for those after it: within a block at once, and where
/// it may lie on the path from another block in the next round, which sees it.
bool distances(Program &program) {
  const Round round(program);
  if (!round.isPlaced)
    return false;
  const auto blocks = round.flow->blocks();
  std::vector<bool> changed(blocks.size());
  std::map<uint32_t, unsigned> scalar, vector; // instructions to insert, by the one before which they go
  for (const TooEarly &t : findTooEarly(program, round)) {
    const uint32_t block = round.flow->blockOf(t.second);
    const bool isStraight = t.first < t.second && round.flow->blockOf(t.first) == block;
    if (!isStraight && isNearBehind(*round.flow, changed, block))
      continue;
    const uint32_t from = isStraight ? t.first + 1 : blocks[block].first;
    unsigned gained = 0;
    for (auto *list : {&vector, &scalar})
      if (list == &vector || !t.ofVectors)
        for (auto at = list->lower_bound(from); at != list->end() && at->first <= t.second; ++at)
          gained += at->second;
    if (t.missing <= gained)
      continue;
    (t.ofVectors ? vector : scalar)[t.second] += t.missing - gained;
    changed[block] = true;
  }
  Insertions insertions;
  for (auto [i, states] : scalar)
    for (std::string &nop : isa::nopTexts(states, program.target.generation))
      insertions[round.itemOf[i]].push_back(std::move(nop));
  for (auto [i, count] : vector)
    insertions[round.itemOf[i]].insert(insertions[round.itemOf[i]].end(), count, "v_nop");
  return insert(program, insertions);
}

} // namespace

void complete(Program &program) {
  {
    const Round round(program);
    if (!round.isPlaced)
      return;
    Insertions insertions;
    const auto waits = dataflow::findNeededWaits(round.code, *round.flow, program.target,
                                                 [&](uint32_t i) { return round.isWanted(program, i); });
    for (uint32_t i = 0; i < waits.size(); ++i)
      if (waits[i].any())
        insertions[round.itemOf[i]] = isa::waitTexts(waits[i], program.target.generation);
    insert(program, insertions);
  }
  // Each round keeps more distances than the one before, so there is a last one.
  while (scalars(program) || distances(program)) {
  }
}

} // namespace fly::assembly
