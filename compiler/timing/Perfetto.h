// The waves of compute unit 0 as a trace for Perfetto (https://ui.perfetto.dev): its native form, TracePackets of
// protobuf with TrackEvents, written by hand since it needs seven messages of three thousand.
//
//     kernel on gfx950
//       SIMD 0
//         workgroup 0 wave 0      what it waits for, then the instruction, one behind the other
//           in flight             memory operations from issue to data; as many tracks as overlap
//         matrix, VALU, ...       which unit is busy; as many tracks as overlap
//
// Slices of a track never overlap, since readers nest those that do. Times are nanoseconds at the machine's highest
// clock, `cycle` of a slice the cycle itself. Instructions carry their address, file and line.
#pragma once

#include "runtime/emulator/timing/Timing.h"

#include <string>

namespace fly::timing {

/// The bytes of a `.pftrace` file. The same Timing gives the same bytes.
std::string perfettoTrace(const emulator::Timing &timing);

} // namespace fly::timing
