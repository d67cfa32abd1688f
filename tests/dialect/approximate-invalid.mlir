// What the verifier of approximations refuses.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

fly.kernel @of_double(%x: f64) {
  // expected-error @+1 {{the hardware has no `exp2` of 'f64'}}
  %y = fly.approximate exp2 %x : f64
  fly.return
}

// -----

fly.kernel @of_half() {
  %x = fly.undefined : vector<2xf16>
  // expected-error @+1 {{the hardware has no `frexp_exponent` of 'f16'}}
  %y = fly.approximate frexp_exponent %x : vector<2xf16>
  fly.return
}

// -----

fly.kernel @of_bf16(%x: bf16) {
  // expected-error @+1 {{operand #0 must be f16, f32, f64 or vector of them}}
  %y = fly.approximate rcp %x : bf16
  fly.return
}
