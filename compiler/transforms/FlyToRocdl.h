// Inside convert-fly-to-rocdl: its patterns come from two files, one for kernels and one for everything in them.
#pragma once

#include "compiler/dialect/FlyOps.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fly::ir {

/// LLVM's number of an address space on AMDGPU.
unsigned llvmAddressSpace(AddressSpace space);

/// Kernels become functions with the ABI's attributes; `arch` is put on them if not empty.
void populateKernelPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            llvm::StringRef arch);

/// Every other op of the fly dialect.
void populateFlyOpPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace fly::ir
