// Every error of a verifier or type parser.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{an alignment must be a power of two; found 12}}
fly.kernel @pointer_alignment(%p: !fly.ptr<global, align=12>) { fly.return }

// -----

// expected-error @+1 {{expected `global`, `shared`, `private`, `constant`, `buffer` or `generic`; found `local`}}
fly.kernel @space(%p: !fly.ptr<local>) { fly.return }

// -----

// expected-error @+1 {{shape `(4,2)` and stride `1` are nested differently}}
%0 = fly.make_layout() : !fly.layout<(4,2):1>

// -----

// expected-error @+1 {{expected an integer, `?`, `_` or `(`}}
%0 = fly.make_layout() : !fly.layout<(4,f32):(1,4)>

// -----

// expected-error @+1 {{a divisibility must be at least 1}}
%0 = fly.make_layout() : !fly.layout<(?{div=0}):(1)>

// -----

// expected-error @+1 {{an extent cannot be negative; found `-4`}}
%0 = fly.make_layout() : !fly.layout<(-4):(1)>

// -----

// expected-error @+1 {{a slot holds an integer, a float or a vector of them; found 'index'}}
%0 = fly.slot : !fly.slot<index>

// -----

fly.kernel @element(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  // expected-error @+1 {{a tensor's element must be an integer or float of 1, 4, 6, 8, 16, 32 or 64 bits; found `i7`}}
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4):(1)> -> i7
  fly.return
}

// -----

// expected-error @+1 {{argument 0 must be a global or constant pointer or a scalar; found '!fly.ptr<shared>'}}
fly.kernel @argument(%p: !fly.ptr<shared>) { fly.return }

// -----

// expected-error @+1 {{cannot return values}}
fly.kernel @results() -> i32 { fly.return }

// -----

// expected-error @+1 {{`known_block` must be three positive extents with a product of at most 1024}}
fly.kernel @block() attributes {known_block = array<i32: 64, 32, 1>} { fly.return }

// -----

// expected-error @+1 {{has both `known_block` and `max_block_threads`; the first implies the second}}
fly.kernel @both() attributes {known_block = array<i32: 64, 1, 1>, max_block_threads = 64 : i32} { fly.return }

// -----

// expected-error @+1 {{`known_cluster` must be three positive extents with a product from 2 to 16}}
fly.kernel @large_cluster() attributes {known_cluster = array<i32: 8, 3, 1>} { fly.return }

// -----

// expected-error @+1 {{`known_cluster` must be three positive extents with a product from 2 to 16}}
fly.kernel @cluster_of_one() attributes {known_cluster = array<i32: 1, 1, 1>} { fly.return }

// -----

// expected-error @+1 {{`known_cluster` must be three positive extents with a product from 2 to 16}}
fly.kernel @flat_cluster() attributes {known_cluster = array<i32: 4, 2>} { fly.return }

// -----

fly.kernel @no_cluster() {
  // expected-error @+1 {{needs a kernel with `known_cluster`}}
  %0 = fly.cluster_id x
  fly.return
}

// -----

fly.kernel @no_place() {
  // expected-error @+1 {{needs a kernel with `known_cluster`}}
  %0 = fly.cluster_block_id x
  fly.return
}

// -----

fly.kernel @no_rank() {
  // expected-error @+1 {{needs a kernel with `known_cluster`}}
  %0 = fly.cluster_rank
  fly.return
}

// -----

fly.kernel @no_cluster_barrier() {
  // expected-error @+1 {{needs a kernel with `known_cluster`}}
  fly.cluster_barrier
  fly.return
}

// -----

// expected-error @+1 {{`vgprs` must be from 1 to 1024; found 0}}
fly.kernel @vgprs() attributes {vgprs = 0 : i32} { fly.return }

// -----

// expected-error @+1 {{`waves_per_eu` must be from 1 to 20; found 21}}
fly.kernel @waves() attributes {waves_per_eu = 21 : i32} { fly.return }

// -----

// expected-error @+1 {{`max_block_threads` must be from 1 to 1024; found 2048}}
fly.kernel @threads() attributes {max_block_threads = 2048 : i32} { fly.return }

// -----

// expected-error @+1 {{`fly.readonly` is a flag of pointers, but argument 0 is not one}}
fly.kernel @readonly(%n: i32 {fly.readonly}) { fly.return }

// -----

// expected-error @+1 {{`fly.name` of argument 0 must be a string}}
fly.kernel @name(%n: i32 {fly.name = 1 : i32}) { fly.return }

// -----

// expected-error @+1 {{argument 0 carries the unknown `fly.noalias`}}
fly.kernel @unknown(%n: i32 {fly.noalias}) { fly.return }

// -----

// expected-error @+1 {{needs a body}}
"fly.kernel"() <{sym_name = "body", function_type = () -> ()}> ({}) : () -> ()

