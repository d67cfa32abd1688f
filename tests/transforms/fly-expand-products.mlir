// A product becomes the instructions of its atom: for each element of D those of all k, in order.
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-expand-products))' | FileCheck %s
// RUN: fly-opt %s --fly-to-llvm=arch=gfx942 | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: fly.kernel @outer
// LLVM-LABEL: llvm.func @outer
fly.kernel @outer(%p: !fly.ptr<global, align=16>) {
  %sa = fly.slot : !fly.slot<vector<2xf32>>
  %sb = fly.slot : !fly.slot<vector<2xf32>>
  %sc = fly.slot : !fly.slot<vector<1xf32>>
  %a = fly.fragment(%sa) from 0 chunk 2 : (!fly.slot<vector<2xf32>>) -> !fly.fragment<f32, (1,1,2):(0,0,1)>
  %b = fly.fragment(%sb) from 0 chunk 2 : (!fly.slot<vector<2xf32>>) -> !fly.fragment<f32, (1,1,2):(0,0,1)>
  %c = fly.fragment(%sc) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %pair = fly.fragment(%sa) from 0 chunk 2 : (!fly.slot<vector<2xf32>>) -> !fly.fragment<f32, (2):(1)>
  %other = fly.fragment(%sb) from 0 chunk 2 : (!fly.slot<vector<2xf32>>) -> !fly.fragment<f32, (2):(1)>
  %l = fly.make_layout() : !fly.layout<(2):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(2):(1)> -> f32
  fly.copy <universal 64> %t to %pair : !fly.tensor<f32, global, align=16, (2):(1)>, !fly.fragment<f32, (2):(1)>
  fly.copy <universal 64> %t to %other : !fly.tensor<f32, global, align=16, (2):(1)>, !fly.fragment<f32, (2):(1)>
  %zero = arith.constant dense<0.0> : vector<1xf32>
  fly.slot_store %zero, %sc : !fly.slot<vector<1xf32>>
  // CHECK: %[[A0:.*]] = vector.shuffle %[[A:.*]], %[[A]] [0]
  // CHECK: %[[B0:.*]] = vector.shuffle %[[B:.*]], %[[B]] [0]
  // CHECK: %[[C:.*]] = fly.slot_load %[[SLOT:.*]] : <vector<1xf32>>
  // CHECK: %[[SUM:.*]] = math.fma %[[A0]], %[[B0]], %[[C]] : vector<1xf32>
  // CHECK: fly.slot_store %[[SUM]], %[[SLOT]]
  // CHECK: %[[A1:.*]] = vector.shuffle %{{.*}} [1]
  // CHECK: %[[B1:.*]] = vector.shuffle %{{.*}} [1]
  // CHECK: %[[D0:.*]] = fly.slot_load %[[SLOT]]
  // CHECK: %[[D1:.*]] = math.fma %[[A1]], %[[B1]], %[[D0]] : vector<1xf32>
  // CHECK: fly.slot_store %[[D1]], %[[SLOT]]
  // LLVM-COUNT-2: llvm.intr.fma
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %c : !fly.fragment<f32, (1,1,2):(0,0,1)>, !fly.fragment<f32, (1,1,2):(0,0,1)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sum = fly.slot_load %sc : !fly.slot<vector<1xf32>>
  %l1 = fly.make_layout() : !fly.layout<(1):(1)>
  %d = fly.make_tensor %p, %l1 : !fly.ptr<global, align=16>, !fly.layout<(1):(1)> -> f32
  fly.store_vector %sum, %d : vector<1xf32>, !fly.tensor<f32, global, align=16, (1):(1)>
  fly.return
}

// The first letter of an order is the innermost loop: with "KMN" all of K for one element of D, with "MNK" all of D for
// one k. Each atom after the first k adds to D.

// CHECK-LABEL: fly.kernel @depth_first
// CHECK: [0, 1, 2, 3] : vector<16xf16>
// CHECK: fly.matrix_multiply
// CHECK: [8, 9, 10, 11] : vector<16xf16>
// CHECK: fly.matrix_multiply
// CHECK: [4, 5, 6, 7] : vector<16xf16>
// CHECK: fly.matrix_multiply
// CHECK: [12, 13, 14, 15] : vector<16xf16>
// CHECK: fly.matrix_multiply
fly.kernel @depth_first() {
  %sa = fly.slot : !fly.slot<vector<16xf16>>
  %sb = fly.slot : !fly.slot<vector<8xf16>>
  %sc = fly.slot : !fly.slot<vector<8xf32>>
  %a = fly.fragment(%sa) from 0 chunk 16 : (!fly.slot<vector<16xf16>>) -> !fly.fragment<f16, (4,2,2):(1,4,8)>
  %b = fly.fragment(%sb) from 0 chunk 8 : (!fly.slot<vector<8xf16>>) -> !fly.fragment<f16, (4,1,2):(1,0,4)>
  %c = fly.fragment(%sc) from 0 chunk 8 : (!fly.slot<vector<8xf32>>) -> !fly.fragment<f32, (4,2,1):(1,4,0)>
  fly.mma <"v_mfma_f32_16x16x16_f16" "f16", "f16"> %a, %b plus %c to %c {order = "KMN"} : !fly.fragment<f16, (4,2,2):(1,4,8)>, !fly.fragment<f16, (4,1,2):(1,0,4)>, !fly.fragment<f32, (4,2,1):(1,4,0)>, !fly.fragment<f32, (4,2,1):(1,4,0)>
  fly.return
}

// CHECK-LABEL: fly.kernel @breadth_first
// CHECK: [0, 1, 2, 3] : vector<16xf16>
// CHECK: fly.matrix_multiply
// CHECK: [4, 5, 6, 7] : vector<16xf16>
// CHECK: fly.matrix_multiply
// CHECK: [8, 9, 10, 11] : vector<16xf16>
// CHECK: fly.matrix_multiply {{.*}} plus %{{.*}} {modifiers = {blgp = 1 : i64}}
// CHECK: [12, 13, 14, 15] : vector<16xf16>
// CHECK: fly.matrix_multiply
fly.kernel @breadth_first() {
  %sa = fly.slot : !fly.slot<vector<16xf16>>
  %sb = fly.slot : !fly.slot<vector<8xf16>>
  %sc = fly.slot : !fly.slot<vector<8xf32>>
  %a = fly.fragment(%sa) from 0 chunk 16 : (!fly.slot<vector<16xf16>>) -> !fly.fragment<f16, (4,2,2):(1,4,8)>
  %b = fly.fragment(%sb) from 0 chunk 8 : (!fly.slot<vector<8xf16>>) -> !fly.fragment<f16, (4,1,2):(1,0,4)>
  %c = fly.fragment(%sc) from 0 chunk 8 : (!fly.slot<vector<8xf32>>) -> !fly.fragment<f32, (4,2,1):(1,4,0)>
  fly.mma <"v_mfma_f32_16x16x16_f16" "f16", "f16"> %a, %b plus %c to %c {order = "MNK", modifiers = {blgp = 1 : i64}} : !fly.fragment<f16, (4,2,2):(1,4,8)>, !fly.fragment<f16, (4,1,2):(1,0,4)>, !fly.fragment<f32, (4,2,1):(1,4,0)>, !fly.fragment<f32, (4,2,1):(1,4,0)>
  fly.return
}
