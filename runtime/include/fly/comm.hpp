// Ranks for kernels of several devices (kernels/comm): memory that all ranks access, the device arrays of pointers to it,
// and the signal blocks by which workgroups meet.
//
//     fly::comm::group ranks({0, 1, 2, 3});                     all ranks in this process, one for each device; or
//     fly::comm::group ranks(rank, world, gather);              one rank of several processes, on the current device
//     ranks.load(all_reduce_module());
//     auto x = ranks.allocate<fly_bf16>(n);
//     for (int r : ranks.here()) {                              the ranks of this process
//       ranks.use(r);                                           the current device is now that of rank r
//       fly::check(all_reduce_all_reduce_4(stream[r], x.pointers(r), temporary.pointers(r), ranks.signals(r), out[r], x[r], r, n));
//     }
//
// `gather` gives each process what all have: fly::comm::file_gather (fly/comm_file.hpp), or a function of the program.
// Functions that are marked *together* are called by all processes, in the same order; what one of them cannot do is an
// error in all. A group belongs to one thread, except for `pointers`, `signals`, `use` and `add_later`.
#pragma once

#include "fly/comm_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace fly::comm {

/// Of a signal block, for every architecture: fly.comm.SIGNALS.
constexpr size_t signal_bytes = 4 * (2 * 512 * most_ranks + 512);

/// Bytes of the temporary memory of a rank that any way of all_reduce needs for an x of so many bytes.
constexpr size_t temporary_bytes(size_t bytes, int world) {
  const size_t ranks = static_cast<size_t>(world), share = (bytes / 16 + ranks - 1) / ranks;
  return (2 * ranks * share + ranks) * 16;
}

enum class kind { ordinary, uncached };

class group;

/// Memory of each rank that all ranks access; a view, whose memory and pointers belong to the group.
template <typename T> class shared {
public:
  shared() = default;
  /// The memory of a rank of this process.
  T *operator[](int rank) const;
  device_span<T> span(int rank) const { return {(*this)[rank], count}; }
  size_t size() const noexcept { return count; }
  /// The device array of pointers, one for each rank, in memory of `rank`, which must be one of this process.
  const void *pointers(int rank) const;

private:
  friend class group;
  shared(group *owner, size_t slot, size_t count) : owner(owner), slot(slot), count(count) {}
  group *owner = nullptr;
  size_t slot = 0, count = 0;
};

class group {
public:
  /// All ranks in this process: rank r has device devices[r]. `most_arrays`: how many arrays of pointers there can be.
  explicit group(const std::vector<int> &devices, size_t most_arrays = 1024)
      : world_size(static_cast<int>(devices.size())), slots(most_arrays) {
    check_world();
    for (int r = 0; r < world_size; ++r) {
      for (int q = 0; q < r; ++q)
        if (devices[static_cast<size_t>(q)] == devices[static_cast<size_t>(r)])
          refuse(FLY_ERROR_ARGUMENT, "rank " + text(q) + " and rank " + text(r) + " are both on device " +
                                         text(devices[static_cast<size_t>(r)]) +
                                         ": kernels of one device may run one after the other, and never meet");
      members.push_back({r, devices[static_cast<size_t>(r)], nullptr, nullptr, 0});
    }
    setup();
  }

  /// Rank `rank` of `world`, in this process, on the current device. *Together.*
  template <typename Gather, typename = std::enable_if_t<std::is_invocable_v<Gather, const void *, size_t, void *>>>
  group(int rank, int world, Gather gather, size_t most_arrays = 1024)
      : world_size(world), others(rank, world, std::move(gather)), slots(most_arrays) {
    check_world();
    if (rank < 0 || rank >= world)
      refuse(FLY_ERROR_ARGUMENT, "rank " + text(rank) + " of " + text(world));
    int device = 0;
    check(fly_get_device(&device));
    members.push_back({rank, device, nullptr, nullptr, 0});
    setup();
  }

  group(const group &) = delete;
  group &operator=(const group &) = delete;
  /// As `close`, but after an error, this process frees what it has and asks no other.
  ~group() {
    if (is_open && !is_stuck && std::uncaught_exceptions() == unwinding) {
      try {
        close();
      } catch (const std::exception &) { // another rank has ended
      }
    }
    clear();
  }