// -----

fly.kernel @rank(%p: !fly.ptr<global>, %i: i32) {
  %l = fly.make_layout() : !fly.layout<(4,4):(4,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4,4):(4,1)> -> f32
  // expected-error @+1 {{coordinate `(?)` does not fit shape `(4,4)`}}
  %0 = fly.load %t[%i] : !fly.tensor<f32, global, (4,4):(4,1)>
  fly.return
}

// -----

fly.kernel @open(%p: !fly.ptr<global>, %i: i32, %v: f32) {
  %l = fly.make_layout() : !fly.layout<(4,4):(4,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4,4):(4,1)> -> f32
  // expected-error @+1 {{coordinate `(?,_)` leaves modes open; an offset needs all of them}}
  fly.store %v, %t[%i, _] : !fly.tensor<f32, global, (4,4):(4,1)>
  fly.return
}

// -----

fly.kernel @slice_rank(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(4,4):(4,1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4,4):(4,1)> -> f32
  // expected-error @+1 {{coordinate `(_)` does not fit shape `(4,4)`}}
  %s = fly.slice %t[_] : !fly.tensor<f32, global, (4,4):(4,1)>
  fly.return
}

// -----

fly.kernel @nameless(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4):(1)> -> f32
  // expected-error @+1 {{a coordinate names its operands; `?` has none}}
  %s = fly.load %t[?] : !fly.tensor<f32, global, (4):(1)>
  fly.return
}

// -----

fly.kernel @missing_operand(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4):(1)> -> f32
  // expected-error @+1 {{coordinate `(?)` has 1 dynamic leaves, but there are 0 operands}}
  %s = "fly.load"(%t) <{coordinate = #fly.tuple<(?)>}> : (!fly.tensor<f32, global, (4):(1)>) -> f32
  fly.return
}

// -----

fly.kernel @operand_width(%p: !fly.ptr<global>, %i: i64) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4):(1)> -> f32
  // expected-error @+1 {{operand 0 of the coordinate is 'i64', its leaf has 32 bits}}
  %s = "fly.load"(%t, %i) <{coordinate = #fly.tuple<(?)>}> : (!fly.tensor<f32, global, (4):(1)>, i64) -> f32
  fly.return
}

// -----

fly.kernel @tiler(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4):(1)> -> f32
  // expected-error @+1 {{the tiler has 2 modes, the layout `(4):(1)` only 1}}
  %d = fly.rearrange "zipped_divide <2:1;2:1>" of %t : !fly.tensor<f32, global, (4):(1)>
  fly.return
}

// -----

fly.kernel @step_of_layouts(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4):(1)> -> f32
  // expected-error @+1 {{`right_inverse` changes the function of a layout, but a tensor keeps its own}}
  %d = fly.rearrange "right_inverse" of %t : !fly.tensor<f32, global, (4):(1)>
  fly.return
}

// -----

fly.kernel @step_without_operand(%n: i32) {
  %l = fly.make_layout(%n) : !fly.layout<(?):(1)>
  // expected-error @+1 {{step `zipped_divide <?:1>` has 1 dynamic leaves, but there are 0 operands}}
  %d = fly.rearrange "zipped_divide <?:1>" of %l : !fly.layout<(?):(1)>
  fly.return
}

// -----

fly.kernel @step_of_no_name() {
  %l = fly.make_layout() : !fly.layout<4:1>
  // expected-error @+1 {{no rearrangement is called `zip_divide`}}
  %d = fly.rearrange "zip_divide <2:1>" of %l : !fly.layout<4:1>
  fly.return
}

// -----

// expected-error @+1 {{the layout of a tensor must give offsets, but `(4,8):(1@1,1@0)` gives coordinates}}
fly.kernel @coordinates(%x: !fly.tensor<f32, global, "(4,8):(1@1,1@0)">) { fly.return }

// -----

// expected-error @+1 {{expected a layout; found the swizzle `S<3,3,3>`}}
fly.kernel @swizzle(%x: !fly.layout<"S<3,3,3>">) { fly.return }

// -----

fly.kernel @recast_misaligned(%p: !fly.ptr<global, align=2>) {
  %l = fly.make_layout() : !fly.layout<8:1>
  %t = fly.make_tensor %p, %l : !fly.ptr<global, align=2>, !fly.layout<8:1> -> f16
  // expected-error @+1 {{elements of 4 bytes need a base aligned to them; 2 is known}}
  %d = fly.recast %t : !fly.tensor<f16, global, align=2, 8:1> -> f32
  fly.return
}

// -----

fly.kernel @crd2idx_of_coordinates() {
  %l = fly.make_layout() : !fly.layout<"(4,8):(1@1,1@0)">
  // expected-error @+1 {{`(4,8):(1@1,1@0)` leads to coordinates, not to offsets}}
  %o = fly.crd2idx %l[1, 2] : !fly.layout<"(4,8):(1@1,1@0)">
  fly.return
}

