// What the verifiers of products and their atoms refuse.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{`universal_fma` multiplies numbers of one type; found f32 and f16}}
module attributes {a = #fly.mma_atom<"universal_fma" "f32", "f16">} {}

// -----

fly.kernel @element() {
  %sa = fly.slot : !fly.slot<vector<4xf16>>
  %a = fly.fragment(%sa) from 0 chunk 4 : (!fly.slot<vector<4xf16>>) -> !fly.fragment<f16, (1,2,2):(0,1,2)>
  %sb = fly.slot : !fly.slot<vector<4xf32>>
  %b = fly.fragment(%sb) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sd = fly.slot : !fly.slot<vector<4xf32>>
  %d = fly.fragment(%sd) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  // expected-error @+1 {{takes A of f32; found '!fly.fragment<f16, (1,2,2):(0,1,2)>'}}
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %d : !fly.fragment<f16, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>
  fly.return
}

// -----

fly.kernel @modes() {
  %sa = fly.slot : !fly.slot<vector<4xf32>>
  %a = fly.fragment(%sa) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sb = fly.slot : !fly.slot<vector<4xf32>>
  %b = fly.fragment(%sb) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (2,2):(1,2)>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sd = fly.slot : !fly.slot<vector<4xf32>>
  %d = fly.fragment(%sd) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  // expected-error @+1 {{takes B of three modes, the values of an atom first; found '!fly.fragment<f32, (2,2):(1,2)>'}}
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %d : !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (2,2):(1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>
  fly.return
}

// -----

fly.kernel @values() {
  %sa = fly.slot : !fly.slot<vector<4xf32>>
  %a = fly.fragment(%sa) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sb = fly.slot : !fly.slot<vector<4xf32>>
  %b = fly.fragment(%sb) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,1,1):(1,0,0)>
  %sd = fly.slot : !fly.slot<vector<4xf32>>
  %d = fly.fragment(%sd) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,1,1):(1,0,0)>
  // expected-error @+1 {{takes 1 values of C per thread and atom; found '!fly.fragment<f32, (4,1,1):(1,0,0)>'}}
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %d : !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (4,1,1):(1,0,0)>, !fly.fragment<f32, (4,1,1):(1,0,0)>
  fly.return
}

// -----

fly.kernel @depth() {
  %sa = fly.slot : !fly.slot<vector<4xf32>>
  %a = fly.fragment(%sa) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sb = fly.slot : !fly.slot<vector<4xf32>>
  %b = fly.fragment(%sb) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,1):(0,1,0)>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sd = fly.slot : !fly.slot<vector<4xf32>>
  %d = fly.fragment(%sd) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  // expected-error @+1 {{repeats A 2 times along K, and B 1 times}}
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %d : !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,1):(0,1,0)>, !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>
  fly.return
}

// -----

fly.kernel @shape() {
  %sa = fly.slot : !fly.slot<vector<4xf32>>
  %a = fly.fragment(%sa) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sb = fly.slot : !fly.slot<vector<4xf32>>
  %b = fly.fragment(%sb) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,2):(0,1,2)>
  %sd = fly.slot : !fly.slot<vector<4xf32>>
  %d = fly.fragment(%sd) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,2,1):(0,1,0)>
  // expected-error @+1 {{makes 2 by 2 atoms; found '!fly.fragment<f32, (1,2,1):(0,1,0)>'}}
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %d : !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,2):(0,1,2)>, !fly.fragment<f32, (1,2,1):(0,1,0)>
  fly.return
}

// -----

fly.kernel @many() {
  %sa = fly.slot : !fly.slot<vector<4xf32>>
  %a = fly.fragment(%sa) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,32,16):(0,0,0)>
  %sb = fly.slot : !fly.slot<vector<4xf32>>
  %b = fly.fragment(%sb) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,16,16):(0,0,0)>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,32,16):(0,0,0)>
  %sd = fly.slot : !fly.slot<vector<4xf32>>
  %d = fly.fragment(%sd) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (1,32,16):(0,0,0)>
  // expected-error @+1 {{has 8192 atoms; at most 4096 are one operation}}
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %d : !fly.fragment<f32, (1,32,16):(0,0,0)>, !fly.fragment<f32, (1,16,16):(0,0,0)>, !fly.fragment<f32, (1,32,16):(0,0,0)>, !fly.fragment<f32, (1,32,16):(0,0,0)>
  fly.return
}

// -----