  int world() const noexcept { return world_size; }
  /// The ranks of this process.
  std::vector<int> here() const {
    std::vector<int> ranks;
    for (const member &m : members)
      ranks.push_back(m.rank);
    return ranks;
  }
  int device(int rank) const { return members[index(rank)].device; }
  /// Makes the device of `rank` the calling thread's current one.
  void use(int rank) const { check(fly_set_device(device(rank))); }
  /// Calls `work(rank)` for each rank of this process, with its device as the current one, the first in this thread and
  /// each other in one of its own. Returns when all are done; then throws what one of them has thrown.
  template <typename Work> void on_each(const Work &work) const {
    std::vector<std::future<void>> done;
    for (int rank : here())
      done.push_back(std::async(done.empty() ? std::launch::deferred : std::launch::async, [this, &work, rank] {
        use(rank);
        work(rank);
      }));
    for (std::future<void> &one : done)
      one.wait();
    for (std::future<void> &one : done)
      one.get();
  }
  /// Loads a module on the device of each rank of this process. A launch that has to load it may wait for a kernel that
  /// waits for this launch.
  void load(fly_module *module) const {
    each([&](const member &) { check(fly_module_load(module)); });
  }
  /// The device array of signal blocks, in memory of `rank`.
  const void *signals(int rank) const { return array(signal_slot, rank); }

  /// Memory of `count` elements on each rank, whose content is undefined. *Together.*
  template <typename T> shared<T> allocate(size_t count, kind of = kind::ordinary) {
    if (count > SIZE_MAX / sizeof(T))
      refuse(FLY_ERROR_ARGUMENT, "memory of " + std::to_string(count) + " elements");
    return {this, allocate_bytes(count * sizeof(T), of, false), count};
  }
  /// Memory of the program, `own[i]` of the i-th rank of this process. It may be in the middle of an allocation of
  /// fly_malloc or hipMalloc, or null. *Together.*
  template <typename T> shared<T> add(const std::vector<T *> &own, size_t count) {
    return {this, add_memory({own.begin(), own.end()}, count * sizeof(T), false, 1), count};
  }
  template <typename T> shared<T> add(T *own, size_t count) { return add(std::vector<T *>{own}, count); }

  /// While a stream of `rank` is captured: the device array for memory of this rank. Its pointers are null until all
  /// ranks have called `finish`, which comes before the first replay. All ranks add as many, in the same order.
  const void *add_later(int rank, void *own) {
    const size_t i = index(rank);
    std::lock_guard<std::mutex> guard(lock);
    const size_t position = members[i].added;
    if (position == later.size())
      later.push_back(take_slot());
    ++members[i].added;
    entries[later[position]].own[i] = own;
    return array(later[position], rank);
  }
  /// Writes the pointers of `add_later`. *Together*, after the captures.
  void finish() {
    for (const member &m : members)
      if (m.added != members[0].added)
        refuse(FLY_ERROR_RANK, "rank " + text(m.rank) + " has added memory " + std::to_string(m.added) +
                                   " times, rank " + text(members[0].rank) + " " + std::to_string(members[0].added) +
                                   " times");
    const std::vector<size_t> now = std::exchange(later, {});
    for (member &m : members)
      m.added = 0;
    connect("finish", 2, now);
  }

  /// Waits for a stream of `rank`, at most `seconds`. On a GPU, a kernel that waits for a rank that never comes does not
  /// end: this is how a program learns of it. `ended` tells the rank whose process has ended, or -1, and is asked
  /// while waiting (file_gather has it). After such an error the process should end, and frees nothing.
  void wait(int rank, fly_stream stream, double seconds, const std::function<int()> &ended = nullptr) {
    use(rank);
    const auto begin = std::chrono::steady_clock::now();
    for (int turn = 0;; ++turn) {
      bool is_done = false;
      check(fly_stream_done(&is_done, stream));
      if (is_done)
        return check(fly_stream_synchronize(stream));
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      const int lost = ended && turn % 16 == 15 ? ended() : -1;
      if (lost >= 0 || passed.count() > seconds) {
        is_stuck = true;
        refuse(FLY_ERROR_RANK, "the stream of rank " + text(rank) + " is not done" +
                                   (lost >= 0 ? ", and rank " + text(lost) + " has ended"
                                              : " after " + std::to_string(passed.count()) +
                                                    " s; has each rank launched the same kernels?"));
      }
      std::this_thread::sleep_for(std::chrono::microseconds(turn < 100 ? 20 : 500));
    }
  }