// -----

fly.kernel @leaf(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  // expected-error @+1 {{`(4)` has 1 leaves; there is no leaf 1}}
  %0 = fly.leaf %l[shape, 1] : !fly.layout<(4):(1)>
  fly.return
}

// -----

fly.kernel @leaf_side(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  // expected-error @+1 {{expected `shape` or `stride`; found `size`}}
  %0 = fly.leaf %l[size, 0] : !fly.layout<(4):(1)>
  fly.return
}

// -----

fly.kernel @dynamic_fragment(%p: !fly.ptr<global>, %n: i32) {
  %l = fly.make_layout(%n) : !fly.layout<(?):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(?):(1)> -> f32
  // expected-error @+1 {{a fragment's layout must be known at compile time; found `(?):(1)`}}
  %0 = fly.load_vector %t : !fly.tensor<f32, global, (?):(1)>
  fly.return
}

// -----

fly.kernel @large_fragment(%p: !fly.ptr<global>) {
  %l = fly.make_layout() : !fly.layout<(5000):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(5000):(1)> -> f32
  // expected-error @+1 {{a fragment has 1 to 4096 elements; `(5000):(1)` has 5000}}
  %0 = fly.load_vector %t : !fly.tensor<f32, global, (5000):(1)>
  fly.return
}

// -----

fly.kernel @store_vector(%p: !fly.ptr<global>, %v: f32) {
  %l = fly.make_layout() : !fly.layout<(4):(1)>
  %t = fly.make_tensor %p, %l : !fly.ptr<global>, !fly.layout<(4):(1)> -> f32
  %x = fly.undefined : vector<2xf32>
  // expected-error @+1 {{stores 'vector<2xf32>' to a fragment of type 'vector<4xf32>'}}
  fly.store_vector %x, %t : vector<2xf32>, !fly.tensor<f32, global, (4):(1)>
  fly.return
}

// -----

fly.kernel @shared() {
  // expected-error @+1 {{gives a pointer to shared memory; found '!fly.ptr<global>'}}
  %p = fly.shared 64 : !fly.ptr<global>
  fly.return
}

// -----

fly.kernel @wave(%x: i32, %y: i64) {
  // expected-error @+1 {{`dpp` has 2 operands, not 1}}
  %0 = fly.wave dpp(%x)[273, 15, 15, 0] : (i32) -> i32
  fly.return
}

// -----

fly.kernel @wave(%x: i32, %y: i64) {
  // expected-error @+1 {{`dpp` has 4 immediates, not 1}}
  %0 = fly.wave dpp(%x, %x)[273] : (i32, i32) -> i32
  fly.return
}

// -----

fly.kernel @wave(%x: i32, %y: i64) {
  // expected-error @+1 {{a flag is 0 or 1, not 2}}
  %0 = fly.wave dpp(%x, %x)[273, 15, 15, 2] : (i32, i32) -> i32
  fly.return
}

// -----

fly.kernel @wave(%x: i32, %y: i64) {
  // expected-error @+1 {{`permlane16_swap` has 2 results, not 1}}
  %0 = fly.wave permlane16_swap(%x, %x)[0, 0] : (i32, i32) -> i32
  fly.return
}

// -----

fly.kernel @wave(%x: i32, %y: i64) {
  // expected-error @+1 {{operands are i1, not 'i32'}}
  %0 = fly.wave ballot(%x) : (i32) -> i32
  fly.return
}

// -----

fly.kernel @wave(%x: i32, %y: i64) {
  // expected-error @+1 {{operands are i32, not 'i64'}}
  %0 = fly.wave readfirstlane(%y) : (i64) -> i32
  fly.return
}

// -----

fly.kernel @wave(%x: i32, %y: i64) {
  // expected-error @+1 {{results are i32, not 'i64'}}
  %0 = fly.wave readfirstlane(%x) : (i32) -> i64
  fly.return
}

// -----

fly.kernel @output_ring() {
  // expected-error @+1 {{gives a pointer to global memory; found '!fly.ptr<shared>'}}
  %p = fly.output_ring : !fly.ptr<shared>
  fly.return
}

// -----

fly.kernel @text() {
  // expected-error @+1 {{gives a pointer to constant memory; found '!fly.ptr<global>'}}
  %p = fly.text "a" : !fly.ptr<global>
  fly.return
}

// -----

// expected-error @+1 {{a tuple nests deeper than }}
%0 = fly.make_layout() : !fly.layout<((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((4)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))):1>

// -----

// expected-error @+1 {{cannot carry `fly.readonly`; it belongs on `fly.kernel`}}
llvm.func @foreign(!llvm.ptr {fly.readonly})
