// Waits and what is said to the scheduler, as instructions.
// RUN: fly-opt %s --convert-fly-to-rocdl | FileCheck %s

// gfx9's word has a counter at its largest where it is not waited for; expcnt always is.
// CHECK-LABEL: llvm.func @gfx9
fly.kernel @gfx9() {
  // 0x0f74
  // CHECK-NEXT: rocdl.s.waitcnt 3956
  fly.wait vmcnt(4)
  // 0x4f71: the upper bits of vmcnt are the word's upper ones.
  // CHECK-NEXT: rocdl.s.waitcnt 20337
  fly.wait vmcnt(17)
  // 0xc07f
  // CHECK-NEXT: rocdl.s.waitcnt 49279
  fly.wait lgkmcnt(0)
  // 0x0370
  // CHECK-NEXT: rocdl.s.waitcnt 880
  fly.wait vmcnt(0) lgkmcnt(3)
  fly.return
}

// CHECK-LABEL: llvm.func @gfx12
fly.kernel @gfx12() {
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i16)
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.s.wait.loadcnt"(%[[TWO]])
  fly.wait loadcnt(2)
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.s.wait.storecnt"
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.s.wait.dscnt"
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.s.wait.kmcnt"
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.s.wait.asynccnt"
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.s.wait.tensorcnt"
  fly.wait storecnt(0) dscnt(0) kmcnt(0) asynccnt(0) tensorcnt(0)
  fly.return
}

// CHECK-LABEL: llvm.func @scheduling
fly.kernel @scheduling() {
  // CHECK: rocdl.sched.barrier 2047
  fly.sched_barrier 2047
  // CHECK: rocdl.sched.group.barrier 8, 4, 1
  fly.sched_group_barrier 8 size 4 sync 1
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.sched.barrier"(%{{.*}}) ["fly.fixed.begin"()]
  fly.fixed_order begin
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.sched.barrier"(%{{.*}}) ["fly.shadow.begin"()]
  fly.shadow begin
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.sched.barrier"(%{{.*}}) ["fly.shadow.end"()]
  fly.shadow end
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.sched.barrier"(%{{.*}}) ["fly.fixed.end"()]
  fly.fixed_order end
  // CHECK: rocdl.iglp.opt 1
  fly.iglp 1
  // CHECK: rocdl.s.setprio 2
  fly.set_priority 2
  fly.return
}
