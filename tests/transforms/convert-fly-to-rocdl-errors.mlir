// An op without a lowering is reported where it stands.
// RUN: fly-opt %s --convert-fly-to-rocdl=arch=gfx942 --verify-diagnostics --split-input-file

fly.kernel @layout_left() {
  // expected-error @+1 {{failed to legalize operation 'fly.make_layout'}}
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  fly.return
}

// -----

// expected-error @+2 {{has `known_cluster`; gfx942 has no clusters}}
// expected-error @+1 {{failed to legalize operation 'fly.kernel'}}
fly.kernel @cluster() attributes {known_cluster = array<i32: 2, 1, 1>} { fly.return }
