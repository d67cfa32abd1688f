// Buffers and copies as intrinsics: the resource's flags, the cache policy and names are those of the architecture.
// RUN: fly-opt %s --convert-fly-to-rocdl=arch=gfx942 | FileCheck %s --check-prefixes=CHECK,GFX9
// RUN: fly-opt %s --convert-fly-to-rocdl=arch=gfx1201 | FileCheck %s --check-prefixes=CHECK,RDNA
// RUN: fly-opt %s --convert-fly-to-rocdl=arch=gfx1250 | FileCheck %s --check-prefixes=CHECK,GFX1250

// CHECK-LABEL: llvm.func @buffers
fly.kernel @buffers(%p: !fly.ptr<global, align=16>, %bytes: i64, %i: i32) {
  // GFX9: llvm.mlir.constant(159744 : i32)
  // RDNA: llvm.mlir.constant(822243328 : i32)
  // GFX1250: %[[FLAGS:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: rocdl.make.buffer.rsrc
  %b = fly.make_buffer %p, %bytes : !fly.ptr<global, align=16> -> !fly.ptr<buffer, align=16>
  // CHECK: llvm.add %{{.*}}, %{{.*}} overflow<nuw> : i32
  // CHECK: llvm.mlir.constant(2 : i32)
  // CHECK: %[[WORDS:.*]] = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load"{{.*}} -> vector<4xi32>
  // CHECK: llvm.bitcast %[[WORDS]] : vector<4xi32> to vector<8xf16>
  %x = fly.buffer_load %b[%i, %i, 64] cache 2 : !fly.ptr<buffer, align=16> -> vector<8xf16>
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.store"{{.*}}vector<4xi32>
  fly.buffer_store %x, %b[%i, %i, 0] : vector<8xf16>, !fly.ptr<buffer, align=16>
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.atomic.add"
  fly.buffer_atomic add %i, %b[%i, %i, 0] : i32, !fly.ptr<buffer, align=16>
  // A bool is a byte. Where hardware looks at accesses as a whole, the backend makes no wider one of several.
  // RDNA: rocdl.sched.barrier 2047
  // GFX1250-NOT: rocdl.sched.barrier
  // GFX9-NOT: rocdl.sched.barrier
  // CHECK: %[[BYTE:.*]] = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load"{{.*}} -> i8
  // CHECK: %[[BOOL:.*]] = llvm.icmp "ne" %[[BYTE]]
  %y = fly.buffer_load %b[%i, %i, 0] : !fly.ptr<buffer, align=16> -> i1
  // CHECK: llvm.zext %[[BOOL]] : i1 to i8
  fly.buffer_store %y, %b[%i, %i, 0] : i1, !fly.ptr<buffer, align=16>
  fly.return
}

// CHECK-LABEL: llvm.func @copies
fly.kernel @copies(%p: !fly.ptr<global, align=16>, %bytes: i64, %i: i32) {
  %s = fly.shared 1024 : !fly.ptr<shared, align=16>
  %b = fly.make_buffer %p, %bytes : !fly.ptr<global, align=16> -> !fly.ptr<buffer, align=16>
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load.lds"
  fly.buffer_move %b[%i, %i, 0] to %s bytes 4 : !fly.ptr<buffer, align=16>, !fly.ptr<shared, align=16>
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.global.load.lds"
  fly.direct_move %p to %s bytes 4 : !fly.ptr<global, align=16>, !fly.ptr<shared, align=16>
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.global.load.async.to.lds.b128"
  fly.direct_move own_place %p to %s bytes 16 : !fly.ptr<global, align=16>, !fly.ptr<shared, align=16>
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.global.store.async.from.lds.b32"
  fly.direct_move own_place %s to %p bytes 4 : !fly.ptr<shared, align=16>, !fly.ptr<global, align=16>
  // Copies under way are left so.
  // CHECK: llvm.fence syncscope("singlethread") release
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: llvm.fence syncscope("singlethread") acquire
  fly.barrier {fly.leaves_copies}
  // GFX9: llvm.call_intrinsic "llvm.amdgcn.ds.read.tr16.b64"{{.*}} -> vector<4xi16>
  // GFX1250: llvm.call_intrinsic "llvm.amdgcn.ds.load.tr16.b64"
  %x = fly.ptr_transposing_load %s element 16 : !fly.ptr<shared, align=16> -> vector<4xf16>
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.global.load.tr.b64"{{.*}} -> vector<2xi32>
  %y = fly.ptr_transposing_load %p element 8 : !fly.ptr<global, align=16> -> vector<8xi8>
  fly.return
}
