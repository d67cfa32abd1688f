// Locations, with the chain of calls they come from, become debug locations.
// RUN: fly-opt %s --fly-to-llvm | fly-opt --mlir-print-debuginfo >/dev/null
// RUN: fly-opt %s --fly-to-llvm --mlir-print-debuginfo | mlir-translate --mlir-to-llvmir | FileCheck %s

// CHECK: define amdgpu_kernel void @k({{.*}} !dbg ![[KERNEL:[0-9]+]]
// CHECK: store {{.*}} !dbg ![[STORE:[0-9]+]]
// CHECK-DAG: ![[KERNEL]] = distinct !DISubprogram(name: "k", {{.*}}line: 3,
// CHECK-DAG: !DICompileUnit({{.*}}emissionKind: LineTablesOnly
// CHECK-DAG: ![[STORE]] = !DILocation(line: 9, column: 5, scope: ![[INLINED:[0-9]+]], inlinedAt: ![[CALL:[0-9]+]])
// CHECK-DAG: ![[CALL]] = {{.*}}!DILocation(line: 5, column: 3, scope: ![[KERNEL]])
fly.kernel @k(%p: !fly.ptr<global>, %v: f32) {
  fly.ptr_store %v, %p : f32, !fly.ptr<global> loc(callsite("x.fly":9:5 at "x.fly":5:3))
  fly.return loc("x.fly":6:3)
} loc("x.fly":3:1)
