// Inside convert-fly-to-rocdl: its patterns come from seven files: kernels, memory, copies, matrices, the lanes of
// a wave, waits and scheduling, everything else.
#pragma once

#include "compiler/dialect/FlyOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fly::ir {

/// An attribute of a kernel: registers of a wave that its matrix instructions add to. fly-expand-products counts them,
/// the function gets them for codegen/machine/PlaceAccumulators.h.
constexpr llvm::StringLiteral accumulatorsAttr = "fly.accumulators";

/// LLVM's number of an address space on AMDGPU.
unsigned llvmAddressSpace(AddressSpace space);

/// Kernels become functions with the ABI's attributes; `arch` is put on them if not empty.
void populateKernelPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            llvm::StringRef arch);

/// The lanes of a wave: their exchanges and votes, and the wave's own index.
void populateWavePatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Exact instructions, and accesses to pinned registers.
void populateExactPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);
/// Reads (`written` is null) or writes the registers of a pinned slot, as a value of an LLVM type.
mlir::Value accessPinned(mlir::OpBuilder &b, mlir::Location location, SlotOp slot, mlir::Type type,
                         mlir::Value written);

/// The workgroup's extents where they are known, seen from an op of a kernel that is already a function.
mlir::DenseI32ArrayAttr knownBlock(mlir::Operation *op);

/// Where LLVM's barriers leave stores under way, before each barrier of a kernel that has a release beyond its workgroup:
/// a wait for the wave's own stores. BarrierReleases.cpp says why.
void waitForStoresBeforeBarriers(mlir::Operation *root, llvm::StringRef arch);

/// Waits and hints for the instruction scheduler; `arch` determines how counts are encoded.
void populateControlPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                             llvm::StringRef arch);

/// Indices, barriers, slots, values.
void populateFlyOpPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// LDS objects, pointers, accesses, atomics, fences.
void populateMemoryPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Buffers, copies that bypass registers, transposing loads; `arch` determines resources and the names of instructions.
void populateCopyPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns, llvm::StringRef arch);
/// Matrix instructions of `arch`.
void populateMatrixPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            llvm::StringRef arch);
/// Keeps the backend from making one access to a buffer of several that hardware compares with its end each for itself.
void keepBufferAccessesApart(mlir::Operation *root, llvm::StringRef arch);

template <typename Op> struct FlyLowering : mlir::ConvertOpToLLVMPattern<Op> {
  using mlir::ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

protected:
  static mlir::Value constant(mlir::ConversionPatternRewriter &rewriter, mlir::Location location, int64_t value,
                              unsigned bits = 32) {
    return mlir::LLVM::ConstantOp::create(rewriter, location, rewriter.getIntegerType(bits), value);
  }
};

} // namespace fly::ir