  /// Frees memory of `allocate`, or forgets that of `add`. *Together*, when no kernel uses it.
  template <typename T> void release(shared<T> &memory) {
    synchronize();
    others.agree("release", 3, memory.slot);
    others.close(entries.at(memory.slot).opened);
    others.agree("release", 4, memory.slot); // none has it open: it can be freed
    free_slot(memory.slot);
    memory = {};
  }

  /// Waits for the devices, closes what other processes own, and then frees. *Together.*
  void close() {
    synchronize();
    others.agree("close", 5, entries.size());
    for (auto &e : entries)
      others.close(e.second.opened);
    others.agree("close", 6, 0);
    clear();
  }

private:
  template <typename T> friend class shared;
  static constexpr size_t array_bytes = most_ranks * sizeof(void *), signal_slot = 0;

  struct member { // a rank of this process
    int rank, device;
    fly_stream stream; ///< for the arrays alone: waits for no kernel
    unsigned char *arrays;
    size_t added; ///< by add_later, since `finish`
  };
  struct entry {             // an array of pointers
    std::vector<void *> own; ///< of each member
    bool is_owned = false;
    opened_list opened; ///< of other processes
  };
  void check_world() const {
    if (world_size < 1 || world_size > most_ranks)
      refuse(FLY_ERROR_ARGUMENT, text(world_size) + " ranks: there can be 1 to " + text(most_ranks));
  }
  size_t index(int rank) const {
    for (size_t i = 0; i < members.size(); ++i)
      if (members[i].rank == rank)
        return i;
    refuse(FLY_ERROR_ARGUMENT, "rank " + text(rank) + " is none of this process");
  }
  const void *array(size_t slot, int rank) const { return members[index(rank)].arrays + slot * array_bytes; }
  void *own(size_t slot, int rank) const {
    std::lock_guard<std::mutex> guard(lock);
    return entries.at(slot).own[index(rank)];
  }

  /// Does something on the device of each member; the current device stays.
  template <typename Work> void each(Work work) const {
    int before = 0;
    check(fly_get_device(&before));
    std::exception_ptr failure;
    try {
      for (const member &m : members) {
        check(fly_set_device(m.device));
        work(m);
      }
    } catch (...) {
      failure = std::current_exception();
    }
    fly_set_device(before);
    if (failure)
      std::rethrow_exception(failure);
  }
  void synchronize() const {
    each([](const member &) { check(fly_synchronize()); });
  }

  void setup() {
    try {
      failure failed;
      try {
        if (slots < 1)
          refuse(FLY_ERROR_ARGUMENT, "room for no array of pointers");
        prepare();
      } catch (const error &e) {
        failed = {e.status(), e.what()};
      }
      others.agree("set up", 1, slots, failed);
      const size_t slot = allocate_bytes(signal_bytes, kind::uncached, true);
      if (slot != signal_slot)
        refuse(FLY_ERROR_ARGUMENT, "the signals are not the first");
    } catch (...) {
      clear();
      throw;
    }
  }
  void prepare() {
    each([&](const member &m) {
      char name[32];
      check(fly_device_architecture(name, sizeof name));
      if (!others.architecture.empty() && others.architecture != name)
        refuse(FLY_ERROR_ARGUMENT,
               "rank " + text(m.rank) + " has a device of " + name + ", those before it of " + others.architecture);
      others.architecture = name;
      for (const member &other : members) {
        int can = 0;
        if (other.rank == m.rank)
          continue;
        check(fly_can_access_peer(&can, m.device, other.device));
        if (!can)
          refuse(FLY_ERROR_ARGUMENT, "rank " + text(m.rank) + " (device " + text(m.device) +
                                         ") cannot access memory of rank " + text(other.rank) + " (device " +
                                         text(other.device) + ")");
        check(fly_enable_peer_access(other.device));
      }
    });
    each([&](const member &m) {
      member &made = members[index(m.rank)];
      void *memory = nullptr;
      check(fly_stream_create(&made.stream));
      check(fly_malloc(&memory, slots * array_bytes));
      made.arrays = static_cast<unsigned char *>(memory);
      check(fly_fill_zero(memory, slots * array_bytes, made.stream));
      check(fly_stream_synchronize(made.stream));
    });
  }

  size_t take_slot() {
    size_t slot = 0;
    while (entries.count(slot))
      ++slot;
    if (slot >= slots)
      refuse(FLY_ERROR_MEMORY,
             "there are " + std::to_string(slots) + " arrays of pointers already; give the group room for more");
    entries[slot].own.assign(members.size(), nullptr);
    return slot;
  }

