// The walk: what begins how is read by which reader, and its parts are walked again.
//
// Bounds, so that no file takes time or memory out of proportion: the parts of a format do not overlap (Formats.h), so
// each level of nesting passes over its bytes once, and there are few levels. A compressed bundle multiplies bytes, so
// nothing inside of one is inflated again, and all of a file together has a limit.
#include "compiler/container/Container.h"

#include "compiler/container/Bytes.h"
#include "compiler/container/Formats.h"

#include "llvm/ADT/StringMap.h"

namespace fly::container {

namespace {

/// Names of the parts of one thing, a repeated one with its number: "a.o", "a.o#2".
class Names {
public:
  std::string add(llvm::StringRef name) {
    std::string text = shown(name);
    const unsigned number = ++seen[text];
    return number == 1 ? text : text + "#" + std::to_string(number);
  }

private:
  llvm::StringMap<unsigned> seen;
};

bool isBitcode(llvm::StringRef bytes) {
  return bytes.starts_with("BC\xc0\xde") || bytes.starts_with(llvm::StringRef("\xde\xc0\x17\x0b", 4));
}
bool isSpirv(llvm::StringRef bytes) { return bytes.starts_with(llvm::StringRef("\x03\x02\x23\x07", 4)); }
bool isOfHost(llvm::StringRef id) { return id.starts_with("host-"); }

class Walk {
public:
  Walk(Visitor &visitor, const Limits &limits) : visitor(visitor), limits(limits) {}

  Contents contents;

  /// Whatever begins here. False: nothing that is known.
  bool any(llvm::StringRef bytes, const std::string &path, unsigned depth, bool isInflated) {
    if (depth > limits.depth) {
      damage(path, "it is nested more than " + std::to_string(limits.depth) + " deep");
      return true;
    }
    if (isDeviceElf(bytes))
      object(path, bytes);
    else if (isElf(bytes))
      sections(bytes, path, depth, isInflated);
    else if (isPlainBundle(bytes) || isCompressedBundle(bytes))
      bundles(bytes, path, depth, isInflated);
    else if (isOffloadBinary(bytes))
      offloadBinaries(bytes, path, depth, isInflated);
    else if (isArchive(bytes))
      archive(bytes, path, depth, isInflated);
    else
      return false;
    return true;
  }

private:
  Visitor &visitor;
  const Limits &limits;
  uint64_t inflated = 0;
  bool stopped = false;

  void object(const std::string &path, llvm::StringRef bytes) {
    ++contents.objects;
    if (!visitor.object({path, bytes}))
      stopped = true;
  }

  void damage(const std::string &path, const std::string &what) {
    if (stopped)
      return;
    visitor.damage(path, what);
    if (++contents.damages < limits.damages)
      return;
    visitor.damage("", "too much of it is damaged; the rest is not read");
    stopped = true;
  }
  void damage(const std::string &path, llvm::Error error) { damage(path, llvm::toString(std::move(error))); }

  /// An entry for some target: a code object, something that holds them, or the compiler's own forms, which are left
  /// out.
  void entry(llvm::StringRef id, llvm::StringRef bytes, const std::string &path, unsigned depth, bool isInflated) {
    if (bytes.empty() || isOfHost(id) || isBitcode(bytes) || isSpirv(bytes) || any(bytes, path, depth + 1, isInflated))
      return;
    if (id.contains("amdgcn"))
      damage(path, "it does not begin like a code object");
  }

  void plainBundle(const Bundle &bundle, const std::string &path, unsigned depth, bool isInflated) {
    Names names;
    for (const BundleEntry &each : bundle.entries)
      if (!stopped)
        entry(each.id, each.bytes, path + ":" + names.add(each.id), depth, isInflated);
  }

