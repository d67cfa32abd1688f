// Moves of the tensor mover survive printing and parsing.
// RUN: fly-opt %s | FileCheck %s
// RUN: fly-opt %s | fly-opt | FileCheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | FileCheck %s

// CHECK-LABEL: fly.kernel @moves
fly.kernel @moves(%p: !fly.ptr<global, align=16>, %m: i32, %n: i32, %i: i32) {
  %s = fly.shared 2048 : !fly.ptr<shared, align=16>
  %l = fly.make_layout(%m, %n, %n) : !fly.layout<(?,?):(?,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?,?):(?,1)> -> f16
  %k = fly.make_layout() : !fly.layout<(16,32):(40,1)>
  %d = fly.make_tensor %s, %k : !fly.ptr<shared, align=16>, !fly.layout<(16,32):(40,1)> -> f16
  // CHECK: fly.tensor_move %{{.*}}[%{{.*}}, 32] to %{{.*}} : <f16, global, align=16, (?,?):(?,1)>, <f16, shared, align=16, (16,32):(40,1)>
  fly.tensor_move %t[%i, 32] to %d : !fly.tensor<f16, global, align=16, (?,?):(?,1)>, !fly.tensor<f16, shared, align=16, (16,32):(40,1)>
  // CHECK: fly.tensor_move cache 2 %{{.*}}[0, %{{.*}}{div=8}] from %{{.*}} : <f16, global, align=16, (?,?):(?,1)>, <f16, shared, align=16, (16,32):(40,1)>
  fly.tensor_move cache 2 %t[0, %i{div=8}] from %d : !fly.tensor<f16, global, align=16, (?,?):(?,1)>, !fly.tensor<f16, shared, align=16, (16,32):(40,1)>
  fly.return
}
