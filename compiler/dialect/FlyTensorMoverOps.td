// The operation of gfx1250's tensor data mover. Included by FlyOps.td; its verifier is in TensorMover.cpp.
#ifndef FLY_TENSOR_MOVER_OPS_TD
#define FLY_TENSOR_MOVER_OPS_TD

def Fly_TensorMoveOp : Fly_IndexedOp<"tensor_move", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments,
                                                     DeclareOpInterfaceMethods<Fly_UniformOperands>]> {
  let summary = "the wave moves a tile between a tensor in global memory, from a coordinate on, and LDS";
  let description = [{
    `fly.tensor_move %x[%row, 0] to %s : !fly.tensor<f16, global, ...>, !fly.tensor<f16, shared, ...>`; `from %s` is the
    other direction. What of the tile is outside of the tensor is 0 in LDS, and not written in global memory.

    The operands hold everything that the mover's descriptor needs. The tile's layout gives its extents and the gaps
    between its runs, and must be one that the mover can fill (TensorMover.h). Strides and overall extents are
    those of the tensor. `multicast(%mask)` names the workgroups of the cluster that load the same, by rank; what they
    ask for at the same time is fetched once. All operands are the same in all lanes of a wave, and no coordinate is negative. The move is
    done when a `fly.wait` of `tensorcnt` says so.
  }];
  let arguments = (ins Fly_TensorType:$tensor, Fly_IntTupleAttr:$coordinate, Variadic<Fly_IndexType>:$dynamic,
                       Fly_TensorType:$tile, Optional<I32>:$multicast, UnitAttr:$is_store, Fly_CacheAttr:$cache);
  let assemblyFormat = [{
    (`cache` $cache^)? $tensor `` custom<Coordinate>($coordinate, $dynamic, type($dynamic))
    (`from` $is_store^) : (`to`)? $tile (`multicast` `(` $multicast^ `)`)? attr-dict `:` type($tensor) `,` type($tile)
  }];
  let extraClassDeclaration = [{
    /// Whether the mover can fill the tile from the tensor.
    ::llvm::LogicalResult verifyTile();
  }];
}

#endif
