// Entries on disk. See ObjectCache.h.
#include "compiler/compilation/ObjectCache.h"

#include "compiler/compilation/Backend.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"

#include <elf.h>
#include <link.h>

namespace fly::driver {

namespace fs = llvm::sys::fs;

namespace {

// pruneCache deletes only files that begin like this, temporaries of killed processes among them.
constexpr llvm::StringLiteral prefix = "llvmcache-", temporary = "llvmcache-tmp-%%%%%%%%%%%%";
constexpr llvm::StringLiteral magic = "flyc object 1\n";
constexpr uint64_t defaultBytes = 1ull << 30;

/// The linker's hash of this program, from its own program headers; empty if it was linked without.
std::string buildId() {
  std::string id;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *out) {
        for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
          const auto &header = info->dlpi_phdr[i];
          if (header.p_type != PT_NOTE)
            continue;
          const char *at = reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr), *end = at + header.p_memsz;
          while (end - at >= ptrdiff_t(sizeof(ElfW(Nhdr)))) {
            const auto &note = *reinterpret_cast<const ElfW(Nhdr) *>(at);
            const char *name = at + sizeof note, *content = name + (note.n_namesz + 3) / 4 * 4;
            if (note.n_type == NT_GNU_BUILD_ID && llvm::StringRef(name, note.n_namesz) == llvm::StringRef("GNU\0", 4))
              *static_cast<std::string *>(out) = std::string(content, note.n_descsz);
            at = content + (note.n_descsz + 3) / 4 * 4;
          }
        }
        return 1; // the first object is the program
      },
      &id);
  return id;
}

/// Parts with their lengths, so that no two lists of parts are one text.
class Hash {
public:
  void add(llvm::StringRef part) {
    uint64_t size = part.size();
    hash.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&size), sizeof size));
    hash.update(part);
  }
  std::string bytes() {
    auto digest = hash.final();
    return std::string(reinterpret_cast<const char *>(digest.data()), digest.size());
  }

private:
  llvm::SHA256 hash;
};

/// The start of an entry: the key and a hash of the content.
std::string sealOf(llvm::StringRef key, llvm::StringRef content) {
  Hash hash;
  hash.add(key);
  hash.add(content);
  return magic.str() + hash.bytes();
}

std::string pathOf(const std::string &folder, const std::string &key) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, prefix + key);
  return std::string(path);
}

/// A number of bytes, with an optional suffix k, m or g; none for anything else.
std::optional<uint64_t> parseSize(llvm::StringRef text) {
  unsigned shift = 0;
  for (auto [suffix, bits] : {std::pair{"k", 10u}, std::pair{"m", 20u}, std::pair{"g", 30u}})
    if (text.consume_back_insensitive(suffix)) {
      shift = bits;
      break;
    }
  uint64_t size = 0;
  if (text.getAsInteger(10, size) || size > UINT64_MAX >> shift)
    return std::nullopt;
  return size << shift;
}

void prune(const std::string &folder, std::optional<std::chrono::seconds> interval) {
  llvm::CachePruningPolicy policy;
  policy.Interval = interval;
  policy.Expiration = std::chrono::hours(30 * 24);
  policy.MaxSizeBytes = cacheSizeLimit();
  llvm::pruneCache(folder, policy);
}

} // namespace

std::string programIdentity() { return llvm::toHex(buildId(), /*LowerCase=*/true); }

std::string cacheFolder() {
  if (auto folder = llvm::sys::Process::GetEnv("FLY_CACHE_DIR"))
    return *folder;
  llvm::SmallString<256> path;
  if (!llvm::sys::path::cache_directory(path)) // $XDG_CACHE_HOME, else ~/.cache
    return "";
  llvm::sys::path::append(path, "flyc");
  return std::string(path);
}

uint64_t cacheSizeLimit() {
  auto text = llvm::sys::Process::GetEnv("FLY_CACHE_SIZE");
  return text && !text->empty() ? parseSize(*text).value_or(defaultBytes) : defaultBytes;
}

