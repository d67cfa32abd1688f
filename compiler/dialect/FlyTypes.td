// Types and attributes of the fly dialect: pointers, layouts, tensors, slots, and CuTe's integer tuples.
#ifndef FLY_TYPES_TD
#define FLY_TYPES_TD

include "compiler/dialect/FlyDialect.td"

class Fly_Type<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<Fly_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

// Plain C++ values with equality and a hash; handles of dynamic leaves are null.
def Fly_LayoutParameter : AttrOrTypeParameter<"::fly::layout::AnyLayout", "the layout",
                                              "const ::fly::layout::AnyLayout &">;
def Fly_RearrangementParameter : AttrOrTypeParameter<"::fly::layout::Rearrangement", "the step",
                                                     "const ::fly::layout::Rearrangement &">;
def Fly_IntTupleParameter : AttrOrTypeParameter<"::fly::layout::IntTuple", "the tuple",
                                                "const ::fly::layout::IntTuple &">;

def Fly_PtrType : Fly_Type<"Ptr", "ptr"> {
  let summary = "an address, its space and what it is known to be a multiple of";
  let description = [{
    `!fly.ptr<global>`, `!fly.ptr<shared, align=16>`. The alignment counts bytes and is a power of two; 1 is not
    printed. There is no element type: accesses name it.
  }];
  let parameters = (ins "::fly::ir::AddressSpace":$space, "unsigned":$alignment);
  let builders = [TypeBuilder<(ins "::fly::ir::AddressSpace":$space), [{ return $_get($_ctxt, space, 1); }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Fly_LayoutType : Fly_Type<"Layout", "layout"> {
  let summary = "a layout: shape and stride in CuTe's notation";
  let description = [{
    `!fly.layout<((4),?):((1),4)>`. `?` is a leaf that the running kernel knows, 32 bits wide unless `?{i64}`;
    `?{div=8}` is known to be a multiple of 8. A value of this type is the list of its dynamic leaves.

    Layouts that MLIR's tokens cannot spell are quoted: composed layouts,
    `!fly.layout<"S<3,3,3> o 0 o (8,64):(64,1)">`, and strides along modes, `!fly.layout<"(4,8):(1@1,1@0)">`. A composed layout's dynamic leaves are those of its domain,
    then, from the inside out, those of each offset and of the function after it.
  }];
  let parameters = (ins Fly_LayoutParameter:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout that takes the coordinates; of a plain layout itself.
    const ::fly::layout::Layout &getDomain() const;
    /// i32 or i64 for each dynamic leaf, in their order.
    ::llvm::SmallVector<::mlir::Type> getDynamicTypes() const;
  }];
}

def Fly_TensorType : Fly_Type<"Tensor", "tensor"> {
  let summary = "memory seen through a layout";
  let description = [{
    `!fly.tensor<f32, global, align=16, (?,4):(4,1)>`: element type, address space, alignment of the base in bytes
    (a power of two, 1 is not printed), layout in elements, quoted where the type `layout` quotes it. `i1` elements
    occupy a byte each.
  }];
  let parameters = (ins "::mlir::Type":$elementType, "::fly::ir::AddressSpace":$space, "unsigned":$alignment,
                        Fly_LayoutParameter:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bits of one element in memory.
    unsigned getElementBits() const;
    ::fly::ir::ElementUnit getUnit() const;
    /// The layout that takes the coordinates; of a plain layout itself.
    const ::fly::layout::Layout &getDomain() const;
    /// The type of the pointer to the first element.
    ::fly::ir::PtrType getPointerType() const;
    ::fly::ir::LayoutType getLayoutType() const;
  }];
}

def Fly_SlotType : Fly_Type<"Slot", "slot"> {
  let summary = "a mutable variable of one type";
  let description = [{ `!fly.slot<f32>`. Slots exist only between elaboration and fly-promote-slots. }];
  let parameters = (ins "::mlir::Type":$valueType);
  let assemblyFormat = "`<` $valueType `>`";
  let genVerifyDecl = 1;
}

def Fly_FragmentType : Fly_Type<"Fragment", "fragment"> {
  let summary = "registers of a thread seen through a layout";
  let description = [{
    `!fly.fragment<f16, (8,2):(1,8)>`: element type and static layout, in elements. Elements of 4 and 6 bits are packed,
    as in memory.
  }];
  let parameters = (ins "::mlir::Type":$elementType, Fly_LayoutParameter:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getElementBits() const;
    /// The layout that takes the coordinates.
    const ::fly::layout::Layout &getDomain() const;
  }];
}

