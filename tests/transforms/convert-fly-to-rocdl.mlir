// The ABI and every op of the dialect in LLVM's terms.
// RUN: fly-opt %s --convert-fly-to-rocdl=arch=gfx942 --split-input-file | FileCheck %s

// CHECK: module attributes {llvm.data_layout = "e-m:e-p:64:64{{.*}}", llvm.target_triple = "amdgcn-amd-amdhsa"}
// CHECK-LABEL: llvm.func @signature
// CHECK-SAME: %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.readonly}, %{{.*}}: !llvm.ptr<1>, %{{.*}}: bf16
// CHECK-SAME: passthrough = {{\[}}["amdgpu-ieee", "false"], ["fly-vgprs", "64"]]
// CHECK-SAME: rocdl.flat_work_group_size = "128,128"
// CHECK-SAME: rocdl.kernel
// CHECK-SAME: rocdl.reqd_work_group_size = array<i32: 64, 2, 1>
// CHECK-SAME: rocdl.waves_per_eu = 2 : i32
// CHECK-SAME: target_cpu = "gfx942"
fly.kernel @signature(%x: !fly.ptr<global, align=16> {fly.name = "x", fly.readonly}, %y: !fly.ptr<global>, %s: bf16)
    attributes {known_block = array<i32: 64, 2, 1>, vgprs = 64 : i32, waves_per_eu = 2 : i32} {
  // CHECK-NEXT: llvm.return
  fly.return
}

// -----

// CHECK-LABEL: llvm.func @known_block
fly.kernel @known_block(%p: !fly.ptr<global>) attributes {known_block = array<i32: 64, 2, 1>} {
  // CHECK: rocdl.workitem.id.y range <i32, 0, 2> : i32
  %0 = fly.thread_id y
  // CHECK: rocdl.workgroup.id.z : i32
  %1 = fly.block_id z
  // CHECK: llvm.mlir.constant(64 : i32)
  // CHECK-NOT: implicitarg
  %2 = fly.block_dim x
  fly.return
}

// -----

// CHECK-LABEL: llvm.func @hidden_arguments
// CHECK-SAME: rocdl.flat_work_group_size = "1,512"
fly.kernel @hidden_arguments(%p: !fly.ptr<global>) attributes {max_block_threads = 512 : i32} {
  // CHECK: rocdl.workitem.id.x range <i32, 0, 1024> : i32
  %0 = fly.thread_id x
  // CHECK: %[[HIDDEN:.*]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
  // CHECK: %[[Y:.*]] = llvm.getelementptr %[[HIDDEN]][14] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i8
  // CHECK: %[[THREADS:.*]] = llvm.load %[[Y]] invariant {alignment = 2 : i64} : !llvm.ptr<4> -> i16
  // CHECK: llvm.zext %[[THREADS]] : i16 to i32
  %1 = fly.block_dim y
  // CHECK: llvm.getelementptr %{{.*}}[8]
  // CHECK: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
  %2 = fly.grid_dim z
  fly.return
}

// -----

// CHECK-LABEL: llvm.func @lanes_and_barriers
fly.kernel @lanes_and_barriers(%p: !fly.ptr<global>) {
  // CHECK: %[[LOW:.*]] = rocdl.mbcnt.lo
  // CHECK: rocdl.mbcnt.hi %{{.*}}, %[[LOW]]
  %0 = fly.lane_id
  // CHECK: llvm.fence syncscope("workgroup") release
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire
  fly.barrier
  fly.return
}

// -----

// Each object its own global, named for the kernel.
// CHECK-DAG: llvm.mlir.global internal @shared__shared_0() {addr_space = 3 : i32, alignment = 16 : i64{{.*}}} : !llvm.array<256 x i8>
// CHECK-DAG: llvm.mlir.global internal @shared__shared_1() {addr_space = 3 : i32, alignment = 128 : i64{{.*}}} : !llvm.array<64 x i8>
// CHECK-LABEL: llvm.func @shared
fly.kernel @shared(%i: i32, %v: i1) {
  // CHECK: %[[P:.*]] = llvm.mlir.addressof @shared__shared_0 : !llvm.ptr<3>
  %p = fly.shared 256 : !fly.ptr<shared, align=4>
  %q = fly.shared 64 : !fly.ptr<shared, align=128>
  // 32-bit pointers take 32-bit offsets as they are.
  // CHECK: %[[R:.*]] = llvm.getelementptr %[[P]][%arg0] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %r = fly.ptr_add %p, %i unsigned : !fly.ptr<shared, align=4>, i32
  // A truth value is a byte in memory.
  // CHECK: %[[BYTE:.*]] = llvm.zext %arg1 : i1 to i8
  // CHECK: llvm.store %[[BYTE]], %[[R]] {alignment = 1 : i64} : i8, !llvm.ptr<3>
  fly.ptr_store %v, %r : i1, !fly.ptr<shared>
  // CHECK: %[[BYTES:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<4xi8>
  // CHECK: llvm.icmp "ne" %[[BYTES]], %{{.*}} : vector<4xi8>
  %x = fly.ptr_load %p : !fly.ptr<shared, align=4> -> vector<4xi1>
  fly.return
}

