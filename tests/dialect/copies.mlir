// Buffers and copies survive printing and parsing.
// RUN: fly-opt %s | FileCheck %s
// RUN: fly-opt %s | fly-opt | FileCheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | FileCheck %s

// CHECK-LABEL: fly.kernel @buffers
fly.kernel @buffers(%p: !fly.ptr<global, align=16>, %bytes: i64, %i: i32, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  // CHECK: %[[T:.*]] = fly.buffer %{{.*}}, %{{.*}} widest 16 : <f32, global, align=16, (4):(1)>
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (4):(1)>
  // CHECK: fly.masked_load cache 2 %[[T]], %{{.*}} : <f32, buffer, align=16, (4):(1)>
  %m = fly.masked_load cache 2 %b, %on : !fly.tensor<f32, buffer, align=16, (4):(1)>
  // CHECK: fly.masked_store %{{.*}}, %[[T]], %{{.*}} : vector<4xf32>, <f32, buffer, align=16, (4):(1)>
  fly.masked_store %m, %b, %on : vector<4xf32>, !fly.tensor<f32, buffer, align=16, (4):(1)>
  %v = fly.undefined : vector<4xf32>
  // CHECK: fly.masked_atomic float_add %{{.*}}, %[[T]], %{{.*}} : vector<4xf32>, <f32, buffer, align=16, (4):(1)>
  fly.masked_atomic float_add %v, %b, %on : vector<4xf32>, !fly.tensor<f32, buffer, align=16, (4):(1)>
  // CHECK: %[[F:.*]] = fly.buffer far %{{.*}}, %{{.*}} widest 16 : <f32, global, align=16, (4):(1)>
  %f = fly.buffer far %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (4):(1)>
  // CHECK: fly.rebase %[[F]] : <f32, buffer, align=16, (4):(1)>
  %near = fly.rebase %f : !fly.tensor<f32, buffer, align=16, (4):(1)>
  // CHECK: fly.rebase checked %[[F]] : <f32, buffer, align=16, (4):(1)>
  %checked = fly.rebase checked %f : !fly.tensor<f32, buffer, align=16, (4):(1)>
  // CHECK: fly.at_offsets %[[T]][%{{.*}}, %{{.*}}, 64] : <f32, buffer, align=16, (4):(1)> -> <f16, buffer, align=16, (8):(1)>
  %at = fly.at_offsets %b[%i, %i, 64] : !fly.tensor<f32, buffer, align=16, (4):(1)> -> !fly.tensor<f16, buffer, align=16, (8):(1)>
  // CHECK: fly.at_offsets uniform %[[T]][%{{.*}}, %{{.*}}, 0] : <f32, buffer, align=16, (4):(1)> -> <f16, buffer, align=16, (8):(1)>
  %scalar = fly.at_offsets uniform %b[%i, %i, 0] : !fly.tensor<f32, buffer, align=16, (4):(1)> -> !fly.tensor<f16, buffer, align=16, (8):(1)>
  // CHECK: %[[R:.*]] = fly.make_buffer %{{.*}}, %{{.*}} : <global, align=16> -> <buffer, align=16>
  %r = fly.make_buffer %p, %bytes : !fly.ptr<global, align=16> -> !fly.ptr<buffer, align=16>
  // CHECK: %[[X:.*]] = fly.buffer_load %[[R]][%{{.*}}, %{{.*}}, 64] cache 2 : <buffer, align=16> -> vector<4xf32>
  %x = fly.buffer_load %r[%i, %i, 64] cache 2 : !fly.ptr<buffer, align=16> -> vector<4xf32>
  // CHECK: fly.buffer_store %[[X]], %[[R]][%{{.*}}, %{{.*}}, 0] : vector<4xf32>, <buffer, align=16>
  fly.buffer_store %x, %r[%i, %i, 0] : vector<4xf32>, !fly.ptr<buffer, align=16>
  // CHECK: fly.buffer_atomic add %{{.*}}, %[[R]][%{{.*}}, %{{.*}}, 4] : i32, <buffer, align=16>
  fly.buffer_atomic add %i, %r[%i, %i, 4] : i32, !fly.ptr<buffer, align=16>
  fly.return
}

// CHECK-LABEL: fly.kernel @copies
fly.kernel @copies(%p: !fly.ptr<global, align=16>, %bytes: i64, %i: i32, %on: i1) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  %g = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(8):(1)> -> f16
  %d = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(8):(1)> -> f16
  %b = fly.buffer %g, %bytes widest 16 : !fly.tensor<f16, global, align=16, (8):(1)>
  // CHECK: fly.direct_copy %{{.*}} to %{{.*}} if %{{.*}} : <f16, buffer, align=16, (8):(1)>, <f16, shared, align=16, (8):(1)>
  fly.direct_copy %b to %d if %on : !fly.tensor<f16, buffer, align=16, (8):(1)>, !fly.tensor<f16, shared, align=16, (8):(1)>
  // CHECK: fly.direct_copy own_place cache 2 %{{.*}} to %{{.*}} : <f16, global, align=16, (8):(1)>, <f16, shared, align=16, (8):(1)>
  fly.direct_copy own_place cache 2 %g to %d : !fly.tensor<f16, global, align=16, (8):(1)>, !fly.tensor<f16, shared, align=16, (8):(1)>
  // CHECK: fly.transposing_load %{{.*}} : <f16, shared, align=16, (8):(1)>
  %x = fly.transposing_load %d : !fly.tensor<f16, shared, align=16, (8):(1)>
  // CHECK: fly.direct_move own_place %{{.*}} to %{{.*}} bytes 16 : <shared, align=16>, <global, align=16>
  fly.direct_move own_place %s to %p bytes 16 : !fly.ptr<shared, align=16>, !fly.ptr<global, align=16>
  %r = fly.make_buffer %p, %bytes : !fly.ptr<global, align=16> -> !fly.ptr<buffer, align=16>
  // CHECK: fly.buffer_move %{{.*}}[%{{.*}}, %{{.*}}, 16] to %{{.*}} bytes 4 : <buffer, align=16>, <shared, align=16>
  fly.buffer_move %r[%i, %i, 16] to %s bytes 4 : !fly.ptr<buffer, align=16>, !fly.ptr<shared, align=16>
  // CHECK: fly.ptr_transposing_load %{{.*}} element 16 : <shared, align=16> -> vector<4xf16>
  %y = fly.ptr_transposing_load %s element 16 : !fly.ptr<shared, align=16> -> vector<4xf16>
  fly.return
}

