// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-expand-products))' --verify-diagnostics

fly.kernel @carried() {
  %s = fly.slot : !fly.slot<vector<1xf32>>
  %a = fly.fragment(%s) from 0 chunk 1 : (!fly.slot<vector<1xf32>>) -> !fly.fragment<f32, (1,1,1):(0,0,0)>
  cf.br ^next(%a : !fly.fragment<f32, (1,1,1):(0,0,0)>)
^next(%b: !fly.fragment<f32, (1,1,1):(0,0,0)>):
  // expected-error @+1 {{needs the `fly.fragment` of its registers; fragments cannot be carried through control flow}}
  fly.mma <"universal_fma" "f32", "f32"> %a, %b plus %a to %a : !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>, !fly.fragment<f32, (1,1,1):(0,0,0)>
  fly.return
}
