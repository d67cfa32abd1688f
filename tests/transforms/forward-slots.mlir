// Slots that only the entry block accesses become values in one walk; those that a loop or another block reaches are left to
// mem2reg, and so is a load before the first store.
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-forward-slots))' | FileCheck %s

// The last store before a load counts, also where a value passes through several slots.
// CHECK-LABEL: fly.kernel @straight
// CHECK-NOT: fly.slot
fly.kernel @straight(%p: !fly.ptr<global>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %s = fly.slot : !fly.slot<i32>
  %t = fly.slot : !fly.slot<i32>
  %never_read = fly.slot : !fly.slot<i32>
  fly.slot_store %c1, %s : !fly.slot<i32>
  fly.slot_store %n, %s : !fly.slot<i32>
  %0 = fly.slot_load %s : !fly.slot<i32>
  fly.slot_store %0, %t : !fly.slot<i32>
  fly.slot_store %0, %never_read : !fly.slot<i32>
  fly.slot_store %c1, %s : !fly.slot<i32>
  %1 = fly.slot_load %t : !fly.slot<i32>
  %2 = fly.slot_load %s : !fly.slot<i32>
  // CHECK: %[[SUM:.*]] = arith.addi %arg1, %c1_i32
  %3 = arith.addi %1, %2 : i32
  // CHECK: fly.ptr_store %[[SUM]]
  fly.ptr_store %3, %p : i32, !fly.ptr<global>
  fly.return
}

// CHECK-LABEL: fly.kernel @loop
fly.kernel @loop(%p: !fly.ptr<global>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[S:.*]] = fly.slot
  %s = fly.slot : !fly.slot<i32>
  // CHECK: fly.slot_store %{{.*}}, %[[S]]
  fly.slot_store %c0, %s : !fly.slot<i32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK: fly.slot_load %[[S]]
    %0 = fly.slot_load %s : !fly.slot<i32>
    fly.slot_store %0, %s : !fly.slot<i32>
  }
  // CHECK: fly.slot_load %[[S]]
  %1 = fly.slot_load %s : !fly.slot<i32>
  fly.ptr_store %1, %p : i32, !fly.ptr<global>
  fly.return
}

// CHECK-LABEL: fly.kernel @before_the_first
fly.kernel @before_the_first(%p: !fly.ptr<global>, %n: i32) {
  // CHECK: %[[S:.*]] = fly.slot
  %s = fly.slot : !fly.slot<i32>
  // CHECK: %[[ANY:.*]] = fly.slot_load %[[S]]
  %0 = fly.slot_load %s : !fly.slot<i32>
  fly.slot_store %n, %s : !fly.slot<i32>
  %1 = fly.slot_load %s : !fly.slot<i32>
  // CHECK: arith.addi %[[ANY]], %arg1
  %2 = arith.addi %0, %1 : i32
  fly.ptr_store %2, %p : i32, !fly.ptr<global>
  fly.return
}
