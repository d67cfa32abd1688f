// Clusters: the attribute by which LLVM computes a workgroup's index, the cluster's registers, its barrier and scope.
// RUN: fly-opt %s --convert-fly-to-rocdl=arch=gfx1250 --split-input-file | FileCheck %s

// CHECK-LABEL: llvm.func @cluster
// CHECK-SAME: passthrough = {{\[}}["amdgpu-ieee", "false"], ["amdgpu-cluster-dims", "2,4,1"]]
fly.kernel @cluster(%p: !fly.ptr<global>) attributes {known_cluster = array<i32: 2, 4, 1>} {
  // CHECK: rocdl.workgroup.id.x : i32
  %0 = fly.block_id x
  // CHECK: rocdl.cluster.id.y : i32
  %1 = fly.cluster_id y
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.cluster.workgroup.id.x"() : () -> i32
  %2 = fly.cluster_block_id x
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.cluster.workgroup.flat.id"() : () -> i32
  %3 = fly.cluster_rank
  // CHECK: llvm.fence syncscope("cluster") release
  // CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.s.cluster.barrier"() : () -> ()
  // CHECK-NEXT: llvm.fence syncscope("cluster") acquire
  fly.cluster_barrier
  // CHECK: llvm.fence syncscope("cluster") acq_rel
  fly.fence acq_rel scope cluster
  fly.return
}

// -----

// Code that can run in any cluster computes its index from it; this need not.
// CHECK-LABEL: llvm.func @alone
// CHECK-SAME: passthrough = {{\[}}["amdgpu-ieee", "false"], ["amdgpu-cluster-dims", "0,0,0"]]
fly.kernel @alone(%p: !fly.ptr<global>) {
  fly.return
}
