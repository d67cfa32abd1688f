// Chooses registers. A variable's place is free if none of its registers is live where one of another variable, or of
// the numbers that the program names, is live in the same register. There is no spilling and there are no moves: what
// does not fit is an error, with the place where most registers are live.
//
// Variables are placed one after another, each at the lowest place that is free. Two orders are tried, and the one that
// needs fewer registers is taken: by the begin of their lives, which leaves no holes after short lives, and the widest
// first, which finds neighbours for them.
#include "compiler/assembly/Liveness.h"
#include "compiler/assembly/RegisterUse.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>

namespace fly::assembly {

using isa::RegisterFile;

namespace {

constexpr unsigned nameable = 256; ///< VGPRs, without s_set_vgpr_msb

const char *pluralOf(RegisterFile file) {
  return file == RegisterFile::SGPR ? "SGPRs" : file == RegisterFile::VGPR ? "VGPRs" : "AGPRs";
}

struct Allocation {
  std::vector<int> bases;
  unsigned used = 0;
  std::optional<uint32_t> failed; ///< a variable without a place
};

class Allocator {
public:
  Allocator(Program &program, const Liveness &lives, std::array<unsigned, 3> limits)
      : program(program), lives(lives), limits(limits) {}

  /// Inputs have their places already.
  Allocation run(RegisterFile file, bool widestFirst) const {
    Allocation result;
    const unsigned limit = limits[static_cast<unsigned>(file)];
    std::vector<std::vector<Liveness::Interval>> taken(limit);
    for (unsigned r = 0; r < limit; ++r)
      add(taken[r], lives.intervals(*dataflow::unitOf(file, r)));
    std::vector<uint32_t> order;
    for (uint32_t v = 0; v < program.variables.size(); ++v) {
      const Variable &variable = program.variables[v];
      result.bases.push_back(variable.base);
      if (variable.file != file)
        continue;
      if (variable.base >= 0)
        for (unsigned k = 0; k < variable.width; ++k)
          add(taken[unsigned(variable.base) + k], lives.intervals(lives.firstUnit(v) + k));
      else
        order.push_back(v);
    }
    auto beginOf = [&](uint32_t v) {
      uint32_t begin = ~0u;
      for (unsigned k = 0; k < program.variables[v].width; ++k)
        if (auto list = lives.intervals(lives.firstUnit(v) + k); !list.empty())
          begin = std::min(begin, list.front().begin);
      return begin;
    };
    std::vector<std::pair<std::pair<int, uint32_t>, uint32_t>> keyed;
    for (uint32_t v : order)
      keyed.push_back({{widestFirst ? -int(program.variables[v].width) : 0, beginOf(v)}, v});
    llvm::stable_sort(keyed, [](auto &a, auto &b) { return a.first < b.first; });
    for (auto &[key, v] : keyed) {
      const unsigned width = program.variables[v].width;
      const unsigned step = program.assembler->alignmentOf(file, width);
      int base = -1;
      for (unsigned at = 0; at + width <= limit && base < 0; at += step) {
        bool free = true;
        for (unsigned k = 0; free && k < width; ++k)
          free = !Liveness::overlap(taken[at + k], lives.intervals(lives.firstUnit(v) + k));
        if (free)
          base = static_cast<int>(at);
      }
      if (base < 0) {
        result.failed = v;
        return result;
      }
      result.bases[v] = base;
      result.used = std::max(result.used, unsigned(base) + width);
      for (unsigned k = 0; k < width; ++k)
        add(taken[unsigned(base) + k], lives.intervals(lives.firstUnit(v) + k));
    }
    return result;
  }

private:
  Program &program;
  const Liveness &lives;
  const std::array<unsigned, 3> limits; ///< by file

