// What a stream does and a graph consists of, as data: a graph's nodes can be read, changed and replayed.
#pragma once

#include "runtime/hip_emulated/HipEmulated.h"
#include "runtime/hip_emulated/Sizes.h"

#include <variant>

namespace fly::hip_emulated {

struct KernelAction {
  std::shared_ptr<LoadedModule> module;
  const LoadedKernel *kernel = nullptr;
  emulator::LaunchConfig config;
  std::string arguments;
  std::string place; ///< for reports: "layer.attend, step 3 of 5: rmsnorm_f16"
};

/// A box of `depth` slices of `height` rows of `width` bytes; one dimension is a copy of a row.
struct CopyAction {
  void *to = nullptr;
  const void *from = nullptr;
  size_t width = 0, height = 1, depth = 1;
  size_t toPitch = 0, toSlice = 0, fromPitch = 0, fromSlice = 0;
  hipMemcpyKind kind = hipMemcpyDefault;
  size_t extent(size_t pitch, size_t slice) const { return boxBytes(width, height, pitch, depth, slice); }
  bool isEmpty() const { return width == 0 || height == 0 || depth == 0; }
};

/// The same with `width` elements per row, each the low bytes of `value`.
struct FillAction {
  void *to = nullptr;
  uint32_t value = 0;
  unsigned elementSize = 1;
  size_t width = 0, height = 1, depth = 1, pitch = 0, slice = 0;
  size_t rowBytes() const { return multiplySizes(width, elementSize); }
  size_t extent() const { return boxBytes(rowBytes(), height, pitch, depth, slice); }
  bool isEmpty() const { return width == 0 || height == 0 || depth == 0; }
};

struct HostAction {
  hipHostFn_t function = nullptr;
  hipStreamCallback_t callback = nullptr; ///< or this one, which is given the stream
  hipStream_t stream = nullptr;
  void *data = nullptr;
};

/// Waits for, or writes, a number in memory.
struct ValueAction {
  void *at = nullptr;
  uint64_t value = 0, mask = ~0ull;
  unsigned bytes = 4, condition = 0;
  bool isWait = false;
};

struct EventAction {
  std::shared_ptr<Event> event;
  bool isWait = false;
};

struct FreeAction {
  void *pointer = nullptr;
};
struct EmptyAction {};

struct ActionList;
struct GraphAction {
  std::shared_ptr<const ActionList> list;
};

using Action = std::variant<EmptyAction, KernelAction, CopyAction, FillAction, HostAction, ValueAction, EventAction,
                            FreeAction, GraphAction>;
struct ActionList {
  std::vector<Action> actions;
};

struct Outcome {
  hipError_t error = hipSuccess;
  std::string report;
  std::string place; ///< of what failed
};

/// Does it, on the calling thread; for a stream of `device`. No lock held. `moment` is when it begins, then when it ends.
Outcome perform(const Action &action, int device, Moment &moment);
/// Checks that are possible before it is queued: pointers, sizes, the limits of a launch. With the lock held.
hipError_t check(const Action &action);
/// A copy that must be complete when the call returns, because one side is host memory that is not pinned. With the
/// lock.
bool isPageable(const CopyAction &copy);

/// The block of arguments from either of HIP's two forms; false if there is neither, or no kernel has so many.
bool gatherArguments(const LoadedKernel &kernel, void **parameters, void **extra, std::string &block);

} // namespace fly::hip_emulated
