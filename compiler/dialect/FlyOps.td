// Operations of the fly dialect, grouped by what they are about: kernels, hardware indices, slots, layouts and
// tensors, memory (FlyMemoryOps.td and the files included with it), and the arithmetic that upstream dialects lack.
// Verifiers are in FlyOps.cpp, types computed from layouts in Inference.cpp, folds in Folds.cpp.
#ifndef FLY_OPS_TD
#define FLY_OPS_TD

include "compiler/dialect/FlyInterfaces.td"
include "compiler/dialect/FlyTypes.td"
include "compiler/dialect/FlyViewInterface.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Dialect/Arith/IR/ArithOpsInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"

class Fly_Op<string mnemonic, list<Trait> traits = []> : Op<Fly_Dialect, mnemonic, traits>;
defvar InfersType = InferTypeOpAdaptor;

// What a register holds.
def Fly_ScalarType : AnyTypeOf<[AnySignlessInteger, AnyFloat], "integer or float">;
def Fly_VectorType : FixedVectorOfRankAndType<[1], [AnySignlessInteger, AnyFloat]>;
def Fly_ValueType : AnyTypeOf<[AnySignlessInteger, AnyFloat, Fly_VectorType], "integer, float or vector of them">;
def Fly_IndexType : AnyTypeOf<[I32, I64], "i32 or i64">;

//===------------------------------------------------- kernels ---------------------------------------------------===//

def Fly_KernelOp : Fly_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "an entry point of the device";
  let description = [{
    Arguments are global or constant pointers and scalars, in the order of the ABI. An argument may carry `fly.name = "x"` and, for
    a pointer through which the kernel only reads, `fly.readonly`. A constant pointer with `fly.by_value = 24 : i64`
    points at 24 bytes of the arguments themselves: a struct that is passed by value.

    `known_block` is the workgroup's size in threads per dimension where it is known at compile time, else
    `max_block_threads` bounds its product. `vgprs` is the compiler's budget of vector registers, `agprs` the
    most accumulation registers that accumulators may be placed in, `waves_per_eu` the least number of waves that must
    fit on a SIMD.

    `known_cluster` is the number of workgroups per dimension that are launched together as a cluster, several of them
    in all; the grid is a multiple of it. A kernel without it has no clusters.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<DenseI32ArrayAttr>:$known_block, OptionalAttr<I32Attr>:$max_block_threads,
                       OptionalAttr<DenseI32ArrayAttr>:$known_cluster,
                       OptionalAttr<I32Attr>:$vgprs, OptionalAttr<I32Attr>:$agprs,
                       OptionalAttr<I32Attr>:$waves_per_eu);
  let regions = (region AnyRegion:$body);
  let skipDefaultBuilders = 1;
  // Makes the entry block with one argument a type; the other attributes are set by their setters.
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$argumentTypes)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    static constexpr ::llvm::StringLiteral argumentNameAttr = "fly.name";
    static constexpr ::llvm::StringLiteral readonlyAttr = "fly.readonly";
    static constexpr ::llvm::StringLiteral byValueAttr = "fly.by_value";
    // Of an integer: what the launch's preconditions say that it is a multiple of.
    static constexpr ::llvm::StringLiteral multipleOfAttr = "fly.multiple_of";
    // Of the kernel itself: f32 operations take and give zero for denormals.
    static constexpr ::llvm::StringLiteral flushDenormalsAttr = "fly.flush_denormals";
  }];
}

def Fly_ReturnOp : Fly_Op<"return", [Pure, Terminator, ReturnLike, HasParent<"KernelOp">]> {
  let summary = "the end of a thread";
  let assemblyFormat = "attr-dict";
}

//===--------------------------------------------- hardware's indices --------------------------------------------===//

// Their ranges follow from the kernel's block; passes and the check of barriers decide guards by them.
defvar HasRange = DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>;
class Fly_IndexOp<string mnemonic, string what> : Fly_Op<mnemonic, [Pure, HasRange]> {
  let summary = what;
  let arguments = (ins Fly_DimensionAttr:$dimension);
  let results = (outs I32:$result);
  let assemblyFormat = "`` $dimension attr-dict";
}
def Fly_ThreadIdOp : Fly_IndexOp<"thread_id", "the thread's index in its workgroup">;
def Fly_BlockIdOp : Fly_IndexOp<"block_id", "the workgroup's index in the grid">;
def Fly_BlockDimOp : Fly_IndexOp<"block_dim", "the number of threads of a workgroup"> { let hasFolder = 1; }
def Fly_GridDimOp : Fly_IndexOp<"grid_dim", "the number of workgroups of the grid">;

