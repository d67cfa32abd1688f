// Two streams of instructions become one: after `every` instructions of the first come `take` of the second. What is
// between two instructions goes with the first as far as it uses its results. Inner pairs are merged first; what is left
// over of a stream comes at the end. A stream of arithmetic alone is cut into statements, with a barrier behind each.
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-interleave-streams))' | FileCheck %s

// CHECK-LABEL: fly.kernel @every_two
fly.kernel @every_two(%p: !fly.ptr<global, align=16>, %q: !fly.ptr<global, align=16>) {
  %s = fly.slot : !fly.slot<f32>
  // CHECK: %[[S:.*]] = fly.slot
  // CHECK-NEXT: %[[A0:.*]] = fly.ptr_load %arg0
  // CHECK-NEXT: fly.slot_store %[[A0]], %[[S]]
  // CHECK-NEXT: %[[A1:.*]] = fly.ptr_load %arg0
  // CHECK-NEXT: %[[B0:.*]] = fly.ptr_load %arg1
  // CHECK-NEXT: arith.addf %[[B0]], %[[B0]]
  // CHECK-NEXT: %[[C:.*]] = arith.constant 1.0
  // CHECK-NEXT: fly.ptr_store %[[C]], %arg0
  // CHECK-NEXT: fly.ptr_load %arg1
  // CHECK-NEXT: fly.ptr_load %arg1
  // CHECK-NEXT: fly.return
  fly.stream first every 2 take 1
  %a0 = fly.ptr_load %p : !fly.ptr<global, align=16> -> f32
  fly.slot_store %a0, %s : !fly.slot<f32>
  %a1 = fly.ptr_load %p : !fly.ptr<global, align=16> -> f32
  %c = arith.constant 1.0 : f32
  fly.ptr_store %c, %p : f32, !fly.ptr<global, align=16>
  fly.stream second
  %b0 = fly.ptr_load %q : !fly.ptr<global, align=16> -> f32
  %b = arith.addf %b0, %b0 : f32
  %b1 = fly.ptr_load %q : !fly.ptr<global, align=16> -> f32
  %b2 = fly.ptr_load %q : !fly.ptr<global, align=16> -> f32
  fly.stream end
  fly.return
}

// CHECK-LABEL: fly.kernel @nested
fly.kernel @nested(%p: !fly.ptr<global, align=16>, %q: !fly.ptr<global, align=16>, %r: !fly.ptr<global, align=16>) {
  // CHECK-NEXT: fly.ptr_load %arg0
  // CHECK-NEXT: fly.ptr_load %arg2
  // CHECK-NEXT: fly.ptr_load %arg1
  // CHECK-NEXT: fly.ptr_load %arg2
  // CHECK-NEXT: fly.return
  fly.stream first every 1 take 1
  fly.stream first every 1 take 1
  %a = fly.ptr_load %p : !fly.ptr<global, align=16> -> f32
  fly.stream second
  %b = fly.ptr_load %q : !fly.ptr<global, align=16> -> f32
  fly.stream end
  fly.stream second
  %c = fly.ptr_load %r : !fly.ptr<global, align=16> -> f32
  %d = fly.ptr_load %r : !fly.ptr<global, align=16> -> f32
  fly.stream end
  fly.return
}

// CHECK-LABEL: fly.kernel @statements
fly.kernel @statements(%p: !fly.ptr<global, align=16>, %x: f32) {
  // CHECK-NEXT: fly.ptr_load
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: arith.mulf
  // CHECK-NEXT: fly.sched_barrier 0
  // CHECK-NEXT: fly.ptr_load
  // CHECK-NEXT: arith.subf
  // CHECK-NEXT: fly.sched_barrier 0
  // CHECK-NEXT: fly.return
  fly.stream first every 1 take 1
  %a0 = fly.ptr_load %p : !fly.ptr<global, align=16> -> f32
  fly.stream statement
  %a1 = fly.ptr_load %p : !fly.ptr<global, align=16> -> f32
  fly.stream statement
  fly.stream second
  %b0 = arith.addf %x, %x : f32
  %b1 = arith.mulf %b0, %x : f32
  fly.stream statement
  %b2 = arith.subf %x, %x : f32
  fly.stream statement
  fly.stream end
  fly.return
}
