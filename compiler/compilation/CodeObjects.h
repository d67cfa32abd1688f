// The code objects in what a path names: a file of any kind that compiler/container reads, or all such files of a
// folder. Every command that takes a code object takes these.
//
//     Objects objects(session, path, command.archs);
//     int status = objects.each([&](const std::string &name, llvm::StringRef bytes) { ... return true; });
//
// Files are mapped, and one code object at a time is handed out, so that memory does not depend on the file.
#pragma once

#include "compiler/compilation/Session.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fly::driver {

/// Called for each code object: its name ("libfoo.so:.hip_fatbin[3]:hipv4-amdgcn-amd-amdhsa--gfx90a") and bytes, which
/// are valid during the call. False ends the walk.
using EachObject = llvm::function_ref<bool(const std::string &name, llvm::StringRef bytes)>;

/// A file's bytes, mapped where that is possible, or standard input for `-`; null after a diagnostic.
std::unique_ptr<llvm::MemoryBuffer> openInput(Session &session, const std::string &path);

/// The code objects in a file that is open; those for other architectures than `archs` are left out unless that is
/// empty. The status: 0; 1 after diagnostics about what cannot be read, or if there is none; 2 if there is none for
/// `archs`.
int eachObject(Session &session, const std::string &path, llvm::StringRef bytes, const std::vector<std::string> &archs,
               EachObject each);

/// The same of all files in a folder and its folders, in the order of their names. Files that hold none are left out.
int eachObjectOfFolder(Session &session, const std::string &path, const std::vector<std::string> &archs,
                       EachObject each);

/// An error about `--kernel NAME` where only `known` exist.
void reportNoSuchKernel(Session &session, const std::string &kernel, std::vector<std::string> known);

} // namespace fly::driver
