// What each kind of copy becomes, access by access.
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-expand-copies))' --split-input-file | FileCheck %s

// Two accesses of a thread, each in a slot of its own.
// CHECK-LABEL: fly.kernel @universal
fly.kernel @universal(%p: !fly.ptr<global, align=16>) {
  // CHECK: %[[S0:.*]] = fly.slot
  // CHECK: %[[S1:.*]] = fly.slot
  %s0 = fly.slot : !fly.slot<vector<4xf32>>
  %s1 = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s0, %s1) from 0 chunk 4 : (!fly.slot<vector<4xf32>>, !fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,2):(1,4)>
  %l = fly.make_layout() : !fly.layout<(4,2):(1,64)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4,2):(1,64)> -> f32
  // CHECK: %[[D:.*]] = fly.rearrange "logical_divide
  // CHECK-NEXT: %[[P0:.*]] = fly.slice %[[D]][(_, 0), 0]
  // CHECK-NEXT: %[[V0:.*]] = fly.load_vector nontemporal %[[P0]]
  // CHECK-NEXT: fly.slot_store %[[V0]], %[[S0]]
  // CHECK-NEXT: %[[P1:.*]] = fly.slice %[[D]][(_, 0), 1]
  // CHECK-NEXT: %[[V1:.*]] = fly.load_vector nontemporal %[[P1]]
  // CHECK-NEXT: fly.slot_store %[[V1]], %[[S1]]
  // CHECK-NEXT: fly.return
  fly.copy <universal 128, nontemporal> %t to %f : !fly.tensor<f32, global, align=16, (4,2):(1,64)>, !fly.fragment<f32, (4,2):(1,4)>
  fly.return
}

// -----

// A predicate is a branch; where it is off, registers get the fill, or keep what they hold.
// CHECK-LABEL: fly.kernel @predicated
fly.kernel @predicated(%p: !fly.ptr<global, align=16>, %on: i1) {
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4):(1)>
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %one = arith.constant dense<1.0> : vector<4xf32>
  // CHECK: cf.cond_br %{{.*}}, ^[[YES:.*]], ^[[NO:.*]]
  // CHECK: ^[[YES]]:
  // CHECK: %[[V:.*]] = fly.load_vector
  // CHECK: cf.br ^[[END:.*]](%[[V]] : vector<4xf32>)
  // CHECK: ^[[NO]]:
  // CHECK: cf.br ^[[END]](%cst
  // CHECK: ^[[END]](%[[X:.*]]: vector<4xf32>):
  // CHECK: fly.slot_store %[[X]]
  fly.copy <universal 128> %t to %f if(%on) fill %one : vector<4xf32> : !fly.tensor<f32, global, align=16, (4):(1)>, !fly.fragment<f32, (4):(1)>
  // CHECK: cf.cond_br
  // CHECK: fly.load_vector
  // CHECK: %[[OLD:.*]] = fly.slot_load
  // CHECK: cf.br ^{{.*}}(%[[OLD]] : vector<4xf32>)
  fly.copy <universal 128> %t to %f if(%on) : !fly.tensor<f32, global, align=16, (4):(1)>, !fly.fragment<f32, (4):(1)>
  // CHECK: cf.cond_br
  // CHECK: fly.slot_load
  // CHECK: fly.store_vector
  fly.copy <universal 128> %f to %t if(%on) : !fly.fragment<f32, (4):(1)>, !fly.tensor<f32, global, align=16, (4):(1)>
  fly.return
}

// -----

// In a buffer it is an offset outside. Zeros cost nothing; another fill is a selection.
// CHECK-LABEL: fly.kernel @buffers
fly.kernel @buffers(%p: !fly.ptr<global, align=16>, %bytes: i64, %on: i1) {
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4):(1)>
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (4):(1)>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %minus = arith.constant dense<-0.0> : vector<4xf32>
  // CHECK-NOT: cf.
  // CHECK: %[[A:.*]] = fly.masked_load cache 1
  // CHECK-NEXT: fly.slot_store %[[A]]
  fly.copy <buffer 128, load_cache = 1> %b to %f if(%on) fill %zero : vector<4xf32> : !fly.tensor<f32, buffer, align=16, (4):(1)>, !fly.fragment<f32, (4):(1)>
  // CHECK: %[[B:.*]] = fly.masked_load
  // CHECK: %[[C:.*]] = arith.select %{{.*}}, %[[B]], %cst
  // CHECK: fly.slot_store %[[C]]
  fly.copy <buffer 128> %b to %f if(%on) fill %minus : vector<4xf32> : !fly.tensor<f32, buffer, align=16, (4):(1)>, !fly.fragment<f32, (4):(1)>
  // CHECK: fly.masked_store cache 2
  fly.copy <buffer 128, store_cache = 2> %f to %b if(%on) : !fly.fragment<f32, (4):(1)>, !fly.tensor<f32, buffer, align=16, (4):(1)>
  // CHECK: %[[TRUE:.*]] = arith.constant true
  // CHECK: fly.masked_atomic float_add %{{.*}}, %{{.*}}, %[[TRUE]]
  fly.copy <buffer_atomic 32, atomic = float_add> %f to %b : !fly.fragment<f32, (4):(1)>, !fly.tensor<f32, buffer, align=16, (4):(1)>
  // CHECK-NOT: cf.
  fly.return
}

