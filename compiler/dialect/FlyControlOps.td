// Operations about when instructions execute: waits for accesses under way, hints for the instruction scheduler, and
// marks: what a program says of its lanes, for the checks of the whole kernel. Included by FlyOps.td; verifiers are in
// ControlOps.cpp.
//
// None of them reads or writes memory. They count as operations that do, so that no access moves across them.
#ifndef FLY_CONTROL_OPS_TD
#define FLY_CONTROL_OPS_TD

class Fly_ControlOp<string mnemonic> : Fly_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def Fly_WaitOp : Fly_ControlOp<"wait"> {
  let summary = "waits until at most this many of the wave's accesses of a kind are in flight";
  let description = [{
    `fly.wait vmcnt(4) lgkmcnt(0)`. The hardware counts accesses by kind. gfx9 has `vmcnt` and `lgkmcnt`, and one
    instruction waits for both; gfx12 has the other counters, each with its own instruction. So an operation does not
    name counters of both generations. Each counter is a row of WaitCounters.cpp.
  }];
  let arguments = (ins OptionalAttr<I32Attr>:$vmcnt, OptionalAttr<I32Attr>:$lgkmcnt, OptionalAttr<I32Attr>:$loadcnt,
                       OptionalAttr<I32Attr>:$storecnt, OptionalAttr<I32Attr>:$dscnt, OptionalAttr<I32Attr>:$kmcnt,
                       OptionalAttr<I32Attr>:$asynccnt, OptionalAttr<I32Attr>:$tensorcnt);
  let assemblyFormat = [{
    oilist(`vmcnt` `(` $vmcnt `)` | `lgkmcnt` `(` $lgkmcnt `)` | `loadcnt` `(` $loadcnt `)` |
           `storecnt` `(` $storecnt `)` | `dscnt` `(` $dscnt `)` | `kmcnt` `(` $kmcnt `)` |
           `asynccnt` `(` $asynccnt `)` | `tensorcnt` `(` $tensorcnt `)`)
    attr-dict
  }];
  let skipDefaultBuilders = 1;
  // A count for each counter, in the order of the enumeration; or of one counter alone.
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<::std::optional<int32_t>>":$counts)>,
                  OpBuilder<(ins "::fly::ir::WaitCounter":$counter, "int32_t":$count)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The count of a counter; none if the operation does not wait for it.
    ::std::optional<int64_t> countOf(WaitCounter counter);
  }];
}

def Fly_TogetherOp : Fly_ControlOp<"together"> {
  let summary = "the lanes of each aligned group of `lanes` get here together or not at all";
  let description = [{
    `fly.together of 16`. The mark that a call of `together()` leaves for the check of the whole kernel
    (compiler/analysis/Divergence.cpp). It does not become an instruction. The name in its location is that of the
    function with the call.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<2>, IntMaxValue<64>, IntPowerOf2]>:$lanes);
  let assemblyFormat = "`of` $lanes attr-dict";
}

def Fly_TakePartOp : Fly_ControlOp<"take_part"> {
  let summary = "a thread takes the part of one of the threads of a tiled copy";
  let description = [{
    `fly.take_part %t of 64 "tiled copy" "tiled_copy(...)"`, or `fly.take_part 3 of 64 ...` where the number is known.
    What a call of `get_slice` leaves for the check that all parts are taken (compiler/analysis/TakenParts.cpp): what it
    is a slice of, a tiled copy or a tiled MMA, and its text, equal for equal ones. It stands for no instruction.
  }];
  let arguments = (ins Optional<Fly_IndexType>:$thread, OptionalAttr<I64Attr>:$number, ConfinedAttr<I64Attr, [IntPositive]>:$threads,
                       StrAttr:$what, StrAttr:$copy);
  let assemblyFormat = "($thread^ `:` type($thread))? ($number^)? `of` $threads $what $copy attr-dict";
  let hasVerifier = 1;
}

def Fly_PartitionOp : Fly_ControlOp<"partition"> {
  let summary = "what the lanes of a wave have of a tensor by a tiled copy";
  let description = [{
    `fly.partition %owned by 64 lanes of "f16"`. The tensor is by ((threads, values), rest), and the language calls its
    elements `f16`. The mark that `partition_S` and `partition_D` leave for -Wperf (compiler/analysis/AccessPatterns.cpp):
    the copies of its parts say how the tensor is accessed. It does not become an instruction. The name in its location is
    the tensor's.
  }];
  let arguments = (ins Fly_TensorType:$tensor, ConfinedAttr<I64Attr, [IntPositive]>:$lanes, StrAttr:$element);
  let assemblyFormat = "$tensor `by` $lanes `lanes` `of` $element attr-dict `:` type($tensor)";
}

