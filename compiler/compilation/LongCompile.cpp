// See LongCompile.h.
#include "compiler/compilation/LongCompile.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace fly::driver {

constexpr std::chrono::seconds silence(4), pause(1);

LongCompile::LongCompile(std::string arch) : arch(std::move(arch)) {
  if (llvm::errs().is_displayed())
    watcher = std::thread([this] { show(); });
}

LongCompile::~LongCompile() {
  if (!watcher.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    isDone = true;
  }
  changed.notify_all();
  watcher.join();
}

void LongCompile::show() {
  const auto start = std::chrono::steady_clock::now();
  auto next = start + silence;
  bool isShown = false;
  std::unique_lock lock(mutex);
  for (; !changed.wait_until(lock, next, [&] { return isDone; }); next += pause) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(next - start).count();
    llvm::errs() << "\r\033[Kcompiling a kernel for " << arch << ": " << seconds
                 << " s; LLVM takes long for large unrolled bodies that do not fit in registers";
    isShown = true;
  }
  if (isShown)
    llvm::errs() << "\r\033[K";
}

} // namespace fly::driver
