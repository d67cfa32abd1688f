// Operations of copies that are more than loads and stores: memory to memory without registers, and loads that transpose
// among the lanes of a wave. Included by FlyOps.td; verifiers are in CopyOps.cpp.
//
// Each has two forms: of tensors, which the lowering of layouts turns into the one of pointers.
#ifndef FLY_COPY_OPS_TD
#define FLY_COPY_OPS_TD

def Fly_FragmentOp : Fly_Op<"fragment", [Pure]> {
  let summary = "slots seen as one fragment";
  let description = [{
    `%f = fly.fragment(%s0, %s1) from 0 chunk 8 : (!fly.slot<vector<8xf16>>, !fly.slot<vector<8xf16>>) -> !fly.fragment<f16, (8,2):(1,8)>`.
    Each slot holds `chunk` elements, the last one possibly fewer. The layout maps to elements of all slots together,
    counted from element `start`.
  }];
  let arguments = (ins Variadic<Fly_SlotType>:$slots, ConfinedAttr<I64Attr, [IntNonNegative]>:$start,
                       ConfinedAttr<I64Attr, [IntPositive]>:$chunk);
  let results = (outs Fly_FragmentType:$result);
  let assemblyFormat = "`(` $slots `)` `from` $start `chunk` $chunk attr-dict `:` functional-type($slots, $result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Elements of all slots.
    int64_t getSize();
  }];
}

def Fly_ViewType : AnyTypeOf<[Fly_TensorType, Fly_FragmentType], "tensor or fragment">;

def Fly_CopyOp : Fly_Op<"copy", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
                                DeclareOpInterfaceMethods<Fly_UniformOperands>]> {
  let summary = "moves elements from one view to another, access by access of an atom";
  let description = [{
    ```mlir
    fly.copy #fly.copy_atom<buffer 128> %t to %f if (%p) fill %zero : vector<8xf16>
        : !fly.tensor<f16, buffer, align=16, (8,4):(1,64)>, !fly.fragment<f16, (8,4):(1,8)>
    ```
    Mode 0 of both views is divided by the elements that the atom moves; the modes agree in size. What is left counts
    accesses, mode 0 first. There may be one predicate per access, or one per equal run of them. Where it is off, nothing
    is accessed; a fragment then gets `fill`, or keeps its bits.

    `widest`: the atom is the widest that is legal here, which the program left to the compiler.

    `fly-expand-copies` turns it into accesses. One operation has at most 4096 of them.
  }];
  let arguments = (ins Fly_CopyAtomAttr:$atom, Fly_ViewType:$source, Fly_ViewType:$destination, Variadic<I1>:$predicates,
                       Optional<Fly_VectorType>:$fill, UnitAttr:$is_widest);
  let assemblyFormat = [{
    (`widest` $is_widest^)? $atom $source `to` $destination (`if` `(` $predicates^ `)`)? (`fill` $fill^ `:` type($fill))? attr-dict
    `:` type($source) `,` type($destination)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The most accesses of one operation.
    static constexpr int64_t maximumAccesses = 4096;
    /// Elements of one access, and the number of accesses.
    int64_t getValues();
    int64_t getAccesses();
  }];
}

def Fly_MmaOp : Fly_Op<"mma", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "D = A * B + C on fragments, atom by atom";
  let description = [{
    ```mlir
    fly.mma #fly.mma_atom<"universal_fma" "f32", "f32"> %a, %b plus %c to %d
        : !fly.fragment<f32, (1,4,2):(0,1,4)>, !fly.fragment<f32, (1,8,2):(0,1,8)>, !fly.fragment<f32, (1,4,8):(0,1,4)>, !fly.fragment<f32, (1,4,8):(0,1,4)>
    ```
    Mode 0 is what one atom takes from a thread. The other modes repeat it: A is (values, M, K), B is (values, N, K),
    C and D are (values, M, N). D may be C. A scaled atom also takes words with scales of A, (words, M, K), and of B,
    (words, N, K).

    `order` says in which order the atoms come, the letter of the innermost loop first. For each k but the first an atom
    adds to D. `modifiers` are numbers in the instruction, by the names of compiler/atom.

    `fly-expand-products` turns it into instructions. One operation has at most 4096 of them.
  }];
  let arguments = (ins Fly_MmaAtomAttr:$atom, Fly_FragmentType:$a, Fly_FragmentType:$b, Fly_FragmentType:$c,
                       Fly_FragmentType:$d, Optional<Fly_FragmentType>:$scale_a, Optional<Fly_FragmentType>:$scale_b,
                       DefaultValuedStrAttr<StrAttr, "NMK">:$order, OptionalAttr<DictionaryAttr>:$modifiers);
  let assemblyFormat = [{
    $atom $a `,` $b `plus` $c `to` $d (`scaled` $scale_a^ `,` $scale_b)? attr-dict
    `:` type($a) `,` type($b) `,` type($c) `,` type($d) (`,` type($scale_a)^ `,` type($scale_b))?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The most atoms of one operation.
    static constexpr int64_t maximumAtoms = 4096;
    /// How often the atom is repeated along M, N and K.
    int64_t getM();
    int64_t getN();
    int64_t getK();
    /// A modifier of the atom; 0 if it is not given.
    int64_t modifier(::llvm::StringRef name);
  }];
}

