// Tensors become pointers and offsets: in the narrowest width, with constants last.
// RUN: fly-opt %s --fly-lower-layouts --canonicalize --cse --split-input-file | FileCheck %s

// Four-byte elements of an unbounded tensor: the offset in bytes needs 64 bits.
// CHECK-LABEL: fly.kernel @wide
// CHECK-SAME: (%[[P:.*]]: !fly.ptr<global, align=16>, %[[I:.*]]: i32, %[[N:.*]]: i32)
fly.kernel @wide(%p: !fly.ptr<global, align=16>, %i: i32, %n: i32) {
  %l = fly.make_layout(%n) : !fly.layout<(?):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?):(1)> -> f32
  // CHECK: %[[C4:.*]] = arith.constant 4 : i64
  // CHECK: %[[WIDE:.*]] = arith.extui %[[I]] : i32 to i64
  // CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %[[C4]] overflow<nuw> : i64
  // CHECK: %[[Q:.*]] = fly.ptr_add %[[P]], %[[BYTES]] multiple_of 4 unsigned
  // CHECK: fly.ptr_load %[[Q]] : <global, align=4> -> f32
  %v = fly.load %t[%i] : !fly.tensor<f32, global, align=16, (?):(1)>
  // CHECK: fly.ptr_store %{{.*}}, %[[Q]] : f32
  fly.store %v, %t[%i] : !fly.tensor<f32, global, align=16, (?):(1)>
  fly.return
}

// -----

// Where all bytes fit in 32 bits, so does the offset.
// CHECK-LABEL: fly.kernel @narrow
fly.kernel @narrow(%p: !fly.ptr<global, align=16>, %i: i32, %n: i32) {
  %l = fly.make_layout(%n) : !fly.layout<(?):(1)>
  %t = fly.make_tensor %p, %l {bytes_fit_in_32_bits} : !fly.ptr<global, align=16>, !fly.layout<(?):(1)> -> f32
  // CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %{{.*}} overflow<nuw> : i32
  // CHECK: fly.ptr_add %{{.*}}, %[[BYTES]] multiple_of 4 unsigned : <global, align=16>, i32
  %v = fly.load %t[%i] : !fly.tensor<f32, global, align=16, (?):(1)>
  fly.store %v, %t[%i] : !fly.tensor<f32, global, align=16, (?):(1)>
  fly.return
}

// -----

// The known part of a coordinate is added last, as bytes.
// CHECK-LABEL: fly.kernel @constants
fly.kernel @constants(%i: i32, %v: f32) {
  %p = fly.shared 8192 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(64,32):(32,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<shared, align=16>, !fly.layout<(64,32):(32,1)> -> f32
  // CHECK-DAG: %[[C12:.*]] = arith.constant 12 : i64
  // CHECK-DAG: %[[C128:.*]] = arith.constant 128 : i32
  // CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %[[C128]] overflow<nuw> : i32
  // CHECK: %[[ROW:.*]] = fly.ptr_add %{{.*}}, %[[BYTES]] multiple_of 4 unsigned : <shared, align=16>, i32
  // CHECK: %[[Q:.*]] = fly.ptr_add %[[ROW]], %[[C12]] multiple_of 4 : <shared, align=4>, i64
  // CHECK: fly.ptr_store %{{.*}}, %[[Q]] : f32, <shared, align=4>
  fly.store %v, %t[%i, 3] : !fly.tensor<f32, shared, align=16, (64,32):(32,1)>
  fly.return
}

// -----

// A 64-bit stride makes the offset 64 bits wide.
// CHECK-LABEL: fly.kernel @leading_dimension
fly.kernel @leading_dimension(%p: !fly.ptr<global>, %i: i32, %m: i32, %ld: i64, %v: i8) {
  %l = fly.make_layout(%m, %ld) : !fly.layout<(?,8):(?{i64},1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(?,8):(?{i64},1)> -> i8
  // CHECK: %[[ROW:.*]] = arith.extui %{{.*}} : i32 to i64
  // CHECK: arith.muli %[[ROW]], %{{.*}} overflow<nsw, nuw> : i64
  fly.store %v, %t[%i, 0] : !fly.tensor<i8, global, (?,8):(?{i64},1)>
  fly.return
}

// -----

// A known layout of more than 2^31 elements: its leaves fit in 32 bits, its offsets do not.
// CHECK-LABEL: fly.kernel @large
fly.kernel @large(%p: !fly.ptr<global>, %i: i32, %v: i8) {
  %l = fly.make_layout() : !fly.layout<(65536,65536):(65536,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(65536,65536):(65536,1)> -> i8
  // CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : i32 to i64
  // CHECK: arith.muli %[[WIDE]], %{{.*}} : i64
  fly.store %v, %t[%i, 0] : !fly.tensor<i8, global, (65536,65536):(65536,1)>
  fly.return
}

// -----

// A negative stride: no claim that the offset is not negative.
// CHECK-LABEL: fly.kernel @reversed
fly.kernel @reversed(%p: !fly.ptr<global>, %i: i32, %v: f32) {
  %l = fly.make_layout() : !fly.layout<(8):(-1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(8):(-1)> -> f32
  // CHECK: arith.extsi %{{.*}} : i32 to i64
  // CHECK: fly.ptr_add %{{.*}}, %{{.*}} multiple_of 4 : <global>, i64
  fly.store %v, %t[%i] : !fly.tensor<f32, global, (8):(-1)>
  fly.return
}

// -----

// Tiles of a ragged extent: their number rounds up.
// CHECK-LABEL: fly.kernel @ragged
// CHECK-SAME: %[[N:[a-z0-9]*]]: i32
fly.kernel @ragged(%p: !fly.ptr<global>, %n: i32) {
  %l = fly.make_layout(%n) : !fly.layout<(?):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(?):(1)> -> f32
  %d = fly.zipped_divide %t by (4) : !fly.tensor<f32, global, (?):(1)>
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
  // CHECK: %[[MORE:.*]] = arith.addi %[[N]], %[[C3]] overflow<nuw> : i32
  // CHECK: arith.shrui %[[MORE]], %[[C2]] : i32
  %tiles = fly.leaf %d[shape, 1] : !fly.tensor<f32, global, ((4),(?)):((1),(4))>
  fly.ptr_store %tiles, %p : i32, !fly.ptr<global>
  fly.return
}

// -----

// A flat coordinate is taken apart, first mode fastest.
// CHECK-LABEL: fly.kernel @flat
fly.kernel @flat(%p: !fly.ptr<global>, %i: i32, %v: i8) {
  %l = fly.make_layout() : !fly.layout<(4,8):(8,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4,8):(8,1)> -> i8
  // CHECK-DAG: %[[ROW:.*]] = arith.andi %arg1, %c3_i32
  // CHECK-DAG: %[[COLUMN:.*]] = arith.shrui %arg1, %c2_i32
  // CHECK: %[[START:.*]] = arith.muli %[[ROW]], %c8_i32
  // CHECK: arith.addi %[[START]], %[[COLUMN]]
  fly.store %v, %t[flat %i] : !fly.tensor<i8, global, (4,8):(8,1)>
  fly.return
}
