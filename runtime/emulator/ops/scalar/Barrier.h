// Barriers: the workgroup's, gfx1250's named ones and its cluster's.
//
//     -1   the workgroup: every wave that has not ended is a member
//     -3   the cluster: every workgroup is a member, one of its waves signals for it; nothing without a cluster
//     1..  named: s_barrier_init (or a signal with a count in M0) sets how many signals complete it; a wave that has
//          joined one waits for it
//     -2, -4  those of trap handlers; 0: nothing
//
// A wave waits for a completion that it has not waited for yet. The hardware has one bit per kind, which a completion
// sets in every member and waiting clears (gfx12's pseudocode: WAVE_BARRIER_COMPLETE). Here the barrier counts its
// completions and the wave remembers which it has passed, so a fast wave that signals the next barrier early is not
// confused with one that signals late.
#pragma once

#include "runtime/emulator/wave/Wave.h"

#include <string>

namespace fly::emulator {

/// Signals without waiting. False if the wave faulted.
bool signalBarrier(Wave &wave, int number);
/// True, and passed, when the barrier that `wave.waitsFor` names has completed (or is none that stops anybody).
bool passBarrier(Wave &wave);
/// The wave has ended: barriers it was a member of may complete. A fault if the check of barriers is on and others
/// wait.
void endWave(Wave &wave);
/// "workgroup barrier: 1 of 2 waves have signalled": for reports.
std::string describeBarrier(const Wave &wave);

} // namespace fly::emulator