// Only in kernels with `known_cluster`.
def Fly_ClusterIdOp : Fly_IndexOp<"cluster_id", "the cluster's index in the grid of clusters"> { let hasVerifier = 1; }
def Fly_ClusterBlockIdOp : Fly_IndexOp<"cluster_block_id", "the workgroup's index in its cluster"> {
  let hasFolder = 1;
  let hasVerifier = 1;
}
def Fly_ClusterRankOp : Fly_Op<"cluster_rank", [Pure, HasRange]> {
  let summary = "the workgroup's linear index in its cluster, x first";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Fly_LaneIdOp : Fly_Op<"lane_id", [Pure, HasRange]> {
  let summary = "the thread's index in its wave";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Fly_WaveIdOp : Fly_Op<"wave_id", [Pure, HasRange]> {
  let summary = "the wave's index in its workgroup: the linear index of its first thread over the wave's size";
  let description = [{ `fly.wave_id of 64`; `in_register` means that the hardware provides it. }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$wave_size, UnitAttr:$in_register);
  let results = (outs I32:$result);
  let assemblyFormat = "`of` $wave_size (`in_register` $in_register^)? attr-dict";
}

// Neither pure nor movable: its result depends on which lanes are active at its position.
def Fly_WaveOp : Fly_Op<"wave", [DeclareOpInterfaceMethods<Fly_UniformOperands>]> {
  let summary = "what the lanes of a wave do together, a 32-bit word each: exchanges, votes";
  let description = [{
    `%y = fly.wave dpp(%old, %x)[273, 15, 15, 0] : (i32, i32) -> i32`. Operands, immediates and results are those of the
    action's row in WaveActions.cpp.
  }];
  let arguments = (ins Fly_WaveActionAttr:$action, Variadic<AnySignlessInteger>:$operands,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$immediates);
  let results = (outs Variadic<AnySignlessInteger>:$results);
  let assemblyFormat = [{
    `` $action `` `(` $operands `)` `` custom<Immediates>($immediates) attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Fly_ExactOp : Fly_Op<"exact", [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<Fly_UniformOperands>]> {
  let summary = "a machine instruction in the assembler's words";
  let description = [{
    `%d = fly.exact "v_fma_f32 $0, -$1, $2, 1.0 clamp" in "vvv"(%x, %y) : (i32, i32) -> i32`. `$0` and so on are the
    results, then the operands; `$0<$3` is a result whose former value is operand 3. `files` has a letter for each of
    them: `v`, `a` or `s`. Values of scalar registers are the same in all lanes; a lane mask is one value. With
    `m0=$1 ` in front, that is in M0.
    compiler/protocol/Assembly.h has the rest. Without `effects`, the results are all that it does.
  }];
  let arguments = (ins StrAttr:$assembly, StrAttr:$files, UnitAttr:$has_effects, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    (`effects` $has_effects^)? $assembly `in` $files `(` $operands `)` attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Fly_BarrierOp : Fly_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the workgroup arrive, and see each other's earlier writes, before one goes on";
  let assemblyFormat = "attr-dict";
}

def Fly_ClusterBarrierOp : Fly_Op<"cluster_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the cluster arrive, and see each other's earlier writes, before one goes on";
  let description = [{ Only in kernels with `known_cluster`. }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

//===--------------------------------------------------- slots ---------------------------------------------------===//

def Fly_SlotOp : Fly_Op<"slot"> {
  let summary = "a mutable variable; what it holds before the first store is `fly.undefined`";
  let description = [{
    The elaborator places it in the entry block; fly-promote-slots makes values of it. `fly.slot at "v" 96` is the storage
    of fixed registers from v96 on, of the file `v`, `a` or `s`: it stays a slot (compiler/codegen/machine/PinnedRegisters.h).
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$file, OptionalAttr<I64Attr>:$first);
  let results = (outs Res<Fly_SlotType, "", [MemAlloc]>:$slot);
  let assemblyFormat = "(`at` $file^ $first)? attr-dict `:` type($slot)";
  let skipDefaultBuilders = 1;
  // Of the variable's type, or of the slot's.
  let builders = [OpBuilder<(ins "::mlir::Type":$type), [{
    $_state.addTypes(::llvm::isa<SlotType>(type) ? type : SlotType::get($_builder.getContext(), type));
  }]>];
}

def Fly_SlotLoadOp : Fly_Op<"slot_load", [
    TypesMatchWith<"the result has the slot's type", "slot", "result",
                   "::llvm::cast<SlotType>($_self).getValueType()">]> {
  let summary = "the variable's value";
  let description = [{ `keeps`: a store puts back what it does not change of it, and nothing else uses it. }];
  let arguments = (ins Arg<Fly_SlotType, "", [MemRead]>:$slot, UnitAttr:$keeps);
  let results = (outs Fly_ValueType:$result);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}

def Fly_SlotStoreOp : Fly_Op<"slot_store", [
    TypesMatchWith<"the value has the slot's type", "slot", "value",
                   "::llvm::cast<SlotType>($_self).getValueType()">]> {
  let summary = "assigns to the variable";
  let arguments = (ins Fly_ValueType:$value, Arg<Fly_SlotType, "", [MemWrite]>:$slot);
  let assemblyFormat = "$value `,` $slot attr-dict `:` type($slot)";
}

def Fly_UndefinedOp : Fly_Op<"undefined", [Pure]> {
  let summary = "a value of unspecified bits, the same at every use";
  let description = [{
    What an unassigned variable or fragment holds: any bits, but never poison. `fly.undefined unwritten 3` is a register
    that nothing was written to: no optimizer may choose a value for it, so that whoever executes the code can see that
    it is read. Another number, another register: two that are one would have to be copied.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$unwritten);
  let results = (outs Fly_ValueType:$result);
  let assemblyFormat = "(`unwritten` $unwritten^)? attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type), [{ build($_builder, $_state, type, ::mlir::IntegerAttr()); }]>];
}

//===--------------------------------------------- layouts and tensors -------------------------------------------===//

def Fly_MakeLayoutOp : Fly_Op<"make_layout", [Pure,
    RangedTypesMatchWith<"the operands are the dynamic leaves", "result", "dynamic",
                         "::llvm::cast<LayoutType>($_self).getDynamicTypes()">]> {
  let summary = "a layout from its dynamic leaves, in their order";
  let description = [{ `%l = fly.make_layout(%n, %ld) : !fly.layout<(?,8):(?,1)>` }];
  let arguments = (ins Variadic<Fly_IndexType>:$dynamic);
  let results = (outs Fly_LayoutType:$result);
  let assemblyFormat = "`(` $dynamic `)` attr-dict `:` type($result)";
}

def Fly_MakeTensorOp : Fly_Op<"make_tensor", [Pure, InfersType]> {
  let summary = "memory at a pointer seen through a layout";
  let description = [{
    `%t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?):(1)> -> f32`

    `bytes_fit_in_32_bits` states that every element's offset in bytes is at least 0 and below 2^32, which lets the
    address be a 64-bit base in scalar registers and a 32-bit offset in vector registers. It always holds in shared and
    private memory.
  }];
  let arguments = (ins Fly_PtrType:$pointer, Fly_LayoutType:$layout, TypeAttr:$element_type,
                       UnitAttr:$bytes_fit_in_32_bits);
  let results = (outs Fly_TensorType:$result);
  let assemblyFormat = "$pointer `,` $layout attr-dict `:` type($pointer) `,` type($layout) `->` $element_type";
}

// A tensor indexed by a coordinate whose `?` are the dynamic operands, in order. Text: `%t[_, (3, %i{div=4})]`, and
// `%t[flat %i]` for a one-dimensional coordinate of all modes.
class Fly_IndexedOp<string mnemonic, list<Trait> traits> : Fly_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def Fly_SliceOp : Fly_IndexedOp<"slice", [Pure, InfersType, Fly_ViewOpInterface]> {
  let summary = "the part of a tensor that a coordinate leaves open";
  let description = [{
    `%row = fly.slice %t[%i, _] : !fly.tensor<...>`. Modes marked `_` are kept, the others are fixed and move the base;
    the alignment of the result follows from the divisibility of what was added.
  }];
  let arguments = (ins Fly_TensorType:$tensor, Fly_IntTupleAttr:$coordinate, Variadic<Fly_IndexType>:$dynamic);
  let results = (outs Fly_TensorType:$result);
  let assemblyFormat = [{
    $tensor `` custom<Coordinate>($coordinate, $dynamic, type($dynamic)) attr-dict `:` type($tensor)
  }];
}

def Fly_LoadOp : Fly_IndexedOp<"load", [
    TypesMatchWith<"the result is an element", "tensor", "result",
                   "::llvm::cast<TensorType>($_self).getElementType()">]> {
  let summary = "the element at a coordinate that fixes every mode";
  let arguments = (ins Arg<Fly_TensorType, "", [MemRead]>:$tensor, Fly_IntTupleAttr:$coordinate,
                       Variadic<Fly_IndexType>:$dynamic);
  let results = (outs Fly_ScalarType:$result);
  let assemblyFormat = [{
    $tensor `` custom<Coordinate>($coordinate, $dynamic, type($dynamic)) attr-dict `:` type($tensor)
  }];
}

def Fly_StoreOp : Fly_IndexedOp<"store", [
    TypesMatchWith<"the value is an element", "tensor", "value",
                   "::llvm::cast<TensorType>($_self).getElementType()">]> {
  let summary = "writes the element at a coordinate that fixes every mode";
  let arguments = (ins Fly_ScalarType:$value, Arg<Fly_TensorType, "", [MemWrite]>:$tensor,
                       Fly_IntTupleAttr:$coordinate, Variadic<Fly_IndexType>:$dynamic);
  let assemblyFormat = [{
    $value `,` $tensor `` custom<Coordinate>($coordinate, $dynamic, type($dynamic)) attr-dict `:` type($tensor)
  }];
}

def Fly_AddressOp : Fly_IndexedOp<"address", [Pure, InfersType]> {
  let summary = "the pointer to the element at a coordinate that fixes every mode";
  let arguments = (ins Fly_TensorType:$tensor, Fly_IntTupleAttr:$coordinate, Variadic<Fly_IndexType>:$dynamic);
  let results = (outs Fly_PtrType:$result);
  let assemblyFormat = [{
    $tensor `` custom<Coordinate>($coordinate, $dynamic, type($dynamic)) attr-dict `:` type($tensor)
  }];
}

def Fly_RearrangeOp : Fly_Op<"rearrange", [
    Pure, InfersType, DeclareOpInterfaceMethods<Fly_ViewOpInterface, ["getViewSource"]>]> {
  let summary = "a tensor or layout with its coordinates rearranged by a step of the layout algebra";
  let description = [{
    `%d = fly.rearrange "zipped_divide <128:1;_>" of %t : !fly.tensor<...>`. The step is that of
    compiler/layout/Rearrangement.h; `?` in its text are the operands, `"zipped_divide <?:1>"(%n : i32) of %t`. A tensor
    stays where it is in memory: inverses, products and others that make another function are of layouts alone.
  }];
  let arguments = (ins Fly_RearrangementAttr:$step, AnyTypeOf<[Fly_TensorType, Fly_LayoutType]>:$source,
                       Variadic<Fly_IndexType>:$dynamic);
  let results = (outs AnyTypeOf<[Fly_TensorType, Fly_LayoutType]>:$result);
  let assemblyFormat = [{
    custom<Step>($step) (`(` $dynamic^ `:` type($dynamic) `)`)? `of` $source attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Fly_RecastOp : Fly_Op<"recast", [Pure, InfersType, Fly_ViewOpInterface]> {
  let summary = "the same memory as elements of another size";
  let description = [{
    `%h = fly.recast %t : !fly.tensor<f32, ...> -> f16`. Coordinates count in the mode of stride 1, whose extent changes.
    Larger elements need that mode and every other stride to be whole ones, and the base to be aligned to them.
  }];
  let arguments = (ins Fly_TensorType:$tensor, TypeAttr:$element_type);
  let results = (outs Fly_TensorType:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` $element_type";
}

def Fly_Crd2IdxOp : Fly_IndexedOp<"crd2idx", [Pure, InfersType]> {
  let summary = "the offset to which a layout maps a coordinate that fixes every mode";
  let description = [{ `%o = fly.crd2idx %l[%i, 3] : !fly.layout<(?,8):(8,1)>`; i64 if it may need more than 31 bits. }];
  let arguments = (ins Fly_LayoutType:$layout, Fly_IntTupleAttr:$coordinate, Variadic<Fly_IndexType>:$dynamic);
  let results = (outs Fly_IndexType:$result);
  let assemblyFormat = [{
    $layout `` custom<Coordinate>($coordinate, $dynamic, type($dynamic)) attr-dict `:` type($layout)
  }];
  let hasFolder = 1;
}

def Fly_LeafOp : Fly_Op<"leaf", [Pure, InfersType]> {
  let summary = "a leaf of a tensor's or layout's shape or stride, counted from the left";
  let description = [{ `%n = fly.leaf %t[shape, 0] : !fly.tensor<...>`; i64 if the leaf is, else i32. }];
  let arguments = (ins AnyTypeOf<[Fly_TensorType, Fly_LayoutType]>:$source, Fly_LeafSideAttr:$side,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$index);
  let results = (outs Fly_IndexType:$result);
  let assemblyFormat = "$source `[` custom<LeafSide>($side) `,` $index `]` attr-dict `:` type($source)";
  let hasFolder = 1;
}

// The cache policy in the instruction, in the bits of the target (compiler/target/CachePolicies.h); 0: the usual one.
def Fly_CacheAttr : DefaultValuedAttr<I32Attr, "0">;

def Fly_LoadVectorOp : Fly_Op<"load_vector", [InfersType, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "all elements of a tensor of static shape and stride, in the layout's order";
  let description = [{
    `%v = fly.load_vector %t : !fly.tensor<f32, global, align=16, (4):(1)>` is a `vector<4xf32>`. Adjacent elements are
    read together, up to 128 bits at a time, in LDS and private memory as far as the alignment is known; else one by one, with a
    remark.

    A buffer's access has a `cache` policy. Elsewhere a `scope` makes it a relaxed atomic one, of integers of at most 64 bits.
  }];
  let arguments = (ins Fly_TensorType:$tensor, UnitAttr:$is_volatile, UnitAttr:$is_nontemporal, Fly_CacheAttr:$cache,
                       OptionalAttr<Fly_MemoryScopeAttr>:$scope);
  let results = (outs Fly_VectorType:$result);
  let assemblyFormat = [{
    (`volatile` $is_volatile^)? (`nontemporal` $is_nontemporal^)? (`cache` $cache^)? (`scope` $scope^)? $tensor attr-dict
    `:` type($tensor)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor), [{
    build($_builder, $_state, tensor, ::mlir::UnitAttr(), ::mlir::UnitAttr(), ::mlir::IntegerAttr(), MemoryScopeAttr());
  }]>];
}

def Fly_StoreVectorOp : Fly_Op<"store_vector"> {
  let summary = "writes all elements of a tensor of static shape and stride, in the layout's order";
  let arguments = (ins Fly_VectorType:$value, Arg<Fly_TensorType, "", [MemWrite]>:$tensor, UnitAttr:$is_volatile,
                       UnitAttr:$is_nontemporal, Fly_CacheAttr:$cache, OptionalAttr<Fly_MemoryScopeAttr>:$scope);
  let assemblyFormat = [{
    (`volatile` $is_volatile^)? (`nontemporal` $is_nontemporal^)? (`cache` $cache^)? (`scope` $scope^)? $value `,` $tensor
    attr-dict `:` type($value) `,` type($tensor)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$tensor), [{
    build($_builder, $_state, value, tensor, ::mlir::UnitAttr(), ::mlir::UnitAttr(), ::mlir::IntegerAttr(), MemoryScopeAttr());
  }]>];
  let hasVerifier = 1;
}

include "compiler/dialect/FlyMemoryOps.td"
include "compiler/dialect/FlyBufferOps.td"
include "compiler/dialect/FlyCopyOps.td"
include "compiler/dialect/FlyTensorMoverOps.td"
include "compiler/dialect/FlyControlOps.td"

//===------------------------------------------------- arithmetic ------------------------------------------------===//

def Fly_ApproximatedType : AnyTypeOf<[F16, F32, F64, FixedVectorOfRankAndType<[1], [F16, F32, F64]>],
                                     "f16, f32, f64 or vector of them">;
def Fly_ApproximateOp : Fly_Op<"approximate", [Pure, InfersType, DeclareOpInterfaceMethods<ArithFastMathInterface>]> {
  let summary = "a function of floats, computed by one hardware instruction";
  let description = [{
    `%y = fly.approximate exp2 %x fastmath<nnan> : f32`. About 1 ulp off; denormals may count as zero. The rows of
    Approximations.cpp say in which formats the hardware has a function, and which one gives an integer.
  }];
  let arguments = (ins Fly_ApproximationAttr:$function, Fly_ApproximatedType:$value,
                       DefaultValuedAttr<Arith_FastMathAttr, "::mlir::arith::FastMathFlags::none">:$fastmath);
  let results = (outs Fly_ValueType:$result);
  let assemblyFormat = "`` $function $value (`fastmath` `` $fastmath^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif
