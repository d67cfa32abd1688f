// An all-gather between processes of one machine, for fly/comm.hpp: over a file that they map.
//
//     fly::comm::file_gather gather("/dev/shm/job-17", rank, world);        the same name in each process
//     gather(&mine, sizeof mine, all);                                       all[r]: what rank r has given
//
// Rank 0 creates the file, and removes its name once all have come. Each rank holds a lock of one byte of it, which the
// system releases when the process ends: so the others notice at once that a rank has ended. Linux, C++17.
#pragma once

#include "fly/runtime.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace fly::comm {

class file_gather {
public:
  /// Waits until all `world` ranks have come, at most `seconds`; so does each gather.
  file_gather(const std::string &path, int rank, int world, double seconds = 60)
      : shared(std::make_shared<state>(path, rank, world, seconds)) {}
  /// Puts `bytes` bytes of each rank into `all`, in the order of the ranks. All ranks call it, with the same size.
  void operator()(const void *mine, size_t bytes, void *all) const { shared->gather(mine, bytes, all); }
  /// A rank whose process has ended, or -1.
  int ended() const { return shared->ended(); }

private:
  static constexpr uint32_t mark = 0x66676131;
  static constexpr size_t chunk = 8192;
  /// What a rank gives. `sent` and `taken` are numbers of gathers, from 1 on.
  struct alignas(64) place {
    std::atomic<uint64_t> sent, taken;
    uint64_t bytes; ///< of the whole gather
    std::atomic<uint32_t> is_here;
    alignas(64) unsigned char data[chunk];
  };
  struct alignas(64) header {
    uint32_t mark;
    int32_t world;
  };

  struct state {
    state(const std::string &path, int rank, int world, double seconds) : path(path), rank(rank), world(world) {
      if (world < 1 || rank < 0 || rank >= world)
        fail(FLY_ERROR_ARGUMENT, "rank " + std::to_string(rank) + " of " + std::to_string(world));
      limit = std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
      bytes = sizeof(header) + sizeof(place) * static_cast<size_t>(world);
      try {
        rank == 0 ? create() : open_existing();
        gather(nullptr, 0, nullptr);
        if (rank == 0)
          unlink(path.c_str());
      } catch (...) {
        if (is_made)
          unlink(path.c_str());
        close_all();
        throw;
      }
    }
    state(const state &) = delete;
    state &operator=(const state &) = delete;
    ~state() { close_all(); }

    void gather(const void *mine, size_t size, void *all) {
      size_t done = 0;
      do { // a gather of no bytes is a meeting
        const size_t now = size - done < chunk ? size - done : chunk;
        ++number;
        place &own = place_of(rank);
        for (int r = 0; r < world; ++r) // all have taken what this rank has given before
          wait_for(r, [&] { return place_of(r).taken.load(std::memory_order_acquire) + 1 >= number; });
        own.bytes = size;
        if (now)
          std::memcpy(own.data, static_cast<const unsigned char *>(mine) + done, now);
        own.sent.store(number, std::memory_order_release);
        for (int r = 0; r < world; ++r) {
          const place &other = place_of(r);
          wait_for(r, [&] { return other.sent.load(std::memory_order_acquire) >= number; });
          if (other.bytes != size)
            fail(FLY_ERROR_RANK, "rank " + std::to_string(r) + " gathers " + std::to_string(other.bytes) +
                                     " bytes where rank " + std::to_string(rank) + " gathers " + std::to_string(size));
          if (now)
            std::memcpy(static_cast<unsigned char *>(all) + static_cast<size_t>(r) * size + done, other.data, now);
        }
        own.taken.store(number, std::memory_order_release);
        done += now;
      } while (done < size);
    }

    int ended() const {
      for (int r = 0; r < world; ++r)
        if (r != rank && place_of(r).is_here.load() && !is_locked(file, r))
          return r;
      return -1;
    }

  private:
    using clock = std::chrono::steady_clock;

    [[noreturn]] void fail(fly_status status, const std::string &text) const {
      throw error(fly_refuse(status, "%s: %s", path.c_str(), text.c_str()));
    }
    [[noreturn]] void fail_by_system(const char *what) const {
      fail(FLY_ERROR_RANK, std::string(what) + ": " + std::strerror(errno));
    }

