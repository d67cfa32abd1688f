// What the processes of a group (fly/comm.hpp) tell each other: whether each step has succeeded, and where memory is.
#pragma once

#include "fly/runtime.hpp"

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fly::comm {

constexpr int most_ranks = 8;

/// Puts `bytes` bytes of each process into `all`, in the order of the ranks.
using all_gather = std::function<void(const void *mine, size_t bytes, void *all)>;

[[noreturn]] inline void refuse(fly_status status, const std::string &why) {
  throw error(fly_refuse(status, "fly::comm: %s", why.c_str()));
}
inline std::string text(int number) { return std::to_string(number); }

/// Why a process could not do a step.
struct failure {
  fly_status status = FLY_OK;
  std::string text;
};

/// Memory of other processes that this one has open, of one array of pointers.
using opened_list = std::vector<std::pair<int, fly_ipc_handle>>;

/// The other processes of a group; none if all ranks are in one.
class processes {
public:
  processes() = default;
  processes(int rank, int world, all_gather exchange) : rank(rank), world(world), gather(std::move(exchange)) {
    if (!gather)
      refuse(FLY_ERROR_ARGUMENT, "there is no all_gather");
  }
  explicit operator bool() const noexcept { return static_cast<bool>(gather); }

  std::string architecture; ///< of all devices

  /// Tells all that this process has come to a step, and the text of its error. One's error is one of all.
  void agree(const char *what, uint32_t step, uint64_t size, const failure &failed = {}) const {
    report mine = {mark, step, rank, world, size, {}, {}};
    std::vector<report> all(static_cast<size_t>(world));
    std::snprintf(mine.architecture, sizeof mine.architecture, "%s", architecture.c_str());
    std::snprintf(mine.error, sizeof mine.error, "%s", failed.text.c_str());
    if (gather)
      gather(&mine, sizeof mine, all.data());
    if (failed.status != FLY_OK)
      throw error(fly_refuse(failed.status, "%s", failed.text.c_str()));
    for (int r = 0; gather && r < world; ++r)
      compare(std::string(what) + ": rank " + text(r), r, mine, all[static_cast<size_t>(r)]);
  }

  /// Where each process has memory: result[r * own.size() + i] is the i-th of rank r.
  struct address {
    fly_ipc_handle handle;
    uint64_t offset, is_null;
  };
  std::vector<address> all_addresses(const char *what, uint32_t step, const std::vector<void *> &own) const {
    std::vector<address> mine(own.size()), all(own.size() * static_cast<size_t>(world));
    failure failed;
    if (gather && !own.empty())
      std::memset(static_cast<void *>(mine.data()), 0, mine.size() * sizeof(address));
    for (size_t i = 0; gather && i < own.size(); ++i) {
      size_t offset = 0;
      mine[i].is_null = own[i] == nullptr;
      if (!own[i])
        continue;
      if (const fly_status status = fly_ipc_export(&mine[i].handle, &offset, own[i]); status != FLY_OK)
        failed = {status, std::string(fly_error()) + "; an allocator that maps pages anew has memory without handles"};
      mine[i].offset = offset;
    }
    agree(what, step, own.size(), failed);
    if (gather && !own.empty())
      gather(mine.data(), mine.size() * sizeof(address), all.data());
    return all;
  }

  /// Memory of rank `r`, another one, opened on the current device. An allocation is opened once.
  void *open(int r, const address &there, opened_list &opened) {
    if (there.is_null)
      return nullptr;
    const std::pair<int, fly_ipc_handle> key{r, there.handle};
    auto found = memories.find(key);
    if (found == memories.end()) {
      void *base = nullptr;
      if (fly_ipc_open(&base, &there.handle) != FLY_OK) {
        const std::string why = fly_error();
        refuse(FLY_ERROR_RANK, "memory of rank " + text(r) + " cannot be opened: " + why);
      }
      found = memories.emplace(key, memory{base, 0}).first;
    }
    ++found->second.uses;
    opened.push_back(key);
    return static_cast<unsigned char *>(found->second.base) + there.offset;
  }
  void close(opened_list &opened) noexcept {
    for (const auto &key : opened) {
      auto found = memories.find(key);
      if (found != memories.end() && --found->second.uses == 0) {
        fly_ipc_close(found->second.base);
        memories.erase(found);
      }
    }
    opened.clear();
  }

private:
  static constexpr uint32_t mark = 0x666c7963;
  struct report {
    uint32_t mark, step;
    int32_t rank, world;
    uint64_t size;
    char architecture[16], error[472];
  };
  struct memory {
    void *base;
    size_t uses;
  };
  struct order {
    bool operator()(const std::pair<int, fly_ipc_handle> &a, const std::pair<int, fly_ipc_handle> &b) const {
      return a.first != b.first ? a.first < b.first : std::memcmp(&a.second, &b.second, sizeof a.second) < 0;
    }
  };

  static void compare(const std::string &who, int r, const report &mine, const report &theirs) {
    if (theirs.mark != mark || theirs.rank != r)
      refuse(FLY_ERROR_RANK, who + " has sent something else; all_gather must give the ranks in their order");
    if (theirs.error[0])
      refuse(FLY_ERROR_RANK, who + " failed: " + std::string(theirs.error, strnlen(theirs.error, sizeof theirs.error)));
    if (theirs.world != mine.world)
      refuse(FLY_ERROR_RANK, who + " is one of " + text(theirs.world) + " ranks, this one of " + text(mine.world));
    if (std::strncmp(theirs.architecture, mine.architecture, sizeof mine.architecture) != 0)
      refuse(FLY_ERROR_RANK, who + " has a device of " + theirs.architecture + ", this one of " + mine.architecture);
    if (theirs.step != mine.step)
      refuse(FLY_ERROR_RANK, who + " does something else; all ranks do the same in the same order");
    if (theirs.size != mine.size)
      refuse(FLY_ERROR_RANK,
             who + " says " + std::to_string(theirs.size) + " where this one says " + std::to_string(mine.size));
  }

  int rank = 0, world = 0;
  all_gather gather;
  std::map<std::pair<int, fly_ipc_handle>, memory, order> memories;
};

} // namespace fly::comm
