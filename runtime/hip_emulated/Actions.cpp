// Performs operations, and refuses impossible ones. A pointer is looked up when it is used: memory that was valid when
// the operation was queued may have been freed since.
#include "runtime/hip_emulated/Streams.h"
#include "runtime/hip_emulated/LaunchProfiles.h"

#include "runtime/emulator/timing/Machine.h"
#include "runtime/emulator/timing/Timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace fly::hip_emulated {

namespace {

/// The locks of all devices whose memory the pointers refer to, in the order of the devices.
struct DeviceLocks {
  std::vector<Guard> guards;
  explicit DeviceLocks(std::vector<int> devices) {
    std::sort(devices.begin(), devices.end());
    devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
    for (int each : devices)
      if (each >= 0) guards.emplace_back(state().devices[each]->running);
  }
};

int deviceOf(const void *pointer, size_t bytes) {
  Guard guard(state().lock);
  const Allocation *a = allocationOf(pointer, bytes);
  return a && !a->isHost() ? a->device : -1;
}

/// The host's view of memory that a device allocated; of other memory the pointer itself. With the device's lock held.
uint8_t *hostView(const void *pointer, size_t bytes) {
  Guard guard(state().lock);
  uintptr_t start = 0;
  const Allocation *a = allocationOf(pointer, bytes, &start);
  if (!a || a->isHost()) return static_cast<uint8_t *>(const_cast<void *>(pointer));
  if (a->kind == MemoryKind::Imported) return a->host + (reinterpret_cast<uintptr_t>(pointer) - start);
  return static_cast<uint8_t *>(
      state().devices[a->device]->device->hostPointer(reinterpret_cast<uintptr_t>(pointer), bytes));
}

bool toDevice(hipMemcpyKind kind) { return kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice; }
bool fromDevice(hipMemcpyKind kind) { return kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice; }

/// One side of a copy or a fill: memory that a device knows, or, if it may be, the host's own.
hipError_t checkSide(const void *pointer, size_t bytes, hipMemcpyKind kind, bool isDevice, const char *side) {
  if (!pointer) return hipErrorInvalidValue;
  const Allocation *a = allocationOf(pointer, bytes);
  if (!a && bytes > UINTPTR_MAX - reinterpret_cast<uintptr_t>(pointer))
    return refuse(hipErrorInvalidValue, std::string("the ") + side + " is larger than the address space");
  if (!a && allocationOf(pointer, 1))
    return refuse(hipErrorInvalidValue, std::string("the ") + side + " reaches past its allocation");
  if (!a && kind != hipMemcpyDefault && isDevice)
    return refuse(hipErrorInvalidDevicePointer,
                  std::string("the ") + side + ": " + std::to_string(bytes) + " bytes at " +
                      std::to_string(reinterpret_cast<uintptr_t>(pointer)) + " are not in any allocation");
  if (a && !a->isHost() && kind != hipMemcpyDefault && !isDevice)
    return refuse(hipErrorInvalidMemcpyDirection,
                  std::string("the ") + side + " is device memory, but the kind of copy says host");
  return hipSuccess;
}

Outcome failed(hipError_t error, std::string report) { return {error, std::move(report), {}}; }

/// Each place once in the process, and no more places than a list holds.
void printFindings(const emulator::FindingList &findings) {
  if (findings.empty()) return;
  std::string text;
  Guard guard(state().lock);
  emulator::FindingList &printed = state().findings;
  for (const auto &[where, finding] : findings) {
    emulator::Finding *known = printed.at(where);
    if (known && !known->count++) text += (finding.isNote() ? "note: " : "warning: ") + finding.text();
    else if (!known && printed.others == 1) text += "warning: the checks have further findings, which are not listed\n";
  }
  std::fputs(text.c_str(), stderr);
}

/// A copy or a fill within the device moves its bytes at the rate of its memory. What a copy from or to the host takes
/// is what it took here.
struct MemoryClock {
  Moment &moment;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  void end(double bytes, bool isInDevice) {
    auto took = std::chrono::steady_clock::now() - begin;
    const std::shared_ptr<const emulator::Machine> machine = emulator::machineOf(state().architectureName);
    if (isInDevice && machine)
      took =
          std::chrono::nanoseconds(std::llround(1e3 * bytes / (machine->memoryBytesPerCycle * machine->maximumClock)));
    moment.spend(took);
  }
};

struct Performer {
  int device;
  Moment &moment;

