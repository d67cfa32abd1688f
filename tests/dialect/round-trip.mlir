// Every op and type of the dialect survives printing and parsing.
// RUN: fly-opt %s | FileCheck %s
// RUN: fly-opt %s | fly-opt | FileCheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | FileCheck %s

// CHECK-LABEL: fly.kernel @indices()
fly.kernel @indices() attributes {known_block = array<i32: 64, 2, 1>, vgprs = 64 : i32, waves_per_eu = 2 : i32} {
  // CHECK: fly.thread_id x
  %0 = fly.thread_id x
  // CHECK: fly.block_id y
  %1 = fly.block_id y
  // CHECK: fly.block_dim z
  %2 = fly.block_dim z
  // CHECK: fly.grid_dim x
  %3 = fly.grid_dim x
  // CHECK: fly.lane_id
  %4 = fly.lane_id
  // CHECK: fly.wave_id of 32 in_register
  %5 = fly.wave_id of 32 in_register
  // CHECK: fly.barrier
  fly.barrier
  // CHECK: fly.return
  fly.return
}

// CHECK-LABEL: fly.kernel @clusters()
// CHECK-SAME: known_cluster = array<i32: 2, 4, 1>
fly.kernel @clusters() attributes {known_cluster = array<i32: 2, 4, 1>} {
  // CHECK: fly.cluster_id x
  %0 = fly.cluster_id x
  // CHECK: fly.cluster_block_id y
  %1 = fly.cluster_block_id y
  // CHECK: fly.cluster_rank
  %2 = fly.cluster_rank
  // CHECK: fly.cluster_barrier
  fly.cluster_barrier
  // CHECK: fly.fence acquire scope cluster
  fly.fence acquire scope cluster
  fly.return
}

// CHECK-LABEL: fly.kernel @waves(
fly.kernel @waves(%x: i32, %p: i1) {
  // CHECK: fly.wave dpp(%{{.*}}, %{{.*}})[273, 15, 15, 0] : (i32, i32) -> i32
  %0 = fly.wave dpp(%x, %x)[273, 15, 15, 0] : (i32, i32) -> i32
  // CHECK: fly.wave readfirstlane(%{{.*}}) : (i32) -> i32
  %1 = fly.wave readfirstlane(%x) : (i32) -> i32
  // CHECK: fly.wave ballot(%{{.*}}) : (i1) -> i64
  %2 = fly.wave ballot(%p) : (i1) -> i64
  // CHECK: fly.wave permlane16_swap(%{{.*}}, %{{.*}})[0, 1] : (i32, i32) -> (i32, i32)
  %3:2 = fly.wave permlane16_swap(%x, %x)[0, 1] : (i32, i32) -> (i32, i32)
  fly.return
}

// CHECK-LABEL: fly.kernel @slots(%{{.*}}: f32 {fly.name = "x"}, %{{.*}}: !fly.ptr<global> {fly.readonly})
fly.kernel @slots(%x: f32 {fly.name = "x"}, %p: !fly.ptr<global> {fly.readonly}) {
  // CHECK: %[[SLOT:.*]] = fly.slot : <f32>
  %slot = fly.slot : !fly.slot<f32>
  // CHECK: fly.slot_store %{{.*}}, %[[SLOT]] : <f32>
  fly.slot_store %x, %slot : !fly.slot<f32>
  // CHECK: fly.slot_load %[[SLOT]] : <f32>
  %0 = fly.slot_load %slot : !fly.slot<f32>
  // CHECK: fly.undefined : vector<4xf16>
  %1 = fly.undefined : vector<4xf16>
  // CHECK: fly.approximate rcp %{{.*}} : f32
  %2 = fly.approximate rcp %0 : f32
  // CHECK: fly.approximate exp2 %{{.*}} fastmath<nnan,contract> : vector<4xf16>
  %3 = fly.approximate exp2 %1 fastmath<nnan,contract> : vector<4xf16>
  // CHECK: %[[POWER:.*]] = fly.approximate frexp_exponent %{{.*}} : f32
  %4 = fly.approximate frexp_exponent %0 : f32
  // CHECK: arith.addi %[[POWER]], %[[POWER]] : i32
  %5 = arith.addi %4, %4 : i32
  fly.return
}