def Fly_MatrixMultiplyOp : Fly_Op<"matrix_multiply", [Pure]> {
  let summary = "one matrix instruction of a wave";
  let description = [{
    The lanes' values of A, B, C and D as the atom's layouts say; packed elements are bytes. The scales of a scaled atom
    are words, two in a vector where a block has 16 elements.
  }];
  let arguments = (ins Fly_MmaAtomAttr:$atom, Fly_VectorType:$a, Fly_VectorType:$b, Fly_VectorType:$c,
                       Variadic<AnyType>:$scales, OptionalAttr<DictionaryAttr>:$modifiers);
  let results = (outs Fly_VectorType:$result);
  let assemblyFormat = [{
    $atom $a `,` $b `plus` $c (`scaled` $scales^ `:` type($scales))? attr-dict
    `:` type($a) `,` type($b) `,` type($c) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// A modifier of the atom; 0 if it is not given.
    int64_t modifier(::llvm::StringRef name);
  }];
}

def Fly_DirectCopyOp : Fly_Op<"direct_copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "moves adjacent elements between global memory or a buffer and LDS, bypassing registers";
  let description = [{
    `fly.direct_copy %g to %s : !fly.tensor<...>, !fly.tensor<...>`. Without `own_place` the shared tensor is that of
    the wave's first lane, and the other lanes follow consecutively. Only copies from buffers have a predicate. A copy
    with `own_place` completes with a `fly.wait` on `asynccnt`, others with one on `vmcnt`.
  }];
  let arguments = (ins Fly_TensorType:$source, Fly_TensorType:$destination, Optional<I1>:$predicate, UnitAttr:$own_place,
                       Fly_CacheAttr:$cache);
  let assemblyFormat = [{
    (`own_place` $own_place^)? (`cache` $cache^)? $source `to` $destination (`if` $predicate^)? attr-dict
    `:` type($source) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def Fly_DirectMoveOp : Fly_Op<"direct_move", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "`fly.direct_copy` of pointers, one of them to shared memory";
  let arguments = (ins Fly_PtrType:$source, Fly_PtrType:$destination, ConfinedAttr<I64Attr, [IntPositive]>:$bytes,
                       UnitAttr:$own_place, Fly_CacheAttr:$cache);
  let assemblyFormat = [{
    (`own_place` $own_place^)? (`cache` $cache^)? $source `to` $destination `bytes` $bytes attr-dict
    `:` type($source) `,` type($destination)
  }];
}

def Fly_BufferMoveOp : Fly_Op<"buffer_move", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "`fly.direct_copy` from a buffer to a pointer to shared memory";
  let arguments = (ins Fly_PtrType:$buffer, I32:$checked, I32:$unchecked, I64Attr:$known, Fly_PtrType:$destination,
                       ConfinedAttr<I64Attr, [IntPositive]>:$bytes, Fly_CacheAttr:$cache);
  let assemblyFormat = [{
    $buffer `[` $checked `,` $unchecked `,` $known `]` (`cache` $cache^)? `to` $destination `bytes` $bytes
    attr-dict `:` type($buffer) `,` type($destination)
  }];
}

def Fly_TransposingLoadOp : Fly_Op<"transposing_load", [InfersType, MemoryEffects<[MemRead]>]> {
  let summary = "each lane reads adjacent elements; lanes exchange them, which transposes the matrix that they read";
  let arguments = (ins Fly_TensorType:$tensor);
  let results = (outs Fly_VectorType:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
}

def Fly_PtrTransposingLoadOp : Fly_Op<"ptr_transposing_load", [MemoryEffects<[MemRead]>]> {
  let summary = "`fly.transposing_load` of a pointer";
  let description = [{ `element`: bits of what the lanes exchange. Elements of 4 and 6 bits arrive packed in bytes. }];
  let arguments = (ins Fly_PtrType:$pointer, ConfinedAttr<I64Attr, [IntPositive]>:$element);
  let results = (outs Fly_VectorType:$result);
  let assemblyFormat = "$pointer `element` $element attr-dict `:` type($pointer) `->` type($result)";
}

#endif