  Outcome operator()(const EmptyAction &) { return {}; }

  Outcome operator()(const KernelAction &action) {
    DeviceState &d = *state().devices[action.module->device];
    Guard running(d.running);
    if (!action.module->module)
      return failed(hipErrorInvalidHandle,
                    "cannot launch kernel `" + action.kernel->name + "`: its module was unloaded");
    emulator::Timing timing;
    emulator::LaunchResult result = profiled(
        action.config, state().hasModelledClock ? &timing : nullptr, [&](const emulator::LaunchConfig &config) {
          return d.device->launch(*action.module->module, action.kernel->name, config, action.arguments);
        });
    if (state().broken && !state().metBroken) state().metBroken = emulator::hasBroken(*action.module->module);
    if (result.ok && timing.maximumClock > 0) {
      moment.spend(std::chrono::nanoseconds(std::llround(1e3 * double(timing.cycles) / timing.maximumClock)));
      moment.readBytes += timing.readBytes;
      moment.writtenBytes += timing.writtenBytes;
    }
    if (!result.output.empty()) { // of kernels whose launcher did not provide the memory
      std::fwrite(result.output.data(), 1, result.output.size(), stdout);
      std::fflush(stdout);
    }
    printFindings(result.findings);
    if (result.ok) return {};
    return {result.report.kind == emulator::FaultKind::OutOfBounds ? hipErrorIllegalAddress : hipErrorLaunchFailure,
            result.report.text(), action.place + action.kernel->name};
  }

  Outcome operator()(const CopyAction &copy) {
    if (copy.isEmpty()) return {};
    size_t toBytes = copy.extent(copy.toPitch, copy.toSlice), fromBytes = copy.extent(copy.fromPitch, copy.fromSlice);
    DeviceLocks locks({deviceOf(copy.to, toBytes), deviceOf(copy.from, fromBytes)});
    MemoryClock clock{moment};
    uint8_t *to = hostView(copy.to, toBytes), *from = hostView(copy.from, fromBytes);
    {
      Guard guard(state().lock);
      if (!to || !from || (toDevice(copy.kind) && !allocationOf(copy.to, toBytes)) ||
          (fromDevice(copy.kind) && !allocationOf(copy.from, fromBytes)))
        return failed(hipErrorIllegalAddress, "a copy accesses memory that was freed after the copy was queued");
    }
    for (size_t z = 0; z < copy.depth; ++z)
      for (size_t y = 0; y < copy.height; ++y)
        std::memmove(to + z * copy.toSlice + y * copy.toPitch, from + z * copy.fromSlice + y * copy.fromPitch,
                     copy.width);
    const double bytes = double(copy.width) * double(copy.height) * double(copy.depth);
    clock.end(2 * bytes, deviceOf(copy.to, toBytes) >= 0 && deviceOf(copy.from, fromBytes) >= 0);
    return {};
  }

  Outcome operator()(const FillAction &fill) {
    if (fill.isEmpty()) return {};
    DeviceLocks locks({deviceOf(fill.to, fill.extent())});
    MemoryClock clock{moment};
    uint8_t *to = hostView(fill.to, fill.extent());
    {
      Guard guard(state().lock);
      if (!to || !allocationOf(fill.to, fill.extent()))
        return failed(hipErrorIllegalAddress, "memory was freed before it was filled");
    }
    for (size_t z = 0; z < fill.depth; ++z)
      for (size_t y = 0; y < fill.height; ++y) {
        uint8_t *row = to + z * fill.slice + y * fill.pitch;
        if (fill.elementSize == 1) std::memset(row, static_cast<int>(fill.value), fill.width);
        else
          for (size_t x = 0; x < fill.width; ++x)
            std::memcpy(row + x * fill.elementSize, &fill.value, fill.elementSize);
      }
    clock.end(double(fill.rowBytes()) * double(fill.height) * double(fill.depth),
              deviceOf(fill.to, fill.extent()) >= 0);
    return {};
  }