// -----

// CHECK-LABEL: llvm.func @global_offsets
fly.kernel @global_offsets(%p: !fly.ptr<global, align=16>, %i: i32) {
  // CHECK: %[[WIDE:.*]] = llvm.zext %arg1 : i32 to i64
  // CHECK: llvm.getelementptr %arg0[%[[WIDE]]]
  %q = fly.ptr_add %p, %i multiple_of 4 unsigned : !fly.ptr<global, align=16>, i32
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf32>
  %v = fly.ptr_load %q : !fly.ptr<global, align=4> -> vector<4xf32>
  // CHECK: llvm.getelementptr %arg0[%arg1] : (!llvm.ptr<1>, i32)
  %r = fly.ptr_add %p, %i : !fly.ptr<global, align=16>, i32
  fly.return
}

// -----

// Registers that nothing was written to, each by itself.
// CHECK-LABEL: llvm.func @unwritten
fly.kernel @unwritten(%p: !fly.ptr<global, align=16>) {
  // CHECK: %[[FOUR:.*]] = llvm.inline_asm "; unwritten 3", "=v" : () -> vector<4xi32>
  // CHECK: llvm.bitcast %[[FOUR]] : vector<4xi32> to vector<8xf16>
  %0 = fly.undefined unwritten 3 : vector<8xf16>
  // CHECK: %[[ONE:.*]] = llvm.inline_asm "; unwritten 4", "=v" : () -> i32
  // CHECK: %[[HALF:.*]] = llvm.trunc %[[ONE]] : i32 to i16
  // CHECK: llvm.bitcast %[[HALF]] : i16 to vector<1xf16>
  %1 = fly.undefined unwritten 4 : vector<1xf16>
  fly.ptr_store %0, %p : vector<8xf16>, !fly.ptr<global, align=16>
  fly.ptr_store %1, %p : vector<1xf16>, !fly.ptr<global, align=16>
  fly.return
}

// -----

// CHECK-LABEL: llvm.func @values
fly.kernel @values(%x: f32, %a: i32, %b: i32, %p: !fly.ptr<global>) {
  // CHECK: %[[POISON:.*]] = llvm.mlir.poison : vector<2xf32>
  // CHECK: llvm.freeze %[[POISON]]
  %0 = fly.undefined : vector<2xf32>
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.rcp.f32"(%arg0) : (f32) -> f32
  %1 = fly.approximate rcp %x : f32
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.amdgcn.rsq.f32"
  %2 = fly.approximate rsq %0 : vector<2xf32>
  // Flags are of floats.
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.log.f32"(%arg0){{.*}}fastmathFlags = #llvm.fastmath<nnan, contract>
  %log = fly.approximate log2 %x fastmath<nnan,contract> : f32
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.frexp.exp.i32.f32"(%arg0) : (f32) -> i32
  %exponent = fly.approximate frexp_exponent %x fastmath<nnan> : f32
  // CHECK: llvm.intr.sqrt
  %3 = math.sqrt %x : f32
  // CHECK: llvm.intr.exp2
  %4 = math.exp2 %x : f32
  // CHECK: llvm.intr.log2
  %5 = math.log2 %x : f32
  // CHECK: llvm.intr.fma
  %6 = math.fma %x, %x, %x : f32
  // CHECK: llvm.sdiv
  %7 = arith.floordivsi %a, %b : i32
  fly.return
}

// -----

