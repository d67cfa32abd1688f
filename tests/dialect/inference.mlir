// Result types that follow from layouts: what is kept, what is known of the alignment.
// RUN: fly-opt %s | fly-opt | FileCheck %s --implicit-check-not=error

fly.kernel @inference(%p: !fly.ptr<global, align=16>, %n: i32, %i: i32) {
  %l = fly.make_layout(%n) : !fly.layout<(?{div=8}):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?{div=8}):(1)> -> f16
  %d = fly.rearrange "zipped_divide <4:1>" of %t : !fly.tensor<f16, global, align=16, (?{div=8}):(1)>
  // Four f16 tiles are eight bytes apart.
  // CHECK: %[[TILE:.*]] = fly.slice %{{.*}}[_, %{{.*}}] : <f16, global, align=16, ((4),(?{div=2})):((1),(4))>
  %s = fly.slice %d[_, %i] : !fly.tensor<f16, global, align=16, ((4),(?{div=2})):((1),(4))>
  // CHECK: fly.load_vector %[[TILE]] : <f16, global, align=8, ((4)):((1))>
  %v = fly.load_vector %s : !fly.tensor<f16, global, align=8, ((4)):((1))>
  // An even tile starts at a multiple of 16 bytes.
  // CHECK: %[[EVEN:.*]] = fly.slice
  %e = fly.slice %d[_, %i{div=2}] : !fly.tensor<f16, global, align=16, ((4),(?{div=2})):((1),(4))>
  // CHECK: fly.load_vector %[[EVEN]] : <f16, global, align=16, ((4)):((1))>
  %w = fly.load_vector %e : !fly.tensor<f16, global, align=16, ((4)):((1))>
  fly.return
}
