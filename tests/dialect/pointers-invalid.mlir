// What is refused of addresses, atomics and ordered accesses.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

fly.kernel @address_open(%p: !fly.ptr<global>, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(4,8):(8,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4,8):(8,1)> -> f32
  // expected-error @+1 {{coordinate `(?,_)` leaves modes open; an offset needs all of them}}
  %a = fly.address %t[%i, _] : !fly.tensor<f32, global, (4,8):(8,1)>
  fly.return
}

// -----

fly.kernel @address_of_bits(%p: !fly.ptr<global>, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(8):(1)> -> f4E2M1FN
  // expected-error @+1 {{an offset of `?` elements of 4 bits is not a whole number of bytes}}
  %a = fly.address %t[%i] : !fly.tensor<f4E2M1FN, global, (8):(1)>
  fly.return
}

// -----

fly.kernel @element_of_bits(%p: !fly.ptr<global>, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(8):(1)> -> i4
  // expected-error @+1 {{names one element of 4 bits, which has no address}}
  %x = fly.load %t[%i] : !fly.tensor<i4, global, (8):(1)>
  fly.return
}

// -----

fly.kernel @dynamic_shared() {
  // expected-error @+1 {{gives a pointer to shared memory; found '!fly.ptr<global>'}}
  %p = fly.dynamic_shared : !fly.ptr<global>
  fly.return
}

// -----

fly.kernel @cast(%p: !fly.ptr<global>) {
  // expected-error @+1 {{changes the space only to and from `generic`; found '!fly.ptr<global>' and '!fly.ptr<shared>'}}
  %q = fly.ptr_cast %p : !fly.ptr<global> -> !fly.ptr<shared>
  fly.return
}

// -----

fly.kernel @address_as_float(%p: !fly.ptr<global>) {
  // expected-error @+1 {{result #0 must be i32 or i64, but got 'f32'}}
  %q = fly.ptr_to_int %p : !fly.ptr<global> -> f32
  fly.return
}

// -----

fly.kernel @short_address(%n: i16) {
  // expected-error @+1 {{operand #0 must be i32 or i64, but got 'i16'}}
  %q = fly.int_to_ptr %n : i16 -> !fly.ptr<global>
  fly.return
}

// -----

fly.kernel @atomic_of_pointer(%p: !fly.ptr<global>) {
  // expected-error @+1 {{operand #1 must be integer, float or vector of them, but got '!fly.ptr<global>'}}
  %q = fly.atomic exchange %p, %p order relaxed scope agent : !fly.ptr<global>, !fly.ptr<global>
  fly.return
}

// -----

fly.kernel @unknown_atomic(%p: !fly.ptr<global>, %x: i32) {
  // expected-error @+2 {{to be one of: add, sub, and, or, xor}}
  // expected-error @+1 {{failed to parse Fly_AtomicKindAttr}}
  %q = fly.atomic multiply %p, %x order relaxed scope agent : !fly.ptr<global>, i32
  fly.return
}

// -----

fly.kernel @exchange_of_float(%p: !fly.ptr<global>, %x: f32) {
  // expected-error @+1 {{operand #1 must be i32 or i64, but got 'f32'}}
  %q = fly.compare_exchange %p, %x, %x order relaxed scope agent : !fly.ptr<global>, f32
  fly.return
}

// -----

fly.kernel @mixed_exchange(%p: !fly.ptr<global>, %x: i32, %y: i64) {
  // expected-error @+1 {{failed to verify that all of {expected, desired, result} have same type}}
  %q = "fly.compare_exchange"(%p, %x, %y) <{order = #fly<order relaxed>, scope = #fly<scope agent>}> : (!fly.ptr<global>, i32, i64) -> i64
  fly.return
}

// -----

fly.kernel @masked_atomic_of_global(%p: !fly.ptr<global, align=16>, %on: i1) {
  %v = fly.undefined : vector<4xf32>
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  // expected-error @+1 {{the tensor is in the space `buffer`; found '!fly.tensor<f32, global, align=16, (4):(1)>'}}
  fly.masked_atomic float_add %v, %t, %on : vector<4xf32>, !fly.tensor<f32, global, align=16, (4):(1)>
  fly.return
}

// -----

fly.kernel @masked_atomic_type(%p: !fly.ptr<global, align=16>, %bytes: i64, %on: i1) {
  %v = fly.undefined : vector<2xf32>
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %b = fly.buffer %t, %bytes widest 16 : !fly.tensor<f32, global, align=16, (4):(1)>
  // expected-error @+1 {{writes 'vector<4xf32>' to this tensor; found 'vector<2xf32>'}}
  fly.masked_atomic float_add %v, %b, %on : vector<2xf32>, !fly.tensor<f32, buffer, align=16, (4):(1)>
  fly.return
}

// -----

fly.kernel @transposing_load_of_unknown(%n: i32) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %l = fly.make_layout(%n) : !fly.layout<(?):(1)>
  %t = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(?):(1)> -> f16
  // expected-error @+1 {{a fragment's layout must be known at compile time; found `(?):(1)`}}
  %x = fly.transposing_load %t : !fly.tensor<f16, shared, align=16, (?):(1)>
  fly.return
}

// -----

fly.kernel @order_without_scope(%p: !fly.ptr<global>) {
  // expected-error @+1 {{has an order or a scope without the other}}
  %x = fly.ptr_load order acquire %p : !fly.ptr<global> -> i32
  fly.return
}

// -----

fly.kernel @releasing_load(%p: !fly.ptr<global>) {
  // expected-error @+1 {{cannot be `release`}}
  %x = fly.ptr_load order release scope agent %p : !fly.ptr<global> -> i32
  fly.return
}

// -----

fly.kernel @acquiring_store(%p: !fly.ptr<global>, %x: i32) {
  // expected-error @+1 {{cannot be `acquire`}}
  fly.ptr_store order acquire scope agent %x, %p : i32, !fly.ptr<global>
  fly.return
}
