// Offsets into buffers: lanes, uniform parts and constants are apart where each is compared with the end.
// RUN: fly-opt %s --fly-lower-layouts --canonicalize --cse --split-input-file | FileCheck %s

// Which tile it is goes to the scalar part.
// CHECK-LABEL: fly.kernel @exact
// CHECK-SAME: (%[[P:.*]]: !fly.ptr<global, align=16>, %[[N:.*]]: i32, %[[TILE:.*]]: i32, %[[BYTES:.*]]: i64)
fly.kernel @exact(%p: !fly.ptr<global, align=16>, %n: i32, %tile: i32, %bytes: i64) {
  %l = fly.make_layout(%n) : !fly.layout<(?{div=128}):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?{div=128}):(1)> -> f32
  // CHECK: %[[B:.*]] = fly.make_buffer %[[P]], %[[BYTES]]
  %b = fly.buffer checks_scalar %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (?{div=128}):(1)>
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

// The scalar part is not looked at: all is in the other.
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

// Copies that bypass registers are waited for where the barrier is.
// CHECK-LABEL: fly.kernel @direct
fly.kernel @direct(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(1):(1)>
  %g = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(1):(1)> -> f32
  %d = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(1):(1)> -> f32
  // CHECK: fly.direct_move %{{.*}} to %{{.*}} bytes 4
  fly.direct_copy %g to %d : !fly.tensor<f32, global, align=16, (1):(1)>, !fly.tensor<f32, shared, align=16, (1):(1)>
  // CHECK-NEXT: fly.wait vmcnt(0)
  // CHECK-NEXT: fly.barrier
  fly.barrier
  // CHECK-NEXT: fly.barrier {fly.leaves_copies}
  // CHECK-NEXT: fly.return
  fly.barrier {fly.leaves_copies}
  fly.return
}

// -----

// Those of gfx1250 have a counter of their own. They may read LDS until the kernel ends.
// CHECK-LABEL: fly.kernel @async
fly.kernel @async(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(1):(1)>
  %g = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(1):(1)> -> f32
  %d = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(1):(1)> -> f32
  // CHECK: fly.direct_move own_place
  fly.direct_copy own_place %d to %g : !fly.tensor<f32, shared, align=16, (1):(1)>, !fly.tensor<f32, global, align=16, (1):(1)>
  // CHECK-NEXT: fly.wait asynccnt(0)
  // CHECK-NEXT: fly.return
  fly.return
}

// -----

// A part of a far buffer begins where its uniform coordinate leads, in 64 bits, and ends where the tensor does, or at
// the reach of offsets.
// CHECK-LABEL: fly.kernel @far
// CHECK-SAME: (%[[P:.*]]: !fly.ptr<global, align=16>, %[[N:.*]]: i64, %[[TILE:.*]]: i64, %[[BYTES:.*]]: i64)
fly.kernel @far(%p: !fly.ptr<global, align=16>, %n: i64, %tile: i64, %bytes: i64) {
  %l = fly.make_layout(%n) : !fly.layout<(?{i64}):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?{i64}):(1)> -> f32
  %b = fly.buffer far %t, %bytes widest 4 : !fly.tensor<f32, global, align=16, (?{i64}):(1)>
  %d = fly.rearrange "zipped_divide <128:1>" of %b : !fly.tensor<f32, buffer, align=16, (?{i64}):(1)>
  // CHECK-DAG: %[[SKIPPED:.*]] = arith.muli %[[TILE]], %c512_i64
  // CHECK-DAG: %[[LESS:.*]] = arith.minui %{{.*}}, %[[BYTES]] : i64
  // CHECK-DAG: %[[LEFT:.*]] = arith.subi %[[BYTES]], %[[LESS]] : i64
  // CHECK-DAG: %[[REACH:.*]] = arith.minui %[[LEFT]], %c2147483648_i64 : i64
  // CHECK-DAG: %[[START:.*]] = fly.ptr_add %[[P]]
  // CHECK: %[[B:.*]] = fly.make_buffer %[[START]], %[[REACH]]
  %s = fly.slice %d[_, %tile{i64}] : !fly.tensor<f32, buffer, align=16, ((128),(?{i64})):((1),(128))>
  %r = fly.rebase %s : !fly.tensor<f32, buffer, align=16, ((128)):((1))>
  %i = fly.thread_id x
  // CHECK: fly.buffer_load %[[B]][%{{.*}}, %c0_i32, 0] : <buffer, align=16> -> f32
  %x = fly.load %r[%i] : !fly.tensor<f32, buffer, align=16, ((128)):((1))>
  fly.store %x, %r[%i] : !fly.tensor<f32, buffer, align=16, ((128)):((1))>
  fly.return
}

// -----

