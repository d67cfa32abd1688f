// Addresses of elements, atomics under a predicate and transposing loads, of tensors: pointers and offsets remain.
// RUN: fly-opt %s --fly-lower-layouts --canonicalize --cse | FileCheck %s

// What is constant comes last.
// CHECK-LABEL: fly.kernel @address
// CHECK-SAME: (%[[P:.*]]: !fly.ptr<global, align=16>, %[[I:.*]]: i32, %[[X:.*]]: f32)
fly.kernel @address(%p: !fly.ptr<global, align=16>, %i: i32, %x: f32) {
  %l = fly.make_layout() : !fly.layout<(4,8):(8,1)>
  %t = fly.make_tensor %p, %l {bytes_fit_in_32_bits} : !fly.ptr<global, align=16>, !fly.layout<(4,8):(8,1)> -> f32
  // CHECK: %[[ROW:.*]] = fly.ptr_add %[[P]], %{{.*}} multiple_of 16 unsigned
  // CHECK: %[[ELEMENT:.*]] = fly.ptr_add %[[ROW]], %{{.*}} multiple_of 16
  // CHECK: fly.ptr_store %[[X]], %[[ELEMENT]] : f32, <global, align=16>
  %a = fly.address %t[%i, 4] : !fly.tensor<f32, global, align=16, (4,8):(8,1)>
  fly.ptr_store %x, %a : f32, !fly.ptr<global, align=16>
  fly.return
}

// An offset beyond any buffer stands for a predicate that is off; each element has an instruction of its own.
// CHECK-LABEL: fly.kernel @masked_atomic
fly.kernel @masked_atomic(%p: !fly.ptr<global, align=16>, %bytes: i64, %x: f32, %on: i1) {
  %v = vector.from_elements %x, %x : vector<2xf32>
  %l = fly.make_layout() : !fly.layout<(2):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(2):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (2):(1)>
  // CHECK: %[[OFFSET:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
  // CHECK: fly.buffer_atomic float_add %{{.*}}, %{{.*}}[%[[OFFSET]], %{{.*}}, 0] : f32
  // CHECK: fly.buffer_atomic float_add %{{.*}}, %{{.*}}[%[[OFFSET]], %{{.*}}, 4] : f32
  fly.masked_atomic float_add %v, %b, %on : vector<2xf32>, !fly.tensor<f32, buffer, align=16, (2):(1)>
  fly.return
}

// CHECK-LABEL: fly.kernel @transposing_load
fly.kernel @transposing_load(%q: !fly.ptr<global, align=16>) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(4):(1)> -> f16
  // CHECK: fly.ptr_transposing_load %{{.*}} element 16 : <shared, align=16> -> vector<4xf16>
  %x = fly.transposing_load %t : !fly.tensor<f16, shared, align=16, (4):(1)>
  fly.ptr_store %x, %q : vector<4xf16>, !fly.ptr<global, align=16>
  fly.return
}
