// Slots become values: of straight code, across branches, and where a variable is read before it is written.
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-promote-slots))' | FileCheck %s

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

// A read before the first store, and one after a branch that stores on one side.
// CHECK-LABEL: fly.kernel @before_the_first
fly.kernel @before_the_first(%p: !fly.ptr<global>, %n: i32, %more: i1) {
  // CHECK: %[[ANY:.*]] = fly.undefined : i32
  %s = fly.slot : !fly.slot<i32>
  // CHECK: cf.cond_br %arg2, ^bb1, ^bb2(%[[ANY]] : i32)
  %0 = fly.slot_load %s : !fly.slot<i32>
  cf.cond_br %more, ^store, ^end
^store:
  // CHECK: cf.br ^bb2(%arg1 : i32)
  fly.slot_store %n, %s : !fly.slot<i32>
  cf.br ^end
^end:
  // CHECK: ^bb2(%[[X:.*]]: i32):
  %1 = fly.slot_load %s : !fly.slot<i32>
  // CHECK: arith.addi %[[ANY]], %[[X]]
  %2 = arith.addi %0, %1 : i32
  fly.ptr_store %2, %p : i32, !fly.ptr<global>
  fly.return
}

// Nothing is carried to where a variable is not read any more, and a block that is never reached is not a way to one.
// CHECK-LABEL: fly.kernel @dead
// CHECK-NOT: fly.slot
fly.kernel @dead(%p: !fly.ptr<global>, %n: i32, %more: i1) {
  %s = fly.slot : !fly.slot<i32>
  // CHECK: cf.cond_br %arg2, ^bb1, ^bb3
  // CHECK-NOT: ^bb{{[0-9]+}}(
  cf.cond_br %more, ^store, ^end
^store:
  fly.slot_store %n, %s : !fly.slot<i32>
  %0 = fly.slot_load %s : !fly.slot<i32>
  fly.ptr_store %0, %p : i32, !fly.ptr<global>
  cf.br ^end
^unreached:
  %1 = fly.slot_load %s : !fly.slot<i32>
  fly.slot_store %1, %s : !fly.slot<i32>
  cf.br ^end
^end:
  fly.return
}

// Two variables that change places in a loop.
// CHECK-LABEL: fly.kernel @swapped
fly.kernel @swapped(%p: !fly.ptr<global>, %m: i32, %n: i32, %more: i1) {
  %s = fly.slot : !fly.slot<i32>
  %t = fly.slot : !fly.slot<i32>
  fly.slot_store %m, %s : !fly.slot<i32>
  fly.slot_store %n, %t : !fly.slot<i32>
  // CHECK: cf.br ^bb1(%arg1, %arg2 : i32, i32)
  cf.br ^loop
^loop:
  // CHECK: ^bb1(%[[A:.*]]: i32, %[[B:.*]]: i32):
  %x = fly.slot_load %s : !fly.slot<i32>
  %y = fly.slot_load %t : !fly.slot<i32>
  fly.slot_store %y, %s : !fly.slot<i32>
  fly.slot_store %x, %t : !fly.slot<i32>
  // CHECK: cf.cond_br %arg3, ^bb1(%[[B]], %[[A]] : i32, i32), ^bb2
  cf.cond_br %more, ^loop, ^end
^end:
  // CHECK: fly.ptr_store %[[B]]
  %z = fly.slot_load %s : !fly.slot<i32>
  fly.ptr_store %z, %p : i32, !fly.ptr<global>
  fly.return
}

// A slot in another region's hands stays.
// CHECK-LABEL: fly.kernel @nested
fly.kernel @nested(%p: !fly.ptr<global>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[S:.*]] = fly.slot
  %s = fly.slot : !fly.slot<i32>
  fly.slot_store %c0, %s : !fly.slot<i32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK: fly.slot_load %[[S]]
    %0 = fly.slot_load %s : !fly.slot<i32>
    fly.slot_store %0, %s : !fly.slot<i32>
  }
  fly.return
}
