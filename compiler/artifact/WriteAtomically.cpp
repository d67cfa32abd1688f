// writeAtomically: several files appear whole, or none of them changes.
//
//   1. write every content to a temporary beside its target (same file system, so that a rename is atomic);
//   2. keep a hard link to each target that is there already;
//   3. rename the temporaries over the targets;
//   4. on a failure on the way, put the kept ones back and remove what was not there before.
// A process killed between 1 and 3 leaves hidden temporaries, never half a target; killed inside 3, whole files of
// which some are new.
#include "compiler/artifact/ModuleInfo.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace fly::artifact {

namespace {

namespace fs = llvm::sys::fs;

struct Pending {
  std::string target;
  llvm::SmallString<128> temporary, kept; ///< empty: none
  bool renamed = false;
};

llvm::SmallString<128> hiddenModel(llvm::StringRef target) {
  llvm::SmallString<128> model(llvm::sys::path::parent_path(target));
  llvm::sys::path::append(model, "." + llvm::sys::path::filename(target) + "-%%%%%%%%");
  return model;
}

std::string writeTemporary(const OutputFile &file, Pending &pending) {
  llvm::StringRef folder = llvm::sys::path::parent_path(file.path);
  if (!folder.empty())
    if (std::error_code error = fs::create_directories(folder))
      return folder.str() + ": " + error.message();
  if (fs::is_directory(file.path))
    return file.path + ": is a directory";
  int descriptor = -1;
  if (std::error_code error = fs::createUniqueFile(hiddenModel(file.path), descriptor, pending.temporary,
                                                   fs::OF_None, 0666))
    return file.path + ": " + error.message();
  llvm::raw_fd_ostream out(descriptor, /*shouldClose=*/true);
  out << file.content;
  out.close();
  if (out.has_error()) {
    std::string text = file.path + ": " + out.error().message();
    out.clear_error();
    return text;
  }
  return "";
}

std::string keepOld(Pending &pending) {
  if (!fs::exists(pending.target))
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

std::string writeAtomically(const std::vector<OutputFile> &files) {
  std::vector<Pending> all(files.size());
  std::string problem;
  for (size_t i = 0; i < files.size() && problem.empty(); ++i) {
    all[i].target = files[i].path;
    problem = writeTemporary(files[i], all[i]);
  }
  for (size_t i = 0; i < all.size() && problem.empty(); ++i)
    problem = keepOld(all[i]);
  for (size_t i = 0; i < all.size() && problem.empty(); ++i) {
    if (std::error_code error = fs::rename(all[i].temporary, all[i].target))
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
