// Memory in kernels as LLVM: LDS objects, pointers, accesses, atomics and fences.
//
// An i1 in memory is a byte: loads compare it with 0, stores widen it.
//
// Atomics. LLVM replaces an atomic by a compare-and-exchange loop wherever the instruction might not work. For floats
// that is memory shared coherently with the host or another device (fine-grained memory, memory across PCIe). The
// metadata `amdgpu.no.fine.grained.memory` and `amdgpu.no.remote.memory` promise that there is none (LLVM's
// AMDGPUUsage, "LLVM IR Metadata"); the manual documents the promise.
#include "compiler/protocol/FloatAtomic.h"
#include "compiler/transforms/FlyToRocdl.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace fly::ir {

/// As runtime/output.h has them.
constexpr StringLiteral outputRingSymbol = "__fly_output", outputRingSection = "fly_output",
                        outputTextSection = "fly_text";

unsigned llvmAddressSpace(AddressSpace space) { return static_cast<unsigned>(space); }

namespace {

//===------------------------------------------------- objects ---------------------------------------------------===//

/// An LDS object is an internal global; LLVM lays out those that a kernel uses.
struct SharedLowering : FlyLowering<SharedOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(SharedOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto module = op->getParentOfType<ModuleOp>();
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!module || !function)
      return failure();
    auto type = LLVM::LLVMArrayType::get(rewriter.getI8Type(), op.getBytes());
    // The object does not belong to a function, so its location does not include the calls that led to it.
    Location place = op.getLoc();
    while (auto call = dyn_cast<CallSiteLoc>(place))
      place = call.getCallee();
    LLVM::GlobalOp global;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      unsigned number = 0;
      std::string name;
      do
        name = (function.getName() + "__shared_" + Twine(number++)).str();
      while (module.lookupSymbol(name));
      global = LLVM::GlobalOp::create(rewriter, place, type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
                                      /*value=*/Attribute(), /*alignment=*/std::max(16u, op.getType().getAlignment()),
                                      llvmAddressSpace(AddressSpace::Shared));
      // LDS has no initial value.
      Block *body = rewriter.createBlock(&global.getInitializerRegion());
      rewriter.setInsertionPointToStart(body);
      Value poison = LLVM::PoisonOp::create(rewriter, place, type);
      LLVM::ReturnOp::create(rewriter, place, poison);
    }
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, global);
    return success();
  }
};

/// One external array of size zero per kernel: LLVM puts it after the static objects, with its alignment.
struct DynamicSharedLowering : FlyLowering<DynamicSharedOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(DynamicSharedOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto module = op->getParentOfType<ModuleOp>();
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!module || !function)
      return failure();
    std::string name = (function.getName() + "__dynamic_shared").str();
    auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
    if (!global) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      Location place = op.getLoc();
      while (auto call = dyn_cast<CallSiteLoc>(place))
        place = call.getCallee();
      global = LLVM::GlobalOp::create(rewriter, place, LLVM::LLVMArrayType::get(rewriter.getI8Type(), 0),
                                      /*isConstant=*/false, LLVM::Linkage::External, name, Attribute(),
                                      op.getType().getAlignment(), llvmAddressSpace(AddressSpace::Shared));
    }
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, global);
    return success();
  }
};

//===------------------------------------------------- output ----------------------------------------------------===//

/// Both are found by the names of their sections (runtime/output.h). The kernels of a code object are compiled apart
/// and share one variable.
struct OutputRingLowering : FlyLowering<OutputRingOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(OutputRingOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto module = op->getParentOfType<ModuleOp>();
    if (!module)
      return failure();
    auto global = module.lookupSymbol<LLVM::GlobalOp>(outputRingSymbol);
    if (!global) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      global = LLVM::GlobalOp::create(rewriter, UnknownLoc::get(op.getContext()), rewriter.getI64Type(),
                                      /*isConstant=*/false, LLVM::Linkage::WeakODR, outputRingSymbol,
                                      rewriter.getI64IntegerAttr(0), 8, llvmAddressSpace(AddressSpace::Global));
      global.setDsoLocal(true);
      global.setVisibility_(LLVM::Visibility::Protected);
      global.setSection(outputRingSection);
      // One for all kernels, in a section that holds nothing else.
      auto comdat = LLVM::ComdatOp::create(rewriter, global.getLoc(), "__fly_comdat");
      rewriter.setInsertionPointToStart(&comdat.getBody().front());
      auto selector =
          LLVM::ComdatSelectorOp::create(rewriter, global.getLoc(), outputRingSymbol, LLVM::comdat::Comdat::Any);
      global.setComdatAttr(
          SymbolRefAttr::get(comdat.getSymNameAttr(), FlatSymbolRefAttr::get(selector.getSymNameAttr())));
    }
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, global);
    return success();
  }
};

