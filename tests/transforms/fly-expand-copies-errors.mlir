// What cannot be taken apart into accesses.
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-expand-copies))' --split-input-file --verify-diagnostics

fly.kernel @carried(%p: !fly.ptr<global, align=16>) {
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %f = fly.fragment(%s) from 0 chunk 4 : (!fly.slot<vector<4xf32>>) -> !fly.fragment<f32, (4):(1)>
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4):(1)> -> f32
  cf.br ^next(%f : !fly.fragment<f32, (4):(1)>)
^next(%g: !fly.fragment<f32, (4):(1)>):
  // expected-error @+1 {{needs the `fly.fragment` of its registers; fragments cannot be carried through control flow}}
  fly.copy <universal 128> %t to %g : !fly.tensor<f32, global, align=16, (4):(1)>, !fly.fragment<f32, (4):(1)>
  fly.return
}

// -----

fly.kernel @nibbles(%p: !fly.ptr<global, align=16>) {
  %s = fly.slot : !fly.slot<vector<4xi8>>
  %f = fly.fragment(%s) from 0 chunk 8 : (!fly.slot<vector<4xi8>>) -> !fly.fragment<i4, (2):(3)>
  %l = fly.make_layout() : !fly.layout<(2):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(2):(1)> -> i4
  // expected-error @+1 {{moves parts of bytes of a fragment}}
  fly.copy <universal 8> %t to %f : !fly.tensor<i4, global, align=16, (2):(1)>, !fly.fragment<i4, (2):(3)>
  fly.return
}
