#include "CodeGenTesting.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace fly::codegen::testing {

Result<Object> compile(const std::string &text, const target::Target &target, const Options &options) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, mlir::ROCDL::ROCDLDialect>();
  registerTranslations(registry);
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return Failure{Failure::Stage::Translate, "the test's module does not parse", "", false};
  return compileToObject(*module, target, options);
}

std::string kernelModule(const std::string &name, const std::string &body) {
  return R"(
#at = loc("kernels/copy.fly":7:5)
module {
  llvm.func @)" +
         name + R"((%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %n: i32) attributes {rocdl.kernel} {
    %tid = rocdl.workitem.id.x : i32 loc(#at)
    %from = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32 loc(#at)
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32 loc(#at)
    %x = llvm.load %from : !llvm.ptr<1> -> f32 loc(#at)
    )" + body +
         R"( loc("kernels/copy.fly":8:5)
    llvm.store %value, %to : f32, !llvm.ptr<1> loc(#at)
    llvm.return loc(#at)
  } loc("kernels/copy.fly":5:1)
}
)";
}

} // namespace fly::codegen::testing
