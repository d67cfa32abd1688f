// The devices of the process, and calls about them that queue nothing.
#include "runtime/hip_emulated/Graph.h"

#include "compiler/target/DefaultTarget.h"
#include "compiler/target/Target.h"
#include "runtime/hip_emulated/LaunchProfiles.h"

#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <link.h>
#include <pthread.h>

namespace fly::hip_emulated {

namespace {

constexpr int maxDevices = 16;

constexpr int maxDelay = 60'000; ///< milliseconds

/// The complete text as a number within these bounds.
bool readNumber(const std::string &text, int low, int high, int &number) {
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && number >= low && number <= high;
}

void refuseStart(State &state, const char *variable, const std::string &wish, const std::string &must) {
  state.devices.clear();
  state.startError = hipErrorInvalidDevice;
  state.startReason = std::string(variable) + "=" + wish + ": must be " + must;
}

/// "gfx942" or "gfx942:2".
void readWish(State &state) {
  const char *text = std::getenv("FLY_EMULATE");
  const std::string wish(text && *text ? text : target::defaultName);
  const size_t colon = wish.find(':');
  const std::string name = wish.substr(0, colon);
  int count = 1;
  if (colon != wish.npos && !readNumber(wish.substr(colon + 1), 1, maxDevices, count))
    return refuseStart(state, "FLY_EMULATE", wish,
                       "an architecture and a number of devices from 1 to " + std::to_string(maxDevices) +
                           ", as in gfx942:2");
  state.architecture = emulator::findArchitecture(name);
  state.target = target::find(name);
  if (!state.architecture)
    return refuseStart(state, "FLY_EMULATE", wish,
                       "one of " + target::names() + ", and a number of devices, as in gfx942:2");
  state.architectureName = name;
  for (int i = 0; i < count; ++i) {
    auto made = std::make_unique<DeviceState>();
    made->device = std::make_unique<emulator::Device>(*state.architecture, static_cast<unsigned>(i), state.shared);
    state.devices.push_back(std::move(made));
  }
}

/// Which ROCm the program was linked for: the version suffix of the libamdhip64.so that it loaded, either this library
/// under that name or the real one with LD_PRELOAD.
int linkedMajor() {
  int major = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *result) {
        constexpr const char name[] = "libamdhip64.so.";
        if (const char *found = info->dlpi_name ? std::strstr(info->dlpi_name, name) : nullptr)
          *static_cast<int *>(result) = std::atoi(found + sizeof name - 1);
        return 0;
      },
      &major);
  return major;
}

void readMajor(State &state) {
  const char *wish = std::getenv("FLY_EMULATE_ROCM");
  int major = linkedMajor();
  if (wish && *wish && !readNumber(wish, 4, 7, major)) refuseStart(state, "FLY_EMULATE_ROCM", wish, "4 to 7");
  state.hipMajor = major >= 4 && major <= 7 ? major : 6;
}

void readDelay(State &state) {
  const char *wish = std::getenv("FLY_EMULATE_DELAY");
  int delay = 0;
  if (wish && *wish && !readNumber(wish, 0, maxDelay, delay))
    return refuseStart(state, "FLY_EMULATE_DELAY", wish,
                       "a number of milliseconds, at most " + std::to_string(maxDelay));
  state.delay = std::chrono::milliseconds(delay);
}

void readComputeUnits(State &state) {
  const char *wish = std::getenv("FLY_EMULATE_COMPUTE_UNITS");
  if (wish && *wish && !readNumber(wish, 1, emulator::maxComputeUnits, state.computeUnits))
    refuseStart(state, "FLY_EMULATE_COMPUTE_UNITS", wish,
                "a number from 1 to " + std::to_string(emulator::maxComputeUnits));
}

void readLimit(State &state) {
  const char *wish = std::getenv("FLY_EMULATE_LIMIT");
  if (!wish || !*wish) return;
  char *end = nullptr;
  errno = 0;
  const unsigned long long limit = std::strtoull(wish, &end, 10);
  if (*end || errno || limit == 0 || !std::isdigit(static_cast<unsigned char>(*wish)))
    refuseStart(state, "FLY_EMULATE_LIMIT", wish, "a number of wave instructions, such as 1000000000");
  else state.instructionLimit = limit;
}

void readChecks(State &state) {
  state.checks.doubts = emulator::CheckMode::Warn; // programs load objects of other compilers
  const char *wish = std::getenv("FLY_EMULATE_CHECK");
  if (!wish || !*wish) return;
  if (const std::string wrong = emulator::parseChecks(wish, state.checks); !wrong.empty())
    refuseStart(state, "FLY_EMULATE_CHECK", wish, "checks with their modes, as in wait:warn,races: " + wrong);
}

