// Linux tells of each thread which system call it is in, with the arguments, and how often it has given the processor
// away. A thread that is in the same call twice, and has not run in between, was in it all the time. If that is true of
// all threads, there was a moment in which all were.
#include "runtime/emulator/device/HostThreads.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include <dirent.h>
#include <sys/syscall.h>

namespace fly::emulator {

namespace {

/// A thread that waits for a word of memory, and how often it has run.
struct Waiting {
  uint64_t word = 0, switches = 0;
  bool operator==(const Waiting &) const = default;
};

bool waits(const std::string &folder, Waiting &result) {
  std::ifstream call(folder + "/syscall");
  long number = -1;
  uint64_t word = 0, operation = 0, value = 0, limit = 1;
  if (!(call >> number) || number != SYS_futex) return false; // "running" is no number
  if (!(call >> std::hex >> word >> operation >> value >> limit) || limit) return false;
  constexpr uint64_t command = 0x7f, wait = 0, waitBits = 9, lock = 6, lockTwo = 13;
  const uint64_t which = operation & command;
  if (which != wait && which != waitBits && which != lock && which != lockTwo) return false;
  result.word = word;
  std::ifstream status(folder + "/status");
  unsigned found = 0;
  for (std::string line; std::getline(status, line);)
    if (const size_t at = line.find("ctxt_switches:"); at != std::string::npos) {
      result.switches += std::stoull(line.substr(at + std::strlen("ctxt_switches:")));
      ++found;
    }
  return found == 2;
}

/// Of each thread but these; false if one does not wait.
bool findWaiting(const std::vector<int> &threads, std::map<std::string, Waiting> &all) {
  DIR *folder = opendir("/proc/self/task");
  if (!folder) return false;
  bool allWait = true;
  for (const dirent *entry; allWait && (entry = readdir(folder));) {
    const std::string name = entry->d_name;
    if (name.front() == '.' || std::find(threads.begin(), threads.end(), std::atoi(name.c_str())) != threads.end())
      continue;
    allWait = waits("/proc/self/task/" + name, all[name]);
  }
  closedir(folder);
  return allWait;
}

} // namespace

bool allOthersWait(const std::vector<int> &threads) {
  std::map<std::string, Waiting> first, second;
  if (!findWaiting(threads, first) || !findWaiting(threads, second) || first != second) return false;
  const std::vector<HostBytes> shared = sharedWithProcesses();
  for (const auto &[name, waiting] : first) // another process could wake it
    for (const HostBytes &bytes : shared)
      if (waiting.word >= bytes.begin && waiting.word < bytes.end) return false;
  return true;
}

std::vector<HostBytes> sharedWithProcesses() {
  std::vector<HostBytes> all;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    HostBytes bytes{};
    char mode[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &bytes.begin, &bytes.end, mode) == 3 && mode[3] == 's')
      all.push_back(bytes);
  }
  return all;
}

} // namespace fly::emulator