    place &place_of(int r) const { return reinterpret_cast<place *>(memory + sizeof(header))[r]; }

    static struct flock byte_of(int r) {
      struct flock lock = {};
      lock.l_type = F_WRLCK;
      lock.l_whence = SEEK_SET;
      lock.l_start = r;
      lock.l_len = 1;
      return lock;
    }
    static bool is_locked(int descriptor, int r) {
      struct flock lock = byte_of(r);
      return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    }
    void take_place() {
      struct flock lock = byte_of(rank);
      if (fcntl(file, F_OFD_SETLK, &lock) != 0)
        fail(FLY_ERROR_RANK, "there is another rank " + std::to_string(rank));
    }

    /// Sleeps, and fails after the limit.
    template <typename Text> void pause(clock::time_point begin, int &turn, Text text) const {
      if (clock::now() - begin > limit)
        fail(FLY_ERROR_RANK, text());
      std::this_thread::sleep_for(std::chrono::microseconds(++turn < 20 ? 20 : 500));
    }
    template <typename Until> void wait_for(int r, Until until) const {
      const clock::time_point begin = clock::now();
      for (int turn = 0; !until();) {
        const bool is_here = place_of(r).is_here.load();
        if (is_here && r != rank && !is_locked(file, r) && !until()) // it may have done it last
          fail(FLY_ERROR_RANK, "rank " + std::to_string(r) + " has ended");
        pause(begin, turn, [&] {
          return "rank " + std::to_string(r) + (is_here ? " has not answered" : " has not come") + " within " +
                 std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(limit).count()) + " ms";
        });
      }
    }

    void map() {
      void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (mapped == MAP_FAILED)
        fail_by_system("cannot be mapped");
      memory = static_cast<unsigned char *>(mapped);
    }

    /// Under another name first: who finds the file finds it ready.
    void create() {
      struct stat old = {};
      header found = {};
      const int there = open(path.c_str(), O_RDONLY | O_CLOEXEC);
      if (there >= 0) { // may be what a job has left that failed
        const bool is_ours =
            fstat(there, &old) == 0 && read(there, &found, sizeof found) == sizeof found && found.mark == mark;
        const bool is_used = is_ours && is_locked(there, 0);
        close(there);
        if (!is_ours || is_used)
          fail(FLY_ERROR_RANK, is_used ? "is in use by another job" : "there is another file of this name");
      }
      const std::string early = path + "." + std::to_string(getpid());
      file = open(early.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (file < 0)
        fail_by_system("cannot be created");
      try {
        if (ftruncate(file, static_cast<off_t>(bytes)) != 0)
          fail_by_system("cannot be made large enough");
        map();
        const header made = {mark, world};
        std::memcpy(memory, &made, sizeof made);
        take_place();
        place_of(0).is_here.store(1);
        if (rename(early.c_str(), path.c_str()) != 0)
          fail_by_system("cannot be created");
        is_made = true;
      } catch (...) {
        unlink(early.c_str());
        throw;
      }
    }

    void open_existing() {
      const clock::time_point begin = clock::now();
      for (int turn = 0;; pause(begin, turn, [] { return std::string("rank 0 has not come"); })) {
        file = open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (file >= 0 && is_locked(file, 0))
          break; // else one that a failed job has left
        if (file >= 0)
          close(file);
        file = -1;
      }
      header found = {};
      if (pread(file, &found, sizeof found, 0) != sizeof found || found.mark != mark)
        fail(FLY_ERROR_RANK, "this is no file of file_gather, or of another version");
      if (found.world != world)
        fail(FLY_ERROR_RANK, "rank 0 is one of " + std::to_string(found.world) + " ranks, rank " +
                                 std::to_string(rank) + " one of " + std::to_string(world));
      map();
      take_place();
      place_of(rank).is_here.store(1);
    }

    void close_all() noexcept {
      if (memory)
        munmap(memory, bytes);
      if (file >= 0)
        close(file);
    }

    std::string path;
    int rank, world, file = -1;
    bool is_made = false; ///< by this rank, under its name
    clock::duration limit{};
    size_t bytes = 0;
    unsigned char *memory = nullptr;
    uint64_t number = 0; ///< of the last gather
  };
  std::shared_ptr<state> shared;
};

} // namespace fly::comm
