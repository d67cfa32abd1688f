// Buffers, copies that bypass registers and transposing loads as intrinsics of the AMDGPU backend.
//
// Buffer accesses move whole registers: a vector of small elements is moved as the integers that it fills. The known
// part of an offset is added to the checked part without wrapping; LLVM moves it back into the instruction's immediate
// as far as it fits.
#include "compiler/dialect/AccessWidth.h"
#include "compiler/target/Target.h"
#include "compiler/transforms/FlyToRocdl.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace fly::ir {
namespace {

/// Without an architecture, as in tests of only this pass, the first row's.
const target::Target &targetOf(StringRef arch) {
  const target::Target *found = target::find(arch);
  return found ? *found : target::all().front();
}

template <typename Op> struct CopyLowering : FlyLowering<Op> {
  CopyLowering(const LLVMTypeConverter &converter, const target::Target &target)
      : FlyLowering<Op>(converter), target(target) {}

protected:
  using FlyLowering<Op>::constant;

  /// Bits of the instruction's cache policy.
  Value policy(ConversionPatternRewriter &rewriter, Op op) const {
    return constant(rewriter, op.getLoc(), int32_t(op.getCache()));
  }
  template <typename Adaptor> Value checkedOffset(ConversionPatternRewriter &rewriter, Op op, Adaptor adaptor) const {
    Value known = constant(rewriter, op.getLoc(), int64_t(op.getKnown()));
    if (op.getKnown() == 0)
      return adaptor.getChecked();
    return LLVM::AddOp::create(rewriter, op.getLoc(), adaptor.getChecked(), known, LLVM::IntegerOverflowFlags::nuw);
  }
  static Value call(ConversionPatternRewriter &rewriter, Location location, Type result, const Twine &name,
                    ValueRange arguments) {
    auto text = rewriter.getStringAttr(name);
    if (!result)
      return LLVM::CallIntrinsicOp::create(rewriter, location, text, arguments), Value();
    return LLVM::CallIntrinsicOp::create(rewriter, location, result, text, arguments).getResult(0);
  }

  const target::Target &target;
};

unsigned bitsOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return unsigned(vector.getNumElements()) * vector.getElementTypeBitWidth();
  return type.getIntOrFloatBitWidth();
}

/// Integers that fill the registers of this many bits.
Type wordsOf(MLIRContext *context, unsigned bits) {
  if (bits <= 32)
    return IntegerType::get(context, bits);
  return VectorType::get({bits / 32}, IntegerType::get(context, 32));
}

/// An i1 in memory is a byte.
Type memoryTypeOf(Type type) {
  if (!getElementTypeOrSelf(type).isInteger(1))
    return type;
  Type byte = IntegerType::get(type.getContext(), 8);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.clone(byte) : byte;
}

Value asType(ConversionPatternRewriter &rewriter, Location location, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(rewriter, location, type, value).getResult();
}

//===------------------------------------------------- buffers ---------------------------------------------------===//

struct MakeBufferLowering : CopyLowering<MakeBufferOp> {
  using CopyLowering::CopyLowering;
  LogicalResult matchAndRewrite(MakeBufferOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::MakeBufferRsrcOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getPointer(), constant(rewriter, op.getLoc(), 0, 16),
        adaptor.getBytes(), constant(rewriter, op.getLoc(), int32_t(target.bufferFlags)));
    return success();
  }
};

struct BufferLoadLowering : CopyLowering<BufferLoadOp> {
  using CopyLowering::CopyLowering;
  LogicalResult matchAndRewrite(BufferLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getType()), memory = memoryTypeOf(type);
    Value words =
        call(rewriter, location, wordsOf(op.getContext(), bitsOf(memory)), "llvm.amdgcn.raw.ptr.buffer.load",
             {adaptor.getBuffer(), checkedOffset(rewriter, op, adaptor), adaptor.getUnchecked(), policy(rewriter, op)});
    Value loaded = asType(rewriter, location, memory, words);
    if (memory != type)
      loaded = LLVM::ICmpOp::create(rewriter, location, LLVM::ICmpPredicate::ne, loaded,
                                    LLVM::ZeroOp::create(rewriter, location, memory));
    rewriter.replaceOp(op, loaded);
    return success();
  }
};

struct BufferStoreLowering : CopyLowering<BufferStoreOp> {
  using CopyLowering::CopyLowering;
  LogicalResult matchAndRewrite(BufferStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Value value = adaptor.getValue();
    if (Type memory = memoryTypeOf(value.getType()); memory != value.getType())
      value = LLVM::ZExtOp::create(rewriter, location, memory, value);
    value = asType(rewriter, location, wordsOf(op.getContext(), bitsOf(value.getType())), value);
    call(rewriter, location, {}, "llvm.amdgcn.raw.ptr.buffer.store",
         {value, adaptor.getBuffer(), checkedOffset(rewriter, op, adaptor), adaptor.getUnchecked(),
          policy(rewriter, op)});
    rewriter.eraseOp(op);
    return success();
  }
};

