// What the verifiers of copies, fragments and copy atoms refuse.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{there is no copy atom `telepathy`}}
module attributes {a = #fly.copy_atom<telepathy 128>} {}

// -----

// expected-error @+1 {{there is no scope `galaxy`}}
module attributes {a = #fly.copy_atom<universal 128, scope = galaxy>} {}

// -----

// expected-error @+1 {{expected `load_cache`, `store_cache`, `nontemporal`, `scope`, `atomic` or `negated`; found `speed`}}
module attributes {a = #fly.copy_atom<universal 128, speed = 1>} {}

// -----

// expected-error @+1 {{`UniversalCopy` moves no 24 bits per thread}}
module attributes {a = #fly.copy_atom<universal 24>} {}

// -----

// expected-error @+1 {{`UniversalCopy` is not atomic}}
module attributes {a = #fly.copy_atom<universal 32, atomic = add>} {}

// -----

// expected-error @+1 {{`UniversalAtomic` needs `atomic`}}
module attributes {a = #fly.copy_atom<universal_atomic 32>} {}

// -----

fly.kernel @element(%p: !fly.ptr<global, align=16>, %on: i1) {
  // expected-error @+1 {{a fragment's element is an integer or float of 1, 4, 6, 8, 16, 32 or 64 bits; found 'i7'}}
  %f = fly.fragment() from 0 chunk 4 : () -> !fly.fragment<i7, (4):(1)>
  fly.return
}

// -----

fly.kernel @dynamic(%p: !fly.ptr<global, align=16>, %on: i1) {
  // expected-error @+1 {{a fragment's layout is static and leads to registers; found `(?):(1)`}}
  %f = fly.fragment() from 0 chunk 4 : () -> !fly.fragment<f32, (?):(1)>
  fly.return
}

// -----

fly.kernel @none(%p: !fly.ptr<global, align=16>, %on: i1) {
  // expected-error @+1 {{needs slots}}
  %f = fly.fragment() from 0 chunk 4 : () -> !fly.fragment<f32, (4):(1)>
  fly.return
}

// -----

fly.kernel @scalar_slot(%p: !fly.ptr<global, align=16>, %on: i1) {
  %s = fly.slot : !fly.slot<f32>
  // expected-error @+1 {{sees slots of vectors; slot 0 is '!fly.slot<f32>'}}
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<f32>) -> !fly.fragment<f32, (4):(1)>
  fly.return
}

// -----

fly.kernel @chunk(%p: !fly.ptr<global, align=16>, %on: i1) {
  %s = fly.slot : !fly.slot<vector<4xf32>>
  // expected-error @+1 {{says that slot 0 holds 2 elements of 32 bits; it has 128 bits}}
  %f = fly.fragment(%s, %s) from 0 chunk 2 : (!fly.slot<vector<4xf32>>, !fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4):(1)>
  fly.return
}

// -----

fly.kernel @beyond(%p: !fly.ptr<global, align=16>, %on: i1) {
  %s = fly.slot : !fly.slot<vector<4xf32>>
  // expected-error @+1 {{leads to element 4 of 4}}
  %f = fly.fragment(%s) from 1 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4):(1)>
  fly.return
}

// -----

fly.kernel @elements(%p: !fly.ptr<global, align=16>, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 8 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f16, (4):(1)>
  // expected-error @+1 {{moves bits as they are; its views have elements of 'f32' and 'f16'}}
  fly.copy <universal 32> %t to %f : !fly.tensor<f32, global, align=16, (4):(1)>, !fly.fragment<f16, (4):(1)>
  fly.return
}

// -----

fly.kernel @width(%p: !fly.ptr<global, align=16>, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4):(1)>
  // expected-error @+1 {{moves 16 bits, which elements of 32 do not fill}}
  fly.copy <universal 16> %t to %f : !fly.tensor<f32, global, align=16, (4):(1)>, !fly.fragment<f32, (4):(1)>
  fly.return
}

// -----

fly.kernel @spaces(%p: !fly.ptr<global, align=16>, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4):(1)>
  // expected-error @+1 {{by `BufferCopy` goes elsewhere than from '!fly.tensor}}
  fly.copy <buffer 128> %t to %f : !fly.tensor<f32, global, align=16, (4):(1)>, !fly.fragment<f32, (4):(1)>
  fly.return
}

// -----

fly.kernel @ranks(%p: !fly.ptr<global, align=16>, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (2,2):(1,2)>
  // expected-error @+1 {{has views of 1 and 2 modes}}
  fly.copy <universal 32> %t to %f : !fly.tensor<f32, global, align=16, (4):(1)>, !fly.fragment<f32, (2,2):(1,2)>
  fly.return
}

// -----

fly.kernel @sizes(%p: !fly.ptr<global, align=16>, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (2):(1)>
  // expected-error @+1 {{has views that differ in mode 0, or whose size there is not known}}
  fly.copy <universal 32> %t to %f : !fly.tensor<f32, global, align=16, (4):(1)>, !fly.fragment<f32, (2):(1)>
  fly.return
}

// -----

fly.kernel @whole(%p: !fly.ptr<global, align=16>, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(3):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(3):(1)> -> f32
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (3):(1)>
  // expected-error @+1 {{has 3 elements in mode 0, of which an access moves 2}}
  fly.copy <universal 64> %t to %f : !fly.tensor<f32, global, align=16, (3):(1)>, !fly.fragment<f32, (3):(1)>
  fly.return
}

// -----

fly.kernel @many(%p: !fly.ptr<global, align=16>, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(8192):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(8192):(1)> -> f32
  // expected-error @+1 {{has 8192 accesses; 1 to 4096 are one operation}}
  fly.copy <universal 32> %t to %t : !fly.tensor<f32, global, align=16, (8192):(1)>, !fly.tensor<f32, global, align=16, (8192):(1)>
  fly.return
}

// -----

fly.kernel @predicates(%p: !fly.ptr<global, align=16>, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4):(1)>
  // expected-error @+1 {{has 3 predicates for 4 accesses}}
  fly.copy <universal 32> %t to %f if(%on, %on, %on) : !fly.tensor<f32, global, align=16, (4):(1)>, !fly.fragment<f32, (4):(1)>
  fly.return
}

// -----

fly.kernel @exchange(%p: !fly.ptr<global, align=16>, %on: i1) {
  %lds = fly.shared 64 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %lds, %l : !fly.ptr<shared, align=16>, !fly.layout<(4):(1)> -> f16
  %s = fly.slot : !fly.slot<vector<4xf16>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf16>>) -> !fly.fragment<f16, (4):(1)>
  // expected-error @+1 {{of lanes that exchange what they read has neither predicates nor a fill}}
  fly.copy <lds_transposing 64> %t to %f if(%on) : !fly.tensor<f16, shared, align=16, (4):(1)>, !fly.fragment<f16, (4):(1)>
  fly.return
}

// -----

fly.kernel @fill(%p: !fly.ptr<global, align=16>, %on: i1) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4):(1)>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  // expected-error @+1 {{fills an access with 'vector<2xf32>'; found 'vector<4xf32>'}}
  fly.copy <universal 64> %t to %f if(%on) fill %zero : vector<4xf32> : !fly.tensor<f32, global, align=16, (4):(1)>, !fly.fragment<f32, (4):(1)>
  fly.return
}
