// fly-opt: runs passes on the text of a module, for tests and to examine a single step.
//
//   fly-opt kernel.mlir --fly-lower-layouts --convert-scf-to-cf --fly-promote-slots
//   fly-opt kernel.mlir --fly-to-llvm=arch=gfx942 | mlir-translate --mlir-to-llvmir
#include "compiler/analysis/Passes.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  fly::ir::registerFlyPasses();
  fly::analysis::registerAnalysisPasses();
  mlir::DialectRegistry registry;
  fly::ir::registerFlyDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "fly-opt: runs passes of the Fly dialect on a module\n", registry));
}
