// Waits, hints for the scheduler and marks survive printing and parsing.
// RUN: fly-opt %s | FileCheck %s
// RUN: fly-opt %s | fly-opt | FileCheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | FileCheck %s

// CHECK-LABEL: fly.kernel @waits
fly.kernel @waits() {
  // CHECK: fly.wait vmcnt(63) lgkmcnt(0){{$}}
  fly.wait lgkmcnt(0) vmcnt(63)
  // CHECK: fly.wait loadcnt(1) storecnt(2) dscnt(3) kmcnt(31) asynccnt(5) tensorcnt(6){{$}}
  fly.wait loadcnt(1) storecnt(2) dscnt(3) kmcnt(31) asynccnt(5) tensorcnt(6)
  fly.return
}

// CHECK-LABEL: fly.kernel @scheduling
fly.kernel @scheduling() {
  // CHECK: fly.sched_barrier 0
  fly.sched_barrier 0
  // CHECK: fly.sched_group_barrier 8 size 4 sync 1
  fly.sched_group_barrier 8 size 4 sync 1
  // CHECK: fly.fixed_order begin{{$}}
  fly.fixed_order begin
  // CHECK: fly.shadow begin{{$}}
  fly.shadow begin
  // CHECK: fly.shadow end{{$}}
  fly.shadow end
  // CHECK: fly.fixed_order end{{$}}
  fly.fixed_order end
  // CHECK: fly.iglp 2
  fly.iglp 2
  // CHECK: fly.set_priority 3
  fly.set_priority 3
  fly.return
}

// CHECK-LABEL: fly.kernel @marks
fly.kernel @marks(%p: !fly.ptr<global>, %i: i32) {
  // CHECK: fly.together of 16
  fly.together of 16
  // CHECK: fly.take_part %{{.*}} : i32 of 64 "tiled copy" "a copy"{{$}}
  fly.take_part %i : i32 of 64 "tiled copy" "a copy"
  // CHECK: fly.take_part 3 of 64 "tiled copy" "a copy"{{$}}
  fly.take_part 3 of 64 "tiled copy" "a copy"
  %l = fly.make_layout() : !fly.layout<((64,8),2):((8,1),512)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<((64,8),2):((8,1),512)> -> f16
  // CHECK: fly.partition %{{.*}} by 64 lanes of "f16" : <f16, global, ((64,8),2):((8,1),512)>
  fly.partition %t by 64 lanes of "f16" : !fly.tensor<f16, global, ((64,8),2):((8,1),512)>
  // CHECK: fly.partition %{{.*}} by 32 lanes of "bf16"
  fly.partition %t by 32 lanes of "bf16" : !fly.tensor<f16, global, ((64,8),2):((8,1),512)>
  fly.return
}

// CHECK-LABEL: fly.kernel @exact
fly.kernel @exact(%x: i32, %y: i32) {
  // CHECK: fly.slot at "a" 4
  %s = fly.slot at "a" 4 : !fly.slot<vector<4xf32>>
  // CHECK: fly.stream first every 2 take 1
  fly.stream first every 2 take 1
  // CHECK: fly.exact "v_fma_f32 $0, -$1, $2, 1.0 clamp" in "vvv"(%arg0, %arg1) : (i32, i32) -> i32
  %d = fly.exact "v_fma_f32 $0, -$1, $2, 1.0 clamp" in "vvv"(%x, %y) : (i32, i32) -> i32
  // CHECK: fly.stream statement
  fly.stream statement
  // CHECK: fly.stream second
  fly.stream second
  // CHECK: fly.exact effects "s_nop 3" in ""() : () -> ()
  fly.exact effects "s_nop 3" in ""() : () -> ()
  // CHECK: fly.stream end
  fly.stream end
  fly.return
}
