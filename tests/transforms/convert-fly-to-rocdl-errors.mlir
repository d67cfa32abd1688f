// An op without a lowering is reported where it stands.
// RUN: fly-opt %s --convert-fly-to-rocdl --verify-diagnostics

fly.kernel @layout_left() {
  // expected-error @+1 {{failed to legalize operation 'fly.make_layout'}}
  %l = fly.make_layout() : !fly.layout<(8):(1)>
  fly.return
}
