// Accesses to far buffers get a buffer that begins at the last part which all lanes share.
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-rebase-far-buffers))' --split-input-file | FileCheck %s
// RUN: fly-opt %s --pass-pipeline='builtin.module(fly.kernel(fly-finish-kernel))' --split-input-file | FileCheck %s

// The workgroup's tile is where the buffer begins; the lane's element comes after it.
// CHECK-LABEL: fly.kernel @tile
fly.kernel @tile(%p: !fly.ptr<global, align=16>, %n: i64, %bytes: i64) {
  %l = fly.make_layout(%n) : !fly.layout<(?{i64}):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?{i64}):(1)> -> f32
  %b = fly.buffer far %t, %bytes widest 4 : !fly.tensor<f32, global, align=16, (?{i64}):(1)>
  %d = fly.rearrange "zipped_divide <128:1>" of %b : !fly.tensor<f32, buffer, align=16, (?{i64}):(1)>
  %block = fly.block_id x
  // CHECK: %[[TILE:.*]] = fly.slice %{{.*}}[_, %{{.*}}]
  // CHECK-NEXT: %[[NEAR:.*]] = fly.rebase %[[TILE]] : <f32, buffer, align=16, ((128)):((1))>
  %tile = fly.slice %d[_, %block{i32}] : !fly.tensor<f32, buffer, align=16, ((128),(?{i64})):((1),(128))>
  %i = fly.thread_id x
  // CHECK: %[[X:.*]] = fly.load %[[NEAR]]
  %x = fly.load %tile[%i] : !fly.tensor<f32, buffer, align=16, ((128)):((1))>
  // CHECK: fly.store %[[X]], %[[NEAR]]
  fly.store %x, %tile[%i] : !fly.tensor<f32, buffer, align=16, ((128)):((1))>
  fly.return
}

// -----

// Steps after the start are taken again from the new buffer, and a mark of one of them follows.
// CHECK-LABEL: fly.kernel @steps
fly.kernel @steps(%p: !fly.ptr<global, align=16>, %n: i64, %bytes: i64) {
  %l = fly.make_layout(%n) : !fly.layout<(?{i64}):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?{i64}):(1)> -> f32
  %b = fly.buffer far %t, %bytes widest 4 : !fly.tensor<f32, global, align=16, (?{i64}):(1)>
  %d = fly.rearrange "zipped_divide <128:1>" of %b : !fly.tensor<f32, buffer, align=16, (?{i64}):(1)>
  %block = fly.block_id x
  // CHECK: %[[NEAR:.*]] = fly.rebase
  %tile = fly.slice %d[_, %block{i32}] : !fly.tensor<f32, buffer, align=16, ((128),(?{i64})):((1),(128))>
  // CHECK: %[[OWNED:.*]] = fly.rearrange "zipped_divide <2:1>" of %[[NEAR]]
  // CHECK: fly.partition %[[OWNED]] by 64 lanes of "f32"
  %owned = fly.rearrange "zipped_divide <2:1>" of %tile : !fly.tensor<f32, buffer, align=16, ((128)):((1))>
  fly.partition %owned by 64 lanes of "f32" : !fly.tensor<f32, buffer, align=16, ((2),(64)):((1),(2))>
  %i = fly.thread_id x
  // CHECK: %[[MINE:.*]] = fly.slice %[[OWNED]]
  %mine = fly.slice %owned[_, %i{i32}] : !fly.tensor<f32, buffer, align=16, ((2),(64)):((1),(2))>
  // CHECK: fly.load_vector %[[MINE]]
  %x = fly.load_vector %mine : !fly.tensor<f32, buffer, align=8, ((2)):((1))>
  fly.return
}

// -----

// Lanes cut their part before anything is known to be within reach: nothing changes.
// CHECK-LABEL: fly.kernel @nowhere
fly.kernel @nowhere(%p: !fly.ptr<global, align=16>, %n: i64, %bytes: i64) {
  %l = fly.make_layout(%n) : !fly.layout<(?{i64}):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(?{i64}):(1)> -> f32
  %b = fly.buffer far %t, %bytes widest 4 : !fly.tensor<f32, global, align=16, (?{i64}):(1)>
  %d = fly.rearrange "zipped_divide <128:1>" of %b : !fly.tensor<f32, buffer, align=16, (?{i64}):(1)>
  %i = fly.thread_id x
  // CHECK: %[[MINE:.*]] = fly.slice
  // CHECK-NOT: fly.rebase
  %mine = fly.slice %d[_, %i{i32}] : !fly.tensor<f32, buffer, align=16, ((128),(?{i64})):((1),(128))>
  // CHECK: fly.load %[[MINE]]
  %x = fly.load %mine[%i] : !fly.tensor<f32, buffer, align=16, ((128)):((1))>
  fly.return
}