// expected-error @+1 {{has no row for `v_mfma_f32_1x1x1_f32`}}
module attributes {a = #fly.mma_atom<"v_mfma_f32_1x1x1_f32" "f32", "f32">} {}

// -----

// expected-error @+1 {{`v_mfma_f32_16x16x16_f16` does not multiply bf16}}
module attributes {a = #fly.mma_atom<"v_mfma_f32_16x16x16_f16" "f16", "bf16">} {}

// -----

fly.kernel @sums() {
  %sa = fly.slot : !fly.slot<vector<32xbf16>>
  %a = fly.fragment(%sa) from 0 chunk 32 : (!fly.slot<vector<32xbf16>>) -> !fly.fragment<bf16, (16,1,2):(1,0,16)>
  %sb = fly.slot : !fly.slot<vector<32xbf16>>
  %b = fly.fragment(%sb) from 0 chunk 32 : (!fly.slot<vector<32xbf16>>) -> !fly.fragment<bf16, (16,1,2):(1,0,16)>
  %sc = fly.slot : !fly.slot<vector<8xf32>>
  %c = fly.fragment(%sc) from 0 chunk 8 : (!fly.slot<vector<8xf32>>) -> !fly.fragment<f32, (8,1,1):(1,0,0)>
  %sd = fly.slot : !fly.slot<vector<8xbf16>>
  %d = fly.fragment(%sd) from 0 chunk 8 : (!fly.slot<vector<8xbf16>>) -> !fly.fragment<bf16, (8,1,1):(1,0,0)>
  // expected-error @+1 {{adds 2 products, but D is of bf16 and C of f32}}
  fly.mma <"v_wmma_bf16f32_16x16x32_bf16" "bf16", "bf16"> %a, %b plus %c to %d : !fly.fragment<bf16, (16,1,2):(1,0,16)>, !fly.fragment<bf16, (16,1,2):(1,0,16)>, !fly.fragment<f32, (8,1,1):(1,0,0)>, !fly.fragment<bf16, (8,1,1):(1,0,0)>
  fly.return
}

// -----

fly.kernel @scales() {
  %sa = fly.slot : !fly.slot<vector<1xf32>>
  %a = fly.fragment(%sa) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sb = fly.slot : !fly.slot<vector<1xf32>>
  %b = fly.fragment(%sb) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sc = fly.slot : !fly.slot<vector<1xf32>>
  %c = fly.fragment(%sc) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sd = fly.slot : !fly.slot<vector<1xf32>>
  %d = fly.fragment(%sd) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sx = fly.slot : !fly.slot<vector<1xi32>>
  %x = fly.fragment(%sx) from 0 chunk 1 : (!fly.slot<vector<1xi32>>) -> !fly.fragment<i32, (1,1,1):(0,0,0)>
  // expected-error @+1 {{takes no scales}}
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %d scaled %x, %x : !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<i32, (1,1,1):(0,0,0)>, !fly.fragment<i32, (1,1,1):(0,0,0)>
  fly.return
}

// -----

fly.kernel @without_scales() {
  %sa = fly.slot : !fly.slot<vector<32xi8>>
  %a = fly.fragment(%sa) from 0 chunk 32 : (!fly.slot<vector<32xi8>>) -> !fly.fragment<i8, (32,1,1):(1,0,0)>
  %sb = fly.slot : !fly.slot<vector<32xi8>>
  %b = fly.fragment(%sb) from 0 chunk 32 : (!fly.slot<vector<32xi8>>) -> !fly.fragment<i8, (32,1,1):(1,0,0)>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,1,1):(1,0,0)>
  %sd = fly.slot : !fly.slot<vector<4xf32>>
  %d = fly.fragment(%sd) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,1,1):(1,0,0)>
  // expected-error @+1 {{needs scales of A and B}}
  fly.mma <"v_mfma_scale_f32_16x16x128_f8f6f4" "f8E4M3FN", "f8E4M3FN"> %a, %b plus %c to %d : !fly.fragment<i8, (32,1,1):(1,0,0)>, !fly.fragment<i8, (32,1,1):(1,0,0)>, !fly.fragment<f32, (4,1,1):(1,0,0)>, !fly.fragment<f32, (4,1,1):(1,0,0)>
  fly.return
}

// -----

fly.kernel @words() {
  %sa = fly.slot : !fly.slot<vector<32xi8>>
  %a = fly.fragment(%sa) from 0 chunk 32 : (!fly.slot<vector<32xi8>>) -> !fly.fragment<i8, (32,1,1):(1,0,0)>
  %sb = fly.slot : !fly.slot<vector<32xi8>>
  %b = fly.fragment(%sb) from 0 chunk 32 : (!fly.slot<vector<32xi8>>) -> !fly.fragment<i8, (32,1,1):(1,0,0)>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,1,1):(1,0,0)>
  %sd = fly.slot : !fly.slot<vector<4xf32>>
  %d = fly.fragment(%sd) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,1,1):(1,0,0)>
  %sx = fly.slot : !fly.slot<vector<1xi32>>
  %x = fly.fragment(%sx) from 0 chunk 1 : (!fly.slot<vector<1xi32>>) -> !fly.fragment<i32, (1,1,1):(0,0,0)>
  %sy = fly.slot : !fly.slot<vector<2xi32>>
  %y = fly.fragment(%sy) from 0 chunk 2 : (!fly.slot<vector<2xi32>>) -> !fly.fragment<i32, (2,1,1):(1,0,0)>
  // expected-error @+1 {{takes i32 scales of B with modes of 1, 1 and 1; found '!fly.fragment<i32, (2,1,1):(1,0,0)>'}}
  fly.mma <"v_mfma_scale_f32_16x16x128_f8f6f4" "f8E4M3FN", "f8E4M3FN"> %a, %b plus %c to %d scaled %x, %y : !fly.fragment<i8, (32,1,1):(1,0,0)>, !fly.fragment<i8, (32,1,1):(1,0,0)>, !fly.fragment<f32, (4,1,1):(1,0,0)>, !fly.fragment<f32, (4,1,1):(1,0,0)>, !fly.fragment<i32, (1,1,1):(0,0,0)>, !fly.fragment<i32, (2,1,1):(1,0,0)>
  fly.return
}