  static void add(std::vector<Liveness::Interval> &to, llvm::ArrayRef<Liveness::Interval> list) {
    if (list.empty())
      return;
    to.insert(to.end(), list.begin(), list.end());
    llvm::sort(to, [](auto &a, auto &b) { return a.begin < b.begin; });
  }
};

std::string unitName(const Program &program, const Liveness &lives, unsigned unit) {
  const uint32_t v = *lives.variableOf(unit);
  const Variable &variable = program.variables[v];
  const std::string name = variable.name.empty() ? describe(variable.file, variable.width) : variable.name;
  return variable.width == 1 ? name : name + "[" + std::to_string(unit - lives.firstUnit(v)) + "]";
}

Problem tooMany(const Program &program, const Liveness &lives, RegisterFile file, const RegisterLimits::Limit &limit,
                llvm::ArrayRef<uint32_t> itemOf, uint32_t failed) {
  auto pressure = lives.pressure(file);
  const size_t peak = static_cast<size_t>(std::max_element(pressure.begin(), pressure.end()) - pressure.begin());
  const Place place = program.items[itemOf[peak]].statement.place;
  Problem problem;
  if (pressure[peak] > limit.count) {
    problem = {Problem::Kind::TooManyRegisters, place, {pluralOf(file), std::to_string(pressure[peak]), limit.why}, {}};
  } else {
    const Variable &v = program.variables[failed];
    problem = {Problem::Kind::NoRoom, v.place, {describe(file, v.width), pluralOf(file), limit.why}, {}};
    problem.notes.push_back({place, "most are live here: " + std::to_string(pressure[peak])});
  }
  // What lives there, by where it was made.
  std::map<Place, unsigned> here;
  for (uint32_t v = 0; v < program.variables.size(); ++v) {
    if (program.variables[v].file != file)
      continue;
    for (unsigned k = 0; k < program.variables[v].width; ++k)
      for (Liveness::Interval life : lives.intervals(lives.firstUnit(v) + k))
        if (life.begin <= 2 * peak + 1 && life.end > 2 * peak) {
          ++here[program.variables[v].place];
          break;
        }
  }
  std::vector<std::pair<unsigned, Place>> most;
  for (auto [at, units] : here)
    most.push_back({units, at});
  llvm::sort(most, std::greater<>());
  for (auto [units, at] : llvm::ArrayRef(most).take_front(4))
    problem.notes.push_back({at, std::to_string(units) + " of them are allocated here"});
  return problem;
}

/// A fixed register that is written while an input lives in it.
void findOverwrittenInputs(const Program &program, const Liveness &lives, llvm::ArrayRef<uint32_t> itemOf,
                           std::vector<Problem> &problems) {
  for (uint32_t v = 0; v < program.variables.size(); ++v) {
    const Variable &variable = program.variables[v];
    if (variable.input == Input::None)
      continue;
    for (unsigned k = 0; k < variable.width; ++k) {
      const unsigned fixed = *dataflow::unitOf(variable.file, unsigned(variable.base) + k);
      for (uint32_t i = 0; i < lives.instructionCount(); ++i) {
        const bool writes =
            llvm::any_of(lives.accesses(i), [&](const Access &a) { return a.writes && a.unit == fixed; });
        if (!writes)
          continue;
        const Liveness::Interval at{2 * i + 1, 2 * i + 2};
        if (!Liveness::overlap(at, lives.intervals(lives.firstUnit(v) + k)))
          continue;
        static constexpr const char *files[] = {"s", "v", "a"};
        problems.push_back(
            {Problem::Kind::InputOverwritten,
             program.items[itemOf[i]].statement.place,
             {files[static_cast<unsigned>(variable.file)] + std::to_string(unsigned(variable.base) + k), variable.name},
             {}});
        return;
      }
    }
  }
}

/// What does not depend on the choice: code that is not reached, values that are not there, inputs that are lost.
std::vector<Problem> checkLives(Program &program, const Liveness &lives, llvm::ArrayRef<uint32_t> itemOf) {
  std::vector<Problem> problems;
  if (!lives.unreached.empty()) {
    auto [i, unit] = lives.unreached.front();
    problems.push_back(
        {Problem::Kind::Unreached, program.items[itemOf[i]].statement.place, {unitName(program, lives, unit)}, {}});
    return problems;
  }
  std::vector<bool> reported(program.variables.size());
  for (auto [i, unit] : lives.unwritten) {
    const uint32_t v = *lives.variableOf(unit);
    if (reported[v])
      continue;
    reported[v] = true;
    Problem problem{
        Problem::Kind::NeverWritten, program.items[itemOf[i]].statement.place, {unitName(program, lives, unit)}, {}};
    problem.notes.push_back({program.variables[v].place, "its registers are allocated here"});
    problems.push_back(std::move(problem));
  }
  if (!problems.empty())
    return problems;
  problems = placeInputs(program);
  if (problems.empty())
    findOverwrittenInputs(program, lives, itemOf, problems);
  return problems;
}

} // namespace

std::vector<Problem> allocate(Program &program, const Budget &budget) {
  std::vector<isa::Instruction> code;
  std::vector<uint32_t> itemOf;
  if (auto problem = placeCode(program, code, itemOf, /*final=*/false))
    return {*problem};
  if (code.empty())
    return {Problem{Problem::Kind::NoEnd, program.items.empty() ? 0 : program.items.back().statement.place, {}, {}}};
  const Paths paths(code);
  if (auto at = paths.runsOff())
    return {Problem{Problem::Kind::NoEnd, program.items[itemOf[*at]].statement.place, {}, {}}};
  const Liveness lives(program, code, itemOf, paths);
  std::vector<Problem> problems = checkLives(program, lives, itemOf);
  if (!problems.empty())
    return problems;

  RegisterLimits limits = limitsOf(program, budget);
  if (limits.vgprs.count > nameable)
    limits.vgprs = {nameable,
                    "an instruction of " + std::string(program.target.name) + " can name " + std::to_string(nameable)};
  const Allocator allocator(program, lives, {limits.sgprs.count, limits.vgprs.count, limits.agprs.count});
  for (RegisterFile file : {RegisterFile::SGPR, RegisterFile::VGPR, RegisterFile::AGPR}) {
    Allocation best = allocator.run(file, /*widestFirst=*/false);
    if (Allocation other = allocator.run(file, /*widestFirst=*/true);
        !other.failed && (best.failed || other.used < best.used))
      best = std::move(other);
    if (best.failed) {
      problems.push_back(tooMany(program, lives, file, limits.of(file), itemOf, *best.failed));
      continue;
    }
    for (uint32_t v = 0; v < program.variables.size(); ++v)
      if (program.variables[v].file == file)
        program.variables[v].base = best.bases[v];
  }
  if (!problems.empty())
    return problems;

  // The second assembly.
  for (Item &item : program.items) {
    if (!item.isCode())
      continue;
    if (item.standIns.empty()) {
      item.code = item.shape->code;
      item.decoded = item.shape->decoded;
      continue;
    }
    auto chosen = [&](std::vector<isa::AsmOperand> &operands, size_t first) {
      for (size_t k = 0; k < operands.size(); ++k)
        if (first + k < item.statement.references.size())
          if (auto &r = item.statement.references[first + k])
            operands[k].index = static_cast<uint16_t>(program.variables[r->variable].base + r->offset);
    };
    isa::AsmInstruction assembly = item.statement.assembly;
    chosen(assembly.operands, 0);
    if (assembly.second) {
      auto second = std::make_shared<isa::AsmInstruction>(*assembly.second);
      chosen(second->operands, assembly.operands.size());
      assembly.second = std::move(second);
    }
    auto bytes = program.assembler->assemble(assembly);
    if (!bytes) {
      problems.push_back(
          {Problem::Kind::Refused, item.statement.place, {isa::textOf(assembly), bytes.error().message}, {}});
      continue;
    }
    auto decoded = program.assembler->decode(*bytes);
    if (!decoded) {
      problems.push_back({Problem::Kind::Refused,
                          item.statement.place,
                          {isa::textOf(assembly), llvm::toString(decoded.takeError())},
                          {}});
      continue;
    }
    item.code = std::move(*bytes);
    item.decoded = std::move(*decoded);
  }
  if (!problems.empty())
    return problems;
  if (auto problem = placeCode(program, code, itemOf, /*final=*/true))
    return {*problem};
  if (program.target.hasFeature("vgpr_msb")) {
    isa::VgprMsb msb;
    for (isa::Instruction &i : code)
      msb.apply(i);
  }
  return checkLimits(program, limitsOf(program, budget), code, itemOf);
}

} // namespace fly::assembly
