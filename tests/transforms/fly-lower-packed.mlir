// Tensors of 4- and 6-bit elements: an offset in elements is divided by what fills bytes, factor by factor, and never at the
// end.
// RUN: fly-opt %s --fly-lower-layouts --canonicalize --cse --split-input-file | FileCheck %s

// 32 elements of 4 bits are 16 bytes: `i * 32` is `i * 16`, the constant its half.
// CHECK-LABEL: fly.kernel @known
fly.kernel @known(%p: !fly.ptr<global, align=16>, %i: i32) {
  %l = fly.make_layout : !fly.layout<((32,2),?{div=1}):((1,32),64)>
  fly.return
}
