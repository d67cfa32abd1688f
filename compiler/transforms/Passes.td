// The passes of our own; the upstream ones between them are named in Pipeline.cpp.
#ifndef FLY_TRANSFORMS_PASSES_TD
#define FLY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FlyExpandCopies : Pass<"fly-expand-copies", "::fly::ir::KernelOp"> {
  let summary = "turn copies into the accesses of their atoms";
  let description = [{
    Why: what a kernel copies is one operation for analyses and schedulers, however large the tile. What an atom emits per
    access is decided here, once for all of them.

    ```mlir
    fly.copy #fly.copy_atom<universal 128> %t to %f : !fly.tensor<f32, global, align=16, (4,2):(1,64)>, !fly.fragment<f32, (4,2):(1,4)>
    // becomes
    %d = fly.rearrange "logical_divide <4:1>" of %t : !fly.tensor<f32, global, align=16, (4,2):(1,64)>
    %p0 = fly.slice %d[(_, 0), 0] : ...
    %v0 = fly.load_vector %p0 : ...
    fly.slot_store %v0, %s0 : !fly.slot<vector<4xf32>>
    %p1 = fly.slice %d[(_, 0), 1] : ...
    ```

    Predicated accesses of other memory than buffers get blocks of their own.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::vector::VectorDialect"];
}

def FlyExpandProducts : Pass<"fly-expand-products", "::fly::ir::KernelOp"> {
  let summary = "turn products into the instructions of their atoms";
  let description = [{
    Why: a product is one operation for analyses and schedulers, however large the tile. The order of its instructions is
    decided here.

    ```mlir
    fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %c : !fly.fragment<f32, (1,1,2):(0,0,1)>, ...
    // becomes
    %a0 = fly.slot_load %sa : !fly.slot<vector<2xf32>>
    %x0 = vector.shuffle %a0, %a0 [0] : vector<2xf32>, vector<2xf32>
    ...
    %d0 = math.fma %x0, %y0, %c0 : vector<1xf32>
    fly.slot_store %d0, %sc : !fly.slot<vector<1xf32>>
    ...
    %d1 = math.fma %x1, %y1, %c1 : vector<1xf32>       // %c1 is what the slot has: %d0
    fly.slot_store %d1, %sc : !fly.slot<vector<1xf32>>
    ```
    An atom of a matrix instruction is a `fly.matrix_multiply`.
  }];
  let dependentDialects = ["::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def FlyInterleaveStreams : Pass<"fly-interleave-streams", "::fly::ir::KernelOp"> {
  let summary = "merge two streams of instructions";
  let description = [{
    Why: a program writes down separately what is to be computed and what is to be fetched meanwhile. Here, each copy and
    each product is its instructions for the first time, and slots are still storage, so that the merged order is the
    order of all effects.

    ```mlir
    fly.stream first every 2 take 1
    ... %d0 = fly.matrix_multiply ...   ... %d1 = fly.matrix_multiply ...   ... %d2 = ...
    fly.stream second
    ... %v0 = fly.load_vector ...
    fly.stream end
    // becomes
    ... %d0 ...  ... %d1 ...  ... %v0 ...  ... %d2 ...
    ```
    What is between two instructions of a stream goes with the first one as far as it uses its results, and with the
    second one otherwise. A stream without any instruction is arithmetic: it is cut into the program's statements, each
    with a barrier of the scheduler behind it. Streams with branches in them are left as they are; a region of `fly.fixed_order`, which is
    around each pair, refuses them.
  }];
}

def FlyLowerLayouts : Pass<"fly-lower-layouts", "::fly::ir::KernelOp"> {
  let summary = "turn tensors and layouts into pointers, offsets and accesses";
  let description = [{
    Why: LLVM knows addresses, not layouts. This pass runs the layout algebra once more, with the LeafArithmetic that
    emits instructions, so that an address is computed by the same algorithm that computed the types.

    Offsets count elements in 32 bits while every leaf and coordinate is 32 bits wide, else in 64. Known parts of an
    offset are kept separate from the unknown part and added last, so that they end up in the instruction's immediate.
    If the tensor's bytes fit in 32 bits, the unknown part stays one 32-bit number next to the 64-bit base, so that the
    base can stay in scalar registers.

    ```mlir
    %v = fly.load %t[%i, 3] : !fly.tensor<f32, shared, align=16, (64,32):(32,1)>
    // becomes
    %0 = arith.muli %i, %c32 overflow<nsw, nuw> : i32
    %1 = arith.muli %0, %c4 overflow<nsw, nuw> : i32
    %2 = fly.ptr_add %base, %1 multiple_of 4 unsigned : !fly.ptr<shared, align=16>, i32
    %3 = fly.ptr_add %2, %c12 multiple_of 4 : !fly.ptr<shared, align=4>, i64
    %v = fly.ptr_load %3 : !fly.ptr<shared, align=4> -> f32
    ```

    A fragment is read and written in the widest pieces, up to 128 bits, that its order and alignment allow; if these
    are single elements, the pass emits a remark.

    A `fly.tensor_move` becomes the words of a descriptor, and a barrier waits for what bypasses registers. Marks
    (`fly.together`, `fly.take_part`, `fly.partition`) are for analyses of kernels with layouts; they end here.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::ROCDL::ROCDLDialect", "::mlir::vector::VectorDialect"];
}

def FlyPromoteSlots : Pass<"fly-promote-slots", "::fly::ir::KernelOp"> {
  let summary = "turn slots into values";
  let description = [{
    Why: variables and fragments are slots until control flow is branches. A load becomes the value of the last store on
    the way to it, or a block argument where several meet; `fly.undefined` before the first store. A slot that an
    operation other than a load or a store uses stays.

    ```mlir
    %s = fly.slot : !fly.slot<i32>
    fly.slot_store %n, %s : !fly.slot<i32>
    cf.br ^loop
    ^loop:
      %x = fly.slot_load %s : !fly.slot<i32>
    // becomes
    cf.br ^loop(%n : i32)
    ^loop(%x: i32):
    ```
  }];
}

def FlyExpandBf16 : Pass<"fly-expand-bf16", "::fly::ir::KernelOp"> {
  let summary = "bf16 arithmetic by way of f32, rounded in as few instructions as its operands allow";
  let description = [{
    Why: on targets without conversions to bf16, LLVM rounds each result with care for every NaN, five instructions and a
    half. What comes from bf16 needs half of them: its NaNs cannot be lost. This pass sees where a number comes from.
    On other targets it does nothing.

    ```mlir
    %2 = arith.addf %0, %1 : bf16
    // becomes
    %3 = arith.extf %0 : bf16 to f32
    %4 = arith.extf %1 : bf16 to f32
    %5 = arith.addf %3, %4 : f32
    %6 = arith.bitcast %5 : f32 to i32
    %7 = arith.shrui %6, %c16 : i32
    %8 = arith.andi %7, %c1 : i32
    %9 = arith.addi %6, %c0x7fff : i32
    %10 = arith.addi %9, %8 : i32
    %11 = arith.shrui %10, %c16 : i32
    %12 = arith.trunci %11 : i32 to i16
    %2 = arith.bitcast %12 : i16 to bf16
    ```
  }];
  let options = [
    Option<"arch", "arch", "std::string", /*default=*/"\"\"", "architecture, e.g. gfx942; without one nothing is expanded">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ROCDL::ROCDLDialect", "::mlir::vector::VectorDialect"];
}

def ConvertFlyToRocdl : Pass<"convert-fly-to-rocdl", "::mlir::ModuleOp"> {
  let summary = "turn kernels and all remaining operations into the LLVM and ROCDL dialects";
  let description = [{
    Why: the last step before LLVM IR, and the one place that knows the ABI: kernel attributes, address spaces, hidden
    arguments, LDS objects, fences around a barrier.

    ```mlir
    fly.kernel @k(%x: !fly.ptr<global, align=16> {fly.readonly}) attributes {known_block = array<i32: 64, 1, 1>} {
      %i = fly.thread_id x
      ...
    // becomes
    llvm.func @k(%x: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.readonly}) attributes {rocdl.kernel,
        rocdl.flat_work_group_size = "64,64", rocdl.reqd_work_group_size = array<i32: 64, 1, 1>} {
      %i = rocdl.workitem.id.x range <i32, 0, 64> : i32
      ...
    ```
  }];
  let options = [
    Option<"arch", "arch", "std::string", /*default=*/"\"\"",
           "architecture to put on the functions as their target, e.g. gfx942">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

#endif