/// What a comparison with the emulator has to find (flyc test --device both).
void readBroken(State &state) {
  const char *wish = std::getenv("FLY_EMULATE_BREAK");
  if (!wish || !*wish) return;
  if (const std::string wrong = emulator::parseBreakage(wish, state.broken); !wrong.empty())
    return refuseStart(state, "FLY_EMULATE_BREAK", wish, wrong);
  if (!state.instructionLimit) state.instructionLimit = 1'000'000'000; // a broken loop may not end
  if (emulator::needsNoWaitCheck(state.broken)) state.checks.waits = emulator::CheckMode::Off;
  if (emulator::needsWeakMemory(state.broken) && state.checks.init != emulator::CheckMode::Off)
    refuseStart(state, "FLY_EMULATE_BREAK", wish, "another instruction, or FLY_EMULATE_CHECK without init");
}

void readProfile(State &state) {
  if (const std::string wrong = openProfile(); !wrong.empty())
    refuseStart(state, "FLY_EMULATE_PROFILE", std::getenv("FLY_EMULATE_PROFILE"), wrong);
}

/// What the events of a trace tell is modelled, unless asked otherwise.
void readClock(State &state) {
  const char *wish = std::getenv("FLY_EMULATE_CLOCK"), *trace = std::getenv("FLY_TRACE");
  const std::string clock = wish && *wish ? wish : trace && *trace ? "modelled" : "host";
  if (clock != "host" && clock != "modelled") return refuseStart(state, "FLY_EMULATE_CLOCK", clock, "host or modelled");
  state.hasModelledClock = clock == "modelled";
}

/// The error of a start that failed, with its reason.
hipError_t startFailure() {
  const State &s = state();
  return s.startError == hipSuccess ? hipSuccess : refuse(s.startError, s.startReason);
}

} // namespace

static State *instance; ///< never destroyed: host programs free memory in their own destructors

/// The parent's threads do not exist in a child, and its locks may be held for ever: the child starts with a state of
/// its own, without devices, in which every call is an error.
static void afterFork() {
  instance = new State;
  instance->forked = instance->exiting = true;
  instance->startError = hipErrorNotInitialized;
  instance->startReason =
      "this process is a fork of one that had used HIP; fork first, or start a new program in the child";
}

State &state() {
  static std::once_flag once;
  std::call_once(once, [] {
    instance = new State;
    readWish(*instance);
    readMajor(*instance);
    readDelay(*instance);
    readComputeUnits(*instance);
    readLimit(*instance);
    readChecks(*instance);
    readBroken(*instance);
    readProfile(*instance);
    readClock(*instance);
    pthread_atfork(nullptr, nullptr, afterFork);
  });
  return *instance;
}

hipError_t resetDevice(int device) {
  State &s = state();
  std::vector<std::shared_ptr<Stream>> streams;
  {
    Guard guard(s.lock);
    if (hipError_t error = unsafeCall(); error != hipSuccess) return error;
    if (hipError_t error = waitForDevice(guard, device); error != hipSuccess) return error;
    for (auto &[handle, stream] : s.streams)
      if (stream->device == device) streams.push_back(stream);
    for (auto &stream : streams) {
      leaveCapture(*stream);
      s.streams.erase(stream.get());
      stop(guard, *stream);
    }
  }
  std::vector<Guard> running;
  for (auto &each : s.devices) running.emplace_back(each->running);
  Guard guard(s.lock);
  for (auto module = s.modules.begin(); module != s.modules.end();) {
    if (module->second->device != device) {
      ++module;
      continue;
    }
    unloadModule(*module->second);
    module = s.modules.erase(module);
  }
  for (auto found = s.allocations.begin(); found != s.allocations.end();) {
    if (found->second.device != device || found->second.kind != MemoryKind::Device) {
      ++found;
      continue;
    }
    s.shared->remove(found->first);
    s.devices[device]->device->free(found->first);
    found = s.allocations.erase(found);
  }
  s.devices[device]->failed = hipSuccess;
  s.devices[device]->report.clear();
  s.devices[device]->peers = 0;
  s.devices[device]->limits.clear();
  return hipSuccess;
}

/// One way to wait, or none. hipDeviceLmemResizeToMax has bits of two of them.
static bool areDeviceFlags(unsigned flags) {
  if ((flags & hipDeviceLmemResizeToMax) == hipDeviceLmemResizeToMax) flags &= ~hipDeviceLmemResizeToMax;
  const unsigned schedule = flags & hipDeviceScheduleMask;
  return !(flags & ~(hipDeviceScheduleMask | hipDeviceMapHost)) && std::popcount(schedule) <= 1;
}

