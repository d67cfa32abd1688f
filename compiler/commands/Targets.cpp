// `flyc targets`: the architectures, and the matrix instructions of one; all instructions in TargetInstructions.cpp. A
// table for people, JSON for programs (docs/schema/targets.schema.json).
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/Session.h"
#include "compiler/commands/TargetInstructions.h"

#include "compiler/atom/Mma.h"
#include "compiler/target/Target.h"
#include "runtime/emulator/timing/Machine.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

namespace fly::driver {

namespace {

class TargetsCommand final : public Command {
public:
  TargetsCommand() : Command("targets", "List the architectures, or the matrix instructions of one") {
    needsLargeStack = false;
  }
  void declare(OptionTable &table) override {
    table.add("arch", arch, "An architecture").type("ARCH");
    table.add("--json", json, "Print all of it as JSON");
    table
        .add("--machine", machine,
             "Print the constants of the architecture's time model, as `flyc run --machine FILE` reads them")
        .more("each with its [source](time-model.md)");
    table
        .add("--instructions", instructions,
             "List all instructions of the architecture with operands, modifiers and meaning; "
             "`--instructions=v_cvt_*` those with such names, `--instructions=json` all as JSON")
        .orAlone("*")
        .more("[machine-code.md](machine-code.md) links to the lists");
    messageOptions(table, options);
  }
  int run() override;

