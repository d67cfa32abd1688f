// What the other threads of this process do: whether any of them could still do something by itself.
#pragma once

#include <cstdint>
#include <vector>

namespace fly::emulator {

/// Whether each thread of the process but these waits for another thread of the process, without a time limit: in a
/// lock, a condition variable, the end of a thread. Then none of them goes on before one of these wakes it. False if the
/// system does not tell.
bool allOthersWait(const std::vector<int> &threads);

/// Memory of the process, [begin, end).
struct HostBytes {
  uint64_t begin, end;
};
/// Its memory that other processes may have, too.
std::vector<HostBytes> sharedWithProcesses();

} // namespace fly::emulator
