// See RegisterUse.h.
#include "compiler/assembly/RegisterUse.h"

#include "compiler/assembly/Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace fly::assembly {

namespace {

/// Registers of a wave where a workgroup has so many threads.
unsigned sharePerWave(const target::Target &target, unsigned waveSize, unsigned threads) {
  const unsigned waves = llvm::divideCeil(std::max(1u, threads), waveSize);
  const unsigned onSimd = llvm::divideCeil(waves, target.simdsPerComputeUnit);
  const unsigned granule = target.vgprsAt(waveSize, target.vgprs.granule);
  return target.vgprsAt(waveSize, target.vgprs.perSimd) / onSimd / granule * granule;
}

} // namespace

RegisterUse useOf(const Program &program, llvm::ArrayRef<isa::Instruction> code, llvm::ArrayRef<uint32_t> itemOf) {
  RegisterUse use;
  const Paths paths(code);
  for (uint32_t i = 0; i < code.size(); ++i) {
    const bool isData =
        program.items[itemOf[i]].kind == Item::Kind::Bytes && !paths.hasComputedJump() && !paths.reachedAt(i);
    if (!isData)
      use.add(code[i]);
  }
  // Inputs are there whether or not they are read.
  for (const Variable &v : program.variables)
    if (v.input != Input::None && v.base >= 0) {
      unsigned &count = v.file == isa::RegisterFile::VGPR ? use.vgprs : use.sgprs;
      count = std::max(count, unsigned(v.base) + v.width);
    }
  return use;
}

unsigned accumulatorOffset(const RegisterUse &use) { return std::max(4u, (use.vgprs + 3) / 4 * 4); }

unsigned vectorRegisters(const target::Target &target, const RegisterUse &use) {
  const bool follow = target.unifiedRegisters && use.agprs;
  return std::max(1u, follow ? accumulatorOffset(use) + use.agprs : use.vgprs);
}

RegisterLimits limitsOf(const Program &program, const Budget &budget) {
  const target::Target &target = program.target;
  const std::string wave = "a wave of " + std::string(target.name) + " has ";
  auto ofWave = [&](unsigned count) { return RegisterLimits::Limit{count, wave + std::to_string(count)}; };
  const unsigned addressable =
      target.unifiedRegisters ? target.vgprs.addressable - target.agprs : target.vgprs.addressable;
  RegisterLimits limits{ofWave(addressable), ofWave(target.agprs), ofWave(target.sgprs.addressable),
                        ofWave(target.vgprs.addressable)};
  auto lower = [](RegisterLimits::Limit &limit, unsigned count, const std::string &why) {
    if (count < limit.count)
      limit = {count, why};
  };
  if (budget.workgroup) {
    const unsigned share = sharePerWave(target, program.assembler->waveSize(), budget.workgroup);
    const std::string why = "with " + std::to_string(budget.workgroup) + " threads in a workgroup, a wave of " +
                            std::string(target.name) + " has ";
    lower(limits.both, share, why + std::to_string(share));
    lower(limits.vgprs, share, why + std::to_string(share));
    if (target.unifiedRegisters)
      lower(limits.agprs, share - 4, why + std::to_string(share) + ", VGPRs and AGPRs together");
  }
  if (budget.vgprs)
    lower(limits.vgprs, budget.vgprs, "`vgprs=` allows " + std::to_string(budget.vgprs));
  return limits;
}

unsigned largestWorkgroup(const target::Target &target, unsigned waveSize, unsigned registers, unsigned threads) {
  while (threads > waveSize && sharePerWave(target, waveSize, threads) < registers)
    threads = (threads - 1) / waveSize * waveSize;
  return threads;
}

std::vector<Problem> checkLimits(const Program &program, const RegisterLimits &limits,
                                 llvm::ArrayRef<isa::Instruction> code, llvm::ArrayRef<uint32_t> itemOf) {
  const target::Target &target = program.target;
  const RegisterUse use = useOf(program, code, itemOf);
  std::vector<Problem> problems;
  auto report = [&](Place place, const std::string &what, unsigned needed, const char *files,
                    const RegisterLimits::Limit &limit) {
    problems.push_back({Problem::Kind::OverLimit, place, {what, std::to_string(needed), files, limit.why}, {}});
  };
  /// Says it at the first instruction that has the highest register of a file.
  auto atHighest = [&](char letter, unsigned count, unsigned needed, const char *files,
                       const RegisterLimits::Limit &limit) {
    for (uint32_t i = 0; i < code.size(); ++i) {
      RegisterUse here;
      here.add(code[i]);
      if ((letter == 'v' ? here.vgprs : here.agprs) == count)
        return report(program.items[itemOf[i]].statement.place, letter + std::to_string(count - 1), needed, files,
                      limit);
    }
  };
  if (use.vgprs > limits.vgprs.count)
    atHighest('v', use.vgprs, use.vgprs, "VGPRs", limits.vgprs);
  const unsigned both = vectorRegisters(target, use);
  if (problems.empty() && both > limits.both.count)
    atHighest(use.agprs ? 'a' : 'v', use.agprs ? use.agprs : use.vgprs, both, use.agprs ? "VGPRs and AGPRs" : "VGPRs",
              limits.both);
  if (auto field = program.descriptor.find("next_free_vgpr"); problems.empty() && field != program.descriptor.end() &&
                                                              field->second.value > int64_t(limits.both.count) &&
                                                              limits.both.count < target.vgprs.addressable)
    report(field->second.place, "next_free_vgpr=" + std::to_string(field->second.value),
           static_cast<unsigned>(field->second.value), target.agprs ? "VGPRs and AGPRs" : "VGPRs", limits.both);
  return problems;
}

} // namespace fly::assembly
