// Launches and copies as actions, for the calls that queue them and for the nodes of graphs.
#pragma once

#include "runtime/hip_emulated/Actions.h"

#include <array>

namespace fly::hip_emulated {

/// With the lock held. Grids are workgroups.
hipError_t makeLaunch(const LoadedKernel *kernel, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                      size_t ldsBytes, void **parameters, void **extra, KernelAction &action);
/// How many workgroups of `threads` share a compute unit; Occupancy.cpp.
uint32_t resident(const LoadedKernel &kernel, uint32_t threads, size_t dynamicLds);
/// hipMemcpyDefault becomes the kind that follows from the pointers.
CopyAction makeCopy(void *to, const void *from, size_t bytes, hipMemcpyKind kind);
hipError_t makeCopy(const hipMemcpy3DParms *parameters, CopyAction &copy);
/// The device function for a host function that the compiler registered, or for a hipFunction_t. Null if there is none.
const LoadedKernel *registeredKernel(const void *hostFunction);
/// The variable for the host's shadow of it: address and size on the current device.
hipError_t registeredVariable(const void *shadow, void **address, size_t *bytes);

} // namespace fly::hip_emulated
