// Fragments are accessed in the widest pieces that order and alignment allow.
// RUN: fly-opt %s --fly-lower-layouts --canonicalize --split-input-file 2>/dev/null | FileCheck %s
// RUN: fly-opt %s --fly-lower-layouts --split-input-file --verify-diagnostics

// CHECK-LABEL: fly.kernel @one_access
fly.kernel @one_access(%p: !fly.ptr<global, align=16>) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  // CHECK-NEXT: %[[V:.*]] = fly.ptr_load %arg0 : <global, align=16> -> vector<4xf32>
  %v = fly.load_vector %t : !fly.tensor<f32, global, align=16, (4):(1)>
  // CHECK-NEXT: fly.ptr_store %[[V]], %arg0 : vector<4xf32>
  fly.store_vector %v, %t : vector<4xf32>, !fly.tensor<f32, global, align=16, (4):(1)>
  fly.return
}

// -----

// 256 bits are two accesses of 128.
// CHECK-LABEL: fly.kernel @two_accesses
fly.kernel @two_accesses(%p: !fly.ptr<global, align=16>) {
  %l = fly.make_layout() : !fly.layout<(16):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(16):(1)> -> f16
  // CHECK: fly.ptr_load %arg0 : <global, align=16> -> vector<8xf16>
  // CHECK: fly.ptr_load %{{.*}} : <global, align=16> -> vector<8xf16>
  %v = fly.load_vector %t : !fly.tensor<f16, global, align=16, (16):(1)>
  // CHECK: fly.ptr_store %{{.*}} : vector<8xf16>, <global, align=16>
  // CHECK: fly.ptr_store %{{.*}} : vector<8xf16>, <global, align=16>
  fly.store_vector %v, %t : vector<16xf16>, !fly.tensor<f16, global, align=16, (16):(1)>
  fly.return
}

// -----

// In LDS the alignment bounds the width; rows of a matrix are pieces of their own.
// CHECK-LABEL: fly.kernel @rows
fly.kernel @rows(%q: !fly.ptr<global, align=8>) {
  %lds = fly.shared 8192 : !fly.ptr<shared, align=16>
  %two = arith.constant 8 : i32
  %p = fly.ptr_add %lds, %two multiple_of 8 : <shared, align=16>, i32
  %l = fly.make_layout() : !fly.layout<(4,2):(1,100)>
  %t = fly.make_tensor %p, %l : !fly.ptr<shared, align=8>, !fly.layout<(4,2):(1,100)> -> f32
  // CHECK-COUNT-4: fly.ptr_load %{{.*}} : <shared, align=8> -> vector<2xf32>
  // CHECK-NOT: fly.ptr_load
  %v = fly.load_vector %t : !fly.tensor<f32, shared, align=8, (4,2):(1,100)>
  fly.ptr_store %v, %q : vector<8xf32>, !fly.ptr<global, align=8>
  fly.return
}

// -----

// In global memory it does not: an access carries what is known of its address.
// CHECK-LABEL: fly.kernel @unaligned
fly.kernel @unaligned(%p: !fly.ptr<global, align=8>, %q: !fly.ptr<global, align=2>) {
  %l = fly.make_layout() : !fly.layout<(4,2):(1,100)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=8>, !fly.layout<(4,2):(1,100)> -> f32
  // CHECK-COUNT-2: fly.ptr_load %{{.*}} : <global, align=8> -> vector<4xf32>
  // CHECK-NOT: fly.ptr_load
  %v = fly.load_vector %t : !fly.tensor<f32, global, align=8, (4,2):(1,100)>
  %r = fly.make_layout() : !fly.layout<8:1>
  %u = fly.make_tensor %q, %r : !fly.ptr<global, align=2>, !fly.layout<8:1> -> f16
  // CHECK: fly.ptr_load %{{.*}} : <global, align=2> -> vector<8xf16>
  %w = fly.load_vector %u : !fly.tensor<f16, global, align=2, 8:1>
  // CHECK: fly.ptr_store %{{.*}}, %{{.*}} : vector<8xf16>, <global, align=2>
  fly.store_vector %w, %u : vector<8xf16>, !fly.tensor<f16, global, align=2, 8:1>
  fly.ptr_store %v, %p : vector<8xf32>, !fly.ptr<global, align=8>
  fly.return
}

// -----

// CHECK-LABEL: fly.kernel @column
fly.kernel @column(%p: !fly.ptr<global, align=16>) {
  %l = fly.make_layout() : !fly.layout<(4):(8)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(8)> -> f32
  // CHECK-COUNT-4: fly.ptr_load %{{.*}} -> vector<1xf32>
  // CHECK: vector.from_elements
  // expected-remark @+1 {{accesses 4 elements one by one: layout `(4):(8)`, alignment 16 bytes}}
  %v = fly.load_vector %t : !fly.tensor<f32, global, align=16, (4):(8)>
  fly.ptr_store %v, %p : vector<4xf32>, !fly.ptr<global, align=16>
  fly.return
}
