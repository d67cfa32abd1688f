#include "compiler/report/Summary.h"

#include "compiler/isa/InstructionClasses.h"
#include "compiler/report/Resources.h"

#include "llvm/Support/Format.h"

namespace fly::report {

namespace {

/// How many instructions are of some class, by its name.
uint64_t number(const std::vector<isa::Instruction> &instructions, llvm::StringRef name) {
  const isa::InstructionClass *wanted = isa::findInstructionClass(name);
  return llvm::count_if(instructions, wanted->holds);
}

} // namespace

llvm::Expected<std::vector<KernelSummary>> Summarizer::of(const isa::CodeObject &object, const std::string &only) {
  std::vector<KernelSummary> out;
  for (const isa::Kernel &kernel : object.kernels()) {
    if (!only.empty() && kernel.name != only)
      continue;
    auto &decoder = decoders[{object.architecture(), kernel.waveSize}];
    if (!decoder) {
      auto made = isa::Decoder::create(object.architecture(), kernel.waveSize);
      if (!made)
        return made.takeError();
      decoder = std::move(*made);
    }
    auto instructions = decoder->decodeKernel(object.text(kernel), kernel.entry);
    if (!instructions)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "`" + kernel.name + "`: " + llvm::toString(instructions.takeError()));
    const Resources r = resourcesOf(object, kernel);
    const isa::Occupancy occupancy = explainOccupancy(object.architecture(), r).occupancy;
    out.push_back({kernel.name, r.vgprs, r.agprs, r.sgprs, r.ldsBytes, r.scratchBytes, occupancy.waves,
                   occupancy.byWaveSlots, instructions->size(),
                   number(*instructions, "mfma") + number(*instructions, "wmma")});
  }
  return out;
}

std::vector<KernelSummary> summaryOf(const Json &object) {
  std::vector<KernelSummary> out;
  for (const Json &kernel : object["kernels"]) {
    const Json &r = kernel["resources"], &o = kernel["occupancy"], &c = kernel["counts"]["classes"];
    KernelSummary row{kernel["name"],     r["vgprs"], r["agprs"],      r["sgprs"],        r["lds_bytes"],
                      r["scratch_bytes"], o["waves"], o["wave_slots"], c["instructions"], 0};
    row.matrix = c["mfma"].get<uint64_t>() + c["wmma"].get<uint64_t>();
    out.push_back(row);
    for (const Json &alias : kernel.value("aliases", Json::array())) {
      row.name = alias;
      out.push_back(row);
    }
  }
  return out;
}

void printSummaryHead(llvm::raw_ostream &os) {
  os << "arch     VGPR AGPR SGPR     LDS scratch  waves instructions matrix  kernel\n";
}

void printSummary(llvm::raw_ostream &os, const std::string &architecture, const std::vector<KernelSummary> &kernels) {
  for (const KernelSummary &k : kernels) {
    const std::string waves = std::to_string(k.waves) + "/" + std::to_string(k.waveSlots);
    os << llvm::left_justify(architecture, 8)
       << llvm::format(" %4u %4u %4u %7u %7u", k.vgprs, k.agprs, k.sgprs, k.ldsBytes, k.scratchBytes)
       << llvm::right_justify(waves, 7)
       << llvm::format(" %12llu %6llu  ", static_cast<unsigned long long>(k.instructions),
                       static_cast<unsigned long long>(k.matrix))
       << k.name << '\n';
  }
}

} // namespace fly::report
