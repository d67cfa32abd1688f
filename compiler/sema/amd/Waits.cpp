// `wait(vmcnt=4)` of `fly.amd`: waits until at most this many accesses of the wave are in flight.
//
// Each generation has its own counters (compiler/target/Counters.h).
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/amd/ModuleAmd.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/dialect/WaitCounters.h"

namespace fly::sema {

namespace {

/// What counts the same on targets without this counter; empty if nothing does.
std::string othersOf(ir::WaitCounter counter) {
  switch (counter) {
  case ir::WaitCounter::Vm: return "`loadcnt` for loads and `storecnt` for stores";
  case ir::WaitCounter::Lgkm: return "`dscnt` for LDS and `kmcnt` for scalar loads";
  case ir::WaitCounter::Load:
  case ir::WaitCounter::Store: return "`vmcnt`";
  case ir::WaitCounter::Ds:
  case ir::WaitCounter::Km: return "`lgkmcnt`";
  case ir::WaitCounter::Async: return "`vmcnt`, which counts copies to LDS too";
  case ir::WaitCounter::Tensor: return "";
  }
  return "";
}

Value waitFor(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "wait");
  std::array<std::optional<int32_t>, ir::getMaxEnumValForWaitCounter() + 1> counts;
  bool any = false;
  for (const ir::WaitCounterInfo &row : ir::waitCounters()) {
    const size_t i = size_t(row.counter);
    if (!call.given[i])
      continue;
    const std::string name = "`" + ir::stringifyWaitCounter(row.counter).str() + "`";
    if (!hasCounter(e.target, row.hardware)) {
      auto builder = e.report(diag::not_on_target, call.ranges[i], {"the counter " + name, std::string(e.target.name)});
      if (const std::string others = othersOf(row.counter); !others.empty())
        builder.help(std::string(e.target.name) + " has " + others);
      throw Failed{};
    }
    int64_t count = requireInt(e, call[i], call.ranges[i], name);
    const int64_t largest = target::counterCapacity(row.hardware, e.target.generation);
    if (count < 0 || count > largest)
      e.fail(call.ranges[i],
             diag::out_of_range{.what = name, .low = 0, .high = largest, .found = std::to_string(count)});
    counts[i] = int32_t(count);
    any = true;
  }
  if (!any)
    e.fail(diag::wrong_argument_count, call.range,
           {"wait",
            "a counter of the target, such as `" +
                std::string(hasCounter(e.target, target::Counter::Vm) ? "vmcnt" : "loadcnt") + "=0`",
            "none"});
  ir::WaitOp::create(b, e.location(call.range), counts);
  return Value();
}

const Builtin waitRows[] = {
    {"wait", "*, vmcnt=, lgkmcnt=, loadcnt=, storecnt=, dscnt=, kmcnt=, asynccnt=, tensorcnt=",
     "waits until at most the given number of this wave's accesses of each kind are in flight; the target determines "
     "which counters exist",
     waitFor},
};
} // namespace

llvm::ArrayRef<Builtin> waitBuiltins() { return waitRows; }

} // namespace fly::sema