def Fly_CopyAtomAttr : AttrDef<Fly_Dialect, "CopyAtom"> {
  let mnemonic = "copy_atom";
  let summary = "a copy instruction: its kind, what a thread moves, and its cache policy";
  let description = [{
    `#fly.copy_atom<buffer 128>`, `#fly.copy_atom<universal 32, nontemporal, scope = agent>`. The kinds are rows of
    compiler/atom/Copy.cpp. `load_cache` and `store_cache` are bits of the instruction for accesses that have them,
    `nontemporal` and `scope` are of plain accesses. An atomic kind has `atomic`, and `negated` if the operand is.
  }];
  let parameters = (ins "::fly::ir::CopyKind":$kind, "int64_t":$bits, "uint32_t":$loadCache, "uint32_t":$storeCache,
                        "bool":$isNontemporal, "std::optional<::fly::ir::MemoryScope>":$scope,
                        "std::optional<::fly::ir::AtomicKind>":$atomic, "bool":$isNegated);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    const ::fly::atom::CopyRow &row() const;
  }];
}

def Fly_MmaAtomAttr : AttrDef<Fly_Dialect, "MmaAtom"> {
  let mnemonic = "mma_atom";
  let summary = "an instruction that multiplies, with the element types of its operands";
  let description = [{
    `#fly.mma_atom<"v_mfma_f32_16x16x16_f16" "f16", "f16">`: the name of the instruction, a row of compiler/atom/MmaRows.cpp,
    then the types of A and of B as the language names them. The types of C and D are the row's; `universal_fma` has
    one type for all.
  }];
  let parameters = (ins StringRefParameter<"the instruction">:$name, StringRefParameter<"the type of A">:$a,
                        StringRefParameter<"the type of B">:$b);
  let assemblyFormat = "`<` $name $a `,` $b `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    const ::fly::atom::MmaRow &row() const;
    ::fly::atom::MmaLayouts layouts() const;
    ::llvm::StringRef getC() const;
    ::llvm::StringRef getD() const;
    /// The element type of a fragment that holds a type of the language: of packed ones an integer of their bits.
    static ::mlir::Type elementType(::mlir::MLIRContext *context, ::llvm::StringRef name);
  }];
}

def Fly_IntTupleAttr : AttrDef<Fly_Dialect, "IntTuple"> {
  let mnemonic = "tuple";
  let summary = "CuTe's integer tuple: a coordinate or a tiler";
  let description = [{
    `#fly.tuple<(_,(3,?{div=4}))>`: `_` keeps a mode, `?` stands for the next dynamic operand of the op.
  }];
  let parameters = (ins Fly_IntTupleParameter:$tuple);
  let hasCustomAssemblyFormat = 1;
}

def Fly_RearrangementAttr : AttrDef<Fly_Dialect, "Rearrangement"> {
  let mnemonic = "rearrangement";
  let summary = "a step of the layout algebra with its operand";
  let description = [{
    `#fly.rearrangement<"zipped_divide <128:1;_>">`: the text is that of compiler/layout/Rearrangement.h; `?` stands for
    the next dynamic operand of the op.
  }];
  let parameters = (ins Fly_RearrangementParameter:$step);
  let hasCustomAssemblyFormat = 1;
}

#endif
