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
  // CHECK: %[[C:.*]] = fly.slot_load %{{.*}} : <vector<1xf32>>
  // CHECK: %[[A0:.*]] = vector.shuffle %[[A:.*]], %[[A]] [0]
  // CHECK: %[[B0:.*]] = vector.shuffle %[[B:.*]], %[[B]] [0]
  // CHECK: %[[SUM:.*]] = math.fma %[[A0]], %[[B0]], %[[C]] : vector<1xf32>
  // CHECK: %[[A1:.*]] = vector.shuffle %{{.*}} [1]
  // CHECK: %[[B1:.*]] = vector.shuffle %{{.*}} [1]
  // CHECK: %[[D:.*]] = math.fma %[[A1]], %[[B1]], %[[SUM]] : vector<1xf32>
  // CHECK: fly.slot_store %[[D]]
  // LLVM-COUNT-2: llvm.intr.fma
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %c : !fly.fragment<f32, (1,1,2):(0,0,1)>, !fly.fragment<f32, (1,1,2):(0,0,1)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sum = fly.slot_load %sc : !fly.slot<vector<1xf32>>
  %l1 = fly.make_layout() : !fly.layout<(1):(1)>
  %d = fly.make_tensor %p, %l1 : !fly.ptr<global, align=16>, !fly.layout<(1):(1)> -> f32
  fly.store_vector %sum, %d : vector<1xf32>, !fly.tensor<f32, global, align=16, (1):(1)>
  fly.return
}
