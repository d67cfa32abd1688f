// The ops of the fly dialect inside kernels, as LLVM and ROCDL: indices, barrier, slots; memory is in
// MemoryToRocdl.cpp.
//
// Sizes known only at launch come from the hidden arguments after the kernel's own, in code object version 5:
//
//   bytes 0, 4, 8      number of workgroups in x, y, z     u32
//   bytes 12, 14, 16   threads of a workgroup in x, y, z   u16
#include "compiler/dialect/Approximations.h"
#include "compiler/dialect/CopyAttributes.h"
#include "compiler/protocol/Unwritten.h"
#include "compiler/transforms/FlyToRocdl.h"

#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace fly::ir {

// The kernel op is converted before its body.
DenseI32ArrayAttr knownBlock(Operation *op) {
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  return function ? function->getAttrOfType<DenseI32ArrayAttr>("rocdl.reqd_work_group_size") : nullptr;
}

namespace {

//===------------------------------------------------- indices ---------------------------------------------------===//

/// thread_id, block_id and cluster_id are registers; where the block is known, the thread's index has a range.
template <typename Op, typename X, typename Y, typename Z> struct RegisterLowering : FlyLowering<Op> {
  using FlyLowering<Op>::FlyLowering;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    LLVM::ConstantRangeAttr range;
    if (int32_t end = std::is_same_v<Op, ThreadIdOp> ? endOf(op) : 0)
      range = LLVM::ConstantRangeAttr::get(rewriter.getContext(), APInt(32, 0), APInt(32, end));
    switch (op.getDimension()) {
    case Dimension::X: rewriter.template replaceOpWithNewOp<X>(op, i32, range); break;
    case Dimension::Y: rewriter.template replaceOpWithNewOp<Y>(op, i32, range); break;
    case Dimension::Z: rewriter.template replaceOpWithNewOp<Z>(op, i32, range); break;
    }
    return success();
  }

private:
  /// One more than the largest index.
  static int32_t endOf(Op op) {
    DenseI32ArrayAttr block = knownBlock(op);
    return block ? block[static_cast<unsigned>(op.getDimension())] : maximumWorkgroup;
  }
};

/// A number in the hidden arguments, unless the block is known.
template <typename Op> struct HiddenArgumentLowering : FlyLowering<Op> {
  HiddenArgumentLowering(const LLVMTypeConverter &converter, int32_t offset, unsigned bits)
      : FlyLowering<Op>(converter), offset(offset), bits(bits) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    if (DenseI32ArrayAttr block = std::is_same_v<Op, BlockDimOp> ? knownBlock(op) : nullptr) {
      rewriter.replaceOp(op, this->constant(rewriter, location, block[static_cast<unsigned>(op.getDimension())]));
      return success();
    }
    auto pointerType = LLVM::LLVMPointerType::get(rewriter.getContext(), constantAddressSpace);
    Value hidden = LLVM::CallIntrinsicOp::create(rewriter, location, pointerType,
                                                 rewriter.getStringAttr("llvm.amdgcn.implicitarg.ptr"), ValueRange{})
                       .getResult(0);
    int32_t place = offset + static_cast<int32_t>(op.getDimension()) * static_cast<int32_t>(bits / 8);
    Value address = LLVM::GEPOp::create(rewriter, location, pointerType, rewriter.getI8Type(), hidden,
                                        ArrayRef<LLVM::GEPArg>{place});
    Type type = rewriter.getIntegerType(bits);
    auto load = LLVM::LoadOp::create(rewriter, location, type, address, bits / 8);
    load.setInvariant(true);
    Value value = load;
    if (bits < 32)
      value = LLVM::ZExtOp::create(rewriter, location, rewriter.getI32Type(), value);
    rewriter.replaceOp(op, value);
    return success();
  }

private:
  static constexpr unsigned constantAddressSpace = 4;
  int32_t offset;
  unsigned bits;
};

/// An index that ROCDL has no op for: an intrinsic without operands, with the suffix `.x`, `.y` or `.z` if it has
/// dimensions.
template <typename Op> struct IntrinsicLowering : FlyLowering<Op> {
  IntrinsicLowering(const LLVMTypeConverter &converter, StringRef name) : FlyLowering<Op>(converter), name(name) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    std::string intrinsic = name.str();
    if constexpr (!std::is_same_v<Op, ClusterRankOp>)
      intrinsic += "." + stringifyDimension(op.getDimension()).str();
    rewriter.template replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, rewriter.getI32Type(),
                                                                rewriter.getStringAttr(intrinsic), ValueRange{});
    return success();
  }

