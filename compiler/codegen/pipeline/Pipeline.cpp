// See Pipeline.h.
//
// Passes over LLVM IR that keep something from the optimizer are in pairs around it: marks before, their removal after.
// What follows the optimizer would be undone by it: it prepares shapes that instruction selection would otherwise miss.
// The last group reads what is settled by then, and translates it for the backend.
#include "compiler/codegen/pipeline/Pipeline.h"

#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/codegen/faults/AllOnes.h"
#include "compiler/codegen/faults/BackendFaults.h"
#include "compiler/codegen/faults/Divisions.h"
#include "compiler/codegen/faults/DppBitOperations.h"
#include "compiler/codegen/faults/DppProducts.h"
#include "compiler/codegen/faults/DppSources.h"
#include "compiler/codegen/faults/FloatAtomics.h"
#include "compiler/codegen/faults/MachineVerifier.h"
#include "compiler/codegen/faults/Roundings.h"
#include "compiler/codegen/faults/StaleScc.h"
#include "compiler/codegen/faults/TiedOperands.h"
#include "compiler/codegen/faults/WideConstants.h"
#include "compiler/codegen/ir/BufferStarts.h"
#include "compiler/codegen/ir/ExactMarks.h"
#include "compiler/codegen/ir/FixedOrder.h"
#include "compiler/codegen/ir/LoadsUnderWay.h"
#include "compiler/codegen/ir/NarrowPins.h"
#include "compiler/codegen/ir/NearUses.h"
#include "compiler/codegen/ir/PackedPairs.h"
#include "compiler/codegen/ir/ScalarAddresses.h"
#include "compiler/codegen/ir/TrustedWaits.h"
#include "compiler/codegen/machine/AddressWaits.h"
#include "compiler/codegen/machine/CopyWaits.h"
#include "compiler/codegen/machine/EmptyStack.h"
#include "compiler/codegen/machine/EmptyWaits.h"
#include "compiler/codegen/machine/KeptWaits.h"
#include "compiler/codegen/machine/ExactInstructions.h"
#include "compiler/codegen/machine/FixedOrderPasses.h"
#include "compiler/codegen/machine/HighVgprs.h"
#include "compiler/codegen/machine/PinnedRegisters.h"
#include "compiler/codegen/machine/PlaceAccumulators.h"
#include "compiler/codegen/machine/SchedulingWindows.h"
#include "compiler/codegen/machine/VgprBudget.h"
#include "compiler/codegen/machine/WholePacked.h"
#include "compiler/target/Target.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils.h"

#include <algorithm>