// Kinds of instructions that the scheduler knows, one bit each: bit 0 all without memory, 1 VALU, 2 SALU, 3 matrix,
// 4 vector memory, 5 and 6 its reads and writes, 7 LDS, 8 and 9 its reads and writes, 10 transcendental (LLVM 22,
// AMDGPUIGroupLP.cpp).
class Fly_InstructionKinds<int least> : ConfinedAttr<I32Attr, [IntMinValue<least>, IntMaxValue<0x7ff>]>;

def Fly_SchedBarrierOp : Fly_ControlOp<"sched_barrier"> {
  let summary = "the scheduler moves only instructions of these kinds across";
  let description = [{ `fly.sched_barrier 0` lets nothing pass, `fly.sched_barrier 2047` everything. }];
  let arguments = (ins Fly_InstructionKinds<0>:$mask);
  let assemblyFormat = "$mask attr-dict";
}

def Fly_SchedGroupBarrierOp : Fly_ControlOp<"sched_group_barrier"> {
  let summary = "the scheduler puts a group of this many instructions of these kinds here";
  let description = [{
    `fly.sched_group_barrier 8 size 4 sync 0`. Groups with the same `sync` follow each other in the order of these
    operations: four matrix instructions, then the group of the next operation.
  }];
  let arguments = (ins Fly_InstructionKinds<1>:$mask, ConfinedAttr<I32Attr, [IntPositive]>:$size,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$sync);
  let assemblyFormat = "$mask `size` $size `sync` $sync attr-dict";
}

def Fly_FixedOrderOp : Fly_ControlOp<"fixed_order"> {
  let summary = "one end of a region whose instructions keep the order of the source";
  let description = [{
    `fly.fixed_order begin`, then operations of the same block, then `fly.fixed_order end`. The memory, LDS and matrix
    instructions between the two are in the code object in this order (compiler/codegen/ir/FixedOrder.h).
  }];
  let arguments = (ins UnitAttr:$ends);
  let assemblyFormat = "(`end` $ends^) : (`begin`)? attr-dict";
}

def Fly_StreamOp : Fly_ControlOp<"stream"> {
  let summary = "an end of one of two streams of instructions that are interleaved";
  let description = [{
    `fly.stream first every 2 take 1`, the operations of a stream, `fly.stream second`, those of another one, `fly.stream
    end`, all in one block. `fly-interleave-streams` merges them: after `every` memory, LDS or matrix instructions of
    the first stream come `take` of the second one. Pairs nest. `fly.stream statement` follows each statement of the
    program in a stream: one without any such instruction is counted by them.
  }];
  let arguments = (ins Fly_StreamPlaceAttr:$place, DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$every,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$take);
  let assemblyFormat = "$place (`every` $every^ `take` $take)? attr-dict";
}

def Fly_ShadowOp : Fly_ControlOp<"shadow"> {
  let summary = "one end of what executes in the shadow of the matrix instruction before it";
  let description = [{
    `fly.shadow begin` right after a matrix instruction, operations of the same block, `fly.shadow end`, all in a region of
    `fly.fixed_order`. What is in between is there in the code object, too, and how long it takes is compared with the
    matrix instruction (compiler/object_checks/ShadowWork.h).
  }];
  let arguments = (ins UnitAttr:$ends);
  let assemblyFormat = "(`end` $ends^) : (`begin`)? attr-dict";
}

def Fly_IglpOp : Fly_ControlOp<"iglp"> {
  let summary = "the scheduler interleaves the block by one of LLVM's own strategies";
  let description = [{
    `fly.iglp 1`. 0: LDS and matrix instructions of a small product, 1: the same where one wave has a SIMD to itself,
    2 and 3: transcendental and matrix instructions, as in attention (LLVM 22, AMDGPUIGroupLP.cpp).
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<3>]>:$strategy);
  let assemblyFormat = "$strategy attr-dict";
}

def Fly_SetPriorityOp : Fly_ControlOp<"set_priority"> {
  let summary = "the wave's priority among those of its SIMD, from here on";
  let description = [{ `fly.set_priority 1`. From 0, with which a wave starts, to 3. }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<3>]>:$priority);
  let assemblyFormat = "$priority attr-dict";
}

#endif
