// writeAtomically: either all files appear, complete, or none of them changes.
//
//   1. write each content to an unnamed file in its target's folder (O_TMPFILE: it vanishes with the process); when all
//      are written, give each a hidden name next to its target;
//   2. keep a hard link to each target that already exists;
//   3. rename the hidden files over the targets, in the given order;
//   4. if a step fails, restore the kept targets and remove new ones.
// A process killed in step 1 leaves nothing. Killed in the few system calls after that, it may leave complete hidden
// files, and complete targets of which the first ones are new; if the last one is new, all are. A target that exists
// and is not a regular file (/dev/null, a pipe) is written in step 3 instead. If the file system has no O_TMPFILE,
// step 1 writes directly to a file with a hidden name.
#include "compiler/artifact/ModuleInfo.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <unistd.h>

namespace fly::artifact {

namespace {

namespace fs = llvm::sys::fs;

struct Pending {
  std::string target;
  llvm::SmallString<128> temporary, kept; ///< empty: none
  int nameless = -1;                      ///< the descriptor of a file without a name
  bool renamed = false, isDevice = false;
  Pending() = default;
  Pending(const Pending &) = delete;
  ~Pending() {
    if (nameless >= 0)
      ::close(nameless);
  }
};

llvm::SmallString<128> hiddenModel(llvm::StringRef target) {
  llvm::SmallString<128> model(llvm::sys::path::parent_path(target));
  llvm::sys::path::append(model, "." + llvm::sys::path::filename(target) + "-%%%%%%%%");
  return model;
}

std::string writeTemporary(const OutputFile &file, Pending &pending) {
  pending.isDevice = isStream(file.path);
  if (pending.isDevice)
    return "";
  llvm::StringRef folder = llvm::sys::path::parent_path(file.path);
  if (!folder.empty())
    if (std::error_code error =
            fs::create_directories(folder, /*IgnoreExisting=*/true, fs::all_all)) // less what umask takes away
      return folder.str() + ": " + error.message();
  if (fs::is_directory(file.path))
    return file.path + ": is a directory";
  int descriptor = -1;
#ifdef O_TMPFILE
  if (::access("/proc/self/fd", X_OK) == 0) // nameTemporary needs it
    pending.nameless = ::open(folder.empty() ? "." : folder.str().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  descriptor = pending.nameless;
#endif
  if (descriptor < 0)
    if (std::error_code error =
            fs::createUniqueFile(hiddenModel(file.path), descriptor, pending.temporary, fs::OF_None, 0666))
      return file.path + ": " + error.message();
  llvm::raw_fd_ostream out(descriptor, /*shouldClose=*/pending.nameless < 0);
  out << file.content;
  out.flush();
  if (pending.nameless < 0)
    out.close();
  if (out.has_error()) {
    std::string text = file.path + ": " + out.error().message();
    out.clear_error();
    return text;
  }
  return "";
}

/// The hidden name of a file without one: the only way to it is through /proc.
std::string nameTemporary(Pending &pending) {
  if (pending.nameless < 0)
    return "";
  const std::string link = "/proc/self/fd/" + std::to_string(pending.nameless);
  for (int attempt = 0; attempt < 16; ++attempt) {
    llvm::SmallString<128> name;
    fs::createUniquePath(hiddenModel(pending.target), name, /*MakeAbsolute=*/false);
    if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      pending.temporary = name;
      return "";
    }
    if (errno != EEXIST)
      break;
  }
  return pending.target + ": " + std::error_code(errno, std::generic_category()).message();
}

std::string writeDevice(const OutputFile &file) {
  std::error_code error;
  llvm::raw_fd_ostream out(file.path, error, fs::CD_OpenExisting, fs::FA_Write, fs::OF_None);
  if (!error) {
    out << file.content;
    out.close();
    error = out.error();
    out.clear_error();
  }
  return error ? file.path + ": " + error.message() : "";
}

std::string keepOld(Pending &pending) {
  if (pending.isDevice || !fs::exists(pending.target))
    return "";
  llvm::SmallString<128> name;
  fs::createUniquePath(hiddenModel(pending.target), name, /*MakeAbsolute=*/false);
  if (std::error_code error = fs::create_hard_link(pending.target, name))
    if ((error = fs::copy_file(pending.target, name))) // a file system without links
      return pending.target + ": " + error.message();
  pending.kept = name;
  return "";
}

} // namespace

bool isStream(const std::string &path) {
  fs::file_status status;
  if (fs::status(path, status) || status.type() == fs::file_type::directory_file)
    return false;
  return status.type() != fs::file_type::regular_file ||
         llvm::StringRef(path).starts_with("/dev/"); // /dev/stdout may be a file
}

std::string writeAtomically(const std::vector<OutputFile> &files) {
  std::vector<Pending> all(files.size());
  std::string problem;
  for (size_t i = 0; i < files.size() && problem.empty(); ++i) {
    all[i].target = files[i].path;
    problem = writeTemporary(files[i], all[i]);
  }
  for (size_t i = 0; i < all.size() && problem.empty(); ++i)
    problem = nameTemporary(all[i]);
  for (size_t i = 0; i < all.size() && problem.empty(); ++i)
    problem = keepOld(all[i]);
  for (size_t i = 0; i < all.size() && problem.empty(); ++i) {
    if (all[i].isDevice)
      problem = writeDevice(files[i]);
    else if (std::error_code error = fs::rename(all[i].temporary, all[i].target))
      problem = all[i].target + ": " + error.message();
    else
      all[i].renamed = true;
  }
  for (Pending &pending : all) {
    if (!pending.renamed && !pending.temporary.empty())
      fs::remove(pending.temporary);
    if (!problem.empty() && pending.renamed) {
      if (pending.kept.empty())
        fs::remove(pending.target);
      else if (!fs::rename(pending.kept, pending.target))
        pending.kept.clear();
    }
    if (!pending.kept.empty())
      fs::remove(pending.kept);
  }
  return problem;
}

} // namespace fly::artifact