private:
  StringRef name;
};

/// The number of lanes below this one in the wave: mbcnt counts them, 32 at a time.
struct LaneIdLowering : FlyLowering<LaneIdOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(LaneIdOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    Value all = constant(rewriter, op.getLoc(), -1), none = constant(rewriter, op.getLoc(), 0);
    Value low = ROCDL::MbcntLoOp::create(rewriter, op.getLoc(), i32, all, none, ArrayAttr{}, ArrayAttr{});
    rewriter.replaceOpWithNewOp<ROCDL::MbcntHiOp>(op, i32, all, low, ArrayAttr{}, ArrayAttr{});
    return success();
  }
};

/// The fences order shared and global memory among the threads of the workgroup.
struct BarrierLowering : FlyLowering<BarrierOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    // A workgroup fence waits for copies into LDS, even a fence of only LDS (LLVM 22). A fence of the thread keeps the
    // order of its own accesses; the wait for them is before the barrier.
    StringRef scope = op->hasAttr(leavesCopiesAttr) ? "singlethread" : "workgroup";
    auto fence = [&](LLVM::AtomicOrdering ordering) { LLVM::FenceOp::create(rewriter, op.getLoc(), ordering, scope); };
    fence(LLVM::AtomicOrdering::release);
    ROCDL::SBarrierOp::create(rewriter, op.getLoc());
    fence(LLVM::AtomicOrdering::acquire);
    rewriter.eraseOp(op);
    return success();
  }
};

/// LLVM turns it into a workgroup barrier, after which one wave signals for the workgroup and all wait for the cluster
/// barrier (barrier -3). The fences order shared and global memory among the threads of the cluster.
struct ClusterBarrierLowering : FlyLowering<ClusterBarrierOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(ClusterBarrierOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    LLVM::FenceOp::create(rewriter, op.getLoc(), LLVM::AtomicOrdering::release, "cluster");
    LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), rewriter.getStringAttr("llvm.amdgcn.s.cluster.barrier"),
                                  ValueRange{});
    LLVM::FenceOp::create(rewriter, op.getLoc(), LLVM::AtomicOrdering::acquire, "cluster");
    rewriter.eraseOp(op);
    return success();
  }
};

//===--------------------------------------------- slots and values ----------------------------------------------===//

/// A slot that fly-promote-slots could not promote is private memory; a pinned one is nothing by itself.
struct SlotLowering : FlyLowering<SlotOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(SlotOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType().getValueType());
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!type || !function)
      return failure();
    if (op.getFile()) {
      rewriter.replaceOpWithNewOp<LLVM::PoisonOp>(op, getTypeConverter()->convertType(op.getType()));
      return success();
    }
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
    Value one = constant(rewriter, op.getLoc(), 1);
    Value memory =
        LLVM::AllocaOp::create(rewriter, op.getLoc(), getTypeConverter()->convertType(op.getType()), type, one);
    rewriter.replaceOp(op, memory);
    return success();
  }
};

/// The slot of an access, if it is pinned.
SlotOp pinnedSlot(Value slot) {
  auto made = slot.getDefiningOp<SlotOp>();
  return made && made.getFile() ? made : SlotOp();
}

struct SlotLoadLowering : FlyLowering<SlotLoadOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(SlotLoadOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (SlotOp slot = pinnedSlot(op.getSlot()))
      rewriter.replaceOp(op, accessPinned(rewriter, op.getLoc(), slot, type, Value()));
    else
      rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, adaptor.getSlot());
    return success();
  }
};

struct SlotStoreLowering : FlyLowering<SlotStoreOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(SlotStoreOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    if (SlotOp slot = pinnedSlot(op.getSlot())) {
      accessPinned(rewriter, op.getLoc(), slot, adaptor.getValue().getType(), adaptor.getValue());
      rewriter.eraseOp(op);
    } else {
      rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, adaptor.getValue(), adaptor.getSlot());
    }
    return success();
  }
};

