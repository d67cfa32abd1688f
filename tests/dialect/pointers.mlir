// Addresses and atomics survive printing and parsing.
// RUN: fly-opt %s | FileCheck %s
// RUN: fly-opt %s | fly-opt | FileCheck %s
// RUN: fly-opt %s --mlir-print-op-generic | fly-opt | FileCheck %s

// CHECK-LABEL: fly.kernel @addresses
fly.kernel @addresses(%p: !fly.ptr<global, align=16>, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(4,8):(8,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(4,8):(8,1)> -> f32
  // CHECK: fly.address %{{.*}}[%{{.*}}, 4] : <f32, global, align=16, (4,8):(8,1)>
  %a = fly.address %t[%i, 4] : !fly.tensor<f32, global, align=16, (4,8):(8,1)>
  // CHECK: %[[D:.*]] = fly.dynamic_shared : <shared, align=16>
  %d = fly.dynamic_shared : !fly.ptr<shared, align=16>
  // CHECK: fly.ptr_cast %[[D]] : <shared, align=16> -> <generic, align=16>
  %g = fly.ptr_cast %d : !fly.ptr<shared, align=16> -> !fly.ptr<generic, align=16>
  // CHECK: %[[N:.*]] = fly.ptr_to_int %[[D]] : <shared, align=16> -> i32
  %n = fly.ptr_to_int %d : !fly.ptr<shared, align=16> -> i32
  // CHECK: fly.int_to_ptr %[[N]] : i32 -> <shared>
  %s = fly.int_to_ptr %n : i32 -> !fly.ptr<shared>
  fly.return
}

// CHECK-LABEL: fly.kernel @atomics
fly.kernel @atomics(%p: !fly.ptr<global, align=4>, %x: i32, %y: i64) {
  %v = fly.undefined : vector<2xf16>
  // CHECK: fly.atomic add %{{.*}}, %{{.*}} order relaxed scope agent : <global, align=4>, i32
  %a = fly.atomic add %p, %x order relaxed scope agent : !fly.ptr<global, align=4>, i32
  // CHECK: fly.atomic float_add %{{.*}}, %{{.*}} order acq_rel scope workgroup : <global, align=4>, vector<2xf16>
  %b = fly.atomic float_add %p, %v order acq_rel scope workgroup : !fly.ptr<global, align=4>, vector<2xf16>
  // CHECK: fly.compare_exchange %{{.*}}, %{{.*}}, %{{.*}} order seq_cst scope system : <global, align=4>, i64
  %c = fly.compare_exchange %p, %y, %y order seq_cst scope system : !fly.ptr<global, align=4>, i64
  fly.return
}