// CHECK-LABEL: fly.kernel @tensors
fly.kernel @tensors(%p: !fly.ptr<global, align=16>, %n: i32, %ld: i64, %v: f32) {
  // CHECK: fly.make_layout(%{{.*}}, %{{.*}}) : <(?{div=4},(2,8)):(?{i64,div=16},(8,1))>
  %l = fly.make_layout(%n, %ld) : !fly.layout<(?{div=4},(2,8)):(?{i64,div=16},(8,1))>
  // CHECK: fly.make_tensor {{.*}} -> f32
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?{div=4},(2,8)):(?{i64,div=16},(8,1))> -> f32
  // CHECK: fly.slice %{{.*}}[%{{.*}}{div=2}, (1, _)] : <f32, global, align=16, (?{div=4},(2,8)):(?{i64,div=16},(8,1))>
  %s = fly.slice %t[%n{div=2}, (1, _)] : !fly.tensor<f32, global, align=16, (?{div=4},(2,8)):(?{i64,div=16},(8,1))>
  // CHECK: fly.slice %{{.*}}[%{{.*}}{i64}, _]
  %s2 = fly.slice %t[%ld{i64}, _] : !fly.tensor<f32, global, align=16, (?{div=4},(2,8)):(?{i64,div=16},(8,1))>
  // CHECK: %[[X:.*]] = fly.load_vector %{{.*}} : <f32, global, align=16, (8):(1)>
  %x = fly.load_vector %s : !fly.tensor<f32, global, align=16, (8):(1)>
  // CHECK: fly.store_vector %[[X]], %{{.*}} : vector<8xf32>, <f32, global, align=16, (8):(1)>
  fly.store_vector %x, %s : vector<8xf32>, !fly.tensor<f32, global, align=16, (8):(1)>
  // CHECK: fly.load %{{.*}}[3] : <f32, global, align=16, (8):(1)>
  %y = fly.load %s[3] : !fly.tensor<f32, global, align=16, (8):(1)>
  // CHECK: fly.store %{{.*}}, %{{.*}}[%{{.*}}] : <f32, global, align=16, (8):(1)>
  fly.store %v, %s[%n] : !fly.tensor<f32, global, align=16, (8):(1)>
  // CHECK: fly.load %{{.*}}[flat %{{.*}}] : <f32
  %z = fly.load %t[flat %n] : !fly.tensor<f32, global, align=16, (?{div=4},(2,8)):(?{i64,div=16},(8,1))>
  // CHECK: fly.rearrange "zipped_divide <4:1;_>" of %{{.*}} : !fly.tensor<f32
  %d = fly.rearrange "zipped_divide <4:1;_>" of %t : !fly.tensor<f32, global, align=16, (?{div=4},(2,8)):(?{i64,div=16},(8,1))>
  // CHECK: fly.leaf %{{.*}}[stride, 0]
  %leaf = fly.leaf %t[stride, 0] : !fly.tensor<f32, global, align=16, (?{div=4},(2,8)):(?{i64,div=16},(8,1))>
  fly.return
}

// CHECK-LABEL: fly.kernel @any_layouts
fly.kernel @any_layouts(%p: !fly.ptr<global, align=16>, %n: i32, %w: i64) {
  // CHECK: %[[L:.*]] = fly.make_layout(%{{.*}}, %{{.*}}, %{{.*}}) : <"S<3,3,3> o ?{i64,div=64} o (?,64):(?{div=64},1)">
  %l = fly.make_layout(%n, %n, %w) : !fly.layout<"S<3,3,3> o ?{i64,div=64} o (?,64):(?{div=64},1)">
  // CHECK: fly.make_tensor {{.*}} -> f16
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<"S<3,3,3> o ?{i64,div=64} o (?,64):(?{div=64},1)"> -> f16
  // CHECK: fly.rearrange "tiled_divide <?:1;8:1>"(%{{.*}} : i32) of %{{.*}} : !fly.tensor<f16, global, align=16, "S<3,3,3> o ?{i64,div=64} o (?,64):(?{div=64},1)">
  %d = fly.rearrange "tiled_divide <?:1;8:1>"(%n : i32) of %t : !fly.tensor<f16, global, align=16, "S<3,3,3> o ?{i64,div=64} o (?,64):(?{div=64},1)">
  // CHECK: %[[C:.*]] = fly.make_layout() : <"(4,8):(1@1,1@0)">
  %c = fly.make_layout() : !fly.layout<"(4,8):(1@1,1@0)">
  // CHECK: fly.rearrange "composition 8:1" of %[[C]] : !fly.layout<"(4,8):(1@1,1@0)">
  %e = fly.rearrange "composition 8:1" of %c : !fly.layout<"(4,8):(1@1,1@0)">
  // CHECK: fly.crd2idx %[[L]][%{{.*}}, 3] : <"S<3,3,3>
  %o = fly.crd2idx %l[%n, 3] : !fly.layout<"S<3,3,3> o ?{i64,div=64} o (?,64):(?{div=64},1)">
  // CHECK: fly.recast %{{.*}} : <f16, global, align=16, "S<3,3,3> o ?{i64,div=64} o (?,64):(?{div=64},1)"> -> i8
  %b = fly.recast %t : !fly.tensor<f16, global, align=16, "S<3,3,3> o ?{i64,div=64} o (?,64):(?{div=64},1)"> -> i8
  // CHECK: fly.return {step = #fly.rearrangement<"group (0,2)">}
  fly.return {step = #fly.rearrangement<"group (0,2)">}
}

// CHECK-LABEL: fly.kernel @pointers
fly.kernel @pointers(%n: i32) {
  // CHECK: fly.shared 1024 : <shared, align=16>
  %p = fly.shared 1024 : !fly.ptr<shared, align=16>
  // CHECK: fly.ptr_add %{{.*}}, %{{.*}} multiple_of 8 unsigned : <shared, align=16>, i32
  %q = fly.ptr_add %p, %n multiple_of 8 unsigned : !fly.ptr<shared, align=16>, i32
  // CHECK: fly.ptr_load %{{.*}} : <shared, align=8> -> vector<2xf32>
  %v = fly.ptr_load %q : !fly.ptr<shared, align=8> -> vector<2xf32>
  // CHECK: fly.ptr_store %{{.*}}, %{{.*}} : vector<2xf32>, <shared, align=16>
  fly.ptr_store %v, %p : vector<2xf32>, !fly.ptr<shared, align=16>
  // CHECK: fly.output_ring : <global, align=8>
  %ring = fly.output_ring : !fly.ptr<global, align=8>
  // CHECK: fly.text "n = %d\0A" : <constant>
  %text = fly.text "n = %d\0A" : !fly.ptr<constant>
  fly.return
}
