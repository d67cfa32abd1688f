// Tensors of 4- and 6-bit elements: an offset in elements is divided by what fills bytes, factor by factor and never as a whole.
// RUN: fly-opt %s --fly-lower-layouts --canonicalize --cse --split-input-file | FileCheck %s

// 32 elements of 4 bits are 16 bytes: `i * 32` becomes `i * 16`, the constant 64 becomes 32.
// CHECK-LABEL: fly.kernel @known
// CHECK-SAME: %[[P:.*]]: !fly.ptr<global, align=16>, %[[I:.*]]: i32
fly.kernel @known(%p: !fly.ptr<global, align=16>, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(32,64,4):(1,32,64)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(32,64,4):(1,32,64)> -> i4
  %s = fly.slice %t[_, %i, 1] : !fly.tensor<i4, global, align=16, (32,64,4):(1,32,64)>
  // CHECK: %[[C32:.*]] = arith.constant 32 : i64
  // CHECK: %[[C16:.*]] = arith.constant 16 : i32
  // CHECK: %[[BYTES:.*]] = arith.muli %[[I]], %[[C16]] overflow<nsw, nuw> : i32
  // CHECK: %[[A:.*]] = fly.ptr_add %[[P]], %[[BYTES]] multiple_of 16 unsigned
  // CHECK: %[[B:.*]] = fly.ptr_add %[[A]], %[[C32]] multiple_of 32
  // CHECK: fly.ptr_load %[[B]] : <global, align=16> -> vector<16xi8>
  %v = fly.load_vector %s : !fly.tensor<i4, global, align=16, (32):(1)>
  fly.store_vector %v, %s : vector<16xi8>, !fly.tensor<i4, global, align=16, (32):(1)>
  fly.return
}

// -----

// An extent that is a multiple is divided itself, where it is made.
// CHECK-LABEL: fly.kernel @extent
// CHECK-SAME: %[[P:.*]]: !fly.ptr<global, align=16>, %[[I:.*]]: i32, %[[N:.*]]: i32
fly.kernel @extent(%p: !fly.ptr<global, align=16>, %i: i32, %n: i32) {
  %l = fly.make_layout(%n, %n) : !fly.layout<(32,?{div=32}):(1,?{div=32})>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(32,?{div=32}):(1,?{div=32})> -> i4
  %s = fly.slice %t[_, %i] : !fly.tensor<i4, global, align=16, (32,?{div=32}):(1,?{div=32})>
  // CHECK: %[[C1:.*]] = arith.constant 1 : i32
  // CHECK: %[[HALF:.*]] = arith.shrui %[[N]], %[[C1]] : i32
  // CHECK: arith.muli %[[I]], %[[HALF]] overflow<nsw, nuw> : i32
  // CHECK-NOT: shrui
  %v = fly.load_vector %s : !fly.tensor<i4, global, align=16, (32):(1)>
  fly.store_vector %v, %s : vector<16xi8>, !fly.tensor<i4, global, align=16, (32):(1)>
  fly.return
}

// -----

// Four elements of 6 bits fill three bytes: `i * 16` becomes `i * 4 * 3`. Sixteen are three dwords in one access.
// CHECK-LABEL: fly.kernel @six
// CHECK-SAME: %[[P:.*]]: !fly.ptr<global, align=16>, %[[I:.*]]: i32
fly.kernel @six(%p: !fly.ptr<global, align=16>, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(16,64):(1,16)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(16,64):(1,16)> -> i6
  %s = fly.slice %t[_, %i] : !fly.tensor<i6, global, align=16, (16,64):(1,16)>
  // CHECK: fly.ptr_add %[[P]], %{{.*}} multiple_of 12 unsigned
  // CHECK: %[[V:.*]] = fly.ptr_load %{{.*}} : <global, align=4> -> vector<3xi32>
  %v = fly.load_vector %s : !fly.tensor<i6, global, align=4, (16):(1)>
  // CHECK: fly.ptr_store %[[V]], %{{.*}} : vector<3xi32>
  fly.store_vector %v, %s : vector<12xi8>, !fly.tensor<i6, global, align=4, (16):(1)>
  fly.return
}

// -----

// Bytes seen as elements of 6 bits: the view's start is the base, because no offset is known to be three bytes' multiples.
// CHECK-LABEL: fly.kernel @recast
fly.kernel @recast(%p: !fly.ptr<global, align=16>, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(12,64):(1,16)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(12,64):(1,16)> -> i8
  %s = fly.slice %t[_, %i] : !fly.tensor<i8, global, align=16, (12,64):(1,16)>
  %r = fly.recast %s : !fly.tensor<i8, global, align=16, (12):(1)> -> i6
  // CHECK: %[[A:.*]] = fly.ptr_add %{{.*}}, %{{.*}} multiple_of 16 unsigned
  // CHECK: fly.ptr_load %[[A]] : <global, align=16> -> vector<3xi32>
  %v = fly.load_vector %r : !fly.tensor<i6, global, align=16, (16):(1)>
  fly.store_vector %v, %r : vector<12xi8>, !fly.tensor<i6, global, align=16, (16):(1)>
  fly.return
}
