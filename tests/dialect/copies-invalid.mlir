// What the verifiers of buffers and copies refuse.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

fly.kernel @shared_buffer(%bytes: i64) {
  %s = fly.shared 16 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(4):(1)> -> f32
  // expected-error @+1 {{what it reaches is in the space `global`}}
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, shared, align=16, (4):(1)>
  fly.return
}

// -----

fly.kernel @resource(%p: !fly.ptr<global>, %bytes: i64) {
  // expected-error @+1 {{the result is in the space `buffer`}}
  %b = fly.make_buffer %p, %bytes : !fly.ptr<global> -> !fly.ptr<global>
  fly.return
}

// -----

fly.kernel @offset(%p: !fly.ptr<global>, %bytes: i64, %i: i32) {
  %b = fly.make_buffer %p, %bytes : !fly.ptr<global> -> !fly.ptr<buffer>
  // expected-error @+1 {{has an offset of 2147483648 bytes, which is not one of 31 bits}}
  %x = fly.buffer_load %b[%i, %i, 2147483648] : !fly.ptr<buffer> -> f32
  fly.return
}

// -----

fly.kernel @masked(%p: !fly.ptr<global, align=16>, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  // expected-error @+1 {{the tensor is in the space `buffer`}}
  %x = fly.masked_load %t, %on : !fly.tensor<f32, global, align=16, (4):(1)>
  fly.return
}

// -----

fly.kernel @masked_type(%p: !fly.ptr<global, align=16>, %bytes: i64, %on: i1) {
  %v = fly.undefined : vector<2xf32>
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (4):(1)>
  // expected-error @+1 {{writes 'vector<4xf32>' to this tensor; found 'vector<2xf32>'}}
  fly.masked_store %v, %b, %on : vector<2xf32>, !fly.tensor<f32, buffer, align=16, (4):(1)>
  fly.return
}

// -----

fly.kernel @direct(%p: !fly.ptr<global, align=16>, %on: i1) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  %g = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(8):(1)> -> f16
  %d = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(8):(1)> -> f16
  // expected-error @+1 {{has one side in shared memory}}
  fly.direct_copy %g to %g : !fly.tensor<f16, global, align=16, (8):(1)>, !fly.tensor<f16, global, align=16, (8):(1)>
  fly.return
}

// -----

fly.kernel @direct_predicate(%p: !fly.ptr<global, align=16>, %on: i1) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  %g = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(8):(1)> -> f16
  %d = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(8):(1)> -> f16
  // expected-error @+1 {{has a predicate only from a buffer}}
  fly.direct_copy %g to %d if %on : !fly.tensor<f16, global, align=16, (8):(1)>, !fly.tensor<f16, shared, align=16, (8):(1)>
  fly.return
}

// -----

fly.kernel @rebase(%p: !fly.ptr<global, align=16>, %bytes: i64) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (4):(1)>
  // expected-error @+1 {{takes a view of a far buffer}}
  %r = fly.rebase %b : !fly.tensor<f32, buffer, align=16, (4):(1)>
  fly.return
}

// -----

fly.kernel @offsets(%p: !fly.ptr<global, align=16>, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  // expected-error @+1 {{the tensor is in the space `buffer`}}
  %at = fly.at_offsets %t[%i, %i, 0] : !fly.tensor<f32, global, align=16, (4):(1)> -> !fly.tensor<f32, buffer, align=16, (4):(1)>
  fly.return
}

// -----

fly.kernel @negative_offset(%p: !fly.ptr<global, align=16>, %bytes: i64, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (4):(1)>
  // expected-error @+1 {{has an offset of -4 bytes, which is not one of 31 bits}}
  %at = fly.at_offsets %b[%i, %i, -4] : !fly.tensor<f32, buffer, align=16, (4):(1)> -> !fly.tensor<f32, buffer, align=16, (4):(1)>
  fly.return
}

// -----

fly.kernel @offsets_layout(%p: !fly.ptr<global, align=16>, %bytes: i64, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (4):(1)>
  // expected-error @+1 {{has a result of another type whose layout is not known}}
  %at = fly.at_offsets %b[%i, %i, 0] : !fly.tensor<f32, buffer, align=16, (4):(1)> -> !fly.tensor<f32, buffer, align=16, (?):(1)>
  fly.return
}

// -----

fly.kernel @other_type(%p: !fly.ptr<global, align=16>, %bytes: i64, %i: i32, %n: i32) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (4):(1)>
  // expected-error @+1 {{has a result of another type whose layout is not known: '!fly.tensor<f16, buffer, align=16, (?):(1)>'}}
  %at = fly.at_offsets %b[%i, %i, 64] : !fly.tensor<f32, buffer, align=16, (4):(1)> -> !fly.tensor<f16, buffer, align=16, (?):(1)>
  fly.return
}
