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
  %d = fly.rearrange "zipped_divide <4:1>" of %t : !fly.tensor<f32, global, (?):(1)>
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

// -----

// A swizzle waits for the access: of the constant 1 + 1024 nothing goes through it (1 is below the 8 elements that it keeps
// together, 1024 above all its bits), and 64, which it reads, does.
// CHECK-LABEL: fly.kernel @swizzled
// CHECK-SAME: (%[[I:.*]]: i32)
fly.kernel @swizzled(%i: i32) {
  // CHECK-DAG: %[[C1:.*]] = arith.constant 2050 : i64
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
  // CHECK: %[[P:.*]] = fly.shared
  %p = fly.shared 65536 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<"S<3,3,3> o 0 o (128,8,8,1024):(1024,8,64,1)">
  %t = fly.make_tensor %p, %l : !fly.ptr<shared, align=16>, !fly.layout<"S<3,3,3> o 0 o (128,8,8,1024):(1024,8,64,1)"> -> f16
  // CHECK: %[[X:.*]] = arith.muli %[[I]],
  // CHECK: arith.andi %[[X]]
  // CHECK: %[[Y:.*]] = arith.xori %[[X]]
  // CHECK: fly.ptr_add %[[P]]
  // CHECK: %[[A:.*]] = fly.ptr_add %{{.*}}, %[[C1]]
  // CHECK: fly.ptr_load %[[A]]
  %a = fly.load %t[1, %i, 0, 1] : !fly.tensor<f16, shared, align=16, "S<3,3,3> o 0 o (128,8,8,1024):(1024,8,64,1)">
  // CHECK: %[[Z:.*]] = arith.addi %[[X]], %{{.*}} overflow<nsw, nuw>
  // CHECK: arith.andi %[[Z]]
  // CHECK: arith.xori %[[Z]]
  // CHECK: fly.ptr_add %{{.*}}, %[[C2]]
  %b = fly.load %t[0, %i, 1, 1] : !fly.tensor<f16, shared, align=16, "S<3,3,3> o 0 o (128,8,8,1024):(1024,8,64,1)">
  // CHECK: fly.ptr_store
  %c = arith.addf %a, %b : f16
  fly.store %c, %t[0, 0, 0, 0] : !fly.tensor<f16, shared, align=16, "S<3,3,3> o 0 o (128,8,8,1024):(1024,8,64,1)">
  fly.return
}

// -----

// A view of a composed layout may start anywhere: eight elements next to each other at a multiple of eight are one access.
// CHECK-LABEL: fly.kernel @swizzled_vector
fly.kernel @swizzled_vector(%i: i32) {
  %p = fly.shared 16384 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<"S<3,3,3> o 0 o (128,(8,8)):(64,(1,8))">
  %t = fly.make_tensor %p, %l : !fly.ptr<shared, align=16>, !fly.layout<"S<3,3,3> o 0 o (128,(8,8)):(64,(1,8))"> -> f16
  %s = fly.slice %t[%i, (_, 3)] : !fly.tensor<f16, shared, align=16, "S<3,3,3> o 0 o (128,(8,8)):(64,(1,8))">
  // CHECK: fly.ptr_load %{{.*}} : <shared, align=16> -> vector<8xf16>
  // CHECK-NOT: fly.ptr_load
  %v = fly.load_vector %s : !fly.tensor<f16, shared, align=16, "S<3,3,3> o ?{div=8} o (8):(1)">
  fly.store_vector %v, %s : vector<8xf16>, !fly.tensor<f16, shared, align=16, "S<3,3,3> o ?{div=8} o (8):(1)">
  fly.return
}

// -----

// What differs between lanes and what does not are added apart: the one to scalar registers.
// CHECK-LABEL: fly.kernel @parts
// CHECK-SAME: (%[[P:[a-z0-9]*]]: !fly.ptr<global, align=16>, %[[N:[a-z0-9]*]]: i32)
fly.kernel @parts(%p: !fly.ptr<global, align=16>, %n: i32) {
  %l = fly.make_layout(%n, %n) : !fly.layout<(?,64):(?,1)>
  %t = fly.make_tensor %p, %l {bytes_fit_in_32_bits} : !fly.ptr<global, align=16>, !fly.layout<(?,64):(?,1)> -> f32
  // CHECK-DAG: %[[TID:.*]] = fly.thread_id x
  // CHECK-DAG: %[[BID:.*]] = fly.block_id x
  %tid = fly.thread_id x
  %bid = fly.block_id x
  %sum = arith.addi %tid, %bid : i32
  %s = fly.slice %t[%bid, _] : !fly.tensor<f32, global, align=16, (?,64):(?,1)>
  // CHECK: %[[ROW:.*]] = arith.muli %[[BID]], %[[N]]
  // CHECK: %[[ROWBYTES:.*]] = arith.muli %[[ROW]], %{{.*}} overflow<nuw>
  // CHECK: %[[BASE:.*]] = fly.ptr_add %[[P]], %[[ROWBYTES]]
  // CHECK: %[[LANEBYTES:.*]] = arith.muli %[[TID]],
  // CHECK: %[[Q:.*]] = fly.ptr_add %[[BASE]], %[[LANEBYTES]]
  // CHECK: fly.ptr_load %[[Q]]
  %v = fly.load %s[%tid] : !fly.tensor<f32, global, align=4, (64):(1)>
  fly.store %v, %s[%tid] : !fly.tensor<f32, global, align=4, (64):(1)>
  fly.return
}

// -----

// Layouts alone: the same steps and arithmetic without memory.
// CHECK-LABEL: fly.kernel @layouts
// CHECK-SAME: (%[[I:.*]]: i32, %[[N:.*]]: i32)
fly.kernel @layouts(%i: i32, %n: i32) {
  %p = fly.shared 4 : !fly.ptr<shared, align=4>
  %l = fly.make_layout(%n) : !fly.layout<(8,?):(1,8)>
  %d = fly.rearrange "tiled_divide <2:1>" of %l : !fly.layout<(8,?):(1,8)>
  // CHECK: %[[A:.*]] = arith.muli %[[I]],
  // CHECK: %[[B:.*]] = arith.addi %[[A]], %{{.*}}
  // CHECK: fly.ptr_store %[[B]]
  %o = fly.crd2idx %d[1, 2, %i] : !fly.layout<((2),4,?):((1),2,8)>
  fly.ptr_store %o, %p : i32, !fly.ptr<shared, align=4>
  fly.return
}

// -----

// Marks for the analyses are not part of the program.
// CHECK-LABEL: fly.kernel @marks
// CHECK-NEXT: fly.return
fly.kernel @marks(%p: !fly.ptr<global>, %i: i32) {
  fly.together of 16
  fly.take_part %i : i32 of 64 "tiled copy" "a copy"
  %l = fly.make_layout() : !fly.layout<(64,2):(1,64)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(64,2):(1,64)> -> f16
  fly.partition %t by 64 lanes of "f16" : !fly.tensor<f16, global, (64,2):(1,64)>
  fly.return
}
