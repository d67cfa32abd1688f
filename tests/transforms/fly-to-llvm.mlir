// The whole pipeline, to machine code: one 128-bit access a thread, with the base in scalar registers.
// RUN: fly-opt %s --fly-to-llvm=arch=gfx942 | mlir-translate --mlir-to-llvmir | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 | FileCheck %s --check-prefix=GFX942
// RUN: fly-opt %s --fly-to-llvm=arch=gfx1201 | mlir-translate --mlir-to-llvmir | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx1201 | FileCheck %s --check-prefix=GFX1201

// GFX942-LABEL: add_vector:
// GFX942: global_load_dwordx4 v[{{.*}}], v[[OFFSET:[0-9]+]], s[{{.*}}]
// GFX942: global_load_dwordx4 v[{{.*}}], v[[OFFSET]], s[{{.*}}]
// GFX942: global_store_dwordx4 v[[OFFSET]], v[{{.*}}], s[{{.*}}]
// GFX1201-LABEL: add_vector:
// GFX1201: global_load_b128 v[{{.*}}], v[[OFFSET:[0-9]+]], s[{{.*}}]
// GFX1201: global_store_b128 v[[OFFSET]], v[{{.*}}], s[{{.*}}]
fly.kernel @add_vector(%a: !fly.ptr<global, align=16> {fly.readonly}, %b: !fly.ptr<global, align=16> {fly.readonly},
                       %c: !fly.ptr<global, align=16>, %n: i32) attributes {known_block = array<i32: 256, 1, 1>} {
  %l = fly.make_layout(%n) : !fly.layout<(?{div=4}):(1)>
  %ta = fly.make_tensor %a, %l {bytes_fit_in_32_bits} : !fly.ptr<global, align=16>, !fly.layout<(?{div=4}):(1)> -> f32
  %tb = fly.make_tensor %b, %l {bytes_fit_in_32_bits} : !fly.ptr<global, align=16>, !fly.layout<(?{div=4}):(1)> -> f32
  %tc = fly.make_tensor %c, %l {bytes_fit_in_32_bits} : !fly.ptr<global, align=16>, !fly.layout<(?{div=4}):(1)> -> f32
  %da = fly.rearrange "zipped_divide <4:1>" of %ta : !fly.tensor<f32, global, align=16, (?{div=4}):(1)>
  %db = fly.rearrange "zipped_divide <4:1>" of %tb : !fly.tensor<f32, global, align=16, (?{div=4}):(1)>
  %dc = fly.rearrange "zipped_divide <4:1>" of %tc : !fly.tensor<f32, global, align=16, (?{div=4}):(1)>
  %c256 = arith.constant 256 : i32
  %block = fly.block_id x
  %thread = fly.thread_id x
  %first = arith.muli %block, %c256 : i32
  %i = arith.addi %first, %thread : i32
  %tiles = fly.leaf %da[shape, 1] : !fly.tensor<f32, global, align=16, ((4),(?)):((1),(4))>
  %inside = arith.cmpi slt, %i, %tiles : i32
  scf.if %inside {
    %sa = fly.slice %da[_, %i] : !fly.tensor<f32, global, align=16, ((4),(?)):((1),(4))>
    %sb = fly.slice %db[_, %i] : !fly.tensor<f32, global, align=16, ((4),(?)):((1),(4))>
    %sc = fly.slice %dc[_, %i] : !fly.tensor<f32, global, align=16, ((4),(?)):((1),(4))>
    %x = fly.load_vector %sa : !fly.tensor<f32, global, align=16, ((4)):((1))>
    %y = fly.load_vector %sb : !fly.tensor<f32, global, align=16, ((4)):((1))>
    %z = arith.addf %x, %y : vector<4xf32>
    fly.store_vector %z, %sc : vector<4xf32>, !fly.tensor<f32, global, align=16, ((4)):((1))>
  }
  fly.return
}
