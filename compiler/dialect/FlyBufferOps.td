// Operations on buffers: global memory reached through a buffer resource, which knows where the memory ends. Included by
// FlyOps.td; verifiers are in CopyOps.cpp.
//
// A `!fly.ptr<buffer>` is such a resource, four scalar registers. It cannot be moved: an access has its own offsets.
//
// `cache` is the cache policy in the instruction, in the bits of the target (compiler/target/CachePolicies.h).
#ifndef FLY_BUFFER_OPS_TD
#define FLY_BUFFER_OPS_TD

def Fly_BufferOp : Fly_Op<"buffer", [Pure, InfersType, ReachesOtherwise, DeclareOpInterfaceMethods<Fly_UniformOperands>]> {
  let summary = "a global tensor reached through a buffer resource that ends where the tensor does";
  let description = [{
    `%b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (?):(1)>`. The tensor spans `bytes` bytes
    from its first element. An access of up to `widest` bytes, aligned to its width, does not begin inside and end
    outside of it, unless the target checks each of its dwords separately.

    `checks_scalar`: the target compares the scalar part of an offset with the end, too.

    A `far` one may span more than the 2^31 bytes that offsets reach. It is sliced, and `fly.rebase` makes a buffer of the
    slice that is accessed.
  }];
  let arguments = (ins Fly_TensorType:$tensor, I64:$bytes, ConfinedAttr<I64Attr, [IntPositive]>:$widest, UnitAttr:$is_far, UnitAttr:$checks_scalar);
  let results = (outs Fly_TensorType:$result);
  let assemblyFormat = "(`far` $is_far^)? (`checks_scalar` $checks_scalar^)? $tensor `,` $bytes `widest` $widest attr-dict `:` type($tensor)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of bytes from which an offset is outside of every buffer. Half of the 32-bit range: tiles that reach
    /// past the end of a tensor have offsets beyond it, which must not wrap around to its start.
    static constexpr ::std::int64_t reach = ::std::int64_t(1) << 31;
    /// The far buffer that a view is of, until it is rebased; null otherwise.
    static BufferOp farOrigin(::mlir::Value view);
  }];
}

def Fly_RebaseOp : Fly_Op<"rebase", [Pure, InfersType, ReachesOtherwise, DeclareOpInterfaceMethods<Fly_UniformOperands>]> {
  let summary = "a view of a far buffer as a buffer of its own, which begins where the view does and ends where the tensor does";
  let description = [{
    The view starts at one place for all lanes and spans at most 2^31 bytes. `checked`: the kernel stops where it spans more.
  }];
  let arguments = (ins Fly_TensorType:$tensor, UnitAttr:$is_checked);
  let results = (outs Fly_TensorType:$result);
  let assemblyFormat = "(`checked` $is_checked^)? $tensor attr-dict `:` type($tensor)";
  let hasVerifier = 1;
}

