// `wait(vmcnt=4)` of `fly.amd`: waits until at most this many accesses of the wave are in flight.
//
// Each generation has its own counters; a row says which targets have one, in the order of `ir::WaitCounter`.
#include "compiler/sema/atom/BufferCopies.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/dialect/WaitCounters.h"

namespace fly::sema {

namespace {

struct Counter {
  const char *feature; ///< of targets that have it; null: those without split counters
  const char *others;  ///< what counts the same elsewhere
};

constexpr Counter counters[] = {
    {nullptr, "`loadcnt` for loads and `storecnt` for stores"},
    {nullptr, "`dscnt` for LDS and `kmcnt` for scalar loads"},
    {"split_wait_counters", "`vmcnt`"},
    {"split_wait_counters", "`vmcnt`"},
    {"split_wait_counters", "`lgkmcnt`"},
    {"split_wait_counters", "`lgkmcnt`"},
    {"async_lds", "`vmcnt`, which counts copies to LDS too"},
    {"tensor_dma", ""},
};

static_assert(std::size(counters) == ir::getMaxEnumValForWaitCounter() + 1);

bool hasCounter(const target::Target &target, const Counter &counter) {
  return counter.feature ? target.has(counter.feature) : !target.has("split_wait_counters");
}

Value waitFor(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "wait");
  std::array<std::optional<int32_t>, std::size(counters)> counts;
  bool any = false;
  for (const ir::WaitCounterInfo &row : ir::waitCounters()) {
    const size_t i = size_t(row.counter);
    if (!call.given[i])
      continue;
    const Counter &counter = counters[i];
    const std::string name = "`" + ir::stringifyWaitCounter(row.counter).str() + "`";
    if (!hasCounter(e.target, counter)) {
      auto builder = e.report(diag::not_on_target, call.ranges[i], {"the counter " + name, std::string(e.target.name)});
      if (*counter.others)
        builder.help(std::string(e.target.name) + " has " + counter.others);
      throw Failed{};
    }
    int64_t count = e.requireInt(call[i], call.ranges[i], name);
    if (count < 0 || count > row.largest)
      e.fail(call.ranges[i],
             diag::out_of_range{.what = name, .low = 0, .high = int64_t(row.largest), .found = std::to_string(count)});
    counts[i] = int32_t(count);
    any = true;
  }
  if (!any)
    e.fail(diag::wrong_argument_count, call.range,
           {"wait",
            "a counter of the target, such as `" +
                std::string(hasCounter(e.target, counters[0]) ? "vmcnt" : "loadcnt") + "=0`",
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