struct TextLowering : FlyLowering<TextOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(TextOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto module = op->getParentOfType<ModuleOp>();
    if (!module)
      return failure();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    unsigned number = 0;
    std::string name;
    do
      name = ("__fly_text_" + Twine(number++)).str();
    while (module.lookupSymbol(name));
    std::string bytes = op.getBytes().str() + '\0';
    auto global = LLVM::GlobalOp::create(rewriter, UnknownLoc::get(op.getContext()),
                                         LLVM::LLVMArrayType::get(rewriter.getI8Type(), bytes.size()),
                                         /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                         rewriter.getStringAttr(bytes), 1, llvmAddressSpace(AddressSpace::Constant));
    global.setSection(outputTextSection);
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, global);
    return success();
  }
};

//===------------------------------------------------- pointers --------------------------------------------------===//

struct PtrAddLowering : FlyLowering<PtrAddOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(PtrAddOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Type pointerType = adaptor.getPointer().getType();
    Value bytes = adaptor.getBytes();
    AddressSpace space = op.getType().getSpace();
    bool has64BitPointers = space != AddressSpace::Shared && space != AddressSpace::Private;
    // getelementptr sign-extends; so does this by default.
    if (op.getIsUnsigned() && has64BitPointers && bytes.getType().isInteger(32))
      bytes = LLVM::ZExtOp::create(rewriter, op.getLoc(), rewriter.getI64Type(), bytes);
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, pointerType, rewriter.getI8Type(), adaptor.getPointer(),
                                             ArrayRef<LLVM::GEPArg>{bytes});
    return success();
  }
};

struct PtrCastLowering : FlyLowering<PtrCastOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(PtrCastOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (type == adaptor.getPointer().getType())
      rewriter.replaceOp(op, adaptor.getPointer());
    else
      rewriter.replaceOpWithNewOp<LLVM::AddrSpaceCastOp>(op, type, adaptor.getPointer());
    return success();
  }
};

template <typename Op, typename To> struct AddressConversion : FlyLowering<Op> {
  using FlyLowering<Op>::FlyLowering;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.template replaceOpWithNewOp<To>(op, this->getTypeConverter()->convertType(op.getType()),
                                             adaptor.getOperands()[0]);
    return success();
  }
};

//===-------------------------------------------------- accesses -------------------------------------------------===//

LLVM::AtomicOrdering orderingOf(MemoryOrder order) {
  switch (order) {
  case MemoryOrder::Relaxed: return LLVM::AtomicOrdering::monotonic;
  case MemoryOrder::Acquire: return LLVM::AtomicOrdering::acquire;
  case MemoryOrder::Release: return LLVM::AtomicOrdering::release;
  case MemoryOrder::AcqRel: return LLVM::AtomicOrdering::acq_rel;
  case MemoryOrder::SeqCst: return LLVM::AtomicOrdering::seq_cst;
  }
  llvm_unreachable("every order is handled");
}

/// LLVM's names of the scopes on AMDGPU; the system is the scope without a name.
StringRef syncScopeOf(MemoryScope scope) {
  switch (scope) {
  case MemoryScope::Wave: return "wavefront";
  case MemoryScope::Workgroup: return "workgroup";
  case MemoryScope::Cluster: return "cluster"; // the agent's on a target without clusters
  case MemoryScope::Agent: return "agent";
  case MemoryScope::System: return "";
  }
  llvm_unreachable("every scope is handled");
}

/// The in-memory type for `type`, if it differs: i1 is a byte.
Type memoryTypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isInteger(1))
    return {};
  Type byte = IntegerType::get(type.getContext(), 8);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(byte);
  return byte;
}

/// Puts the options of an access on LLVM's.
template <typename Op, typename Access> void setOptions(Op op, Access access) {
  access.setVolatile_(op.getIsVolatile());
  access.setNontemporal(op.getIsNontemporal());
  if (!op.getOrder())
    return;
  access.setOrdering(orderingOf(*op.getOrder()));
  if (StringRef scope = syncScopeOf(*op.getScope()); !scope.empty())
    access.setSyncscope(scope);
}

struct PtrLoadLowering : FlyLowering<PtrLoadOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(PtrLoadOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    Type memoryType = memoryTypeOf(type);
    auto load = LLVM::LoadOp::create(rewriter, op.getLoc(), memoryType ? memoryType : type, adaptor.getPointer(),
                                     op.getPointer().getType().getAlignment());
    setOptions(op, load);
    load.setInvariant(op.getIsInvariant());
    if (!memoryType) {
      rewriter.replaceOp(op, load);
      return success();
    }
    Value zero = LLVM::ZeroOp::create(rewriter, op.getLoc(), memoryType);
    rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::ne, load, zero);
    return success();
  }
};

struct PtrStoreLowering : FlyLowering<PtrStoreOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(PtrStoreOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Value value = adaptor.getValue();
    if (Type memoryType = memoryTypeOf(value.getType()))
      value = LLVM::ZExtOp::create(rewriter, op.getLoc(), memoryType, value);
    auto store = LLVM::StoreOp::create(rewriter, op.getLoc(), value, adaptor.getPointer(),
                                       op.getPointer().getType().getAlignment());
    setOptions(op, store);
    rewriter.eraseOp(op);
    return success();
  }
};

//===-------------------------------------------------- atomics --------------------------------------------------===//

LLVM::AtomicBinOp operationOf(AtomicKind kind) {
  using To = LLVM::AtomicBinOp;
  switch (kind) {
  case AtomicKind::Add: return To::add;
  case AtomicKind::Sub: return To::sub;
  case AtomicKind::And: return To::_and;
  case AtomicKind::Or: return To::_or;
  case AtomicKind::Xor: return To::_xor;
  case AtomicKind::MinSigned: return To::min;
  case AtomicKind::MaxSigned: return To::max;
  case AtomicKind::MinUnsigned: return To::umin;
  case AtomicKind::MaxUnsigned: return To::umax;
  case AtomicKind::Exchange: return To::xchg;
  case AtomicKind::Increment: return To::uinc_wrap;
  case AtomicKind::Decrement: return To::udec_wrap;
  case AtomicKind::FloatAdd: return To::fadd;
  case AtomicKind::FloatMin: return To::fmin;
  case AtomicKind::FloatMax: return To::fmax;
  }
  llvm_unreachable("every kind is handled");
}

struct AtomicLowering : FlyLowering<AtomicOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(AtomicOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    auto atomic = LLVM::AtomicRMWOp::create(rewriter, op.getLoc(), operationOf(op.getKind()), adaptor.getPointer(),
                                            adaptor.getValue(), orderingOf(op.getOrder()), syncScopeOf(op.getScope()),
                                            op.getPointer().getType().getAlignment());
    for (StringRef promise : {"rocdl.no_fine_grained_memory", "rocdl.no_remote_memory"})
      atomic->setAttr(promise, rewriter.getUnitAttr());
    if (arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::reassoc))
      atomic->setAttr(LLVM::LLVMDialect::getMmraAttrName(),
                      LLVM::MMRATagAttr::get(rewriter.getContext(), protocol::floatAtomicTag, protocol::reassociates));
    rewriter.replaceOp(op, atomic);
    return success();
  }
};

struct CompareExchangeLowering : FlyLowering<CompareExchangeOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(CompareExchangeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LLVM::AtomicOrdering success = orderingOf(op.getOrder());
    // A failed exchange writes nothing, so only the acquire half of the order remains.
    LLVM::AtomicOrdering failed = op.getOrder() == MemoryOrder::Release  ? LLVM::AtomicOrdering::monotonic
                                  : op.getOrder() == MemoryOrder::AcqRel ? LLVM::AtomicOrdering::acquire
                                                                         : success;
    auto pair = LLVM::AtomicCmpXchgOp::create(rewriter, op.getLoc(), adaptor.getPointer(), adaptor.getExpected(),
                                              adaptor.getDesired(), success, failed, syncScopeOf(op.getScope()),
                                              op.getPointer().getType().getAlignment());
    rewriter.replaceOpWithNewOp<LLVM::ExtractValueOp>(op, pair, ArrayRef<int64_t>{0});
    return mlir::success();
  }
};

/// A fence of one address space is marked by a memory model relaxation annotation.
struct FenceLowering : FlyLowering<FenceOp> {
  using FlyLowering::FlyLowering;
  LogicalResult matchAndRewrite(FenceOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto fence = LLVM::FenceOp::create(rewriter, op.getLoc(), orderingOf(op.getOrder()), syncScopeOf(op.getScope()));
    if (op.getSpace())
      fence->setAttr(LLVM::LLVMDialect::getMmraAttrName(),
                     LLVM::MMRATagAttr::get(rewriter.getContext(), "amdgpu-synchronize-as",
                                            *op.getSpace() == AddressSpace::Shared ? "local" : "global"));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateMemoryPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<SharedLowering, DynamicSharedLowering, OutputRingLowering, TextLowering, PtrAddLowering, PtrCastLowering,
               AddressConversion<PtrToIntOp, LLVM::PtrToIntOp>, AddressConversion<IntToPtrOp, LLVM::IntToPtrOp>,
               PtrLoadLowering, PtrStoreLowering, AtomicLowering, CompareExchangeLowering, FenceLowering>(converter);
}

} // namespace fly::ir
