// What the verifiers of waits, hints for the scheduler and marks refuse.
// RUN: fly-opt %s --split-input-file --verify-diagnostics

fly.kernel @no_counter() {
  // expected-error @+1 {{names no counter}}
  fly.wait
  fly.return
}

// -----

fly.kernel @too_many() {
  // expected-error @+1 {{`lgkmcnt` counts from 0 to 15, not 16}}
  fly.wait lgkmcnt(16)
  fly.return
}

// -----

fly.kernel @negative() {
  // expected-error @+1 {{`kmcnt` counts from 0 to 31, not -1}}
  fly.wait kmcnt(-1)
  fly.return
}

// -----

fly.kernel @no_target() {
  // expected-error @+1 {{names counters of `s_waitcnt` and split ones; no target has both}}
  fly.wait vmcnt(0) loadcnt(0)
  fly.return
}

// -----

fly.kernel @kinds() {
  // expected-error @+1 {{attribute 'mask' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 2047}}
  fly.sched_barrier 2048
  fly.return
}

// -----

fly.kernel @no_kind() {
  // expected-error @+1 {{attribute 'mask' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1 whose maximum value is 2047}}
  fly.sched_group_barrier 0 size 1 sync 0
  fly.return
}

// -----

fly.kernel @empty_group() {
  // expected-error @+1 {{attribute 'size' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  fly.sched_group_barrier 8 size 0 sync 0
  fly.return
}

// -----

fly.kernel @sync() {
  // expected-error @+1 {{attribute 'sync' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  fly.sched_group_barrier 8 size 1 sync -1
  fly.return
}

// -----

fly.kernel @strategy() {
  // expected-error @+1 {{attribute 'strategy' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  fly.iglp 4
  fly.return
}

// -----

fly.kernel @priority() {
  // expected-error @+1 {{attribute 'priority' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  fly.set_priority 4
  fly.return
}

// -----

fly.kernel @lanes() {
  // expected-error @+1 {{attribute 'lanes' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 2 whose maximum value is 64 whose value is a power of two > 0}}
  fly.together of 24
  fly.return
}

// -----

fly.kernel @no_part() {
  // expected-error @+1 {{has either a thread or the number of one}}
  fly.take_part of 64 "tiled copy" "a copy"
  fly.return
}

// -----

fly.kernel @few_files(%x: i32) {
  // expected-error @+1 {{has 1 files for 2 results and operands}}
  %d = fly.exact "v_mov_b32 $0, $1" in "v"(%x) : (i32) -> i32
  fly.return
}

// -----

fly.kernel @no_file(%x: i32) {
  // expected-error @+1 {{has a file that is none of `v`, `a` and `s`: vx}}
  %d = fly.exact "v_mov_b32 $0, $1" in "vx"(%x) : (i32) -> i32
  fly.return
}