// -----

// LDS: copies that bypass registers, transposes, atomics.
// CHECK-LABEL: fly.kernel @shared
fly.kernel @shared(%p: !fly.ptr<global, align=16>, %bytes: i64, %on: i1) {
  %s = fly.slot : !fly.slot<vector<4xf16>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf16>>) -> !fly.fragment<f16, (4):(1)>
  %n = fly.slot : !fly.slot<vector<1xi32>>
  %count = fly.fragment(%n) from 0 chunk 1 : (!fly.slot<vector<1xi32>>) -> !fly.fragment<i32, (1):(1)>
  %lds = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l8 = fly.make_layout() : !fly.layout<(8):(1)>
  %g = fly.make_tensor %p, %l8 : !fly.ptr<global, align=16>, !fly.layout<(8):(1)> -> f16
  %d = fly.make_tensor %lds, %l8 : !fly.ptr<shared, align=16>, !fly.layout<(8):(1)> -> f16
  %b = fly.buffer %g, %bytes widest 16 : !fly.tensor<f16, global, align=16, (8):(1)>
  %zero = arith.constant dense<0.0> : vector<8xf16>
  // CHECK: fly.direct_copy %{{.*}} to %{{.*}} if %{{.*}} : <f16, buffer
  fly.copy <buffer_to_lds 128> %b to %d if(%on) fill %zero : vector<8xf16> : !fly.tensor<f16, buffer, align=16, (8):(1)>, !fly.tensor<f16, shared, align=16, (8):(1)>
  // CHECK: cf.cond_br
  // CHECK: fly.direct_copy cache 1 %{{.*}} to %{{[^ ]*}} : <f16, global
  fly.copy <global_to_lds 128, load_cache = 1> %g to %d if(%on) : !fly.tensor<f16, global, align=16, (8):(1)>, !fly.tensor<f16, shared, align=16, (8):(1)>
  // CHECK: fly.direct_copy own_place cache 2 %{{.*}} to %{{[^ ]*}} : <f16, shared
  fly.copy <async 128, store_cache = 2> %d to %g : !fly.tensor<f16, shared, align=16, (8):(1)>, !fly.tensor<f16, global, align=16, (8):(1)>
  %l4 = fly.make_layout() : !fly.layout<(4):(1)>
  %d4 = fly.make_tensor %lds, %l4 : !fly.ptr<shared, align=16>, !fly.layout<(4):(1)> -> f16
  // CHECK: %[[V:.*]] = fly.transposing_load
  // CHECK-NEXT: fly.slot_store %[[V]]
  fly.copy <lds_transposing 64> %d4 to %f : !fly.tensor<f16, shared, align=16, (4):(1)>, !fly.fragment<f16, (4):(1)>
  %l1 = fly.make_layout() : !fly.layout<(1):(1)>
  %d1 = fly.make_tensor %lds, %l1 : !fly.ptr<shared, align=16>, !fly.layout<(1):(1)> -> i32
  // CHECK: %[[PLACE:.*]] = fly.address
  // CHECK: fly.atomic add {{.*}}%[[PLACE]]{{.*}}relaxed{{.*}}workgroup
  fly.copy <universal_atomic 32, atomic = add> %count to %d1 : !fly.fragment<i32, (1):(1)>, !fly.tensor<i32, shared, align=16, (1):(1)>
  fly.return
}

// -----

// Elements of a recast fragment lie in slots of another type; a stretch of a slot is one shuffle.
// CHECK-LABEL: fly.kernel @recast
fly.kernel @recast(%p: !fly.ptr<global, align=16>) {
  %s = fly.slot : !fly.slot<vector<8xf16>>
  %f = fly.fragment(%s) from 2 chunk 4 : (!fly.slot<vector<8xf16>>) -> !fly.fragment<f32, (2):(1)>
  %l = fly.make_layout() : !fly.layout<(2):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(2):(1)> -> f32
  // CHECK: %[[V:.*]] = fly.load_vector
  // CHECK: %[[HELD:.*]] = fly.slot_load %{{.*}} : <vector<8xf16>>
  // CHECK: %[[WORDS:.*]] = vector.bitcast %[[HELD]] : vector<8xf16> to vector<4xf32>
  // CHECK: %[[NEW:.*]] = vector.shuffle %[[WORDS]], %[[V]] [0, 1, 4, 5]
  // CHECK: %[[BACK:.*]] = vector.bitcast %[[NEW]] : vector<4xf32> to vector<8xf16>
  // CHECK: fly.slot_store %[[BACK]]
  fly.copy <universal 64> %t to %f : !fly.tensor<f32, global, align=16, (2):(1)>, !fly.fragment<f32, (2):(1)>
  fly.return
}