/// Registers of so many words exist.
bool isRegisterTuple(int64_t words) { return (words >= 1 && words <= 12) || words == 16 || words == 32; }

/// Frozen, so that every use sees the same bits and none is poison. What is unwritten is defined by an empty statement:
/// LLVM would make a frozen value 0, which is what a sum wants to begin with. The number in its comment keeps several
/// apart.
struct UndefinedLowering : FlyLowering<UndefinedOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(UndefinedOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto vector = dyn_cast<VectorType>(op.getType());
    const int64_t bits = vector ? vector.getNumElements() * vector.getElementTypeBitWidth() : 0;
    if (op.getUnwritten() && (bits == 8 || bits == 16 || (bits % 32 == 0 && isRegisterTuple(bits / 32)))) {
      const Type word = rewriter.getI32Type();
      const Type words = bits <= 32 ? word : Type(VectorType::get({bits / 32}, word));
      Value value = LLVM::InlineAsmOp::create(rewriter, op.getLoc(), words, ValueRange{},
                                              protocol::unwrittenStatement(*op.getUnwritten()), "=v",
                                              /*has_side_effects=*/false, /*is_align_stack=*/false,
                                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr{}, ArrayAttr{})
                        .getResult(0);
      if (bits < 32)
        value = LLVM::TruncOp::create(rewriter, op.getLoc(), rewriter.getIntegerType(bits), value);
      rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, vector, value);
      return success();
    }
    Value poison = LLVM::PoisonOp::create(rewriter, op.getLoc(), getTypeConverter()->convertType(op.getType()));
    rewriter.replaceOpWithNewOp<LLVM::FreezeOp>(op, poison);
    return success();
  }
};

/// The intrinsics take scalars only.
struct ApproximateLowering : FlyLowering<ApproximateOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(ApproximateOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const ApproximationInfo &row = info(op.getFunction());
    Location location = op.getLoc();
    Type operand = getElementTypeOrSelf(adaptor.getValue().getType()), result = getElementTypeOrSelf(op.getType());
    auto name = rewriter.getStringAttr(row.intrinsic + (".f" + Twine(operand.getIntOrFloatBitWidth())));
    auto one = [&](Value x) -> Value {
      auto call = LLVM::CallIntrinsicOp::create(rewriter, location, result, name, ValueRange{x});
      if (!row.givesInteger) // flags are of floats
        call.setFastmathFlags(arith::convertArithFastMathFlagsToLLVM(op.getFastmath()));
      return call.getResult(0);
    };
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOp(op, one(adaptor.getValue()));
      return success();
    }
    Value all = LLVM::PoisonOp::create(rewriter, location, vector);
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value place = constant(rewriter, location, i);
      Value element = LLVM::ExtractElementOp::create(rewriter, location, adaptor.getValue(), place);
      all = LLVM::InsertElementOp::create(rewriter, location, all, one(element), place);
    }
    rewriter.replaceOp(op, all);
    return success();
  }
};

} // namespace

void populateFlyOpPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<RegisterLowering<ThreadIdOp, ROCDL::ThreadIdXOp, ROCDL::ThreadIdYOp, ROCDL::ThreadIdZOp>,
               RegisterLowering<BlockIdOp, ROCDL::BlockIdXOp, ROCDL::BlockIdYOp, ROCDL::BlockIdZOp>,
               RegisterLowering<ClusterIdOp, ROCDL::ClusterIdXOp, ROCDL::ClusterIdYOp, ROCDL::ClusterIdZOp>,
               LaneIdLowering, BarrierLowering, ClusterBarrierLowering, SlotLowering, SlotLoadLowering,
               SlotStoreLowering, UndefinedLowering, ApproximateLowering>(converter);
  patterns.add<HiddenArgumentLowering<GridDimOp>>(converter, 0, 32);
  patterns.add<HiddenArgumentLowering<BlockDimOp>>(converter, 12, 16);
  patterns.add<IntrinsicLowering<ClusterBlockIdOp>>(converter, "llvm.amdgcn.cluster.workgroup.id");
  patterns.add<IntrinsicLowering<ClusterRankOp>>(converter, "llvm.amdgcn.cluster.workgroup.flat.id");
}

} // namespace fly::ir