def Fly_AtOffsetsOp : Fly_Op<"at_offsets", [Pure, ReachesOtherwise, DeclareOpInterfaceMethods<Fly_UniformOperands>]> {
  let summary = "the place in a buffer at byte offsets from the start of a view";
  let description = [{
    `%v = fly.at_offsets %t[%checked, %unchecked, 64] : !fly.tensor<f16, buffer, ...> -> !fly.tensor<f32, buffer, align=16, 4:1>`.
    The offsets are added to that of the view, in the fields of an instruction as in `fly.buffer_load`: the first is
    compared with the buffer's end; the second is the same for all lanes and not compared; the number is the
    instruction's immediate. The result has the view's type, or a type with a known layout.

    `uniform`: the first offset replaces a scalar one, on a target that does not compare those, and is the same for all
    lanes too.
  }];
  let arguments = (ins Fly_TensorType:$tensor, I32:$checked, I32:$unchecked, I64Attr:$known, UnitAttr:$is_uniform);
  let results = (outs Fly_TensorType:$result);
  let assemblyFormat = [{
    (`uniform` $is_uniform^)? $tensor `[` $checked `,` $unchecked `,` $known `]` attr-dict `:` type($tensor) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Fly_MakeBufferOp : Fly_Op<"make_buffer", [Pure]> {
  let summary = "a buffer resource: a global pointer, the same for all lanes, and the number of bytes after it";
  let arguments = (ins Fly_PtrType:$pointer, I64:$bytes);
  let results = (outs Fly_PtrType:$result);
  let assemblyFormat = "$pointer `,` $bytes attr-dict `:` type($pointer) `->` type($result)";
  let hasVerifier = 1;
}

// `%b[%checked, %unchecked, 64]`: offsets in bytes. The first and the number are added and compared with the resource's
// bytes; the second, the same for all lanes, is added without a look (`soffset`).
def Fly_BufferLoadOp : Fly_Op<"buffer_load", [MemoryEffects<[MemRead]>]> {
  let summary = "reads a scalar or vector from a buffer; 0 outside of it";
  let arguments = (ins Fly_PtrType:$buffer, I32:$checked, I32:$unchecked, I64Attr:$known, Fly_CacheAttr:$cache);
  let results = (outs Fly_ValueType:$result);
  let assemblyFormat = [{
    $buffer `[` $checked `,` $unchecked `,` $known `]` (`cache` $cache^)? attr-dict
    `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Fly_BufferStoreOp : Fly_Op<"buffer_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes a scalar or vector to a buffer; nothing outside of it";
  let arguments = (ins Fly_ValueType:$value, Fly_PtrType:$buffer, I32:$checked, I32:$unchecked, I64Attr:$known,
                       Fly_CacheAttr:$cache);
  let assemblyFormat = [{
    $value `,` $buffer `[` $checked `,` $unchecked `,` $known `]` (`cache` $cache^)? attr-dict
    `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Fly_MaskedLoadOp : Fly_Op<"masked_load", [InfersType, MemoryEffects<[MemRead]>]> {
  let summary = "`fly.load_vector` of a buffer where a predicate is on, else 0; without a branch";
  let arguments = (ins Fly_TensorType:$tensor, I1:$predicate, Fly_CacheAttr:$cache);
  let results = (outs Fly_VectorType:$result);
  let assemblyFormat = "(`cache` $cache^)? $tensor `,` $predicate attr-dict `:` type($tensor)";
  let hasVerifier = 1;
}

def Fly_MaskedStoreOp : Fly_Op<"masked_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "`fly.store_vector` to a buffer where a predicate is on; without a branch";
  let arguments = (ins Fly_VectorType:$value, Fly_TensorType:$tensor, I1:$predicate, Fly_CacheAttr:$cache);
  let assemblyFormat = [{
    (`cache` $cache^)? $value `,` $tensor `,` $predicate attr-dict `:` type($value) `,` type($tensor)
  }];
  let hasVerifier = 1;
}

def Fly_MaskedAtomicOp : Fly_Op<"masked_atomic", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "changes each element of a buffer's tensor by one of a vector, at once, where a predicate is on";
  let arguments = (ins Fly_AtomicKindAttr:$kind, Fly_VectorType:$value, Fly_TensorType:$tensor, I1:$predicate,
                       Fly_CacheAttr:$cache);
  let assemblyFormat = "(`cache` $cache^)? $kind $value `,` $tensor `,` $predicate attr-dict `:` type($value) `,` type($tensor)";
  let hasVerifier = 1;
}

def Fly_BufferAtomicOp : Fly_Op<"buffer_atomic", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "atomically updates a number, or two small floats, in a buffer; nothing outside of it";
  let arguments = (ins Fly_AtomicKindAttr:$kind, Fly_ValueType:$value, Fly_PtrType:$buffer, I32:$checked, I32:$unchecked,
                       I64Attr:$known, Fly_CacheAttr:$cache);
  let assemblyFormat = [{
    $kind $value `,` $buffer `[` $checked `,` $unchecked `,` $known `]` (`cache` $cache^)? attr-dict `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

#endif