std::string cacheSizeProblem() {
  auto text = llvm::sys::Process::GetEnv("FLY_CACHE_SIZE");
  return text && !text->empty() && !parseSize(*text) ? "FLY_CACHE_SIZE is `" + *text + "`, which is not a size" : "";
}

ObjectCache::ObjectCache(bool wanted) {
  if (!wanted)
    return;
  identity = buildId();
  if (!identity.empty())
    folder = cacheFolder();
}

ObjectCache::~ObjectCache() {
  if (stored)
    prune(folder, std::chrono::minutes(5));
}

std::string ObjectCache::keyOf(const BackendJob &job) const {
  Hash hash;
  hash.add(identity);
  hash.add(job.target->name);
  hash.add(std::to_string(job.options.optimizationLevel));
  hash.add(job.bytecode);
  hash.add(job.plantFault);
  for (auto *options : {&job.options.attributes, &job.options.globals}) {
    hash.add(std::to_string(options->size()));
    for (auto &[name, value] : *options) {
      hash.add(name);
      hash.add(value);
    }
  }
  hash.add(std::to_string(job.options.rulesOff.size()));
  for (const std::string &rule : job.options.rulesOff)
    hash.add(rule);
  hash.add(std::to_string(job.options.without.size()));
  for (const std::string &pass : job.options.without)
    hash.add(pass);
  for (auto &file : job.options.bitcode) {
    hash.add(file.name);
    hash.add(file.bytes);
  }
  return llvm::toHex(hash.bytes(), /*LowerCase=*/true);
}

std::optional<std::string> ObjectCache::find(const std::string &key) {
  const std::string path = pathOf(folder, key);
  auto buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!buffer) {
    ++misses;
    return std::nullopt;
  }
  llvm::StringRef content = (*buffer)->getBuffer();
  const size_t sealSize = magic.size() + 32;
  if (content.size() > sealSize && content.take_front(sealSize) == sealOf(key, content.drop_front(sealSize))) {
    ++hits;
    return content.drop_front(sealSize).str();
  }
  ++damaged, ++misses;
  fs::remove(path);
  return std::nullopt;
}

void ObjectCache::store(const std::string &key, llvm::StringRef object) {
  if (fs::create_directories(folder, /*IgnoreExisting=*/true, fs::owner_all))
    return;
  llvm::SmallString<256> model(folder), name;
  llvm::sys::path::append(model, temporary);
  int descriptor = -1;
  if (fs::createUniqueFile(model, descriptor, name, fs::OF_None, fs::owner_read | fs::owner_write))
    return;
  llvm::raw_fd_ostream out(descriptor, /*shouldClose=*/true);
  out << sealOf(key, object) << object;
  out.close();
  const bool failed = out.has_error();
  out.clear_error();
  if (failed || fs::rename(name, pathOf(folder, key)))
    fs::remove(name);
  else
    ++stored;
}

void ObjectCache::print(llvm::raw_ostream &os) const {
  if (!enabled())
    return;
  os << "  cache: " << hits << " found, " << misses << " compiled";
  if (damaged)
    os << ", " << damaged << " damaged";
  os << '\n';
}

CacheContents cacheContents(const std::string &folder, bool clear) {
  CacheContents found;
  for (fs::directory_iterator file(folder, found.error), end; !found.error && file != end;
       file.increment(found.error)) {
    if (!llvm::sys::path::filename(file->path()).starts_with(prefix))
      continue;
    uint64_t size = 0;
    if (fs::file_size(file->path(), size))
      continue; // another process has removed it
    if (clear && fs::remove(file->path()))
      continue;
    ++found.entries, found.bytes += size;
  }
  if (found.error == std::errc::no_such_file_or_directory)
    found.error = {};
  return found;
}

} // namespace fly::driver