  Outcome operator()(const HostAction &action) {
    hipError_t status;
    {
      Guard guard(state().lock);
      status = state().devices[device]->failed;
    }
    if (action.function) action.function(action.data);
    else action.callback(action.stream, status, action.data);
    return {};
  }

  Outcome operator()(const ValueAction &action) {
    for (;;) {
      {
        DeviceLocks locks({deviceOf(action.at, action.bytes)});
        uint8_t *at = hostView(action.at, action.bytes);
        if (!at) return failed(hipErrorIllegalAddress, "a stream's value was freed");
        if (!action.isWait) {
          if (action.bytes == 4)
            __atomic_store_n(reinterpret_cast<uint32_t *>(at), static_cast<uint32_t>(action.value), __ATOMIC_RELEASE);
          else __atomic_store_n(reinterpret_cast<uint64_t *>(at), action.value, __ATOMIC_RELEASE);
          return {};
        }
        uint64_t now = action.bytes == 4 ? __atomic_load_n(reinterpret_cast<uint32_t *>(at), __ATOMIC_ACQUIRE)
                                         : __atomic_load_n(reinterpret_cast<uint64_t *>(at), __ATOMIC_ACQUIRE);
        if (holds(now, action)) return {};
      }
      {
        Guard guard(state().lock);
        if (state().exiting) return {};
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  /// The numbers are unsigned. The mask is for the memory's; in Nor, for both.
  static bool holds(uint64_t now, const ValueAction &action) {
    const uint64_t value = action.value, mask = action.mask;
    switch (action.condition) {
    case hipStreamWaitValueGte: return (now & mask) >= value;
    case hipStreamWaitValueEq: return (now & mask) == value;
    case hipStreamWaitValueAnd: return (now & mask & value) != 0;
    default: return (~(now | value) & mask) != 0;
    }
  }

  /// For graphs only: a stream handles its own.
  Outcome operator()(const EventAction &action) {
    Guard guard(state().lock);
    if (action.isWait) {
      CompletionRef recorded = action.event->recorded;
      if (recorded) state().finished.wait(guard, [&] { return recorded->done || state().exiting; });
      if (recorded) moment.at = std::max(moment.at, recorded->moment.at);
      return {};
    }
    auto completion = std::make_shared<Completion>();
    completion->done = true;
    completion->moment = moment;
    if (!state().hasModelledClock) completion->moment.at = std::chrono::steady_clock::now();
    action.event->recorded = completion;
    state().finished.notify_all();
    return {};
  }

  Outcome operator()(const FreeAction &action) {
    Guard running(state().devices[device]->running), guard(state().lock);
    auto found = state().allocations.find(reinterpret_cast<uintptr_t>(action.pointer));
    if (found == state().allocations.end()) return failed(hipErrorInvalidDevicePointer, "memory was freed twice");
    state().shared->remove(found->first);
    if (found->second.device == device) state().devices[device]->device->free(found->first);
    state().allocations.erase(found);
    return {};
  }

  Outcome operator()(const GraphAction &graph) {
    const auto isNode = [](const Action &action) {
      return !std::holds_alternative<EventAction>(action) && !std::holds_alternative<EmptyAction>(action);
    };
    const std::vector<Action> &actions = graph.list->actions;
    for (size_t i = 0; i < actions.size(); ++i) {
      Outcome outcome = perform(actions[i], device, moment);
      if (outcome.error == hipSuccess) continue;
      const std::string place = outcome.place.empty() ? "" : ": " + outcome.place;
      outcome.place = "node " + std::to_string(std::count_if(actions.begin(), actions.begin() + i + 1, isNode)) +
                      " of the " + std::to_string(std::count_if(actions.begin(), actions.end(), isNode)) +
                      " of a graph" + place;
      return outcome;
    }
    return {};
  }
};

struct Checker {
  hipError_t operator()(const EmptyAction &) { return hipSuccess; }
  hipError_t operator()(const KernelAction &action) {
    const emulator::LaunchConfig &c = action.config;
    for (int i = 0; i < 3; ++i)
      if (!c.grid[i] || !c.block[i]) return refuse(hipErrorInvalidConfiguration, "a dimension of grid or block is 0");
    if (!action.module->module) return hipErrorInvalidHandle;
    std::string why = emulator::Device::refusal(*action.module->module, action.kernel->name, c, action.arguments);
    if (why.empty()) return hipSuccess;
    return refuse(action.arguments.size() < action.kernel->argumentBytes ? hipErrorInvalidValue
                                                                         : hipErrorInvalidConfiguration,
                  why);
  }
  hipError_t operator()(const CopyAction &copy) {
    if (static_cast<unsigned>(copy.kind) > hipMemcpyDefault) return hipErrorInvalidMemcpyDirection;
    if (copy.isEmpty()) return hipSuccess;
    if (copy.height > 1 && (copy.toPitch < copy.width || copy.fromPitch < copy.width)) return hipErrorInvalidPitchValue;
    hipError_t error =
        checkSide(copy.to, copy.extent(copy.toPitch, copy.toSlice), copy.kind, toDevice(copy.kind), "target");
    return error != hipSuccess ? error
                               : checkSide(copy.from, copy.extent(copy.fromPitch, copy.fromSlice), copy.kind,
                                           fromDevice(copy.kind), "source");
  }
  hipError_t operator()(const FillAction &fill) {
    if (fill.isEmpty()) return hipSuccess;
    if (fill.height > 1 && fill.pitch < fill.rowBytes()) return hipErrorInvalidPitchValue;
    return checkSide(fill.to, fill.extent(), hipMemcpyDeviceToDevice, true, "target");
  }
  hipError_t operator()(const HostAction &) { return hipSuccess; }
  hipError_t operator()(const ValueAction &action) {
    if (reinterpret_cast<uintptr_t>(action.at) % action.bytes || action.condition > hipStreamWaitValueNor)
      return hipErrorInvalidValue;
    return checkSide(action.at, action.bytes, hipMemcpyDeviceToDevice, true, "value");
  }
  hipError_t operator()(const EventAction &) { return hipSuccess; }
  hipError_t operator()(const FreeAction &) { return hipSuccess; }
  hipError_t operator()(const GraphAction &graph) {
    for (const Action &each : graph.list->actions)
      if (hipError_t error = check(each); error != hipSuccess) return error;
    return hipSuccess;
  }
};

} // namespace

Outcome perform(const Action &action, int device, Moment &moment) {
  return std::visit(Performer{device, moment}, action);
}
hipError_t check(const Action &action) { return std::visit(Checker{}, action); }

bool isPageable(const CopyAction &copy) {
  return !copy.isEmpty() && (!allocationOf(copy.to, copy.extent(copy.toPitch, copy.toSlice)) ||
                             !allocationOf(copy.from, copy.extent(copy.fromPitch, copy.fromSlice)));
}

/// A size beyond this is a mistake: the buffer is not even read.
static constexpr size_t mostArgumentBytes = 1 << 20;

bool gatherArguments(const LoadedKernel &kernel, void **parameters, void **extra, std::string &block) {
  if (extra) {
    const void *buffer = nullptr;
    size_t size = 0;
    for (int i = 0; i < 8 && extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
      if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[i + 1];
      else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1])
        size = *static_cast<const size_t *>(extra[i + 1]);
      else return false;
    }
    if ((!buffer && size) || size > mostArgumentBytes) return false;
    block.assign(static_cast<const char *>(buffer), size);
    return true;
  }
  if (!parameters && !kernel.arguments.empty()) return false;
  block.assign(kernel.argumentBytes, '\0');
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const ArgumentSlot &slot = kernel.arguments[i];
    if (!parameters[i] || uint64_t(slot.offset) + slot.size > block.size()) return false;
    std::memcpy(block.data() + slot.offset, parameters[i], slot.size);
  }
  return true;
}

} // namespace fly::hip_emulated
