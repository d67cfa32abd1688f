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