  size_t allocate_bytes(size_t bytes, kind of, bool is_zero) {
    if (is_stuck)
      refuse(FLY_ERROR_RANK, "no memory after a wait that has failed");
    std::vector<void *> memory(members.size(), nullptr);
    failure failed;
    size_t done = 0;
    try {
      each([&](const member &m) {
        void *&here = memory[done++];
        check((of == kind::uncached ? fly_malloc_uncached : fly_malloc)(&here, bytes ? bytes : 1));
        if (is_zero) {
          check(fly_fill_zero(here, bytes, m.stream));
          check(fly_stream_synchronize(m.stream));
        }
      });
    } catch (const error &e) {
      failed = {e.status(), e.what()};
    }
    return add_memory(memory, bytes, true, 7, failed);
  }

  size_t add_memory(const std::vector<void *> &own, size_t bytes, bool is_owned, uint32_t step, failure failed = {}) {
    const char *what = is_owned ? "allocate" : "add";
    if (own.size() != members.size())
      refuse(FLY_ERROR_ARGUMENT,
             std::to_string(own.size()) + " pointers for " + std::to_string(members.size()) + " ranks of this process");
    size_t slot = slots;
    try {
      try {
        std::lock_guard<std::mutex> guard(lock);
        slot = take_slot();
        entries[slot].own = own;
        entries[slot].is_owned = is_owned;
      } catch (const error &e) {
        failed = {e.status(), e.what()};
      }
      others.agree(what, step, bytes, failed);
      connect(what, 8, {slot});
    } catch (...) {
      for (void *memory : own)
        if (slot == slots && is_owned && memory)
          fly_free(memory);
      free_slot(slot);
      throw;
    }
    return slot;
  }

  /// Exchanges the addresses of entries, opens those of other processes, and writes the arrays.
  void connect(const char *what, uint32_t step, const std::vector<size_t> &now) {
    std::vector<void *> own;
    for (size_t slot : now)
      own.push_back(entries[slot].own[0]);
    const std::vector<processes::address> all = others.all_addresses(what, step, own);
    failure failed;
    try {
      for (size_t i = 0; i < now.size(); ++i) {
        entry &e = entries[now[i]];
        each([&](const member &m) {
          void *pointers[most_ranks] = {};
          for (size_t r = 0; r < static_cast<size_t>(world_size); ++r)
            if (!others)
              pointers[r] = e.own[r];
            else if (static_cast<int>(r) == m.rank)
              pointers[r] = e.own[0];
            else
              pointers[r] = others.open(static_cast<int>(r), all[r * now.size() + i], e.opened);
          check(fly_copy_to_device_async(m.arrays + now[i] * array_bytes, pointers, sizeof pointers, m.stream));
          check(fly_stream_synchronize(m.stream));
        });
      }
    } catch (const error &e) {
      failed = {e.status(), e.what()};
    }
    others.agree(what, step + 16, now.size(), failed); // also: none is used before all are there
  }

  void free_slot(size_t slot) noexcept {
    std::lock_guard<std::mutex> guard(lock);
    auto found = entries.find(slot);
    if (found == entries.end())
      return;
    others.close(found->second.opened);
    for (void *memory : found->second.own)
      if (memory && found->second.is_owned)
        fly_free(memory);
    entries.erase(found);
  }
  /// Frees everything, without the others.
  void clear() noexcept {
    is_open = false;
    if (is_stuck)
      return; // freeing would wait for the device
    while (!entries.empty())
      free_slot(entries.begin()->first);
    for (member &m : members) {
      if (m.arrays)
        fly_free(m.arrays);
      if (m.stream)
        fly_stream_destroy(m.stream);
      m.arrays = nullptr;
      m.stream = nullptr;
    }
  }

  int world_size;
  processes others;
  size_t slots;
  std::vector<member> members;
  std::map<size_t, entry> entries; ///< by the number of the array
  std::vector<size_t> later;       ///< arrays of add_later
  mutable std::mutex lock;         ///< of `entries` and `later`
  bool is_open = true, is_stuck = false;
  const int unwinding = std::uncaught_exceptions();
};

template <typename T> T *shared<T>::operator[](int rank) const { return static_cast<T *>(owner->own(slot, rank)); }
template <typename T> const void *shared<T>::pointers(int rank) const { return owner->array(slot, rank); }

} // namespace fly::comm
