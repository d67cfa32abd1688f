// Exact instructions and pinned registers become statements that compiler/codegen knows (compiler/protocol/Assembly.h,
// Pin.h). In these, a value is the 32-bit words of its registers; a lane mask is one word per 32 lanes.
#include "compiler/protocol/Assembly.h"
#include "compiler/protocol/Pin.h"
#include "compiler/target/Target.h"
#include "compiler/transforms/FlyToRocdl.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace fly::ir {

namespace {

int64_t registerBits(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * int64_t(vector.getElementTypeBitWidth());
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type)) {
    const auto space = AddressSpace(pointer.getAddressSpace());
    return space == AddressSpace::Buffer                                     ? 128
           : space == AddressSpace::Shared || space == AddressSpace::Private ? 32
                                                                             : 64;
  }
  return int64_t(type.getIntOrFloatBitWidth());
}

/// i32, or a vector of them.
Type wordsFor(OpBuilder &b, int64_t bits) {
  const int64_t words = (bits + 31) / 32;
  return words == 1 ? Type(b.getI32Type()) : Type(VectorType::get({words}, b.getI32Type()));
}

Value toWords(OpBuilder &b, Location at, Value value) {
  const int64_t bits = registerBits(value.getType());
  Type words = wordsFor(b, bits);
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    value = LLVM::PtrToIntOp::create(b, at, b.getIntegerType(unsigned(bits)), value);
  if (bits % 32 != 0) {
    Type whole = b.getIntegerType(unsigned(bits));
    if (value.getType() != whole)
      value = LLVM::BitcastOp::create(b, at, whole, value);
    value = LLVM::ZExtOp::create(b, at, b.getIntegerType(unsigned((bits + 31) / 32 * 32)), value);
  }
  return value.getType() == words ? value : Value(LLVM::BitcastOp::create(b, at, words, value));
}

Value fromWords(OpBuilder &b, Location at, Value words, Type type) {
  const int64_t bits = registerBits(type);
  if (words.getType() == type)
    return words;
  if (bits % 32 == 0)
    return LLVM::BitcastOp::create(b, at, type, words);
  Type padded = b.getIntegerType(unsigned((bits + 31) / 32 * 32)), whole = b.getIntegerType(unsigned(bits));
  if (words.getType() != padded)
    words = LLVM::BitcastOp::create(b, at, padded, words);
  words = LLVM::TruncOp::create(b, at, whole, words);
  return whole == type ? words : Value(LLVM::BitcastOp::create(b, at, type, words));
}

LLVM::InlineAsmOp statement(OpBuilder &b, Location at, TypeRange results, ValueRange operands, StringRef text,
                            StringRef constraints, bool hasEffects) {
  Type result = results.size() > 1 ? Type(LLVM::LLVMStructType::getLiteral(b.getContext(), llvm::to_vector(results)))
                : results.empty()  ? Type()
                                   : results[0];
  return LLVM::InlineAsmOp::create(b, at, result ? TypeRange(result) : TypeRange(), operands, text, constraints,
                                   hasEffects, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr{}, ArrayAttr{});
}

Value callIntrinsic(OpBuilder &b, Location at, Type type, StringRef name, Value operand) {
  return LLVM::CallIntrinsicOp::create(b, at, type, b.getStringAttr(name), ValueRange{operand}).getResult(0);
}

/// Lanes of a wave, by the kernel's target.
unsigned waveSizeOf(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto cpu = function ? function->getAttrOfType<StringAttr>("target_cpu") : StringAttr();
  const target::Target *target = cpu ? target::find(cpu.getValue()) : nullptr;
  return target ? target->waveSize : 32;
}

struct ExactLowering : FlyLowering<ExactOp> {
  using FlyLowering::FlyLowering;

  LogicalResult matchAndRewrite(ExactOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    const Location at = op.getLoc();
    const unsigned waveSize = waveSizeOf(op);
    const Type mask = rewriter.getIntegerType(waveSize);
    const std::string maskSuffix = ".i" + std::to_string(waveSize);
    SmallVector<Type> types, held;
    std::string constraints;
    auto constrain = [&](StringRef prefix, char file) {
      constraints += (constraints.empty() ? "" : ",") + prefix.str() + file;
    };
    for (auto [i, result] : llvm::enumerate(op.getResultTypes())) {
      Type type = getTypeConverter()->convertType(result);
      if (!type)
        return failure();
      types.push_back(type);
      held.push_back(type.isInteger(1) ? wordsFor(rewriter, waveSize) : wordsFor(rewriter, registerBits(type)));
      // A result may be written before all operands are read only where the assembler says so; registers of results
      // and operands differ in any case.
      constrain("=", op.getFiles()[i]);
    }
    SmallVector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(adaptor.getOperands())) {
      Value value = operand;
      if (value.getType().isInteger(1))
        value = callIntrinsic(rewriter, at, mask, "llvm.amdgcn.ballot" + maskSuffix, value);
      operands.push_back(toWords(rewriter, at, value));
      constrain("", op.getFiles()[types.size() + i]);
    }
    auto made = statement(rewriter, at, held, operands, protocol::assemblyStatement(op.getAssembly()), constraints,
                          op.getHasEffects());
    SmallVector<Value> results;
    for (auto [i, type] : llvm::enumerate(types)) {
      Value words = types.size() == 1
                        ? made.getResult(0)
                        : Value(LLVM::ExtractValueOp::create(rewriter, at, made.getResult(0), int64_t(i)));
      if (type.isInteger(1))
        results.push_back(callIntrinsic(rewriter, at, type, "llvm.amdgcn.inverse.ballot" + maskSuffix,
                                        fromWords(rewriter, at, words, mask)));
      else
        results.push_back(fromWords(rewriter, at, words, type));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

Value accessPinned(OpBuilder &b, Location at, SlotOp slot, Type type, Value written) {
  const int64_t words = (registerBits(type) + 31) / 32;
  const protocol::Pinned pinned{slot.getFile()->front(), unsigned(*slot.getFirst()), unsigned(words)};
  const std::string text = pinned.statement(), constraint(1, pinned.constraint());
  if (written) {
    statement(b, at, {}, toWords(b, at, written), text, constraint, /*hasEffects=*/true);
    return Value();
  }
  Value held =
      statement(b, at, wordsFor(b, registerBits(type)), {}, text, "=" + constraint, /*hasEffects=*/true).getResult(0);
  return fromWords(b, at, held, type);
}

void populateExactPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ExactLowering>(converter);
}

} // namespace fly::ir
