// Room `wave`: a wave, its workgroup and cluster, its decoded program, memory operations in flight.
//
// May include: compiler/isa, runtime/emulator/formats, runtime/emulator/device.
#pragma once