/// The instruction without a result is chosen if the result is unused.
struct BufferAtomicLowering : CopyLowering<BufferAtomicOp> {
  using CopyLowering::CopyLowering;
  static StringRef nameOf(AtomicKind kind) {
    switch (kind) {
    case AtomicKind::Add: return "add";
    case AtomicKind::Sub: return "sub";
    case AtomicKind::And: return "and";
    case AtomicKind::Or: return "or";
    case AtomicKind::Xor: return "xor";
    case AtomicKind::MinSigned: return "smin";
    case AtomicKind::MaxSigned: return "smax";
    case AtomicKind::MinUnsigned: return "umin";
    case AtomicKind::MaxUnsigned: return "umax";
    case AtomicKind::Exchange: return "swap";
    case AtomicKind::Increment: return "inc";
    case AtomicKind::Decrement: return "dec";
    case AtomicKind::FloatAdd: return "fadd";
    case AtomicKind::FloatMin: return "fmin";
    case AtomicKind::FloatMax: return "fmax";
    }
    llvm_unreachable("every kind is handled");
  }
  LogicalResult matchAndRewrite(BufferAtomicOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    call(rewriter, location, adaptor.getValue().getType(), "llvm.amdgcn.raw.ptr.buffer.atomic." + nameOf(op.getKind()),
         {adaptor.getValue(), adaptor.getBuffer(), checkedOffset(rewriter, op, adaptor), adaptor.getUnchecked(),
          policy(rewriter, op)});
    rewriter.eraseOp(op);
    return success();
  }
};

//===---------------------------------------------- past the registers -------------------------------------------===//

struct BufferMoveLowering : CopyLowering<BufferMoveOp> {
  using CopyLowering::CopyLowering;
  LogicalResult matchAndRewrite(BufferMoveOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    call(rewriter, location, {}, "llvm.amdgcn.raw.ptr.buffer.load.lds",
         {adaptor.getBuffer(), adaptor.getDestination(), constant(rewriter, location, int64_t(op.getBytes())),
          checkedOffset(rewriter, op, adaptor), adaptor.getUnchecked(), constant(rewriter, location, 0),
          policy(rewriter, op)});
    rewriter.eraseOp(op);
    return success();
  }
};

/// gfx9's loads write from the wave's LDS address on, lane after lane; gfx1250's lanes have their own addresses.
struct DirectMoveLowering : CopyLowering<DirectMoveOp> {
  using CopyLowering::CopyLowering;
  LogicalResult matchAndRewrite(DirectMoveOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    bool fromShared = op.getSource().getType().getSpace() == AddressSpace::Shared;
    Value global = fromShared ? adaptor.getDestination() : adaptor.getSource();
    Value shared = fromShared ? adaptor.getSource() : adaptor.getDestination();
    Value zero = constant(rewriter, location, 0), cache = policy(rewriter, op);
    if (op.getOwnPlace())
      call(rewriter, location, {},
           Twine(fromShared ? "llvm.amdgcn.global.store.async.from.lds.b" : "llvm.amdgcn.global.load.async.to.lds.b") +
               Twine(op.getBytes() * 8),
           {global, shared, zero, cache});
    else
      call(rewriter, location, {}, "llvm.amdgcn.global.load.lds",
           {global, shared, constant(rewriter, location, int64_t(op.getBytes())), zero, cache});
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------- transposing loads -------------------------------------------===//

struct TransposingLoadLowering : CopyLowering<PtrTransposingLoadOp> {
  using CopyLowering::CopyLowering;
  LogicalResult matchAndRewrite(PtrTransposingLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    unsigned element = unsigned(op.getElement()), bits = bitsOf(type);
    bool isShared = op.getPointer().getType().getSpace() == AddressSpace::Shared;
    std::string name = !isShared && element < 8
                           ? "global.load.tr" + std::to_string(element) + ".b" + std::to_string(bits)
                       : !isShared             ? "global.load.tr.b" + std::to_string(bits)
                       : target.waveSize == 64 ? "ds.read.tr" + std::to_string(element) + ".b" + std::to_string(bits)
                                               : "ds.load.tr" + std::to_string(element) + ".b" + std::to_string(bits);
    Type words = element == 16 ? VectorType::get({bits / 16}, rewriter.getI16Type())
                               : VectorType::get({bits / 32}, rewriter.getI32Type());
    Value loaded = call(rewriter, location, words, "llvm.amdgcn." + name, {adaptor.getPointer()});
    rewriter.replaceOp(op, asType(rewriter, location, type, loaded));
    return success();
  }
};

} // namespace

/// LLVM merges accesses to adjacent places (SILoadStoreOptimizer). If the hardware checks an access as a whole,
/// accesses that are inside would be lost with one that is outside. Side effects stop its search; a scheduling barrier
/// that lets everything pass has no other effect.
void keepBufferAccessesApart(Operation *root, StringRef arch) {
  if (targetOf(arch).buffersCheckDwords)
    return;
  constexpr uint32_t everythingPasses = 0x7ff;
  auto separate = [&](Operation *op, Type moved) {
    if (bitsOf(memoryTypeOf(moved)) >= widestBits)
      return;
    OpBuilder builder(op);
    SchedBarrierOp::create(builder, op->getLoc(), everythingPasses);
  };
  root->walk([&](Operation *op) {
    if (auto load = dyn_cast<BufferLoadOp>(op))
      separate(op, load.getType());
    else if (auto store = dyn_cast<BufferStoreOp>(op))
      separate(op, store.getValue().getType());
  });
}

void populateCopyPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns, StringRef arch) {
  const target::Target &target = targetOf(arch);
  patterns.add<MakeBufferLowering, BufferLoadLowering, BufferStoreLowering, BufferAtomicLowering, BufferMoveLowering,
               DirectMoveLowering, TransposingLoadLowering>(converter, target);
}

} // namespace fly::ir
