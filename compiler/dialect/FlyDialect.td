// The fly dialect: kernels, layouts, tensors, slots and the hardware's indices, between the elaborator and ROCDL.
//
// Everything that upstream dialects already say (scalar and vector arithmetic, structured and unstructured control
// flow) is said with them: arith, math, vector, scf, cf. `index` and `memref` are not used at all.
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
    I32EnumAttrCase<"Private", 5, "private">]> {
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

#endif