hipError_t setDeviceFlags(int device, unsigned flags) {
  if (!areDeviceFlags(flags)) return hipErrorInvalidValue;
  Guard guard(state().lock);
  state().devices[device]->flags = flags;
  return hipSuccess;
}

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

FLY_HIP_EXPORT hipError_t hipInit(unsigned int flags) { return done(flags ? hipErrorInvalidValue : startFailure()); }

/// HIP's numbers are major * 10^7 + minor * 10^5 + patch.
FLY_HIP_EXPORT hipError_t hipRuntimeGetVersion(int *version) {
  if (!version) return done(hipErrorInvalidValue);
  *version = state().hipMajor * 10'000'000;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDriverGetVersion(int *version) { return hipRuntimeGetVersion(version); }

FLY_HIP_EXPORT hipError_t hipGetDeviceCount(int *count) {
  if (!count) return done(hipErrorInvalidValue);
  *count = static_cast<int>(state().devices.size());
  return done(*count ? hipSuccess : state().startError != hipSuccess ? startFailure() : hipErrorNoDevice);
}
FLY_HIP_EXPORT hipError_t hipGetDevice(int *device) {
  if (!device) return done(hipErrorInvalidValue);
  *device = thread().device;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipSetDevice(int device) {
  if (!isDevice(device)) return done(hipErrorInvalidDevice);
  thread().device = device;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  if (!device) return done(hipErrorInvalidValue);
  if (!isDevice(ordinal)) return done(hipErrorInvalidDevice);
  *device = ordinal;
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipDeviceSynchronize() {
  return locked([](Guard &guard) {
    int device = thread().device;
    if (!isDevice(device)) return hipErrorNoDevice;
    if (hipError_t error = unsafeCall(); error != hipSuccess) return error;
    if (hipError_t error = waitForDevice(guard, device); error != hipSuccess) return error;
    return failureOf(device);
  });
}
FLY_HIP_EXPORT hipError_t hipDeviceReset() {
  int device = thread().device;
  return done(isDevice(device) ? resetDevice(device) : hipErrorNoDevice);
}

FLY_HIP_EXPORT hipError_t hipGetDeviceFlags(unsigned int *flags) {
  if (!flags) return done(hipErrorInvalidValue);
  if (!isDevice(thread().device)) return done(hipErrorNoDevice);
  *flags = state().devices[thread().device]->flags;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipSetDeviceFlags(unsigned int flags) {
  return done(isDevice(thread().device) ? setDeviceFlags(thread().device, flags) : hipErrorNoDevice);
}

namespace {
constexpr int stackSize = 0; // hipLimitStackSize of ROCm 5.3

/// What a limit is until it is set; null: there is no such limit.
const size_t *defaultOf(int limit) {
  static constexpr size_t stack = 64 * 1024, printing = 4 << 20, heap = 0;
  switch (limit) {
  case stackSize: return &stack; // the emulator's dynamic stack
  case hipLimitPrintfFifoSize: return &printing;
  case hipLimitMallocHeapSize: return &heap;
  }
  return nullptr;
}
} // namespace

/// Limits that the emulator stores but does not apply: kernels print through the runtime's ring, and have no heap.
FLY_HIP_EXPORT hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit) {
  return locked([&](Guard &) {
    if (!value) return hipErrorInvalidValue;
    if (!isDevice(thread().device)) return hipErrorNoDevice;
    const size_t *otherwise = defaultOf(limit);
    if (!otherwise) return hipErrorUnsupportedLimit;
    const auto &set = state().devices[thread().device]->limits;
    auto found = set.find(limit);
    *value = found == set.end() ? *otherwise : found->second;
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value) {
  return locked([&](Guard &) {
    if (!isDevice(thread().device)) return hipErrorNoDevice;
    if (!defaultOf(limit)) return hipErrorUnsupportedLimit;
    state().devices[thread().device]->limits[limit] = value;
    return hipSuccess;
  });
}
/// Hints, which GPUs of AMD ignore.
FLY_HIP_EXPORT hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) {
  return done(static_cast<unsigned>(config) <= hipFuncCachePreferEqual ? hipSuccess : hipErrorInvalidValue);
}
FLY_HIP_EXPORT hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config) {
  if (!config) return done(hipErrorInvalidValue);
  *config = hipFuncCachePreferNone;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
  return done(static_cast<unsigned>(config) <= hipSharedMemBankSizeEightByte ? hipSuccess : hipErrorInvalidValue);
}
FLY_HIP_EXPORT hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config) {
  if (!config) return done(hipErrorInvalidValue);
  *config = hipSharedMemBankSizeFourByte;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipProfilerStart() { return hipSuccess; }
FLY_HIP_EXPORT hipError_t hipProfilerStop() { return hipSuccess; }
