// What the verifier of tensor moves refuses.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

fly.kernel @spaces(%p: !fly.ptr<global, align=16>) {
  %l = fly.make_layout() : !fly.layout<(16,32):(32,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(16,32):(32,1)> -> f16
  // expected-error @+1 {{moves a tile in shared memory from or to global memory}}
  fly.tensor_move %t[0, 0] to %t : !fly.tensor<f16, global, align=16, (16,32):(32,1)>, !fly.tensor<f16, global, align=16, (16,32):(32,1)>
  fly.return
}

// -----

fly.kernel @elements(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 2048 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(16,32):(32,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(16,32):(32,1)> -> f16
  %d = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(16,32):(32,1)> -> f32
  // expected-error @+1 {{does not convert elements}}
  fly.tensor_move %t[0, 0] to %d : !fly.tensor<f16, global, align=16, (16,32):(32,1)>, !fly.tensor<f32, shared, align=16, (16,32):(32,1)>
  fly.return
}

// -----

fly.kernel @swizzled(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 2048 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(16,32):(32,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(16,32):(32,1)> -> f16
  %k = fly.make_layout() : !fly.layout<"S<3,2,3> o 0 o (16,32):(32,1)">
  %d = fly.make_tensor %s, %k : !fly.ptr<shared, align=16>, !fly.layout<"S<3,2,3> o 0 o (16,32):(32,1)"> -> f16
  // expected-error @+1 {{takes layouts of one to five plain modes}}
  fly.tensor_move %t[0, 0] to %d : !fly.tensor<f16, global, align=16, (16,32):(32,1)>, !fly.tensor<f16, shared, align=16, "S<3,2,3> o 0 o (16,32):(32,1)">
  fly.return
}

// -----

fly.kernel @rank(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 2048 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(16,32):(32,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(16,32):(32,1)> -> f16
  %k = fly.make_layout() : !fly.layout<(32):(1)>
  %d = fly.make_tensor %s, %k : !fly.ptr<shared, align=16>, !fly.layout<(32):(1)> -> f16
  // expected-error @+1 {{has a static tile of as many modes as the tensor}}
  fly.tensor_move %t[0, 0] to %d : !fly.tensor<f16, global, align=16, (16,32):(32,1)>, !fly.tensor<f16, shared, align=16, (32):(1)>
  fly.return
}

// -----

fly.kernel @gap(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 2048 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(16,24):(24,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(16,24):(24,1)> -> f32
  %k = fly.make_layout() : !fly.layout<(16,24):(25,1)>
  %d = fly.make_tensor %s, %k : !fly.ptr<shared, align=16>, !fly.layout<(16,24):(25,1)> -> f32
  // expected-error @+1 {{cannot fill the tile: a gap of 4 bytes after every 96; there are gaps of 4 to 512 bytes after 8, 16, ... or 1024}}
  fly.tensor_move %t[0, 0] to %d : !fly.tensor<f32, global, align=16, (16,24):(24,1)>, !fly.tensor<f32, shared, align=16, (16,24):(25,1)>
  fly.return
}

// -----

fly.kernel @order(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 2048 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(16,32):(32,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(16,32):(32,1)> -> f16
  %k = fly.make_layout() : !fly.layout<(16,32):(1,16)>
  %d = fly.make_tensor %s, %k : !fly.ptr<shared, align=16>, !fly.layout<(16,32):(1,16)> -> f16
  // expected-error @+1 {{mode 0 of the tensor has stride 1 as in the tile}}
  fly.tensor_move %t[0, 0] to %d : !fly.tensor<f16, global, align=16, (16,32):(32,1)>, !fly.tensor<f16, shared, align=16, (16,32):(1,16)>
  fly.return
}

// -----

fly.kernel @coordinate(%p: !fly.ptr<global, align=16>) {
  %s = fly.shared 2048 : !fly.ptr<shared, align=16>
  %l = fly.make_layout() : !fly.layout<(16,32):(32,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(16,32):(32,1)> -> f16
  %d = fly.make_tensor %s, %l : !fly.ptr<shared, align=16>, !fly.layout<(16,32):(32,1)> -> f16
  // expected-error @+1 {{coordinate `(0,_)` leaves modes open; an offset needs all of them}}
  fly.tensor_move %t[0, _] to %d : !fly.tensor<f16, global, align=16, (16,32):(32,1)>, !fly.tensor<f16, shared, align=16, (16,32):(32,1)>
  fly.return
}