// CHECK-LABEL: fly.kernel @whole_copies
fly.kernel @whole_copies(%p: !fly.ptr<global, align=16>, %on: i1) {
  %s0 = fly.slot : !fly.slot<vector<8xf16>>
  %s1 = fly.slot : !fly.slot<vector<8xf16>>
  // CHECK: %[[F:.*]] = fly.fragment(%{{.*}}, %{{.*}}) from 0 chunk 8 : (!fly.slot<vector<8xf16>>, !fly.slot<vector<8xf16>>) -> !fly.fragment<f16, (8,2):(1,8)>
  %f = fly.fragment(%s0, %s1) from 0 chunk 8 : (!fly.slot<vector<8xf16>>, !fly.slot<vector<8xf16>>) -> !fly.fragment<f16, (8,2):(1,8)>
  // CHECK: fly.fragment(%{{.*}}) from 2 chunk 4 : (!fly.slot<vector<8xf16>>) -> !fly.fragment<f32, "S<1,0,1> o 0 o (2):(1)">
  %recast = fly.fragment(%s0) from 2 chunk 4 : (!fly.slot<vector<8xf16>>) -> !fly.fragment<f32, "S<1,0,1> o 0 o (2):(1)">
  %l = fly.make_layout() : !fly.layout<(8,2):(1,64)>
  %g = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(8,2):(1,64)> -> f16
  // CHECK: fly.copy <universal 128, nontemporal, scope = agent> %{{.*}} to %[[F]] : !fly.tensor<f16, global, align=16, (8,2):(1,64)>, !fly.fragment<f16, (8,2):(1,8)>
  fly.copy <universal 128, nontemporal, scope = agent> %g to %f : !fly.tensor<f16, global, align=16, (8,2):(1,64)>, !fly.fragment<f16, (8,2):(1,8)>
  %zero = arith.constant dense<0.0> : vector<4xf16>
  // CHECK: fly.copy widest <universal 128> %{{.*}} to %[[F]] : !fly.tensor
  fly.copy widest <universal 128> %g to %f : !fly.tensor<f16, global, align=16, (8,2):(1,64)>, !fly.fragment<f16, (8,2):(1,8)>
  // CHECK: fly.copy <universal 64> %{{.*}} to %[[F]] if(%{{.*}}, %{{.*}}) fill %{{.*}} : vector<4xf16> : !fly.tensor
  fly.copy <universal 64> %g to %f if(%on, %on) fill %zero : vector<4xf16> : !fly.tensor<f16, global, align=16, (8,2):(1,64)>, !fly.fragment<f16, (8,2):(1,8)>
  // CHECK: fly.copy <universal_atomic 32, atomic = float_add, negated> %[[F]] to
  fly.copy <universal_atomic 32, atomic = float_add, negated> %f to %g : !fly.fragment<f16, (8,2):(1,8)>, !fly.tensor<f16, global, align=16, (8,2):(1,64)>
  fly.return
}

// CHECK-LABEL: fly.kernel @products
fly.kernel @products() {
  %sa = fly.slot : !fly.slot<vector<4xf32>>
  %sb = fly.slot : !fly.slot<vector<4xf32>>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %a = fly.fragment(%sa) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %b = fly.fragment(%sb) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  // CHECK: fly.mma <"universal_fma" "f32", "f32"> %{{.*}}, %{{.*}} plus %[[C:.*]] to %[[C]] : <f32, (1,2,2):(0,1,2)>, <f32, (1,2,2):(0,1,2)>, <f32, (1,2,2):(0,1,2)>, <f32, (1,2,2):(0,1,2)>
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %c : !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>
  fly.return
}

// Of every kind, with every option.
// CHECK: fly.atoms = [#fly.copy_atom<buffer 128, load_cache = 1, store_cache = 2>, #fly.copy_atom<buffer_to_lds 32>, #fly.copy_atom<global_to_lds 96>, #fly.copy_atom<async 8>, #fly.copy_atom<lds_transposing 64>, #fly.copy_atom<global_transposing 128>, #fly.copy_atom<buffer_atomic 64, atomic = add>]
module attributes {fly.atoms = [#fly.copy_atom<buffer 128, load_cache = 1, store_cache = 2>, #fly.copy_atom<buffer_to_lds 32>,
    #fly.copy_atom<global_to_lds 96>, #fly.copy_atom<async 8>, #fly.copy_atom<lds_transposing 64>, #fly.copy_atom<global_transposing 128>,
    #fly.copy_atom<buffer_atomic 64, atomic = add>]} {}