namespace fly::codegen {

static void optimize(ModuleRun &run) {
  constexpr const llvm::OptimizationLevel *levels[] = {&llvm::OptimizationLevel::O0, &llvm::OptimizationLevel::O1,
                                                       &llvm::OptimizationLevel::O2, &llvm::OptimizationLevel::O3};
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&run.machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(*levels[std::min(run.optimizationLevel, 3u)]).run(run.module, modules);
}

/// A pass that takes nothing but the module.
template <void (*pass)(llvm::Module &)> static void over(ModuleRun &run) { pass(run.module); }

llvm::ArrayRef<PassRow> passRows() {
  using target::Target;
  static const When always{"always", [](const Target &, unsigned) { return true; }},
      optimizing{"from -O1 on", [](const Target &, unsigned level) { return level > 0; }},
      unoptimized{"at -O0", [](const Target &, unsigned level) { return level == 0; }},
      // In waves of 32 lanes dual instructions compute two elements already.
      packed{"from -O1 on, with packed f32 arithmetic in waves of 64",
             [](const Target &target, unsigned level) {
               return level > 0 && target.has("packed_f32") && target.waveSize == 64;
             }},
      scalarChecked{"from -O1 on, where buffers check the scalar offset",
                    [](const Target &target, unsigned level) { return level > 0 && target.buffersCheckScalar; }},
      packedBesideMfma{"from -O1 on, with MFMA and packed f32 arithmetic",
                       [](const Target &target, unsigned level) {
                         return level > 0 && target.has("mfma") && target.has("packed_f32");
                       }},
      copiesInVmcnt{"where copies to LDS count in vmcnt",
                    [](const Target &target, unsigned) { return target.hasFeature("lds_dma"); }},
      manyVgprs{"with more than 256 VGPRs",
                [](const Target &target, unsigned) { return target.hasFeature("vgpr_msb"); }};
  constexpr Level ir = Level::LlvmIr, machine = Level::Machine;
  constexpr PassPlace before = PassPlace::BeforeOptimizer, after = PassPlace::AfterOptimizer,
                      late = PassPlace::BeforeBackend, backend = PassPlace::InBackend;
  static const Anchor none, lowerLds{"amdgpu-lower-module-lds"}, atomicExpand{"atomic-expand"}, earlyCse{"early-cse"},
      dppCombine{"gcn-dpp-combine"}, lateBranches{"si-late-branch-lowering"}, legalizer{"si-memory-legalizer"},
      insertWaits{"si-insert-waitcnts"}, preEmit{"si-pre-emit-peephole"}, lcssa{"lcssa", &llvm::LCSSAID},
      finalizeIsel{"finalize-isel", &llvm::FinalizeISelID},
      detectDeadLanes{"detect-dead-lanes", &llvm::DetectDeadLanesID},
      registerCoalescer{"register-coalescer", &llvm::RegisterCoalescerID},
      prologEpilog{"prologepilog", &llvm::PrologEpilogCodeInserterID},
      expandPseudos{"postrapseudos", &llvm::ExpandPostRAPseudosID},
      postMisched{"postmisched", &llvm::PostMachineSchedulerID},
      postHazards{"post-RA-hazard-rec", &llvm::PostRAHazardRecognizerID},
      branchRelaxation{"branch-relaxation", &llvm::BranchRelaxationPassID};
  // clang-format off
  static const PassRow rows[] = {
      {"fly-mark-exact-instructions", ir, before, none, always,
       "what an exact instruction does not do, the optimizer cannot know", over<markExactInstructions>},
      {"fly-narrow-pins", ir, before, none, always,
       "pinned registers that a program handles one by one are read and written alone", over<narrowPins>},
      {"fly-keep-loads-under-way", ir, before, none, always,
       "the optimizer would move loads to their uses", over<keepLoadsUnderWay>},
      {"fly-hold-fixed-order", ir, before, none, always,
       "of most operations in `sched.fixed()` LLVM keeps no order", over<holdFixedOrder>},
      {"fly-hide-narrow-sources", ir, before, none, always,
       "the optimizer computes in formats that cannot hold the operands", over<hideNarrowSources>},
      {"llvm-optimize", ir, PassPlace::Optimizer, none, always,
       "LLVM's pipeline, with what the AMDGPU target adds", optimize},
      {"fly-show-narrow-sources", ir, after, none, always,
       "conversions from bf16 are instructions of some targets", over<showNarrowSources>},
      {"fly-remove-load-marks", ir, after, none, always,
       "the marks of `fly-keep-loads-under-way` have done their work", over<removeLoadMarks>},
      {"fly-pack-pairs", ir, after, none, packed,
       "the backend splits longer vectors into single elements", over<packPairs>},
      {"fly-change-signs-in-words", ir, after, none, optimizing,
       "the backend changes the signs of bf16 one by one", over<changeSignsInWords>},
      {"fly-move-buffer-starts", ir, after, none, scalarChecked,
       "buffers that start at their tile share an offset", over<moveBufferStarts>},
      {"fly-compute-near-uses", ir, after, none, optimizing,
       "values that only stores need would hold registers until then", over<computeNearUses>},
      {"fly-settle-fixed-order", ir, after, none, always,
       "numbers are compared, and become discriminators of locations", over<settleFixedOrder>},
      {"fly-rewrite-mistaken", ir, late, none, always,
       "the backend compiles some code wrongly", over<rewriteMistaken>},
      {"fly-keep-roundings", ir, late, none, always,
       "selection rounds once where the source rounds twice, and loses the sign of zero",
       [](ModuleRun &run) { keepRoundings(run.module, run.target); }},
      {"fly-note-lds-regions", ir, late, none, always,
       "LLVM makes one object of all, and forgets which accesses are apart",
       [](ModuleRun &run) { noteLdsRegions(run.module, run.target.waveSize); }},
      {"fly-settle-pinned", ir, late, none, always,
       "pinned registers are taken out of allocation", over<settlePinned>},
      {"fly-settle-accumulators", ir, late, none, always,
       "where the kernel's accumulators are, as attributes",
       [](ModuleRun &run) { settleAccumulators(run.module, run.machine, run.target); }},
      {"fly-settle-vgprs", ir, late, none, always,
       "the kernel's budget as LLVM's attributes", [](ModuleRun &run) { settleVgprs(run.module, run.target); }},
      {"fly-trust-waits", ir, backend, lowerLds, always,
       "a kernel that waits for its copies to LDS needs no waits of the backend", nullptr, trustWaitsPass},
      {"fly-float-atomics", ir, backend, lowerLds, optimizing,
       "LLVM adds the lanes' floats up before it adds them to memory", nullptr, floatAtomicsPass},
      {"fly-divisions-0", ir, backend, atomicExpand, unoptimized,
       "as `fly-divisions`, and selection takes large numbers for small ones", nullptr, unoptimizedDivisionsPass},
      {"fly-divisions", ir, backend, earlyCse, optimizing,
       "LLVM's quotients of 23 and 24 bits may be too large by one", nullptr, divisionsPass},
      {"fly-scalar-addresses", ir, backend, lcssa, optimizing,
       "loop strength reduction makes a pointer per lane of a scalar one", nullptr, scalarAddressesPass},
      {"fly-vgpr-budget", machine, backend, finalizeIsel, always,
       "LLVM raises a budget that LDS and workgroups make needless", nullptr, vgprBudgetPass},
      {"fly-tied-operands", machine, backend, finalizeIsel, always,
       "LLVM leaves a scalar where its instruction overwrites a vector register", nullptr, tiedOperandsPass},
      {"fly-all-ones", machine, backend, finalizeIsel, optimizing,
       "LLVM loses the -1 where bits are set", nullptr, allOnesPass},
      {"fly-exact-instructions", machine, backend, finalizeIsel, always,
       "statements become the instructions that they name", nullptr, exactInstructionsPass},
      {"fly-fixed-uses", machine, backend, finalizeIsel, optimizing,
       "LLVM computes a value in the block that alone needs it", nullptr, fixedOrderUsesPass},
      {"fly-pinned-registers-0", machine, backend, finalizeIsel, unoptimized,
       "as `fly-pinned-registers`, whose place -O0 does not have", nullptr, unoptimizedPinnedRegistersPass},
      {"fly-dpp-products", machine, backend, dppCombine, optimizing,
       "LLVM makes instructions that have no encoding", nullptr, dppProductsPass},
      {"fly-dpp-bit-operations", machine, backend, dppCombine, optimizing,
       "LLVM confuses two operands, and the operation is another", nullptr, dppBitOperationsPass},
      {"fly-dpp-sources", machine, backend, dppCombine, optimizing,
       "LLVM exchanges operands, and DPP is of another one", nullptr, dppSourcesPass},
      {"fly-wide-constants", machine, backend, dppCombine, optimizing,
       "LLVM moves 64 bits by an instruction that has 32", nullptr, wideConstantsPass},
      {"fly-machine-verifier", machine, backend, dppCombine, optimizing,
       "what LLVM's passes break is refused", nullptr, machineVerifierPass},
      {"fly-pinned-registers", machine, backend, detectDeadLanes, optimizing,
       "after all passes that take a register for one value", nullptr, pinnedRegistersPass},
      {"fly-place-accumulators", machine, backend, registerCoalescer, optimizing,
       "LLVM's allocator moves large accumulators about", nullptr, placeAccumulatorsPass},
      {"fly-fixed-spills", machine, backend, prologEpilog, always,
       "spills of scalar registers are moves later", nullptr, fixedOrderSpillsPass},
      {"fly-scheduling-windows", machine, backend, expandPseudos, optimizing,
       "the second scheduler takes too long for a large block", nullptr, schedulingWindowsPass},
      {"fly-address-waits", machine, backend, expandPseudos, always,
       "at joins LLVM forgets a wait for an address", nullptr, addressWaitsPass},
      {"fly-exact-instructions-late", machine, backend, postMisched, optimizing,
       "what touches no register would be deleted earlier", nullptr, lateExactInstructionsPass},
      {"fly-fixed-m0", machine, backend, postMisched, always,
       "M0 right before its reader would need an `s_nop`", nullptr, fixedOrderM0Pass},
      {"fly-kept-waits", machine, backend, legalizer, always,
       "LLVM drops waits of barriers and releases that are needed", nullptr, keptWaitsPass},
      {"fly-copy-waits", machine, backend, insertWaits, copiesInVmcnt,
       "LLVM leaves out waits for copies to LDS", nullptr, copyWaitsPass},
      {"fly-empty-waits", machine, backend, lateBranches, optimizing,
       "LLVM keeps a wait for LDS that another one has done", nullptr, emptyWaitsPass},
      {"fly-empty-stack", machine, backend, lateBranches, always,
       "LLVM keeps slots in scratch memory that it does not use", nullptr, emptyStackPass},
      {"fly-stale-scc", machine, backend, lateBranches, optimizing,
       "LLVM removes an instruction whose SCC is read", nullptr, staleSccPass},
      {"fly-hide-packed", machine, backend, lateBranches, packedBesideMfma,
       "LLVM takes exact packed instructions apart beside MFMA", nullptr, hidePackedPass},
      {"fly-show-packed", machine, backend, preEmit, packedBesideMfma,
       "later passes know packed instructions by their usual opcodes", nullptr, showPackedPass},
      {"fly-machine-verifier-late", machine, backend, preEmit, optimizing,
       "what LLVM's passes break is refused", nullptr, lastMachineVerifierPass},
      {"fly-high-vgprs", machine, backend, postHazards, manyVgprs,
       "LLVM changes the mode of VGPRs from 256 on before a barrier", nullptr, highVgprsPass},
      {"fly-fixed-check", machine, backend, branchRelaxation, always,
       "the order of `sched.fixed()` is compared once more", nullptr, fixedOrderCheckPass},
  };
  // clang-format on
  return rows;
}

std::vector<std::string> passNames() {
  std::vector<std::string> names;
  for (const PassRow &row : passRows())
    names.push_back(row.name.str());
  return names;
}

bool isMachinePass(std::string_view name) {
  return std::ranges::any_of(
      passRows(), [&](const PassRow &row) { return row.name == llvm::StringRef(name) && row.level == Level::Machine; });
}

} // namespace fly::codegen
