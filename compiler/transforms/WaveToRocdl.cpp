// Lowers cooperative operations of a wave's lanes, and the wave's index, to intrinsics of the AMDGPU backend.
//
// The intrinsics are convergent, so LLVM keeps them in place. One thing LLVM does not do by itself: a DPP move whose
// `old` is never visible is marked (poison and bound_ctrl), because only then the move is merged into the instruction
// that uses it.
#include "compiler/dialect/WaveActions.h"
#include "compiler/transforms/FlyToRocdl.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace fly::ir {
namespace {

Value constant(OpBuilder &builder, Location location, int64_t value, unsigned bits = 32) {
  return LLVM::ConstantOp::create(builder, location, builder.getIntegerType(bits), value);
}

struct WaveLowering : ConvertOpToLLVMPattern<WaveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(WaveOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    const WaveActionInfo &row = info(op.getAction());
    Location location = op.getLoc();
    SmallVector<Value> arguments(adaptor.getOperands());
    SmallVector<int32_t> immediates(op.getImmediates());
    if (op.getAction() == WaveAction::Dpp)
      forgetOld(op, arguments[0], immediates, rewriter);
    for (auto [letter, value] : llvm::zip(StringRef(row.immediates), immediates))
      arguments.push_back(constant(rewriter, location, value, letter == 'b' ? 1 : 32));
    SmallVector<Type> types(op.getResultTypes());
    Type result = types.size() == 1 ? types[0] : LLVM::LLVMStructType::getLiteral(op.getContext(), types);
    Value called =
        LLVM::CallIntrinsicOp::create(rewriter, location, result, rewriter.getStringAttr(row.intrinsic), arguments)
            .getResult(0);
    SmallVector<Value> results = {called};
    if (types.size() != 1) {
      results.clear();
      for (int64_t i = 0; i < int64_t(types.size()); ++i)
        results.push_back(LLVM::ExtractValueOp::create(rewriter, location, called, i));
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// With all rows and banks on, a lane without a source gets 0 by bound_ctrl: so `old` is not needed if it is 0.
  static void forgetOld(WaveOp op, Value &old, MutableArrayRef<int32_t> immediates, OpBuilder &builder) {
    if (immediates[1] != 15 || immediates[2] != 15 || (!immediates[3] && !matchPattern(op.getOperands()[0], m_Zero())))
      return;
    immediates[3] = 1;
    old = LLVM::PoisonOp::create(builder, op.getLoc(), old.getType());
  }
};

/// A register of the hardware where it has one, else the first lane's linear index over the wave's size.
struct WaveIdLowering : ConvertOpToLLVMPattern<WaveIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(WaveIdOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Type i32 = rewriter.getI32Type();
    int32_t size = int32_t(op.getWaveSize());
    DenseI32ArrayAttr block = knownBlock(op);
    if (block && int64_t(block[0]) * block[1] * block[2] <= size) {
      rewriter.replaceOp(op, constant(rewriter, location, 0));
      return success();
    }
    if (op.getInRegister()) {
      rewriter.replaceOp(op, LLVM::CallIntrinsicOp::create(
                                 rewriter, location, i32, rewriter.getStringAttr("llvm.amdgcn.wave.id"), ValueRange{}));
      return success();
    }
    auto extent = [&](Dimension dimension) -> Value {
      if (block)
        return constant(rewriter, location, block[static_cast<unsigned>(dimension)]);
      return BlockDimOp::create(rewriter, location, dimension);
    };
    auto index = [&](Dimension dimension) -> Value { return ThreadIdOp::create(rewriter, location, dimension); };
    bool planar = block && block[2] == 1, linear = planar && block[1] == 1;
    Value thread = index(Dimension::X);
    if (!linear) {
      Value row = index(Dimension::Y);
      if (!planar)
        row = LLVM::AddOp::create(rewriter, location, row,
                                  LLVM::MulOp::create(rewriter, location, index(Dimension::Z), extent(Dimension::Y)));
      thread = LLVM::AddOp::create(rewriter, location, thread,
                                   LLVM::MulOp::create(rewriter, location, row, extent(Dimension::X)));
    }
    Value wave = LLVM::LShrOp::create(rewriter, location, thread, constant(rewriter, location, llvm::Log2_32(size)));
    rewriter.replaceOpWithNewOp<ROCDL::ReadfirstlaneOp>(op, i32, wave);
    return success();
  }
};

} // namespace

void populateWavePatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<WaveLowering, WaveIdLowering>(converter);
}

} // namespace fly::ir
