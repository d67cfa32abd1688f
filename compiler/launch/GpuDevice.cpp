// See GpuDevice.h.
#include "compiler/launch/GpuDevice.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace fly::driver {

double GpuTimes::median() const {
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  return sorted.empty() ? 0 : sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::unique_ptr<GpuDevice> GpuDevice::open(const target::Target &target, std::string &problem) {
  setenv("FLY_DEVICE", "gpu", /*overwrite=*/1); // the emulator is no GPU
  int count = 0;
  if (fly_device_count(&count) != FLY_OK) {
    problem = fly_error();
    return nullptr;
  }
  std::string others;
  for (int device = 0; device < count; ++device) {
    char architecture[32] = "", name[256] = "";
    std::unique_ptr<GpuDevice> gpu(new GpuDevice);
    if (fly_set_device(device) != FLY_OK || fly_device_architecture(architecture, sizeof architecture) != FLY_OK)
      continue;
    if (target.name != architecture) {
      others += (others.empty() ? "" : ", ") + std::string(architecture);
      continue;
    }
    if (fly_device_name(name, sizeof name) == FLY_OK && fly_device_compute_units(&gpu->units) == FLY_OK &&
        fly_event_create(&gpu->begin) == FLY_OK && fly_event_create(&gpu->end) == FLY_OK) {
      gpu->deviceName = name;
      return gpu;
    }
    problem = fly_error();
    return nullptr;
  }
  problem =
      others.empty() ? fly_error() : "no GPU of this machine is a " + std::string(target.name) + ": found " + others;
  return nullptr;
}

GpuDevice::~GpuDevice() {
  if (isLost())
    return; // each call would wait for the kernel
  if (begin)
    (void)fly_event_destroy(begin);
  if (end)
    (void)fly_event_destroy(end);
  for (auto &[bytes, object] : objects)
    (void)fly_object_close(object);
}

uint64_t GpuDevice::allocate(uint64_t bytes) {
  void *pointer = nullptr;
  return !isLost() && bytes && fly_malloc(&pointer, bytes) == FLY_OK ? uint64_t(pointer) : 0;
}

constexpr std::chrono::microseconds maximumPause{2000}; ///< between two questions whether a launch has ended

static void *pointerOf(uint64_t address) { return reinterpret_cast<void *>(address); }

bool GpuDevice::free(uint64_t address) { return !address || isLost() || fly_free(pointerOf(address)) == FLY_OK; }

bool GpuDevice::write(uint64_t address, const void *from, uint64_t bytes) {
  return !bytes || (!isLost() && fly_copy_to_device(pointerOf(address), from, bytes) == FLY_OK);
}

bool GpuDevice::read(uint64_t address, void *to, uint64_t bytes) {
  return !bytes || (!isLost() && fly_copy_to_host(to, pointerOf(address), bytes) == FLY_OK);
}

bool GpuDevice::fill(uint64_t address, uint8_t byte, uint64_t bytes) {
  return !bytes || fly_fill(pointerOf(address), byte, bytes, nullptr) == FLY_OK;
}

const fly_kernel *GpuDevice::kernelOf(const std::string &codeObject, const std::string &symbol) {
  fly_object *&object = objects[codeObject];
  if (!object && fly_object_open_memory(&object, codeObject.data(), codeObject.size()) != FLY_OK)
    return nullptr;
  const fly_kernel *kernel = nullptr;
  return fly_object_kernel(object, symbol.c_str(), &kernel) == FLY_OK ? kernel : nullptr;
}

bool GpuDevice::launch(const std::string &codeObject, const std::string &symbol, const std::array<uint32_t, 3> &grid,
                       const std::array<uint32_t, 3> &block, uint32_t dynamicLds, const std::string &arguments) {
  const fly_kernel *kernel = kernelOf(codeObject, symbol);
  if (!kernel)
    return false;
  fly_launch launch{};
  for (size_t axis = 0; axis < 3; ++axis) {
    launch.grid[axis] = grid[axis];
    launch.block[axis] = block[axis];
  }
  launch.dynamic_lds = dynamicLds;
  launch.arguments = arguments.data();
  launch.argument_bytes = arguments.size();
  return fly_kernel_launch(kernel, &launch, nullptr) == FLY_OK;
}

void GpuDevice::forget(const std::string &codeObject) {
  if (auto known = objects.find(codeObject); known != objects.end() && !isLost()) {
    (void)fly_object_close(known->second);
    objects.erase(known);
  }
}

/// What the process was about, for its last words.
static char work[512];

static void sayWhatRan(int) {
  // No memory, no streams: the process is in an unknown state.
  const char *parts[] = {"\nflyc: the process is aborted during ", work,
                         "; if HIP has just reported a fault of the GPU, that is where it happened\n"};
  for (const char *part : parts)
    (void)!::write(STDERR_FILENO, part, std::strlen(part));
}

void GpuDevice::name(const std::string &what) {
  std::snprintf(work, sizeof work, "%s", what.c_str());
  struct sigaction action{};
  action.sa_handler = sayWhatRan;
  action.sa_flags = static_cast<int>(SA_RESETHAND); // then abort() ends the process as it would have
  (void)sigaction(SIGABRT, &action, nullptr);
}

void GpuDevice::probe() {
  if (!isLost() && fly_synchronize() != FLY_OK)
    lost = fly_error();
}

bool GpuDevice::synchronize() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (auto pause = std::chrono::microseconds(20); secondsAtMost; pause = std::min(2 * pause, maximumPause)) {
    bool done = false;
    if (fly_stream_done(&done, nullptr) != FLY_OK)
      return false;
    if (done)
      break;
    if (Clock::now() - start > std::chrono::seconds(secondsAtMost)) {
      lost = "a launch has not ended after " + std::to_string(secondsAtMost) + " s: the GPU may hang";
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
  return fly_synchronize() == FLY_OK;
}

std::optional<GpuTimes> GpuDevice::measure(unsigned warmUp, unsigned repeat, const std::function<bool()> &before,
                                           const std::function<bool()> &body) {
  // Other processes of a search compile meanwhile, but do not measure.
  llvm::SmallString<128> path;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
  llvm::sys::path::append(path, "flyc-gpu-" + std::to_string(getuid()) + ".lock");
  const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  llvm::scope_exit unlock([&] { ::close(lock); });
  if (lock >= 0)
    (void)flock(lock, LOCK_EX);
  GpuTimes times;
  for (unsigned run = 0; run < warmUp + repeat; ++run) {
    float milliseconds = 0;
    const bool good = before() && fly_event_record(begin, nullptr) == FLY_OK && body() &&
                      fly_event_record(end, nullptr) == FLY_OK && synchronize() &&
                      fly_event_milliseconds(&milliseconds, begin, end) == FLY_OK;
    if (!good)
      return std::nullopt;
    if (run >= warmUp)
      times.samples.push_back(double(milliseconds) * 1000);
  }
  return times;
}

} // namespace fly::driver
