// Slots become values once control flow is branches, also through loops; a read before any write is undefined.
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(convert-scf-to-cf,fly-promote-slots,canonicalize))' | FileCheck %s

// CHECK-LABEL: fly.kernel @sum
// CHECK-NOT: fly.slot
fly.kernel @sum(%p: !fly.ptr<global>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = fly.slot : !fly.slot<i32>
  fly.slot_store %c0, %s : !fly.slot<i32>
  // CHECK: ^bb1(%{{.*}}: i32, %[[SUM:.*]]: i32):
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = fly.slot_load %s : !fly.slot<i32>
    // CHECK: arith.addi %[[SUM]]
    %1 = arith.addi %0, %i : i32
    fly.slot_store %1, %s : !fly.slot<i32>
  }
  %2 = fly.slot_load %s : !fly.slot<i32>
  // CHECK: fly.ptr_store %[[SUM]]
  fly.ptr_store %2, %p : i32, !fly.ptr<global>
  fly.return
}

// CHECK-LABEL: fly.kernel @unassigned
fly.kernel @unassigned(%p: !fly.ptr<global>) {
  %s = fly.slot : !fly.slot<vector<4xf32>>
  %0 = fly.slot_load %s : !fly.slot<vector<4xf32>>
  // CHECK: %[[ANY:.*]] = fly.undefined unwritten 0 : vector<4xf32>
  // CHECK: fly.ptr_store %[[ANY]]
  fly.ptr_store %0, %p : vector<4xf32>, !fly.ptr<global>
  fly.return
}

// A break: the loop's inside in branches of its own.
// CHECK-LABEL: fly.kernel @first
// CHECK-NOT: fly.slot
fly.kernel @first(%p: !fly.ptr<global>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = fly.slot : !fly.slot<i32>
  fly.slot_store %c0, %s : !fly.slot<i32>
  scf.execute_region {
    cf.br ^head
  ^head:
    %i = fly.slot_load %s : !fly.slot<i32>
    %more = arith.cmpi slt, %i, %n : i32
    cf.cond_br %more, ^body, ^end
  ^body:
    %x = fly.ptr_load %p : !fly.ptr<global> -> i32
    %found = arith.cmpi eq, %x, %i : i32
    cf.cond_br %found, ^end, ^next
  ^next:
    %j = arith.addi %i, %c1 : i32
    fly.slot_store %j, %s : !fly.slot<i32>
    cf.br ^head
  ^end:
    scf.yield
  }
  %r = fly.slot_load %s : !fly.slot<i32>
  fly.ptr_store %r, %p : i32, !fly.ptr<global>
  fly.return
}