// A tile of rows that lie n apart: the kernel stops where it reaches more than 2^31 bytes, whatever the tensor has.
// CHECK-LABEL: fly.kernel @checked
// CHECK-SAME: (%[[P:.*]]: !fly.ptr<global, align=16>, %[[N:[a-z0-9]*]]: i64, %[[AT:[a-z0-9]*]]: i64, %[[BYTES:[a-z0-9]*]]: i64)
fly.kernel @checked(%p: !fly.ptr<global, align=16>, %n: i64, %at: i64, %bytes: i64) {
  %l = fly.make_layout(%n) : !fly.layout<(8192,8192,64):(64,?{i64},1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(8192,8192,64):(64,?{i64},1)> -> f32
  %b = fly.buffer far %t, %bytes widest 4 : !fly.tensor<f32, global, align=16, (8192,8192,64):(64,?{i64},1)>
  // CHECK-DAG: arith.muli %[[N]], %c8191_i64
  // CHECK-DAG: %[[LARGE:.*]] = arith.cmpi ugt, %{{.*}}, %c2147483648_i64
  // CHECK: cf.cond_br %[[LARGE]], ^[[TRAP:.*]], ^[[GO:.*]]
  // CHECK: ^[[TRAP]]:
  // CHECK-NEXT: llvm.call_intrinsic "llvm.trap"()
  // CHECK-NEXT: cf.br ^[[GO]]
  // CHECK: ^[[GO]]:
  // CHECK: %[[REACH:.*]] = arith.minui %{{.*}}, %c2147483648_i64 : i64
  // CHECK: fly.make_buffer %{{.*}}, %[[REACH]]
  %s = fly.slice %b[%at{i64}, _, _] : !fly.tensor<f32, buffer, align=16, (8192,8192,64):(64,?{i64},1)>
  %r = fly.rebase checked %s : !fly.tensor<f32, buffer, align=16, (8192,64):(?{i64},1)>
  %i = fly.thread_id x
  %x = fly.load %r[%i, %i] : !fly.tensor<f32, buffer, align=16, (8192,64):(?{i64},1)>
  fly.store %x, %r[%i, %i] : !fly.tensor<f32, buffer, align=16, (8192,64):(?{i64},1)>
  fly.return
}

// -----

// A scope makes plain accesses atomic ones of integers, in buffers it is among the bits of the policy.
// CHECK-LABEL: fly.kernel @policies
fly.kernel @policies(%p: !fly.ptr<global, align=16>, %bytes: i64) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f16
  // CHECK: %[[W:.*]] = fly.ptr_load nontemporal order relaxed scope agent %{{.*}} -> i64
  %x = fly.load_vector nontemporal scope agent %t : !fly.tensor<f16, global, align=16, (4):(1)>
  // CHECK: fly.ptr_store order relaxed scope system %{{.*}}, %{{.*}} : i64
  fly.store_vector scope system %x, %t : vector<4xf16>, !fly.tensor<f16, global, align=16, (4):(1)>
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f16, global, align=16, (4):(1)>
  // CHECK: fly.buffer_load %{{.*}}[%c0_i32, %c0_i32, 0] cache 17
  %y = fly.load_vector cache 17 %b : !fly.tensor<f16, buffer, align=16, (4):(1)>
  // CHECK: fly.buffer_store %{{.*}}, %{{.*}}[%c0_i32, %c0_i32, 0] cache 2
  fly.store_vector cache 2 %y, %b : vector<4xf16>, !fly.tensor<f16, buffer, align=16, (4):(1)>
  fly.return
}

// -----

// Offsets by hand stand beside those of the view, each in its part.
// CHECK-LABEL: fly.kernel @by_hand
// CHECK-SAME: %[[V:[a-z0-9]*]]: i32, %[[S:[a-z0-9]*]]: i32, %{{.*}}: i64)
fly.kernel @by_hand(%p: !fly.ptr<global, align=16>, %v: i32, %s: i32, %bytes: i64) {
  %l = fly.make_layout() : !fly.layout<(64):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(64):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (64):(1)>
  %at = fly.at_offsets %b[%v, %s, 64] : !fly.tensor<f32, buffer, align=16, (64):(1)> -> !fly.tensor<f32, buffer, align=16, (64):(1)>
  // CHECK: fly.buffer_load %{{.*}}[%[[V]], %[[S]], 76] : <buffer, align=16> -> f32
  %x = fly.load %at[3] : !fly.tensor<f32, buffer, align=16, (64):(1)>
  fly.store %x, %at[3] : !fly.tensor<f32, buffer, align=16, (64):(1)>
  %other = fly.at_offsets %at[%v, %s, 4] : !fly.tensor<f32, buffer, align=16, (64):(1)> -> !fly.tensor<f16, buffer, align=16, (8):(1)>
  // CHECK: %[[VV:.*]] = arith.addi %[[V]], %[[V]]
  // CHECK: %[[SS:.*]] = arith.addi %[[S]], %[[S]]
  // CHECK: fly.buffer_load %{{.*}}[%[[VV]], %[[SS]], 68] : <buffer, align=16> -> vector<8xf16>
  %y = fly.load_vector %other : !fly.tensor<f16, buffer, align=16, (8):(1)>
  fly.store_vector %y, %other : vector<8xf16>, !fly.tensor<f16, buffer, align=16, (8):(1)>
  fly.return
}