// A slot that was not promoted is private memory.
// CHECK-LABEL: llvm.func @slot
fly.kernel @slot(%x: f32) {
  // CHECK: %[[MEMORY:.*]] = llvm.alloca %{{.*}} x f32 : (i32) -> !llvm.ptr<5>
  %s = fly.slot : !fly.slot<f32>
  // CHECK: llvm.store %arg0, %[[MEMORY]]
  fly.slot_store %x, %s : !fly.slot<f32>
  // CHECK: llvm.load %[[MEMORY]]
  %0 = fly.slot_load %s : !fly.slot<f32>
  fly.return
}

// -----

// A DPP move whose `old` nobody sees says so; else it stays.
// CHECK-LABEL: llvm.func @dpp
fly.kernel @dpp(%x: i32, %p: !fly.ptr<global, align=4>) {
  %zero = arith.constant 0 : i32
  // CHECK: %[[POISON:.*]] = llvm.mlir.poison : i32
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"(%[[POISON]], %[[X:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32, i32, i32, i1) -> i32
  %0 = fly.wave dpp(%zero, %x)[273, 15, 15, 0] : (i32, i32) -> i32
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"(%[[X]], %[[X]],
  %1 = fly.wave dpp(%x, %x)[273, 15, 15, 0] : (i32, i32) -> i32
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"(%{{.*}}, %[[X]],
  %2 = fly.wave dpp(%zero, %x)[322, 10, 15, 0] : (i32, i32) -> i32
  // CHECK: %[[BOTH:.*]] = llvm.call_intrinsic "llvm.amdgcn.permlane32.swap"
  // CHECK: llvm.extractvalue %[[BOTH]][0]
  // CHECK: llvm.extractvalue %[[BOTH]][1]
  %3:2 = fly.wave permlane32_swap(%x, %x)[0, 0] : (i32, i32) -> (i32, i32)
  fly.return
}

// -----

// The only wave is number 0; of a row of threads the lanes are adjacent; the hardware may know.
// CHECK-LABEL: llvm.func @one_wave
fly.kernel @one_wave(%p: !fly.ptr<global, align=4>) attributes {known_block = array<i32: 8, 8, 1>} {
  %0 = fly.wave_id of 64
  // CHECK: llvm.mlir.constant(0 : i32)
  // CHECK-NOT: readfirstlane
  fly.ptr_store %0, %p : i32, !fly.ptr<global, align=4>
  fly.return
}

// CHECK-LABEL: llvm.func @row
fly.kernel @row(%p: !fly.ptr<global, align=4>) attributes {known_block = array<i32: 256, 1, 1>} {
  // CHECK: %[[X:.*]] = rocdl.workitem.id.x
  // CHECK-NOT: workitem.id.y
  // CHECK: %[[WAVE:.*]] = llvm.lshr %[[X]], %{{.*}} : i32
  // CHECK: rocdl.readfirstlane %[[WAVE]]
  %0 = fly.wave_id of 64
  fly.ptr_store %0, %p : i32, !fly.ptr<global, align=4>
  fly.return
}

// CHECK-LABEL: llvm.func @hardware
fly.kernel @hardware(%p: !fly.ptr<global, align=4>) attributes {known_block = array<i32: 64, 2, 1>} {
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.wave.id"() : () -> i32
  %0 = fly.wave_id of 32 in_register
  fly.ptr_store %0, %p : i32, !fly.ptr<global, align=4>
  fly.return
}

// -----

// What kernels print: one variable for a code object, a text each.
// CHECK-DAG: llvm.mlir.global weak_odr protected @__fly_output(0 : i64) comdat(@__fly_comdat::@__fly_output) {{.*}}section = "fly_output"
// CHECK-DAG: llvm.mlir.global internal constant @__fly_text_0("a\00") {addr_space = 4 : i32, {{.*}}section = "fly_text"
// CHECK-DAG: llvm.mlir.global internal constant @__fly_text_1("b\00")
// CHECK-LABEL: llvm.func @output
fly.kernel @output() {
  // CHECK-DAG: llvm.mlir.addressof @__fly_output : !llvm.ptr<1>
  %ring = fly.output_ring : !fly.ptr<global, align=8>
  %n = fly.ptr_load %ring : !fly.ptr<global, align=8> -> i64
  // CHECK-DAG: llvm.mlir.addressof @__fly_text_0 : !llvm.ptr<4>
  %a = fly.text "a" : !fly.ptr<constant>
  %b = fly.text "b" : !fly.ptr<constant>
  %c = fly.ptr_load %a : !fly.ptr<constant> -> i8
  %d = fly.ptr_load %b : !fly.ptr<constant> -> i8
  fly.return
}
