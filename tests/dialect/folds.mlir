// Folds: known leaves and block extents become constants, dynamic leaves the operands that they came from.
// RUN: fly-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: fly.kernel @leaves
// CHECK-SAME: (%[[P:.*]]: !fly.ptr<global>, %[[N:.*]]: i32, %[[LD:.*]]: i64)
fly.kernel @leaves(%p: !fly.ptr<global>, %n: i32, %ld: i64) {
  %l = fly.make_layout(%n, %ld) : !fly.layout<(?,8):(?{i64},1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(?,8):(?{i64},1)> -> f32
  %0 = fly.leaf %t[shape, 0] : !fly.tensor<f32, global, (?,8):(?{i64},1)>
  %1 = fly.leaf %l[shape, 1] : !fly.layout<(?,8):(?{i64},1)>
  %2 = fly.leaf %t[stride, 0] : !fly.tensor<f32, global, (?,8):(?{i64},1)>
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
  // CHECK: fly.ptr_store %[[N]], %[[P]]
  fly.ptr_store %0, %p : i32, !fly.ptr<global>
  // CHECK: fly.ptr_store %[[C8]], %[[P]]
  fly.ptr_store %1, %p : i32, !fly.ptr<global>
  // CHECK: fly.ptr_store %[[LD]], %[[P]]
  fly.ptr_store %2, %p : i64, !fly.ptr<global>
  fly.return
}

// CHECK-LABEL: fly.kernel @block
fly.kernel @block(%p: !fly.ptr<global>) attributes {known_block = array<i32: 64, 2, 1>} {
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
  %0 = fly.block_dim y
  // CHECK: fly.ptr_store %[[C2]]
  fly.ptr_store %0, %p : i32, !fly.ptr<global>
  fly.return
}

// CHECK-LABEL: fly.kernel @cluster
fly.kernel @cluster(%p: !fly.ptr<global>) attributes {known_cluster = array<i32: 4, 1, 1>} {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[X:.*]] = fly.cluster_block_id x
  %0 = fly.cluster_block_id x
  %1 = fly.cluster_block_id y
  // CHECK: fly.ptr_store %[[X]]
  fly.ptr_store %0, %p : i32, !fly.ptr<global>
  // CHECK: fly.ptr_store %[[C0]]
  fly.ptr_store %1, %p : i32, !fly.ptr<global>
  fly.return
}

// CHECK-LABEL: fly.kernel @no_move
fly.kernel @no_move(%p: !fly.ptr<global>, %v: i32) {
  %c0 = arith.constant 0 : i32
  %q = fly.ptr_add %p, %c0 : !fly.ptr<global>, i32
  // CHECK-NEXT: fly.ptr_store %{{.*}}, %arg0
  fly.ptr_store %v, %q : i32, !fly.ptr<global>
  fly.return
}
