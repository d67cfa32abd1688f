// Addresses and atomics in LLVM's terms: scopes by their names of AMDGPU, orders, what is known of the memory.
// RUN: fly-opt %s --convert-fly-to-rocdl=arch=gfx942 | FileCheck %s

// CHECK: llvm.mlir.global external @addresses__dynamic_shared() {{.*}}addr_space = 3 {{.*}}: !llvm.array<0 x i8>

// CHECK-LABEL: llvm.func @addresses
fly.kernel @addresses(%p: !fly.ptr<global, align=16>, %n: i64) {
  // CHECK: %[[D:.*]] = llvm.mlir.addressof @addresses__dynamic_shared : !llvm.ptr<3>
  %d = fly.dynamic_shared : !fly.ptr<shared, align=16>
  // CHECK: llvm.addrspacecast %[[D]] : !llvm.ptr<3> to !llvm.ptr
  %g = fly.ptr_cast %d : !fly.ptr<shared, align=16> -> !fly.ptr<generic, align=16>
  // CHECK: llvm.ptrtoint %[[D]] : !llvm.ptr<3> to i32
  %i = fly.ptr_to_int %d : !fly.ptr<shared, align=16> -> i32
  // CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
  %q = fly.int_to_ptr %n : i64 -> !fly.ptr<global, align=4>
  fly.ptr_store %i, %q : i32, !fly.ptr<global, align=4>
  %j = fly.ptr_load %g : !fly.ptr<generic, align=16> -> i32
  fly.ptr_store %j, %q : i32, !fly.ptr<global, align=4>
  fly.return
}

// CHECK-LABEL: llvm.func @atomics
fly.kernel @atomics(%p: !fly.ptr<global, align=8>, %x: i32, %f: f32, %y: i64) {
  %v = fly.undefined : vector<2xf16>
  // CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("agent") monotonic
  %a = fly.atomic add %p, %x order relaxed scope agent : !fly.ptr<global, align=8>, i32
  // CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("workgroup") acq_rel {{.*}}f32
  %b = fly.atomic float_add %p, %f order acq_rel scope workgroup : !fly.ptr<global, align=8>, f32
  // CHECK: llvm.atomicrmw fadd {{.*}}vector<2xf16>
  %c = fly.atomic float_add %p, %v order relaxed scope agent : !fly.ptr<global, align=8>, vector<2xf16>
  // CHECK: %[[PAIR:.*]] = llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} seq_cst seq_cst {{.*}}i64
  // CHECK: llvm.extractvalue %[[PAIR]][0]
  %d = fly.compare_exchange %p, %y, %y order seq_cst scope system : !fly.ptr<global, align=8>, i64
  fly.return
}
