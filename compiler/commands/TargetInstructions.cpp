#include "compiler/commands/TargetInstructions.h"

#include "compiler/compilation/Session.h"

#include "compiler/isa/InstructionList.h"
#include "compiler/target/Target.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

namespace fly::driver {

namespace {

using Json = nlohmann::ordered_json;
using isa::ListedInstruction;

Json describe(const isa::InstructionForm &form) {
  Json operands = Json::array();
  for (const isa::ListedOperand &operand : form.operands)
    operands.push_back({{"name", operand.name},
                        {"reads", operand.reads},
                        {"writes", operand.writes},
                        {"kinds", isa::kindsOf(operand)}});
  return {{"operands", operands}, {"text", isa::textOf(form)}, {"needs", form.needs}, {"reads_m0", form.readsM0}};
}

Json describe(const ListedInstruction &instruction) {
  Json forms = Json::array();
  for (const isa::InstructionForm &form : instruction.forms)
    forms.push_back(describe(form));
  return {{"name", instruction.name},
          {"family", std::string(isa::name(instruction.family))},
          {"meaning", instruction.meaning},
          {"forms", forms},
          {"modifiers", instruction.modifiers},
          {"not_in_kernel", instruction.notInKernel.empty() ? Json() : Json(instruction.notInKernel)}};
}

Json describe(llvm::StringRef arch, llvm::ArrayRef<ListedInstruction> list) {
  Json families = Json::array(), instructions = Json::array();
  for (isa::InstructionFamily family : isa::instructionFamilies())
    if (llvm::any_of(list, [&](const ListedInstruction &i) { return i.family == family; }))
      families.push_back({{"name", std::string(isa::name(family))}, {"note", std::string(isa::noteOn(family))}});
  for (const ListedInstruction &instruction : list)
    instructions.push_back(describe(instruction));
  return {{"schema_version", 1}, {"arch", arch.str()}, {"families", families}, {"instructions", instructions}};
}

void print(const ListedInstruction &instruction) {
  auto &out = llvm::outs();
  out << instruction.name << "\n    " << instruction.meaning << '\n';
  for (const isa::InstructionForm &form : instruction.forms) {
    const std::string operands = isa::textOf(form);
    if (operands.empty() && form.needs.empty() && !form.readsM0)
      continue;
    out << "    operands   " << (operands.empty() ? "none" : operands);
    if (!form.needs.empty())
      out << ", with " << llvm::join(form.needs, " ");
    if (form.readsM0)
      out << ", reads m0";
    out << '\n';
  }
  if (!instruction.modifiers.empty())
    out << "    modifiers  " << llvm::join(instruction.modifiers, " ") << '\n';
  if (!instruction.notInKernel.empty())
    out << "    ISA mode only: it " << instruction.notInKernel << '\n';
}

void print(llvm::StringRef arch, llvm::ArrayRef<ListedInstruction> list) {
  auto &out = llvm::outs();
  out << arch << ": " << counted(list.size(), "instruction") << "; v(4) is four VGPRs, s an SGPR, a an AGPR\n";
  for (isa::InstructionFamily family : isa::instructionFamilies()) {
    bool isFirst = true;
    for (const ListedInstruction &instruction : list) {
      if (instruction.family != family)
        continue;
      if (isFirst) {
        const std::string_view name = isa::name(family), note = isa::noteOn(family);
        out << "\n== " << llvm::StringRef(name.data(), name.size()) << '\n';
        if (!note.empty())
          out << llvm::StringRef(note.data(), note.size()) << '\n';
        out << '\n';
      }
      isFirst = false;
      print(instruction);
    }
  }
}

} // namespace

int targetInstructions(const Options &options, const InstructionRequest &request) {
  Session session(options);
  auto refuse = [&](const std::string &why) {
    session.diags.report(diag::bad_option, {}).arg("--instructions").arg(why);
    session.finish();
    return 2;
  };
  if (request.arch.empty())
    return refuse("name one architecture: `flyc targets gfx950 --instructions`");
  if (request.machine)
    return refuse("it does not go with --machine");
  const bool isJson = request.json || request.instructions == "json";
  const std::string pattern = request.instructions == "json" ? "*" : request.instructions;
  auto list = isa::listInstructions(request.arch, pattern);
  if (!list)
    return refuse("`" + pattern + "` is not a pattern of names: " + llvm::toString(list.takeError()));
  if (list->empty())
    return refuse("no instruction of " + request.arch + " is called `" + pattern +
                  "`; `*` stands for any text: `v_cvt_*`");
  if (isJson)
    llvm::outs() << describe(request.arch, *list).dump(2) << '\n';
  else
    print(request.arch, *list);
  return 0;
}

} // namespace fly::driver
