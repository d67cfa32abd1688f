// Rewrites that need the whole of a kernel, and come before its analyses (Pipeline.cpp).
#ifndef FLY_ANALYSIS_PASSES_TD
#define FLY_ANALYSIS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FlyRebaseFarBuffers : Pass<"fly-rebase-far-buffers", "::fly::ir::KernelOp"> {
  let summary = "accesses to tensors beyond 2 GiB get a buffer that begins at a part which all lanes share";
  let description = [{
    Why: an offset in a buffer reaches 2 GiB, and a buffer begins at one place for all lanes. Where a part is cut out by
    coordinates that all lanes share, a buffer of it may begin. Which coordinates these are is known when the kernel is whole.

    ```mlir
    %b = fly.buffer far %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (?{i64,div=4}):(1)>
    %tile = fly.slice ...                                    // by `block_id`
    %part = fly.slice %tile...                               // by `thread_id`
    %v = fly.load_vector %part : ...
    // becomes
    %near = fly.rebase %tile : ...
    %mine = fly.slice %near...
    %v = fly.load_vector %mine : ...
    ```

    An access for which there is no such part stays as it is, for `checkFarAccesses` to report.
  }];
  let options = [Option<"waveSize", "wave-size", "int64_t", /*default=*/"64", "lanes of a wave">];
}

def FlyFoldSignChecks : Pass<"fly-fold-sign-checks", "::fly::ir::KernelOp"> {
  let summary = "checks for negative numbers are omitted where the number cannot be negative";
  let description = [{
    Why: the tensor mover takes no negative coordinates, so that each is asserted not to be one. Most are made of indices, and
    cannot be. What a loop carries is known only when the kernel is whole.

    ```mlir
    %at = arith.muli %block, %c16 : i32
    %ok = arith.cmpi sge, %at, %c0 {fly.sign_check} : i32
    // becomes
    %ok = arith.constant true
    ```

    Only comparisons with the mark `fly.sign_check` are looked at: that a product wraps is not considered.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
