// What the lowering refuses: tensors and layouts that do not come from an op it knows.
// RUN: fly-opt %s --fly-lower-layouts --split-input-file --verify-diagnostics

fly.kernel @tensor_argument(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(8):(1)> -> f32
  cf.br ^bb1(%t : !fly.tensor<f32, global, (8):(1)>)
^bb1(%u: !fly.tensor<f32, global, (8):(1)>):
  // expected-error @+1 {{the tensor is a block argument; tensors cannot be carried through control flow}}
  %v = fly.load %u[0] : !fly.tensor<f32, global, (8):(1)>
  fly.return
}

// -----

fly.kernel @layout_argument(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  cf.br ^bb1(%l : !fly.layout<(8):(1)>)
^bb1(%u: !fly.layout<(8):(1)>):
  // expected-error @+1 {{the layout is a block argument; layouts cannot be carried through control flow}}
  %t = fly.make_tensor %p, %u : !fly.ptr<global>, !fly.layout<(8):(1)> -> f32
  fly.return
}

// -----

fly.kernel @other_use(%p: !fly.ptr<global>) {
  // expected-error @+1 {{is used by an operation that takes no tensors or layouts}}
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  cf.br ^bb1(%l : !fly.layout<(8):(1)>)
^bb1(%u: !fly.layout<(8):(1)>):
  fly.return
}

// -----

fly.kernel @other_source(%p: !fly.ptr<global>, %c: i1) {
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(8):(1)> -> f32
  // expected-error @+1 {{the tensor comes from `arith.select`, which this pass does not know}}
  %u = arith.select %c, %t, %t : !fly.tensor<f32, global, (8):(1)>
  %v = fly.load %u[0] : !fly.tensor<f32, global, (8):(1)>
  fly.return
}

// -----

fly.kernel @huge_offset(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(8):(2000000000000000000)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(8):(2000000000000000000)> -> f64
  // expected-error @+1 {{the offset of 4000000000000000000 elements does not fit in 64 bits of bytes}}
  %v = fly.load %t[2] : !fly.tensor<f64, global, (8):(2000000000000000000)>
  fly.return
}
