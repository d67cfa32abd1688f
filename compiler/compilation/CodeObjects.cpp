#include "compiler/compilation/CodeObjects.h"

#include "compiler/container/Container.h"
#include "compiler/isa/CodeObject.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <set>

namespace fly::driver {

namespace {

std::string reasonOf(std::error_code error) { return llvm::StringRef(error.message()).lower(); }

/// Walks files, with what is common to all of one path.
class ObjectWalk {
public:
  ObjectWalk(Session &session, const std::vector<std::string> &archs, EachObject each)
      : session(session), archs(archs), each(each) {}

  /// The contents of a file; `what` says what it is if there is no code object in it.
  container::Contents file(const std::string &path, llvm::StringRef bytes) {
    struct Visit final : container::Visitor {
      ObjectWalk &walk;
      const std::string &path;
      Visit(ObjectWalk &walk, const std::string &path) : walk(walk), path(path) {}
      bool object(const container::Found &found) override { return walk.object(path + found.path, found.bytes); }
      void damage(const std::string &inner, const std::string &what) override { walk.refuse(path + inner, what); }
    } visit(*this, path);
    return container::walk(bytes, visit);
  }

  void refuse(const std::string &path, const std::string &what) {
    session.diags.report(diag::cannot_read, {}).arg(path).arg(what);
    status = 1;
  }

  /// When all of `path` was walked.
  int finish(const std::string &path) {
    if (taken || status || others.empty())
      return status;
    session.diags.report(diag::bad_option, {})
        .arg("--arch " + llvm::join(archs, ","))
        .arg("`" + path + "` is for " + llvm::join(others, ", "));
    return 2;
  }

  bool hasEnded() const { return ended; }
  bool hasFound() const { return taken || !others.empty() || status; }

private:
  Session &session;
  const std::vector<std::string> &archs;
  EachObject each;
  std::set<std::string> others; ///< architectures that were not asked for
  bool taken = false, ended = false;
  int status = 0;

  bool object(const std::string &name, llvm::StringRef bytes) {
    if (!archs.empty())
      if (std::string arch = isa::CodeObject::architectureOf(bytes); !llvm::is_contained(archs, arch)) {
        others.insert(arch.empty() ? "an unknown architecture" : arch);
        return true;
      }
    taken = true;
    ended = !each(name, bytes);
    return !ended;
  }
};

/// Whether the file begins as one that may hold code objects. What cannot be opened is opened again to say why.
bool mayHoldObjects(const std::string &path) {
  auto file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return true;
  }
  char beginning[32];
  auto size = llvm::sys::fs::readNativeFile(*file, beginning);
  llvm::sys::fs::closeFile(*file);
  if (!size) {
    llvm::consumeError(size.takeError());
    return true;
  }
  return container::mayHoldObjects(llvm::StringRef(beginning, *size));
}

} // namespace

std::unique_ptr<llvm::MemoryBuffer> openInput(Session &session, const std::string &path) {
  auto buffer = path == "-" ? llvm::MemoryBuffer::getSTDIN()
                            : llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (buffer)
    return std::move(*buffer);
  session.diags.report(diag::cannot_read, {}).arg(path).arg(reasonOf(buffer.getError()));
  return nullptr;
}

int eachObject(Session &session, const std::string &path, llvm::StringRef bytes, const std::vector<std::string> &archs,
               EachObject each) {
  ObjectWalk walk(session, archs, each);
  container::Contents contents = walk.file(path == "-" ? "<stdin>" : path, bytes);
  if (contents.objects == 0 && contents.damages == 0)
    walk.refuse(path, contents.what);
  return walk.finish(path);
}

int eachObjectOfFolder(Session &session, const std::string &path, const std::vector<std::string> &archs,
                       EachObject each) {
  namespace fs = llvm::sys::fs;
  ObjectWalk walk(session, archs, each);
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(path, error, /*follow_symlinks=*/false), end; it != end && !error;
       it.increment(error))
    if (fs::is_regular_file(it->path())) // also a link to one; links to folders may be endless
      files.push_back(it->path());
  if (error)
    walk.refuse(path, reasonOf(error));
  llvm::sort(files);
  for (const std::string &file : files) {
    if (walk.hasEnded() || !mayHoldObjects(file))
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (buffer)
      walk.file(file, (*buffer)->getBuffer());
    else
      walk.refuse(file, reasonOf(buffer.getError()));
  }
  if (!walk.hasFound())
    walk.refuse(path, "it is a folder without AMD GPU code");
  return walk.finish(path);
}

void reportNoSuchKernel(Session &session, const std::string &kernel, std::vector<std::string> known) {
  const auto guess = didYouMean(kernel, known);
  llvm::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  constexpr size_t mostListed = 50;
  const size_t more = known.size() - std::min(known.size(), mostListed);
  known.resize(known.size() - more);
  auto builder = session.diags.report(diag::bad_option, {});
  builder.arg("--kernel " + kernel)
      .arg(guess ? "there is no such kernel; did you mean `" + *guess + "`?" : "there is no such kernel");
  if (!known.empty())
    builder.help("choose one of " + llvm::join(known, ", ") + (more ? " and " + std::to_string(more) + " others" : ""));
}

} // namespace fly::driver
