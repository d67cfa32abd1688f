// What is made of indices by operations that keep the sign is not negative, around loops too.
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-fold-sign-checks))' | FileCheck %s
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-finish-kernel))' | FileCheck %s

// CHECK-LABEL: fly.kernel @checks
fly.kernel @checks(%p: !fly.ptr<global>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %block = fly.block_id x
  %row = arith.muli %block, %c16 : i32
  // CHECK: %[[YES:.*]] = arith.constant true
  // CHECK: fly.ptr_store %[[YES]]
  %always = arith.cmpi sge, %row, %c0 {fly.sign_check} : i32
  fly.ptr_store %always, %p : i1, !fly.ptr<global>
  // An argument may be negative: the check stays, without its mark.
  // CHECK: %[[MAYBE:.*]] = arith.cmpi sge, %{{.*}}, %c0_i32 : i32
  // CHECK: fly.ptr_store %[[MAYBE]]
  %maybe = arith.cmpi sge, %n, %c0 {fly.sign_check} : i32
  fly.ptr_store %maybe, %p : i1, !fly.ptr<global>
  // A comparison without a mark is the program's own.
  // CHECK: %[[OWN:.*]] = arith.cmpi sge, %{{.*}}, %c0_i32 : i32
  // CHECK: fly.ptr_store %[[OWN]]
  %own = arith.cmpi sge, %row, %c0 : i32
  fly.ptr_store %own, %p : i1, !fly.ptr<global>
  fly.return
}

// A loop's variable begins as such a number, and each turn makes one of it; counting down, it may end below.
// CHECK-LABEL: fly.kernel @loop
fly.kernel @loop(%p: !fly.ptr<global>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  cf.br ^head(%c0, %c16 : i32, i32)
^head(%up: i32, %down: i32):
  // CHECK: ^bb1(%{{.*}}: i32, %[[DOWN:.*]]: i32):
  // CHECK-NEXT: %[[YES:.*]] = arith.constant true
  // CHECK-NEXT: %[[MAYBE:.*]] = arith.cmpi sge, %[[DOWN]], %c0_i32 : i32
  // CHECK-NEXT: fly.ptr_store %[[YES]]
  // CHECK-NEXT: fly.ptr_store %[[MAYBE]]
  %always = arith.cmpi sge, %up, %c0 {fly.sign_check} : i32
  %maybe = arith.cmpi sge, %down, %c0 {fly.sign_check} : i32
  fly.ptr_store %always, %p : i1, !fly.ptr<global>
  fly.ptr_store %maybe, %p : i1, !fly.ptr<global>
  %next = arith.addi %up, %c1 : i32
  %less = arith.subi %down, %c1 : i32
  %goes = arith.cmpi slt, %next, %n : i32
  cf.cond_br %goes, ^head(%next, %less : i32, i32), ^end
^end:
  fly.return
}
