// Operations on memory through pointers: objects in LDS, address arithmetic, accesses with their options, atomics,
// fences. Included by FlyOps.td. Verifiers, inference and side effects are in MemoryOps.cpp.
//
// A plain access may be merged, moved and removed. One that is volatile or has an order is also an effect on all
// memory, so that no pass takes two of them for one.
#ifndef FLY_MEMORY_OPS_TD
#define FLY_MEMORY_OPS_TD

//===-------------------------------------------------- pointers -------------------------------------------------===//

def Fly_SharedOp : Fly_Op<"shared"> {
  let summary = "an object of its own in the workgroup's shared memory (LDS)";
  let description = [{ `%p = fly.shared 1024 : !fly.ptr<shared, align=16>`: 1024 bytes, aligned as the type says. }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$bytes);
  let results = (outs Res<Fly_PtrType, "", [MemAlloc]>:$pointer);
  let assemblyFormat = "$bytes attr-dict `:` type($pointer)";
  let builders = [OpBuilder<(ins "int64_t":$bytes, "unsigned":$alignment), [{
    build($_builder, $_state, PtrType::get($_builder.getContext(), AddressSpace::Shared, alignment),
          static_cast<uint64_t>(bytes));
  }]>];
  let hasVerifier = 1;
}

def Fly_PtrAddOp : Fly_Op<"ptr_add", [Pure, InfersType]> {
  let summary = "a pointer moved by a number of bytes";
  let description = [{
    `%q = fly.ptr_add %p, %bytes multiple_of 16 unsigned : !fly.ptr<global, align=16>, i32`. The bytes are a multiple of
    `multiple_of`, from which the alignment of the result follows; an i32 is sign-extended unless `unsigned`.
  }];
  let arguments = (ins Fly_PtrType:$pointer, Fly_IndexType:$bytes,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$multiple_of,
                       UnitAttr:$is_unsigned);
  let results = (outs Fly_PtrType:$result);
  let assemblyFormat = [{
    $pointer `,` $bytes (`multiple_of` $multiple_of^)? (`unsigned` $is_unsigned^)? attr-dict
    `:` type($pointer) `,` type($bytes)
  }];
  let hasFolder = 1;
}

def Fly_DynamicSharedOp : Fly_Op<"dynamic_shared", [Pure]> {
  let summary = "the workgroup's shared memory whose size is set at launch; it follows the static objects";
  let results = (outs Fly_PtrType:$pointer);
  let assemblyFormat = "attr-dict `:` type($pointer)";
  let hasVerifier = 1;
}

def Fly_OutputRingOp : Fly_Op<"output_ring", [Pure]> {
  let summary = "where the code object keeps the address of the memory for device output; null: output is off";
  let results = (outs Fly_PtrType:$pointer);
  let assemblyFormat = "attr-dict `:` type($pointer)";
  let hasVerifier = 1;
}

def Fly_TextOp : Fly_Op<"text", [Pure]> {
  let summary = "the address of bytes in the code object; what device output means";
  let arguments = (ins StrAttr:$bytes);
  let results = (outs Fly_PtrType:$pointer);
  let assemblyFormat = "$bytes attr-dict `:` type($pointer)";
  let hasVerifier = 1;
}

def Fly_PtrCastOp : Fly_Op<"ptr_cast", [Pure]> {
  let summary = "the same address with another known alignment, or in another address space";
  let description = [{
    Only to and from `generic` does the space change. More alignment than was known is the author's promise.
  }];
  let arguments = (ins Fly_PtrType:$pointer);
  let results = (outs Fly_PtrType:$result);
  let assemblyFormat = "$pointer attr-dict `:` type($pointer) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Fly_PtrToIntOp : Fly_Op<"ptr_to_int", [Pure]> {
  let summary = "the address as an integer of its width: 32 bits in shared and private memory, else 64";
  let arguments = (ins Fly_PtrType:$pointer);
  let results = (outs Fly_IndexType:$result);
  let assemblyFormat = "$pointer attr-dict `:` type($pointer) `->` type($result)";
}

def Fly_IntToPtrOp : Fly_Op<"int_to_ptr", [Pure]> {
  let summary = "the pointer with an address";
  let arguments = (ins Fly_IndexType:$address);
  let results = (outs Fly_PtrType:$result);
  let assemblyFormat = "$address attr-dict `:` type($address) `->` type($result)";
}