  std::string arch; ///< empty: all
  bool json = false;
  bool machine = false;     ///< the constants of the time model
  std::string instructions; ///< "json" or a pattern of names; empty: not asked for
};

using Json = nlohmann::ordered_json;

/// The types that an operand may have on the target, whose 8-bit floats are of one flavour.
std::vector<std::string> typesOn(const target::Target &target, std::string_view typeOrClass) {
  const bool isClass = typeOrClass == "fp8" || typeOrClass == "bf8";
  std::vector<std::string> types;
  for (std::string_view type : atom::typesOf(typeOrClass))
    if (!isClass || type.ends_with("FNUZ") == (target.fp8 == target::Fp8Flavour::Fnuz))
      types.emplace_back(type);
  return types;
}

Json cyclesOrNull(int64_t cycles) { return cycles ? Json(cycles) : Json(); }

Json describe(const target::Target &target, const atom::MmaRow &row, const atom::MmaTarget &on) {
  const auto typesOfA = typesOn(target, row.a), typesOfB = typesOn(target, row.b);
  auto operand = [&](const std::vector<std::string> &types, layout::Layout atom::MmaLayouts::*which) {
    Json all = Json::array();
    for (const std::string &type : types) // A's layout depends on A's type alone, and B's on B's
      all.push_back({{"type", type}, {"layout", (atom::mmaLayouts(row, type, type).*which).text()}});
    return all;
  };
  const std::string narrowA = typesOfA.back(), narrowB = typesOfB.back();
  Json modifiers = Json::object();
  for (const atom::MmaModifier &modifier : atom::modifiersOf(row))
    modifiers[std::string(modifier.name)] = modifier.limit;
  Json shape = {row.m, row.n, row.k};
  return {{"name", row.name},
          {"shape", shape},
          {"blocks", row.blocks},
          {"threads", row.threads()},
          {"a", operand(typesOfA, &atom::MmaLayouts::a)},
          {"b", operand(typesOfB, &atom::MmaLayouts::b)},
          {"c", {{"type", row.c}, {"layout", atom::mmaLayouts(row, narrowA, narrowB).c.text()}}},
          {"d", std::string(row.typeOfD())},
          {"scale_block", row.isScaled() ? Json(row.scaleBlock) : Json()},
          {"modifiers", modifiers},
          {"in_manual", on.inManual},
          {"cycles", cyclesOrNull(on.cycles)},
          {"cycles_of_narrow", cyclesOrNull(atom::cyclesOf(row, target.name, narrowA, narrowB))},
          {"layout_source", std::string(atom::layoutSource(row))}};
}

Json describe(const target::Target &target) {
  Json atoms = Json::array();
  for (const atom::MmaRow &row : atom::mmaRows())
    if (const atom::MmaTarget *on = row.on(target.name))
      atoms.push_back(describe(target, row, *on));
  return {{"name", std::string(target.name)},
          {"family", std::string(target.family)},
          {"products", std::string(target.products)},
          {"wave_size", target.waveSize},
          {"lds_bytes", target.ldsBytes},
          {"vgprs", target.vgprs.addressable - target.agprs}, // a unified file has both
          {"agprs", target.agprs},
          {"matrix_atoms", atoms}};
}

void printLine(const target::Target &target) {
  llvm::outs() << llvm::format("%-8s  %-8s  wave%u  %3u KiB LDS  %4u VGPR  %3u AGPR  %s\n",
                               std::string(target.name).c_str(), std::string(target.family).c_str(), target.waveSize,
                               target.ldsBytes / 1024, target.vgprs.addressable - target.agprs, target.agprs,
                               std::string(target.products).c_str());
}

void printAtoms(const target::Target &target) {
  llvm::outs() << "\nmatrix instructions: M x N x K, blocks, cycles from one to the next\n";
  bool undocumented = false;
  for (const atom::MmaRow &row : atom::mmaRows()) {
    const atom::MmaTarget *on = row.on(target.name);
    if (!on)
      continue;
    const std::string shape = std::to_string(row.m) + " x " + std::to_string(row.n) + " x " + std::to_string(row.k);
    const std::string cycles = on->cycles ? std::to_string(on->cycles) : "-";
    llvm::outs() << llvm::format("%s %-38s %-14s %2lld  %3s\n", on->inManual ? " " : "*", row.name, shape.c_str(),
                                 static_cast<long long>(row.blocks), cycles.c_str());
    undocumented |= !on->inManual;
  }
  if (undocumented)
    llvm::outs() << "* only LLVM's assembler has it, AMD's manual does not: `MMA(\"name\")` gives it with a warning\n";
}

} // namespace

int TargetsCommand::run() {
  const TargetsCommand &command = *this;
  std::vector<const target::Target *> shown;
  for (auto &target : target::all())
    if (command.arch.empty() || command.arch == target.name)
      shown.push_back(&target);
  if (shown.empty()) {
    Session session(options);
    session.diags.report(diag::unknown_arch, {}).arg(command.arch).arg("").help("targets: " + target::names());
    session.finish();
    return 2;
  }
  if (!command.instructions.empty())
    return targetInstructions(options, {command.arch, command.instructions, command.json, command.machine});
  if (command.machine) {
    if (command.arch.empty()) {
      Session session(options);
      session.diags.report(diag::bad_option, {})
          .arg("--machine")
          .arg("name one architecture: `flyc targets gfx950 --machine`");
      session.finish();
      return 2;
    }
    const std::string_view text = emulator::machineText(command.arch);
    llvm::outs() << llvm::StringRef(text.data(), text.size());
    return 0;
  }
  if (command.json) {
    Json list = Json::array();
    for (const target::Target *target : shown)
      list.push_back(describe(*target));
    llvm::outs() << Json{{"schema_version", 1}, {"targets", list}}.dump(2) << '\n';
    return 0;
  }
  for (const target::Target *target : shown)
    printLine(*target);
  if (!command.arch.empty()) {
    printAtoms(*shown.front());
    return 0;
  }
  llvm::outs() << "\nread only: `flyc report` describes code objects for these, too\n";
  for (auto &target : target::readable())
    llvm::outs() << llvm::format("  %-14s  %-12s  %s\n", std::string(target.name).c_str(),
                                 std::string(target.family).c_str(), std::string(target.products).c_str());
  return 0;
}

std::unique_ptr<Command> targetsCommand() { return std::make_unique<TargetsCommand>(); }

} // namespace fly::driver
