// Waits and hints for the instruction scheduler, as intrinsics of the AMDGPU backend.
#include "compiler/dialect/WaitCounters.h"
#include "compiler/protocol/FixedOrder.h"
#include "compiler/target/Waitcnt.h"
#include "compiler/transforms/FlyToRocdl.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace fly::ir {
namespace {

/// One instruction for the counters of s_waitcnt, or one for each, in their order.
struct WaitLowering : FlyLowering<WaitOp> {
  WaitLowering(const LLVMTypeConverter &converter, const target::Generation &generation)
      : FlyLowering(converter), generation(generation) {}
  LogicalResult matchAndRewrite(WaitOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    std::optional<int64_t> vmcnt = op.countOf(WaitCounter::Vm), lgkmcnt = op.countOf(WaitCounter::Lgkm);
    if (vmcnt || lgkmcnt) {
      target::Waitcnt wait(generation);
      wait.vmcnt = uint32_t(vmcnt.value_or(wait.vmcnt)), wait.lgkmcnt = uint32_t(lgkmcnt.value_or(wait.lgkmcnt));
      ROCDL::SWaitcntOp::create(rewriter, location, wait.encode(generation));
    }
    for (const WaitCounterInfo &row : waitCounters())
      if (std::optional<int64_t> count = op.countOf(row.counter); count && row.intrinsic)
        LLVM::CallIntrinsicOp::create(rewriter, location, rewriter.getStringAttr(row.intrinsic),
                                      ValueRange{constant(rewriter, location, *count, 16)});
    rewriter.eraseOp(op);
    return success();
  }

private:
  const target::Generation &generation;
};

struct SchedBarrierLowering : FlyLowering<SchedBarrierOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(SchedBarrierOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::SchedBarrier>(op, op.getMask());
    return success();
  }
};

/// A barrier of the scheduler, with an operand bundle by which compiler/codegen knows it (protocol/FixedOrder.h).
template <typename Op> struct MarkLowering : FlyLowering<Op> {
  using FlyLowering<Op>::FlyLowering;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    const Value none = this->constant(rewriter, op.getLoc(), 0, 32);
    LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), TypeRange{}, "llvm.amdgcn.sched.barrier", ValueRange{none},
                                  LLVM::FastmathFlags::none, ArrayRef<ValueRange>{ValueRange{}},
                                  rewriter.getStrArrayAttr({bundleOf(op)}), ArrayAttr(), ArrayAttr());
    rewriter.eraseOp(op);
    return success();
  }

private:
  static StringRef bundleOf(FixedOrderOp op) { return op.getEnds() ? protocol::fixedEnd : protocol::fixedBegin; }
  static StringRef bundleOf(ShadowOp op) { return op.getEnds() ? protocol::shadowEnd : protocol::shadowBegin; }
};

struct IglpLowering : FlyLowering<IglpOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(IglpOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::IglpOpt>(op, op.getStrategy());
    return success();
  }
};

struct SchedGroupBarrierLowering : FlyLowering<SchedGroupBarrierOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(SchedGroupBarrierOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::SchedGroupBarrier>(op, op.getMask(), op.getSize(), op.getSync());
    return success();
  }
};

struct SetPriorityLowering : FlyLowering<SetPriorityOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(SetPriorityOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::SetPrioOp>(op, uint16_t(op.getPriority()));
    return success();
  }
};

} // namespace

void populateControlPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns, StringRef arch) {
  const target::Target *target = target::find(arch);
  patterns.add<WaitLowering>(converter, (target ? *target : target::all().front()).generation);
  patterns.add<SchedBarrierLowering, MarkLowering<FixedOrderOp>, MarkLowering<ShadowOp>, IglpLowering,
               SchedGroupBarrierLowering, SetPriorityLowering>(converter);
}

} // namespace fly::ir
