// A move of the tensor mover is a descriptor and an instruction; a barrier after it waits for it, and after a store the
// end of the kernel does.
// RUN: fly-opt %s --fly-lower-layouts --canonicalize --cse --split-input-file | FileCheck %s

// A tile of 16 rows of 64 bytes, with a gap of 16 after each. Words of the second group: flags (two bytes per element
// 0x10000, gaps 0x100000, after 8 << 3 bytes 0xc00000, of 3 + 1 words 0x6000000), then in the upper halves what is left
// of the tensor's 80 columns, of its 100 rows, and the tile's columns; its rows; the stride.
// CHECK-LABEL: fly.kernel @static
fly.kernel @static(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 2048 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(100,80):(80,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(100,80):(80,1)> -> f16
  %k = fly.make_layout() : !fly.layout<(16,32):(40,1)>
  %d = fly.make_tensor %s, %k : !fly.ptr<shared, align=16>, !fly.layout<(16,32):(40,1)> -> f16
  // CHECK: %[[G1:.*]] = arith.constant dense<[114360320, 3145728, 4456448, 2097152, 16, 80, 0, 0]> : vector<8xi32>
  // CHECK: %[[AT:.*]] = fly.ptr_add %{{.*}}, %c5184_i64
  // CHECK: %[[GLOBAL:.*]] = fly.ptr_to_int %[[AT]] : {{.*}} -> i64
  // CHECK: %[[LOCAL:.*]] = fly.ptr_to_int %{{.*}} : {{.*}} -> i32
  // CHECK: %[[LOW:.*]] = arith.trunci %[[GLOBAL]] : i64 to i32
  // CHECK: %[[G0:.*]] = vector.from_elements %c1_i32, %[[LOCAL]], %[[LOW]], %{{.*}} : vector<4xi32>
  // CHECK: rocdl.tensor.load.to.lds.d2 %[[G0]], %[[G1]] cachepolicy 0
  fly.tensor_move %t[32, 32] to %d : !fly.tensor<f16, global, align=16, (100,80):(80,1)>, !fly.tensor<f16, shared, align=16, (16,32):(40,1)>
  // CHECK-NEXT: fly.wait tensorcnt(0)
  // CHECK-NEXT: fly.barrier
  fly.barrier
  // CHECK-NEXT: fly.return
  fly.return
}

// -----

// What is left of an extent from a coordinate on is not negative.
// CHECK-LABEL: fly.kernel @dynamic
// CHECK-SAME: (%{{.*}}: !fly.ptr<global, align=16>, %[[M:.*]]: i32, %[[I:.*]]: i32)
fly.kernel @dynamic(%p: !fly.ptr<global, align=16>, %m: i32, %i: i32) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout(%m) : !fly.layout<(?):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?):(1)> -> f32
  %k = fly.make_layout() : !fly.layout<(64):(1)>
  %d = fly.make_tensor %s, %k : !fly.ptr<shared, align=16>, !fly.layout<(64):(1)> -> f32
  // CHECK: %[[REST:.*]] = arith.subi %[[M]], %[[I]] : i32
  // CHECK: arith.maxsi %[[REST]], %c0_i32 : i32
  // CHECK: rocdl.tensor.store.from.lds.d2 %{{.*}}, %{{.*}} cachepolicy 2
  fly.tensor_move cache 2 %t[%i] from %d : !fly.tensor<f32, global, align=16, (?):(1)>, !fly.tensor<f32, shared, align=16, (64):(1)>
  // CHECK-NEXT: fly.wait tensorcnt(0)
  // CHECK-NEXT: fly.return
  fly.return
}

// -----

// More than two modes take four groups of words.
// CHECK-LABEL: fly.kernel @three
fly.kernel @three(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(2,4,8):(32,8,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(2,4,8):(32,8,1)> -> i32
  %d = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(2,4,8):(32,8,1)> -> i32
  // CHECK: rocdl.tensor.load.to.lds %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cachepolicy 0
  // CHECK: rocdl.tensor.store.from.lds %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cachepolicy 0
  fly.tensor_move %t[0, 0, 0] to %d : !fly.tensor<i32, global, align=16, (2,4,8):(32,8,1)>, !fly.tensor<i32, shared, align=16, (2,4,8):(32,8,1)>
  fly.tensor_move %t[0, 0, 0] from %d : !fly.tensor<i32, global, align=16, (2,4,8):(32,8,1)>, !fly.tensor<i32, shared, align=16, (2,4,8):(32,8,1)>
  fly.return
}

// -----

// Of an extent of 64 bits at most as much as fits into the descriptor, by comparisons of 32 bits. The workgroups that load
// the same are the lowest 16 bits of the second group.
// CHECK-LABEL: fly.kernel @wide
// CHECK-SAME: (%{{.*}}: !fly.ptr<global, align=16>, %[[M:.*]]: i64, %[[MASK:.*]]: i32)
fly.kernel @wide(%p: !fly.ptr<global, align=16>, %m: i64, %mask: i32) attributes {known_cluster = array<i32: 2, 2, 1>} {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout(%m) : !fly.layout<(?{i64}):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?{i64}):(1)> -> f32
  %k = fly.make_layout() : !fly.layout<(64):(1)>
  %d = fly.make_tensor %s, %k : !fly.ptr<shared, align=16>, !fly.layout<(64):(1)> -> f32
  // CHECK-NOT: arith.cmpi {{.*}} : i64
  // CHECK-DAG: %[[BITS:.*]] = arith.andi %[[MASK]], %c65535_i32
  // CHECK-DAG: arith.cmpi sgt, %[[HIGH:.*]], %c0_i32 : i32
  // CHECK-DAG: arith.cmpi slt, %[[HIGH]], %c0_i32 : i32
  // CHECK: %[[FIRST:.*]] = arith.ori %[[BITS]], %c131072_i32
  // CHECK: vector.from_elements %[[FIRST]],
  // CHECK: rocdl.tensor.load.to.lds.d2
  fly.tensor_move %t[7] to %d multicast(%mask) : !fly.tensor<f32, global, align=16, (?{i64}):(1)>, !fly.tensor<f32, shared, align=16, (64):(1)>
  fly.return
}
