// Objects of earlier runs, found by what they are made from.
//
// An entry's name is a hash of everything that the LLVM part of a compilation depends on: the flyc program (its build
// id), the architecture, the options, the elaborated kernel, linked bitcode. So an entry is never out of date, only
// unused; nothing is ever locked, and processes that make the same entry write the same bytes. An entry holds a hash of
// its content: a damaged entry is removed and made again. A cache that cannot be written is ignored; a failure of the
// cache never fails the build.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <optional>
#include <string>
#include <system_error>

namespace fly::driver {

struct BackendJob;

class ObjectCache {
public:
  /// In FLY_CACHE_DIR, $XDG_CACHE_HOME/flyc or ~/.cache/flyc. None if it is turned off, FLY_CACHE_DIR is empty, or the
  /// program has no build id.
  explicit ObjectCache(bool wanted);
  /// Holds the folder below its limit.
  ~ObjectCache();

  bool enabled() const { return !folder.empty(); }
  std::string keyOf(const BackendJob &job) const;
  std::optional<std::string> find(const std::string &key);
  void store(const std::string &key, llvm::StringRef object);
  /// A line about what was found, for `--time`.
  void print(llvm::raw_ostream &os) const;

  std::atomic<unsigned> hits{0}, misses{0}, damaged{0}, stored{0};

private:
  std::string folder, identity;
};

/// What tells this flyc from others: its build id, in hexadecimal; empty if it has none.
std::string programIdentity();
/// The folder that is used, or empty.
std::string cacheFolder();
/// The most bytes that the folder keeps, by FLY_CACHE_SIZE.
uint64_t cacheSizeLimit();
/// What is wrong with FLY_CACHE_SIZE; empty: nothing.
std::string cacheSizeProblem();

struct CacheContents {
  uint64_t entries = 0, bytes = 0;
  std::error_code error; ///< of reading the folder; none if it does not exist
};
/// Counts the objects in a folder. With `clear` it removes them, and counts those that it removed.
CacheContents cacheContents(const std::string &folder, bool clear);

} // namespace fly::driver
