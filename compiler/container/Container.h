// Finds the AMD GPU code objects in a file, whatever the file is: a code object itself, bundles of them (compressed or
// not, several in a row), LLVM's offload binaries, programs and libraries of the host with such in their sections, and
// archives of any of these.
//
//     struct List : Visitor {
//       bool object(const Found &found) override { llvm::outs() << found.path << '\n'; return true; }
//       void damage(const std::string &path, const std::string &what) override { llvm::errs() << what << '\n'; }
//     } list;
//     Contents contents = walk(bytes, list);            // ":.hip_fatbin[3]:hipv4-amdgcn-amd-amdhsa--gfx90a"
//
// Not trivial because files are large, and may be damaged or made to do harm. Code objects are handed out one at a
// time, as views of the given bytes; only a compressed bundle is in memory of its own, until the next one. Damage ends
// what it is in, and the walk goes on after that. docs/report.md shows the paths.
#pragma once

#include "compiler/container/Bundle.h"

#include <string>

namespace fly::container {

struct Found {
  /// Where in the file, to be put after its name: ":.hip_fatbin[3]:hipv4-amdgcn-amd-amdhsa--gfx90a",
  /// "(scale.o):.hip_fatbin[0]:..."; empty for the file itself.
  std::string path;
  llvm::StringRef bytes; ///< valid only during the call
};

class Visitor {
public:
  virtual ~Visitor() = default;
  /// false ends the walk.
  virtual bool object(const Found &found) = 0;
  /// Something in the file cannot be read; `path` as above.
  virtual void damage(const std::string &path, const std::string &what) = 0;
};

struct Limits {
  uint64_t bundle = mostInflated;     ///< bytes that one compressed bundle may inflate to
  uint64_t file = uint64_t(64) << 30; ///< and all of a file one after another
  unsigned damages = 100;             ///< after so many the rest of the file is not read
  unsigned depth = 8;                 ///< archives in archives
};

struct Contents {
  uint64_t objects = 0, damages = 0;
  std::string what; ///< without objects, what the file is: "it is text"
};

Contents walk(llvm::StringRef bytes, Visitor &visitor, const Limits &limits = {});

/// Whether a file that begins so may hold code objects; of a folder's files the others are not even opened. 32 bytes
/// are enough.
bool mayHoldObjects(llvm::StringRef beginning);

} // namespace fly::container