  /// One bundle at the start of the bytes; returns where it ends, or 0 if that is not known.
  uint64_t bundle(llvm::StringRef bytes, const std::string &path, unsigned depth, bool isInflated) {
    if (isPlainBundle(bytes)) {
      auto plain = readBundle(bytes);
      if (!plain) {
        damage(path, plain.takeError());
        return 0;
      }
      plainBundle(*plain, path, depth, isInflated);
      return plain->size;
    }
    auto header = readCompressedHeader(bytes);
    if (!header) {
      damage(path, header.takeError());
      return 0;
    }
    uint64_t end = header->size && *header->size <= bytes.size() ? *header->size : 0;
    if (isInflated) {
      damage(path, "a compressed offload bundle is inside of another one");
      return end;
    }
    const uint64_t most = std::min(limits.bundle, limits.file - inflated);
    if (header->inflated <= most) // one that fails has taken its time too
      inflated += header->inflated;
    auto buffer = inflate(bytes, *header, most, &end);
    if (!buffer) {
      damage(path, buffer.takeError());
      return end;
    }
    llvm::StringRef content = (*buffer)->getBuffer();
    auto plain = isPlainBundle(content) ? readBundle(content) : failure("it inflates to something other than a bundle");
    if (plain)
      plainBundle(*plain, path, depth, true);
    else
      damage(path, plain.takeError());
    return end;
  }

  /// One after another, with zeros between them.
  void bundles(llvm::StringRef bytes, const std::string &path, unsigned depth, bool isInflated) {
    size_t at = 0;
    for (unsigned number = 0; !stopped; ++number) {
      const std::string name = path + "[" + std::to_string(number) + "]";
      llvm::StringRef rest = bytes.substr(at);
      if (isPlainBundle(rest) || isCompressedBundle(rest)) {
        const uint64_t size = bundle(rest, name, depth, isInflated);
        at = size ? at + size : findBundle(bytes, at + 1);
      } else {
        damage(name, "there is no offload bundle at offset " + hex(at));
        at = findBundle(bytes, at);
      }
      at = bytes.find_first_not_of('\0', at);
      if (at >= bytes.size())
        return;
    }
  }

  void offloadBinaries(llvm::StringRef bytes, const std::string &path, unsigned depth, bool isInflated) {
    for (unsigned number = 0; !stopped && !bytes.empty(); ++number) {
      const std::string name = path + "[" + std::to_string(number) + "]";
      auto image = isOffloadBinary(bytes) ? readOffloadBinary(bytes) : failure("there is no offload binary");
      if (!image)
        return damage(name, image.takeError());
      entry(image->id, image->bytes, name + ":" + image->id, depth, isInflated);
      bytes = bytes.drop_front(image->size).ltrim('\0');
    }
  }

  void sections(llvm::StringRef bytes, const std::string &path, unsigned depth, bool isInflated) {
    Names names;
    llvm::Error error = readDeviceSections(bytes, [&](llvm::StringRef name, llvm::StringRef content) {
      const std::string inner = path + ":" + names.add(name);
      // Zeros are what a linker script or `objcopy --add-section` may leave.
      if (llvm::StringRef id = name; id.consume_front("__CLANG_OFFLOAD_BUNDLE__"))
        entry(id, content, inner, depth, isInflated);
      else if (!content.ltrim('\0').empty() && !any(content.ltrim('\0'), inner, depth + 1, isInflated))
        damage(inner, "it does not begin like an offload bundle");
      return !stopped;
    });
    if (error)
      damage(path, std::move(error));
    if (contents.what.empty())
      contents.what = "it is an ELF file without AMD GPU code";
  }

  void archive(llvm::StringRef bytes, const std::string &path, unsigned depth, bool isInflated) {
    Names names;
    if (contents.what.empty())
      contents.what = "it is an archive without AMD GPU code";
    llvm::Error error = readArchive(bytes, [&](llvm::StringRef name, llvm::StringRef content) {
      any(content, path + "(" + names.add(name) + ")", depth + 1, isInflated);
      return !stopped;
    });
    if (error)
      damage(path, std::move(error));
  }
};

} // namespace

Contents walk(llvm::StringRef bytes, Visitor &visitor, const Limits &limits) {
  Walk walk(visitor, limits);
  if (isThinArchive(bytes))
    walk.contents.what = "it is a thin archive, whose members are in files of their own";
  else if (isBitcode(bytes))
    walk.contents.what = "it is LLVM bitcode";
  else if (!walk.any(bytes, "", 0, false))
    walk.contents.what = "not a code object, nor a bundle, library or archive of them";
  if (walk.contents.what.empty())
    walk.contents.what = "it has entries for other targets only, or none";
  return walk.contents;
}

bool mayHoldObjects(llvm::StringRef beginning) {
  return isElf(beginning) || isPlainBundle(beginning) || isCompressedBundle(beginning) || isOffloadBinary(beginning) ||
         isArchive(beginning);
}

} // namespace fly::container