// -----

fly.kernel @order() {
  %sa = fly.slot : !fly.slot<vector<1xf32>>
  %a = fly.fragment(%sa) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sb = fly.slot : !fly.slot<vector<1xf32>>
  %b = fly.fragment(%sb) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sc = fly.slot : !fly.slot<vector<1xf32>>
  %c = fly.fragment(%sc) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sd = fly.slot : !fly.slot<vector<1xf32>>
  %d = fly.fragment(%sd) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  // expected-error @+1 {{orders atoms by M, N and K, each once; found `NNK`}}
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %d {order = "NNK"} : !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>
  fly.return
}

// -----

fly.kernel @modifier() {
  %sa = fly.slot : !fly.slot<vector<1xf32>>
  %a = fly.fragment(%sa) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sb = fly.slot : !fly.slot<vector<1xf32>>
  %b = fly.fragment(%sb) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sc = fly.slot : !fly.slot<vector<1xf32>>
  %c = fly.fragment(%sc) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  %sd = fly.slot : !fly.slot<vector<1xf32>>
  %d = fly.fragment(%sd) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  // expected-error @+1 {{has no modifier "cbsz" = 1}}
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %c to %d {modifiers = {cbsz = 1 : i64}} : !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>
  fly.return
}

// -----

fly.kernel @limit() {
  %sa = fly.slot : !fly.slot<vector<4xf16>>
  %a = fly.fragment(%sa) from 0 chunk 4 : (!fly.slot<vector<4xf16>>) -> !fly.fragment<f16, (4,1,1):(1,0,0)>
  %sb = fly.slot : !fly.slot<vector<4xf16>>
  %b = fly.fragment(%sb) from 0 chunk 4 : (!fly.slot<vector<4xf16>>) -> !fly.fragment<f16, (4,1,1):(1,0,0)>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,1,1):(1,0,0)>
  %sd = fly.slot : !fly.slot<vector<4xf32>>
  %d = fly.fragment(%sd) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,1,1):(1,0,0)>
  // expected-error @+1 {{has no modifier "cbsz" = 5}}
  fly.mma <"v_mfma_f32_4x4x4_16b_f16" "f16", "f16"> %a, %b plus %c to %d {modifiers = {cbsz = 5 : i64}} : !fly.fragment<f16, (4,1,1):(1,0,0)>, !fly.fragment<f16, (4,1,1):(1,0,0)>, !fly.fragment<f32, (4,1,1):(1,0,0)>, !fly.fragment<f32, (4,1,1):(1,0,0)>
  fly.return
}

// -----

fly.kernel @block() {
  %sa = fly.slot : !fly.slot<vector<4xf16>>
  %a = fly.fragment(%sa) from 0 chunk 4 : (!fly.slot<vector<4xf16>>) -> !fly.fragment<f16, (4,1,1):(1,0,0)>
  %sb = fly.slot : !fly.slot<vector<4xf16>>
  %b = fly.fragment(%sb) from 0 chunk 4 : (!fly.slot<vector<4xf16>>) -> !fly.fragment<f16, (4,1,1):(1,0,0)>
  %sc = fly.slot : !fly.slot<vector<4xf32>>
  %c = fly.fragment(%sc) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,1,1):(1,0,0)>
  %sd = fly.slot : !fly.slot<vector<4xf32>>
  %d = fly.fragment(%sd) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4,1,1):(1,0,0)>
  // expected-error @+1 {{broadcasts block 2 of 2}}
  fly.mma <"v_mfma_f32_4x4x4_16b_f16" "f16", "f16"> %a, %b plus %c to %d {modifiers = {abid = 2 : i64, cbsz = 1 : i64}} : !fly.fragment<f16, (4,1,1):(1,0,0)>, !fly.fragment<f16, (4,1,1):(1,0,0)>, !fly.fragment<f32, (4,1,1):(1,0,0)>, !fly.fragment<f32, (4,1,1):(1,0,0)>
  fly.return
}
