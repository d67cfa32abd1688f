// Offsets into buffers: lanes and ragged parts are compared with the end, exact uniform ones are not, constants are apart.
// RUN: fly-opt %s --fly-lower-layouts --canonicalize --cse --split-input-file | FileCheck %s

// 128 divides the extent: which tile it is goes past the check.
// CHECK-LABEL: fly.kernel @exact
// CHECK-SAME: (%[[P:.*]]: !fly.ptr<global, align=16>, %[[N:.*]]: i32, %[[TILE:.*]]: i32, %[[BYTES:.*]]: i64)
fly.kernel @exact(%p: !fly.ptr<global, align=16>, %n: i32, %tile: i32, %bytes: i64) {
  %l = fly.make_layout(%n) : !fly.layout<(?{div=128}):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?{div=128}):(1)> -> f32
  // CHECK: %[[B:.*]] = fly.make_buffer %[[P]], %[[BYTES]]
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (?{div=128}):(1)>
  %d = fly.rearrange "zipped_divide <128:1>" of %b : !fly.tensor<f32, buffer, align=16, (?{div=128}):(1)>
  %i = fly.thread_id x
  // CHECK: %[[LANE:.*]] = arith.muli %{{.*}}, %c4_i32
  // CHECK: %[[UNIFORM:.*]] = arith.muli %[[TILE]], %c512_i32
  // CHECK: fly.buffer_load %[[B]][%[[LANE]], %[[UNIFORM]], 0] : <buffer, align=16> -> f32
  %x = fly.load %d[%i, %tile] : !fly.tensor<f32, buffer, align=16, ((128),(?)):((1),(128))>
  fly.store %x, %d[%i, %tile] : !fly.tensor<f32, buffer, align=16, ((128),(?)):((1),(128))>
  fly.return
}

// -----

// It may not divide it: all is checked.
// CHECK-LABEL: fly.kernel @ragged
fly.kernel @ragged(%p: !fly.ptr<global, align=16>, %n: i32, %tile: i32, %bytes: i64) {
  %l = fly.make_layout(%n) : !fly.layout<(?):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (?):(1)>
  %d = fly.rearrange "zipped_divide <128:1>" of %b : !fly.tensor<f32, buffer, align=16, (?):(1)>
  %i = fly.thread_id x
  // CHECK: %[[ALL:.*]] = arith.addi %{{.*}}, %{{.*}} overflow<nuw> : i32
  // CHECK: fly.buffer_load %{{.*}}[%[[ALL]], %c0_i32, 0] : <buffer, align=16> -> f32
  %x = fly.load %d[%i, %tile] : !fly.tensor<f32, buffer, align=16, ((128),(?)):((1),(128))>
  fly.store %x, %d[%i, %tile] : !fly.tensor<f32, buffer, align=16, ((128),(?)):((1),(128))>
  fly.return
}

// -----

// Off, the offset is 2^31. A buffer that may end in the middle of an access is read by narrower ones.
// CHECK-LABEL: fly.kernel @masked
fly.kernel @masked(%p: !fly.ptr<global, align=16>, %on: i1, %bytes: i64) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 8 : !fly.tensor<f32, global, align=16, (4):(1)>
  // CHECK: %[[AT:.*]] = arith.select %{{.*}}, %c0_i32, %c-2147483648_i32 : i32
  // CHECK: fly.buffer_load %{{.*}}[%[[AT]], %c0_i32, 0] : <buffer, align=16> -> vector<2xf32>
  // CHECK: fly.buffer_load %{{.*}}[%[[AT]], %c0_i32, 8] : <buffer, align=16> -> vector<2xf32>
  %x = fly.masked_load %b, %on : !fly.tensor<f32, buffer, align=16, (4):(1)>
  fly.masked_store %x, %b, %on : vector<4xf32>, !fly.tensor<f32, buffer, align=16, (4):(1)>
  fly.return
}

// -----

// Copies past the registers are waited for where the barrier is.
// CHECK-LABEL: fly.kernel @direct
fly.kernel @direct(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(1):(1)>
  %g = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(1):(1)> -> f32
  %d = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(1):(1)> -> f32
  // CHECK: fly.direct_move %{{.*}} to %{{.*}} bytes 4
  fly.direct_copy %g to %d : !fly.tensor<f32, global, align=16, (1):(1)>, !fly.tensor<f32, shared, align=16, (1):(1)>
  // CHECK-NEXT: fly.wait_direct
  // CHECK-NEXT: fly.barrier
  fly.barrier
  // CHECK-NEXT: fly.barrier {fly.leaves_copies}
  // CHECK-NEXT: fly.return
  fly.barrier {fly.leaves_copies}
  fly.return
}
