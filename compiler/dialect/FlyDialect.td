// The fly dialect: kernels, layouts, tensors, slots and the hardware's indices, between the elaborator and ROCDL.
//
// Upstream dialects are used for everything they can express (scalar and vector arithmetic, structured and unstructured
// control flow): arith, math, vector, scf, cf. `index` and `memref` are not used at all.
#ifndef FLY_DIALECT_TD
#define FLY_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"

def Fly_Dialect : Dialect {
  let name = "fly";
  let cppNamespace = "::fly::ir";
  let summary = "kernels over tensors with layouts";
  let description = [{
    A tensor is a pointer and a layout; a layout is part of the type, with `?` for what only the running kernel knows:

    ```mlir
    fly.kernel @scale(%x: !fly.ptr<global, align=16> {fly.name = "x"}, %n: i32) attributes {known_block = array<i32: 256, 1, 1>} {
      %layout = fly.make_layout(%n) : !fly.layout<(?):(1)>
      %t = fly.make_tensor %x, %layout : !fly.ptr<global, align=16>, !fly.layout<(?):(1)> -> f32
      %i = fly.thread_id x
      %v = fly.load %t[%i] : !fly.tensor<f32, global, align=16, (?):(1)>
      %w = arith.addf %v, %v : f32
      fly.store %w, %t[%i] : !fly.tensor<f32, global, align=16, (?):(1)>
      fly.return
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def Fly_AddressSpace : I32EnumAttr<"AddressSpace", "where a pointer points", [
    I32EnumAttrCase<"Generic", 0, "generic">,
    I32EnumAttrCase<"Global", 1, "global">,
    I32EnumAttrCase<"Shared", 3, "shared">,
    I32EnumAttrCase<"Constant", 4, "constant">,
    I32EnumAttrCase<"Private", 5, "private">,
    // A buffer resource: global memory with its end (FlyBufferOps.td).
    I32EnumAttrCase<"Buffer", 8, "buffer">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}

def Fly_StreamPlace : I32EnumAttr<"StreamPlace", "an end of one of two streams of instructions", [
    I32EnumAttrCase<"First", 0, "first">, I32EnumAttrCase<"Second", 1, "second">,
    I32EnumAttrCase<"End", 2, "end">, I32EnumAttrCase<"Statement", 3, "statement">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}
def Fly_StreamPlaceAttr : EnumAttr<Fly_Dialect, Fly_StreamPlace, "stream_place">;

def Fly_AddressSpaceAttr : EnumAttr<Fly_Dialect, Fly_AddressSpace, "space">;

def Fly_MemoryOrder : I32EnumAttr<"MemoryOrder", "what an atomic access orders around it", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">,
    I32EnumAttrCase<"SeqCst", 4, "seq_cst">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}
def Fly_MemoryOrderAttr : EnumAttr<Fly_Dialect, Fly_MemoryOrder, "order">;

def Fly_MemoryScope : I32EnumAttr<"MemoryScope", "the threads that see an atomic access happen at once", [
    I32EnumAttrCase<"Wave", 0, "wave">, I32EnumAttrCase<"Workgroup", 1, "workgroup">,
    I32EnumAttrCase<"Agent", 2, "agent">, I32EnumAttrCase<"System", 3, "system">,
    I32EnumAttrCase<"Cluster", 4, "cluster">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}
def Fly_MemoryScopeAttr : EnumAttr<Fly_Dialect, Fly_MemoryScope, "scope">;

def Fly_AtomicKind : I32EnumAttr<"AtomicKind", "what an atomic operation does", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">, I32EnumAttrCase<"And", 2, "and">,
    I32EnumAttrCase<"Or", 3, "or">, I32EnumAttrCase<"Xor", 4, "xor">, I32EnumAttrCase<"MinSigned", 5, "min_signed">,
    I32EnumAttrCase<"MaxSigned", 6, "max_signed">, I32EnumAttrCase<"MinUnsigned", 7, "min_unsigned">,
    I32EnumAttrCase<"MaxUnsigned", 8, "max_unsigned">, I32EnumAttrCase<"Exchange", 9, "exchange">,
    I32EnumAttrCase<"Increment", 10, "increment">, I32EnumAttrCase<"Decrement", 11, "decrement">,
    I32EnumAttrCase<"FloatAdd", 12, "float_add">, I32EnumAttrCase<"FloatMin", 13, "float_min">,
    I32EnumAttrCase<"FloatMax", 14, "float_max">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}
def Fly_AtomicKindAttr : EnumAttr<Fly_Dialect, Fly_AtomicKind, "atomic_kind">;

// Rows of compiler/atom/Copy.cpp, in their order.
def Fly_CopyKind : I32EnumAttr<"CopyKind", "an instruction that moves data", [
    I32EnumAttrCase<"Universal", 0, "universal">, I32EnumAttrCase<"Buffer", 1, "buffer">,
    I32EnumAttrCase<"BufferToLds", 2, "buffer_to_lds">, I32EnumAttrCase<"GlobalToLds", 3, "global_to_lds">,
    I32EnumAttrCase<"Async", 4, "async">, I32EnumAttrCase<"LdsTransposing", 5, "lds_transposing">,
    I32EnumAttrCase<"GlobalTransposing", 6, "global_transposing">,
    I32EnumAttrCase<"UniversalAtomic", 7, "universal_atomic">, I32EnumAttrCase<"BufferAtomic", 8, "buffer_atomic">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}

def Fly_Dimension : I32EnumAttr<"Dimension", "a dimension of the grid", [
    I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}
def Fly_DimensionAttr : EnumAttr<Fly_Dialect, Fly_Dimension, "dimension">;

def Fly_LeafSide : I32EnumAttr<"LeafSide", "the half of a layout a leaf is in", [
    I32EnumAttrCase<"Shape", 0, "shape">, I32EnumAttrCase<"Stride", 1, "stride">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}
def Fly_LeafSideAttr : EnumAttr<Fly_Dialect, Fly_LeafSide, "side">;

// What the lanes of a wave do together; operands, immediates and results are rows of WaveActions.cpp.
class WaveAction<string symbol, int value, string text> : I32EnumAttrCase<symbol, value, text>;
def Fly_WaveAction : I32EnumAttr<"WaveAction", "what the lanes of a wave do together", [
    WaveAction<"Dpp", 0, "dpp">, WaveAction<"Dpp8", 1, "dpp8">, WaveAction<"Bpermute", 2, "bpermute">,
    WaveAction<"Permute", 3, "permute">, WaveAction<"Swizzle", 4, "swizzle">, WaveAction<"ReadLane", 5, "readlane">,
    WaveAction<"ReadFirstLane", 6, "readfirstlane">, WaveAction<"WriteLane", 7, "writelane">,
    WaveAction<"Ballot", 8, "ballot">, WaveAction<"MbcntLo", 9, "mbcnt_lo">, WaveAction<"MbcntHi", 10, "mbcnt_hi">,
    WaveAction<"Permlane16", 11, "permlane16">, WaveAction<"PermlaneX16", 12, "permlanex16">,
    WaveAction<"Permlane16Var", 13, "permlane16_var">, WaveAction<"PermlaneX16Var", 14, "permlanex16_var">,
    WaveAction<"Permlane64", 15, "permlane64">, WaveAction<"Permlane16Swap", 16, "permlane16_swap">,
    WaveAction<"Permlane32Swap", 17, "permlane32_swap">, WaveAction<"PermlaneBcast", 18, "permlane_bcast">,
    WaveAction<"PermlaneUp", 19, "permlane_up">, WaveAction<"PermlaneDown", 20, "permlane_down">,
    WaveAction<"PermlaneXor", 21, "permlane_xor">, WaveAction<"PermlaneIdxGen", 22, "permlane_idx_gen">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}
def Fly_WaveActionAttr : EnumAttr<Fly_Dialect, Fly_WaveAction, "wave_action">;

// What a wave waits for; names, ranges and intrinsics are rows of WaitCounters.cpp.
class WaitCounter<string symbol, int value, string text> : I32EnumAttrCase<symbol, value, text>;
def Fly_WaitCounter : I32EnumAttr<"WaitCounter", "a hardware counter of accesses under way", [
    WaitCounter<"Vm", 0, "vmcnt">, WaitCounter<"Lgkm", 1, "lgkmcnt">, WaitCounter<"Load", 2, "loadcnt">,
    WaitCounter<"Store", 3, "storecnt">, WaitCounter<"Ds", 4, "dscnt">, WaitCounter<"Km", 5, "kmcnt">,
    WaitCounter<"Async", 6, "asynccnt">, WaitCounter<"Tensor", 7, "tensorcnt">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}

// A function of floats that is one instruction; its formats are a row of Approximations.cpp.
class Approximation<string symbol, int value, string text> : I32EnumAttrCase<symbol, value, text>;
def Fly_Approximation : I32EnumAttr<"Approximation", "a function of floats that is one instruction", [
    Approximation<"Exp2", 0, "exp2">, Approximation<"Log2", 1, "log2">, Approximation<"Rcp", 2, "rcp">,
    Approximation<"Rsq", 3, "rsq">, Approximation<"Sqrt", 4, "sqrt">, Approximation<"SinOfTurns", 5, "sin_of_turns">,
    Approximation<"CosOfTurns", 6, "cos_of_turns">, Approximation<"Fract", 7, "fract">,
    Approximation<"FrexpMantissa", 8, "frexp_mantissa">, Approximation<"FrexpExponent", 9, "frexp_exponent">]> {
  let cppNamespace = "::fly::ir";
  let genSpecializedAttr = 0;
}
def Fly_ApproximationAttr : EnumAttr<Fly_Dialect, Fly_Approximation, "approximation">;

#endif
