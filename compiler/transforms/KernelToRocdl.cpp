// Kernels as LLVM functions: the part of convert-fly-to-rocdl that knows the ABI.
//
//   known_block [x,y,z]   rocdl.reqd_work_group_size, rocdl.flat_work_group_size "n,n"
//   max_block_threads n   rocdl.flat_work_group_size "1,n"
//   known_cluster [x,y,z] "amdgpu-cluster-dims"="x,y,z": the metadata's `.cluster_dims`. Without one "0,0,0", no
//                         cluster: code that may run in any cluster computes block_id from that, in ten scalar
//                         instructions
//   waves_per_eu n        rocdl.waves_per_eu
//   vgprs n, agprs n      attributes that compiler/codegen translates (protocol/RegisterCounts.h)
//   fly.flush_denormals   "denormal-fp-math-f32"="preserve-sign,preserve-sign"
//   pointer arguments     llvm.align, llvm.readonly; never noalias (the caller may pass one tensor twice), and never
//                         dereferenceable (a tensor may be empty)
//   by_value arguments    llvm.byref: a pointer into the kernel arguments, which are constant memory
#include "compiler/protocol/RegisterCounts.h"
#include "compiler/target/Target.h"
#include "compiler/transforms/FlyToRocdl.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fly::ir {
namespace {

struct KernelLowering : ConvertOpToLLVMPattern<KernelOp> {
  KernelLowering(const LLVMTypeConverter &converter, StringRef arch)
      : ConvertOpToLLVMPattern(converter), arch(arch.str()), target(target::find(arch)) {}

  LogicalResult matchAndRewrite(KernelOp kernel, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    if (kernel.getKnownCluster() && target && !target->has("cluster"))
      return kernel.emitOpError() << "has `known_cluster`; " << arch << " has no clusters";
    const LLVMTypeConverter &converter = *getTypeConverter();
    TypeConverter::SignatureConversion signature(kernel.getNumArguments());
    SmallVector<Type> types;
    for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      Type converted = converter.convertType(type);
      if (!converted)
        return kernel.emitOpError() << "argument " << index << " has no form in LLVM: " << type;
      types.push_back(converted);
      signature.addInputs(index, converted);
    }
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(kernel.getContext()), types);
    auto function = LLVM::LLVMFuncOp::create(rewriter, kernel.getLoc(), kernel.getSymName(), type);
    setFunctionAttributes(kernel, function, rewriter);
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      setArgumentAttributes(kernel, i, function, rewriter);
    rewriter.inlineRegionBefore(kernel.getBody(), function.getBody(), function.end());
    if (failed(rewriter.convertRegionTypes(&function.getBody(), converter, &signature)))
      return failure();
    rewriter.eraseOp(kernel);
    return success();
  }

private:
  void setFunctionAttributes(KernelOp kernel, LLVM::LLVMFuncOp function, OpBuilder &builder) const {
    auto set = [&](StringRef name, Attribute value) { function->setAttr(name, value); };
    set("rocdl.kernel", builder.getUnitAttr());
    set("rocdl.uniform_work_group_size", builder.getBoolAttr(true));
    int64_t least = 1, most = kernel.getMaxBlockThreads().value_or(maximumWorkgroup);
    if (std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlock()) {
      least = most = int64_t((*block)[0]) * (*block)[1] * (*block)[2];
      set("rocdl.reqd_work_group_size", builder.getDenseI32ArrayAttr(*block));
    }
    set("rocdl.flat_work_group_size", builder.getStringAttr(std::to_string(least) + "," + std::to_string(most)));
    if (kernel.getWavesPerEu())
      set("rocdl.waves_per_eu", builder.getI32IntegerAttr(*kernel.getWavesPerEu()));
    // Minima and maxima are IEEE 754-2019's, where a number wins over any NaN: what gfx9 does with MODE.IEEE off. With
    // it on, LLVM quiets operands first, by an instruction each, which also keeps a DPP move apart. gfx12 has no such
    // mode.
    SmallVector<Attribute> passthrough = {builder.getStrArrayAttr({"amdgpu-ieee", "false"})};
    auto count = [&](const protocol::RegisterCount &attribute, uint64_t registers) {
      passthrough.push_back(builder.getStrArrayAttr({attribute.name, attribute.write(registers)}));
    };
    if (kernel.getVgprs())
      count(protocol::vgprBudget, *kernel.getVgprs());
    if (kernel.getAgprs())
      count(protocol::agprBudget, *kernel.getAgprs());
    if (auto accumulators = kernel->getAttrOfType<IntegerAttr>(accumulatorsAttr))
      count(protocol::accumulatorRegisters, uint64_t(accumulators.getInt()));
    if (std::optional<ArrayRef<int32_t>> cluster = kernel.getKnownCluster())
      passthrough.push_back(builder.getStrArrayAttr(
          {"amdgpu-cluster-dims",
           llvm::join(llvm::map_range(*cluster, [](int32_t n) { return std::to_string(n); }), ",")}));
    else if (target && target->has("cluster"))
      passthrough.push_back(builder.getStrArrayAttr({"amdgpu-cluster-dims", "0,0,0"}));
    if (kernel->hasAttr(KernelOp::flushDenormalsAttr))
      passthrough.push_back(builder.getStrArrayAttr({"denormal-fp-math-f32", "preserve-sign,preserve-sign"}));
    function.setPassthroughAttr(builder.getArrayAttr(passthrough));
    if (!arch.empty())
      function.setTargetCpu(arch);
  }

  void setArgumentAttributes(KernelOp kernel, unsigned index, LLVM::LLVMFuncOp function, OpBuilder &builder) const {
    auto pointer = dyn_cast<PtrType>(kernel.getArgumentTypes()[index]);
    if (!pointer)
      return;
    if (pointer.getAlignment() > 1)
      function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(pointer.getAlignment()));
    if (auto bytes = kernel.getArgAttrOfType<IntegerAttr>(index, KernelOp::byValueAttr))
      function.setArgAttr(
          index, LLVM::LLVMDialect::getByRefAttrName(),
          TypeAttr::get(LLVM::LLVMArrayType::get(builder.getI8Type(), static_cast<uint64_t>(bytes.getInt()))));
    if (kernel.getArgAttr(index, KernelOp::readonlyAttr))
      function.setArgAttr(index, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
  }

  std::string arch;
  const target::Target *target; ///< null: not given to the pass, or for another architecture
};

struct ReturnLowering : ConvertOpToLLVMPattern<ReturnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ReturnOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange{});
    return success();
  }
};

} // namespace

void populateKernelPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns, StringRef arch) {
  patterns.add<KernelLowering>(converter, arch);
  patterns.add<ReturnLowering>(converter);
}

} // namespace fly::ir
