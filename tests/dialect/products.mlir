// Products of matrix instructions survive printing and parsing.
// RUN: fly-opt %s | FileCheck %s
// RUN: fly-opt %s | fly-opt | FileCheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | FileCheck %s

// CHECK-LABEL: fly.kernel @product
fly.kernel @product() {
  %scale = arith.constant dense<127> : vector<1xi32>
  %sa = fly.slot : !fly.slot<vector<64xi8>>
  %a = fly.fragment(%sa) from 0 chunk 64 : (!fly.slot<vector<64xi8>>) -> !fly.fragment<i8, (32,2,1):(1,32,0)>
  %sb = fly.slot : !fly.slot<vector<16xi8>>
  %b = fly.fragment(%sb) from 0 chunk 32 : (!fly.slot<vector<16xi8>>) -> !fly.fragment<i4, (32,1,1):(1,0,0)>
  %sc = fly.slot : !fly.slot<vector<8xf32>>
  %c = fly.fragment(%sc) from 0 chunk 8 : (!fly.slot<vector<8xf32>>) -> !fly.fragment<f32, (4,2,1):(1,4,0)>
  %ss = fly.slot : !fly.slot<vector<2xi32>>
  %s = fly.fragment(%ss) from 0 chunk 2 : (!fly.slot<vector<2xi32>>) -> !fly.fragment<i32, (1,2,1):(0,1,0)>
  %t = fly.fragment(%ss) from 0 chunk 2 : (!fly.slot<vector<2xi32>>) -> !fly.fragment<i32, (1,1,1):(0,0,0)>
  // CHECK: fly.mma <"v_mfma_scale_f32_16x16x128_f8f6f4" "f8E4M3FN", "f4E2M1"> %{{.*}}, %{{.*}} plus %{{.*}} to %{{.*}} scaled %{{.*}}, %{{.*}} {modifiers = {opsel_a = 3 : i64}, order = "KMN"} : <i8, (32,2,1):(1,32,0)>, <i4, (32,1,1):(1,0,0)>, <f32, (4,2,1):(1,4,0)>, <f32, (4,2,1):(1,4,0)>, !fly.fragment<i32, (1,2,1):(0,1,0)>, !fly.fragment<i32, (1,1,1):(0,0,0)>
  fly.mma <"v_mfma_scale_f32_16x16x128_f8f6f4" "f8E4M3FN", "f4E2M1"> %a, %b plus %c to %c scaled %s, %t {order = "KMN", modifiers = {opsel_a = 3 : i64}} : !fly.fragment<i8, (32,2,1):(1,32,0)>, !fly.fragment<i4, (32,1,1):(1,0,0)>, !fly.fragment<f32, (4,2,1):(1,4,0)>, !fly.fragment<f32, (4,2,1):(1,4,0)>, !fly.fragment<i32, (1,2,1):(0,1,0)>, !fly.fragment<i32, (1,1,1):(0,0,0)>
  %av = fly.slot_load %sa : !fly.slot<vector<64xi8>>
  %half = vector.extract_strided_slice %av {offsets = [0], sizes = [32], strides = [1]} : vector<64xi8> to vector<32xi8>
  %bv = fly.slot_load %sb : !fly.slot<vector<16xi8>>
  %cv = arith.constant dense<0.0> : vector<4xf32>
  // CHECK: fly.matrix_multiply <"v_mfma_f32_16x16x128_f8f6f4" "f8E4M3FN", "f4E2M1"> %{{.*}}, %{{.*}} plus %{{.*}} : vector<32xi8>, vector<16xi8>, vector<4xf32> -> vector<4xf32>
  %d = fly.matrix_multiply <"v_mfma_f32_16x16x128_f8f6f4" "f8E4M3FN", "f4E2M1"> %half, %bv plus %cv : vector<32xi8>, vector<16xi8>, vector<4xf32> -> vector<4xf32>
  // CHECK: fly.matrix_multiply <"v_mfma_scale_f32_16x16x128_f8f6f4" "f8E4M3FN", "f4E2M1"> %{{.*}}, %{{.*}} plus %{{.*}} scaled %{{.*}}, %{{.*}} : vector<1xi32>, vector<1xi32> {modifiers = {opsel_b = 2 : i64}} : vector<32xi8>, vector<16xi8>, vector<4xf32> -> vector<4xf32>
  %e = fly.matrix_multiply <"v_mfma_scale_f32_16x16x128_f8f6f4" "f8E4M3FN", "f4E2M1"> %half, %bv plus %d scaled %scale, %scale : vector<1xi32>, vector<1xi32> {modifiers = {opsel_b = 2 : i64}} : vector<32xi8>, vector<16xi8>, vector<4xf32> -> vector<4xf32>
  %se = fly.slot : !fly.slot<vector<4xf32>>
  fly.slot_store %e, %se : !fly.slot<vector<4xf32>>
  fly.return
}
