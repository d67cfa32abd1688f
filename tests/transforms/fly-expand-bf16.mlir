// The rounding that a bf16 result takes: short where its NaNs come from bf16, with care where they may be any.
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-expand-bf16{arch=gfx942}))' | FileCheck %s
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-expand-bf16{arch=gfx950}))' | FileCheck %s --check-prefix=NATIVE

// CHECK-LABEL: fly.kernel @sum
// CHECK-DAG: %[[X:.*]] = arith.extf %arg0 : bf16 to f32
// CHECK-DAG: %[[Y:.*]] = arith.extf %arg1 : bf16 to f32
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK: %[[B:.*]] = arith.bitcast %[[S]] : f32 to i32
// CHECK: arith.shrui %[[B]]
// CHECK: arith.andi
// CHECK: arith.addi %[[B]]
// CHECK: %[[R:.*]] = arith.addi
// CHECK-NOT: {{arith.cmpf|med3}}
// CHECK: arith.shrui %[[R]]
// CHECK: arith.trunci
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
// NATIVE-LABEL: fly.kernel @sum
// NATIVE: arith.addf %arg0, %arg1 : bf16
fly.kernel @sum(%x: bf16, %y: bf16, %p: !fly.ptr<global, align=16>) {
  %s = arith.addf %x, %y : bf16
  fly.ptr_store %s, %p : bf16, !fly.ptr<global, align=16>
  fly.return
}

// An operand's value needs no rounding.
// CHECK-LABEL: fly.kernel @greatest
// CHECK: arith.maxnumf %{{.*}} : f32
// CHECK-NOT: arith.addi
// CHECK: fly.return
fly.kernel @greatest(%x: bf16, %y: bf16, %p: !fly.ptr<global, align=16>) {
  %s = arith.maxnumf %x, %y : bf16
  fly.ptr_store %s, %p : bf16, !fly.ptr<global, align=16>
  fly.return
}

// CHECK-LABEL: fly.kernel @any
// CHECK: %[[NAN:.*]] = fly.exact "s_mov_b32 $0, 0x7fc00000"
// CHECK: fly.exact "v_med3_f32 $0, $1, $2, $1" in "vsv"(%[[NAN]], %arg0)
// CHECK: arith.addi
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
// NATIVE-LABEL: fly.kernel @any
// NATIVE: arith.truncf %arg0 : f32 to bf16
fly.kernel @any(%x: f32, %p: !fly.ptr<global, align=16>) {
  %s = arith.truncf %x : f32 to bf16
  fly.ptr_store %s, %p : bf16, !fly.ptr<global, align=16>
  fly.return
}

// CHECK-LABEL: fly.kernel @product_of_bf16
// CHECK: arith.mulf %{{.*}} : vector<4xf32>
// CHECK-NOT: {{arith.cmpf|med3}}
// CHECK: fly.return
fly.kernel @product_of_bf16(%x: bf16, %i: i32, %p: !fly.ptr<global, align=16>) {
  %w = arith.extf %x : bf16 to f32
  %v = vector.broadcast %w : f32 to vector<4xf32>
  %n = arith.sitofp %i : i32 to f32
  %m = vector.broadcast %n : f32 to vector<4xf32>
  %q = arith.mulf %v, %m : vector<4xf32>
  %s = arith.truncf %q : vector<4xf32> to vector<4xbf16>
  fly.ptr_store %s, %p : vector<4xbf16>, !fly.ptr<global, align=16>
  fly.return
}

// A scalar that may be any NaN and scales a vector is looked at once, not each of the products.
// CHECK-LABEL: fly.kernel @scaled
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: %[[Q:.*]] = arith.bitcast %[[S]] : i32 to f32
// CHECK: %[[E:.*]] = vector.from_elements
// CHECK: %[[V:.*]] = vector.broadcast %[[Q]] : f32 to vector<4xf32>
// CHECK: arith.mulf %[[E]], %[[V]]
// CHECK-NOT: {{arith.cmpf|med3}}
// CHECK: fly.return
fly.kernel @scaled(%x: bf16, %s: f32, %p: !fly.ptr<global, align=16>) {
  %0 = arith.extf %x : bf16 to f32
  %1 = fly.approximate exp2 %0 : f32
  %w = vector.from_elements %1, %0, %1, %0 : vector<4xf32>
  %b = vector.broadcast %s : f32 to vector<4xf32>
  %m = arith.mulf %w, %b : vector<4xf32>
  %n = arith.truncf %m : vector<4xf32> to vector<4xbf16>
  fly.ptr_store %n, %p : vector<4xbf16>, !fly.ptr<global, align=16>
  fly.return
}

// Of a function that is not known to keep a NaN each element is looked at.
// CHECK-LABEL: fly.kernel @fraction
// CHECK: v_med3_f32
fly.kernel @fraction(%x: bf16, %p: !fly.ptr<global, align=16>) {
  %0 = arith.extf %x : bf16 to f32
  %1 = fly.approximate fract %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  fly.ptr_store %2, %p : bf16, !fly.ptr<global, align=16>
  fly.return
}

// Where it is as many scalars as elements, the elements are looked at.
// CHECK-LABEL: fly.kernel @one_scaled
// CHECK: vector.broadcast %arg1 : f32 to vector<1xf32>
// CHECK: v_med3_f32
fly.kernel @one_scaled(%x: bf16, %s: f32, %p: !fly.ptr<global, align=16>) {
  %v = vector.from_elements %x : vector<1xbf16>
  %wide = arith.extf %v : vector<1xbf16> to vector<1xf32>
  %b = vector.broadcast %s : f32 to vector<1xf32>
  %m = arith.mulf %wide, %b : vector<1xf32>
  %n = arith.truncf %m : vector<1xf32> to vector<1xbf16>
  fly.ptr_store %n, %p : vector<1xbf16>, !fly.ptr<global, align=16>
  fly.return
}