// What an access moves: numbers, vectors, addresses.
def Fly_StoredType : AnyTypeOf<[AnySignlessInteger, AnyFloat, Fly_VectorType, Fly_PtrType],
                               "integer, float, vector of them or pointer">;

def Fly_PtrLoadOp : Fly_Op<"ptr_load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "reads a scalar, vector or pointer; the pointer's alignment is the access's";
  let description = [{
    `invariant`: nothing writes this memory while the kernel runs. With an `order` the access is atomic, for the threads
    of its `scope`.
  }];
  let arguments = (ins Fly_PtrType:$pointer, UnitAttr:$is_volatile, UnitAttr:$is_nontemporal, UnitAttr:$is_invariant,
                       OptionalAttr<Fly_MemoryOrderAttr>:$order, OptionalAttr<Fly_MemoryScopeAttr>:$scope);
  let results = (outs Fly_StoredType:$result);
  let assemblyFormat = [{
    (`volatile` $is_volatile^)? (`nontemporal` $is_nontemporal^)? (`invariant` $is_invariant^)?
    (`order` $order^)? (`scope` $scope^)? $pointer attr-dict `:` type($pointer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Fly_PtrStoreOp : Fly_Op<"ptr_store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "writes a scalar, vector or pointer; the pointer's alignment is the access's";
  let arguments = (ins Fly_StoredType:$value, Fly_PtrType:$pointer, UnitAttr:$is_volatile, UnitAttr:$is_nontemporal,
                       OptionalAttr<Fly_MemoryOrderAttr>:$order, OptionalAttr<Fly_MemoryScopeAttr>:$scope);
  let assemblyFormat = [{
    (`volatile` $is_volatile^)? (`nontemporal` $is_nontemporal^)? (`order` $order^)? (`scope` $scope^)?
    $value `,` $pointer attr-dict `:` type($value) `,` type($pointer)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$pointer), [{
    build($_builder, $_state, value, pointer, ::mlir::UnitAttr(), ::mlir::UnitAttr(), MemoryOrderAttr(), MemoryScopeAttr());
  }]>];
  let hasVerifier = 1;
}

def Fly_AtomicOp : Fly_Op<"atomic", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "atomically replaces memory by a function of it and a value; returns the old value";
  let description = [{
    `%old = fly.atomic add %p, %x order relaxed scope agent : !fly.ptr<global, align=4>, i32`. A result that is not used
    costs nothing: the instruction that returns none is taken. With `fastmath<reassoc>` a wave may add floats up first.
  }];
  let arguments = (ins Fly_AtomicKindAttr:$kind, Fly_PtrType:$pointer, Fly_ValueType:$value, Fly_MemoryOrderAttr:$order,
                       Fly_MemoryScopeAttr:$scope,
                       DefaultValuedAttr<Arith_FastMathAttr, "::mlir::arith::FastMathFlags::none">:$fastmath);
  let results = (outs Fly_ValueType:$result);
  let assemblyFormat = [{
    $kind $pointer `,` $value `order` $order `scope` $scope (`fastmath` `` $fastmath^)?
    attr-dict `:` type($pointer) `,` type($value)
  }];
}

def Fly_CompareExchangeOp : Fly_Op<"compare_exchange", [MemoryEffects<[MemRead, MemWrite]>,
                                                        AllTypesMatch<["expected", "desired", "result"]>]> {
  let summary = "atomically writes `desired` if memory holds `expected`; returns the old value";
  let arguments = (ins Fly_PtrType:$pointer, Fly_IndexType:$expected, Fly_IndexType:$desired, Fly_MemoryOrderAttr:$order,
                       Fly_MemoryScopeAttr:$scope);
  let results = (outs Fly_IndexType:$result);
  let assemblyFormat = [{
    $pointer `,` $expected `,` $desired `order` $order `scope` $scope attr-dict `:` type($pointer) `,` type($desired)
  }];
}

def Fly_FenceOp : Fly_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders the thread's accesses before and after it, as seen by the threads of a scope";
  let description = [{ With a space (`global` or `shared`) only accesses to that memory are ordered. }];
  let arguments = (ins Fly_MemoryOrderAttr:$order, Fly_MemoryScopeAttr:$scope, OptionalAttr<Fly_AddressSpaceAttr>:$space);
  let assemblyFormat = "$order `scope` $scope (`space` $space^)? attr-dict";
}

#endif
