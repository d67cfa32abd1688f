// Line tables have the begin of a range. Names and arguments in a location do not reach them; accesses of a copy are those of
// their argument.
// RUN: fly-opt %s --fly-to-llvm --mlir-print-debuginfo | mlir-translate --mlir-to-llvmir | FileCheck %s

// CHECK-DAG: load {{.*}} !dbg ![[SOURCE:[0-9]+]]
// CHECK-DAG: store <4 x float> {{.*}} !dbg ![[DESTINATION:[0-9]+]]
// CHECK-DAG: call i32 @llvm.amdgcn.readlane{{.*}} !dbg ![[WAVE:[0-9]+]]
// CHECK-DAG: ![[KERNEL:[0-9]+]] = distinct !DISubprogram(name: "k", {{.*}}line: 3,
// CHECK-DAG: ![[WAVE]] = !DILocation(line: 4, column: 5, scope: ![[KERNEL]])
// CHECK-DAG: ![[SOURCE]] = !DILocation(line: 10, column: 7, scope: ![[LIBRARY:[0-9]+]], inlinedAt: ![[CALL:[0-9]+]])
// CHECK-DAG: ![[DESTINATION]] = !DILocation(line: 11, column: 8, scope: ![[LIBRARY]], inlinedAt: ![[CALL]])
// CHECK-DAG: ![[CALL]] = {{.*}}!DILocation(line: 5, column: 3, scope: ![[KERNEL]])
// CHECK-DAG: ![[LIBRARY]] = distinct !DILexicalBlockFile(scope: ![[KERNEL]], file: ![[FILE:[0-9]+]], discriminator: 0)
// CHECK-DAG: ![[FILE]] = !DIFile(filename: "library.fly"
fly.kernel @k(%p: !fly.ptr<global, align=16>, %q: !fly.ptr<global, align=16>, %n: i32) {
  %l = fly.make_layout() : !fly.layout<4:1>
  %s = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<4:1> -> f32
  %d = fly.make_tensor %q, %l : !fly.ptr<global, align=16>, !fly.layout<4:1> -> f32
  %word = fly.wave readlane(%n, %n) : (i32, i32) -> i32 loc(fused<{lane = loc("x.fly":5:17 to :21)}>["readlane"("x.fly":4:5 to 5:22)])
  fly.ptr_store %word, %q : i32, !fly.ptr<global, align=16>
  fly.copy <universal 128> %s to %d : !fly.tensor<f32, global, align=16, 4:1>, !fly.tensor<f32, global, align=16, 4:1> loc(callsite(fused<{destination = loc("y"("library.fly":11:8 to :10)), source = loc("x"("library.fly":10:7 to :9))}>["UniversalCopy(128, f32)"("library.fly":9:5 to 11:22)] at "x.fly":5:3 to :20))
  fly.return loc("x.fly":6:3)
} loc("x.fly":3:1 to :9)
