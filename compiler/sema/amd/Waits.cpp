// `wait(vmcnt=4)` of `fly.amd`: waits until no more than so many of this wave's accesses are under way.
//
// The hardware counts accesses by kind, and each generation has its own counters; a row is one. On gfx9 one instruction has
// them all (bits: LLVM's AMDGPUBaseInfo.cpp, getVmcntBitMask and the like), on gfx12 each has its own.
#include "compiler/sema/atom/BufferCopies.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/prelude/Words.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fly::sema {

namespace {

struct Counter {
  const char *name;
  int64_t largest;
  const char *intrinsic; ///< null: a part of gfx9's instruction
  const char *feature;   ///< of targets that have it; null: those without split counters
  const char *others;    ///< what counts the same elsewhere
};

constexpr Counter counters[] = {
    {"vmcnt", 63, nullptr, nullptr, "`loadcnt` for loads and `storecnt` for stores"},
    {"lgkmcnt", 15, nullptr, nullptr, "`dscnt` for LDS and `kmcnt` for scalar loads"},
    {"loadcnt", 63, "llvm.amdgcn.s.wait.loadcnt", "split_wait_counters", "`vmcnt`"},
    {"storecnt", 63, "llvm.amdgcn.s.wait.storecnt", "split_wait_counters", "`vmcnt`"},
    {"dscnt", 63, "llvm.amdgcn.s.wait.dscnt", "split_wait_counters", "`lgkmcnt`"},
    {"kmcnt", 31, "llvm.amdgcn.s.wait.kmcnt", "split_wait_counters", "`lgkmcnt`"},
    {"asynccnt", 63, "llvm.amdgcn.s.wait.asynccnt", "async_lds", "`vmcnt`, which counts copies to LDS too"},
    {"tensorcnt", 63, "llvm.amdgcn.s.wait.tensorcnt", "tensor_dma", ""},
};

bool hasCounter(const target::Target &target, const Counter &counter) {
  return counter.feature ? target.has(counter.feature) : !target.has("split_wait_counters");
}

/// gfx9's operand: vmcnt in bits 3:0 and 15:14, expcnt in 6:4, lgkmcnt in 11:8.
int64_t encoded(int64_t vmcnt, int64_t lgkmcnt) { return (vmcnt & 15) | (vmcnt >> 4) << 14 | 7 << 4 | lgkmcnt << 8; }

Value waitFor(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "wait");
  auto loc = e.location(call.range);
  int64_t vmcnt = 63, lgkmcnt = 15;
  bool any = false, isOne = false;
  for (size_t i = 0; i < std::size(counters); ++i) {
    if (!call.given[i])
      continue;
    const Counter &counter = counters[i];
    if (!hasCounter(e.target, counter)) {
      auto builder = e.report(diag::not_on_target, call.ranges[i], {std::string("the counter `") + counter.name + "`", std::string(e.target.name)});
      if (*counter.others)
        builder.help(std::string(e.target.name) + " has " + counter.others);
      throw Failed{};
    }
    int64_t count = e.requireInt(call[i], call.ranges[i], std::string("`") + counter.name + "`");
    if (count < 0 || count > counter.largest)
      e.fail(diag::wrong_value, call.ranges[i], {std::string("`") + counter.name + "`", "from 0 to " + std::to_string(counter.largest), std::to_string(count)});
    any = true;
    if (counter.intrinsic)
      mlir::LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(counter.intrinsic),
                                          mlir::ValueRange{mlir::arith::ConstantOp::create(b, loc, b.getI16IntegerAttr(int16_t(count))).getResult()});
    else
      isOne = true, (i == 0 ? vmcnt : lgkmcnt) = count;
  }
  if (!any)
    e.fail(diag::wrong_argument_count, call.range, {"wait", "a counter of the target, such as `" + std::string(hasCounter(e.target, counters[0]) ? "vmcnt" : "loadcnt") + "=0`", "none"});
  if (isOne)
    mlir::LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.amdgcn.s.waitcnt"), mlir::ValueRange{word(e, encoded(vmcnt, lgkmcnt), call.range)});
  return Value();
}

} // namespace

/// This thread's accesses to LDS.
void waitForLds(Elaborator &e, SourceRange range) {
  auto &b = e.ir(range, "wait");
  if (hasCounter(e.target, counters[0])) {
    mlir::LLVM::CallIntrinsicOp::create(b, e.location(range), b.getStringAttr("llvm.amdgcn.s.waitcnt"), mlir::ValueRange{word(e, encoded(63, 0), range)});
    return;
  }
  mlir::Value none = mlir::arith::ConstantOp::create(b, e.location(range), b.getI16IntegerAttr(0));
  mlir::LLVM::CallIntrinsicOp::create(b, e.location(range), b.getStringAttr("llvm.amdgcn.s.wait.dscnt"), none);
}

namespace {

const Builtin table[] = {
    {"wait", "*, vmcnt=, lgkmcnt=, loadcnt=, storecnt=, dscnt=, kmcnt=, asynccnt=, tensorcnt=", "waits until at most so many of this wave's accesses of a kind are under way; counters are the target's", waitFor},
};
} // namespace

llvm::ArrayRef<Builtin> waitBuiltins() { return table; }

} // namespace fly::sema
