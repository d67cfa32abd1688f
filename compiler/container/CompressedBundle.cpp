// A compressed bundle: a header, then one stream of zlib or zstd that inflates to a plain bundle.
//
//     version 1   CCOB, version (2 bytes), method (2), inflated size (4), hash (8)
//     version 2   CCOB, version, method, total size (4), inflated size (4), hash
//     version 3   CCOB, version, method, total size (8), inflated size (8), hash
//
// The inflated size decides how much is allocated, and anyone may have written it. So it is held against a limit and
// against what the method can reach at all before that.
#include "compiler/container/Bundle.h"
#include "compiler/container/Bytes.h"

#include "llvm/Support/Compression.h"
#include "llvm/Support/MD5.h"

namespace fly::container {

namespace {

/// How much `bytes` compressed bytes can become. zlib: at most 1032 times as much (zlib.net, "Maximum Compression
/// Factor"). zstd: a block of 4 bytes stands for 128 KiB at most.
uint64_t mostFrom(uint64_t bytes, bool isZstd) { return isZstd ? (bytes / 4 + 1) << 17 : bytes * 1032 + 1024; }

/// Bytes of the zstd frame at the start, from its headers (RFC 8878, 3.1.1); all if it is not a whole frame.
uint64_t zstdFrameBytes(llvm::StringRef bytes) {
  uint32_t magic;
  uint8_t descriptor;
  if (!get(bytes, 0, magic) || magic != 0xfd2fb528 || !get(bytes, 4, descriptor))
    return bytes.size();
  const bool isSingleSegment = descriptor & 0x20;
  constexpr unsigned dictionaryBytes[] = {0, 1, 2, 4}, sizeBytes[] = {0, 2, 4, 8};
  const unsigned size = descriptor >> 6;
  uint64_t at = 5 + !isSingleSegment + dictionaryBytes[descriptor & 3] + (size ? sizeBytes[size] : isSingleSegment);
  for (bool isLast = false; !isLast;) {
    uint8_t head[3];
    if (!get(bytes, at, head))
      return bytes.size();
    const uint32_t block = head[0] | head[1] << 8 | head[2] << 16;
    isLast = block & 1;
    const bool isRepeated = (block >> 1 & 3) == 1; // one byte stands for all
    at += 3 + (isRepeated ? 1 : block >> 3);
  }
  at += descriptor & 4; // the checksum
  return std::min<uint64_t>(at, bytes.size());
}

/// Where a zlib stream that inflates to `plain` ends: after the Adler-32 sum of it (RFC 1950). zlib's own function to
/// inflate at once does not say. A search for the next bundle could find bytes that are stored in the stream as they
/// are.
size_t zlibStreamBytes(llvm::StringRef stream, llvm::ArrayRef<uint8_t> plain) {
  constexpr size_t run = 5552; // so many sums fit 32 bits
  uint32_t low = 1, high = 0;
  for (llvm::ArrayRef<uint8_t> rest = plain; !rest.empty(); rest = rest.drop_front(std::min(run, rest.size()))) {
    for (uint8_t byte : rest.take_front(run))
      high += low += byte;
    low %= 65521;
    high %= 65521;
  }
  const char sum[] = {char(high >> 8), char(high), char(low >> 8), char(low)};
  const size_t at = stream.find(llvm::StringRef(sum, sizeof sum));
  return at == stream.npos ? stream.size() : at + sizeof sum;
}

} // namespace

llvm::Expected<CompressedHeader> readCompressedHeader(llvm::StringRef bytes) {
  CompressedHeader header;
  uint16_t version, method;
  if (!get(bytes, 4, version) || !get(bytes, 6, method))
    return failure("the header of the compressed offload bundle is truncated");
  if (version < 1 || version > 3)
    return failure("the compressed offload bundle has version " + llvm::Twine(version) +
                   "; the known versions are 1 to 3");
  if (method > 1)
    return failure("the compressed offload bundle has method " + llvm::Twine(method) +
                   "; the known methods are 0 (zlib) and 1 (zstd)");
  header.version = version;
  header.isZstd = method == 1;
  const unsigned width = version == 3 ? 8 : 4;
  uint64_t at = 8;
  auto number = [&](uint64_t &to) {
    uint32_t narrow = 0;
    bool isThere = width == 8 ? get(bytes, at, to) : get(bytes, at, narrow);
    if (width == 4)
      to = narrow;
    at += width;
    return isThere;
  };
  if (version >= 2 && !number(header.size.emplace()))
    return failure("the header of the compressed offload bundle is truncated");
  if (!number(header.inflated) || !get(bytes, at, header.hash))
    return failure("the header of the compressed offload bundle is truncated");
  header.headerBytes = at + 8;
  if (header.size && *header.size < header.headerBytes)
    return failure("the compressed offload bundle has " + llvm::Twine(*header.size) +
                   " bytes according to its header, fewer than the header itself");
  return header;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> inflate(llvm::StringRef bytes, const CompressedHeader &header,
                                                            uint64_t most, uint64_t *end) {
  if (header.size.value_or(header.headerBytes) > bytes.size())
    return failure("the compressed offload bundle has " + llvm::Twine(header.size.value_or(header.headerBytes)) +
                   " bytes according to its header; there are only " + llvm::Twine(bytes.size()));
  llvm::StringRef stream = bytes.take_front(header.size.value_or(bytes.size())).drop_front(header.headerBytes);
  if (!header.size && header.isZstd)
    stream = stream.take_front(zstdFrameBytes(stream));
  if (header.inflated > most)
    return failure("the compressed offload bundle inflates to " + llvm::Twine(header.inflated) +
                   " bytes according to its header; at most " + llvm::Twine(most) + " are allowed");
  if (header.inflated > mostFrom(stream.size(), header.isZstd))
    return failure("the compressed offload bundle inflates to " + llvm::Twine(header.inflated) +
                   " bytes according to its header, which " + llvm::Twine(stream.size()) + " bytes of " +
                   (header.isZstd ? "zstd" : "zlib") + " cannot hold");
  const auto format = header.isZstd ? llvm::compression::Format::Zstd : llvm::compression::Format::Zlib;
  if (const char *why = llvm::compression::getReasonIfUnsupported(format))
    return failure(why);
  auto plain = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(header.inflated);
  if (!plain)
    return failure("there is no memory for the " + llvm::Twine(header.inflated) +
                   " bytes that the compressed offload bundle inflates to");
  auto *to = reinterpret_cast<uint8_t *>(plain->getBufferStart());
  size_t size = header.inflated;
  llvm::Error error = header.isZstd
                          ? llvm::compression::zstd::decompress(llvm::arrayRefFromStringRef(stream), to, size)
                          : llvm::compression::zlib::decompress(llvm::arrayRefFromStringRef(stream), to, size);
  if (error)
    return failure("the compressed offload bundle cannot be inflated: " + llvm::toString(std::move(error)));
  if (size != header.inflated)
    return failure("the compressed offload bundle inflates to " + llvm::Twine(size) + " bytes; its header says " +
                   llvm::Twine(header.inflated));
  llvm::MD5 md5;
  llvm::MD5::MD5Result result;
  md5.update(llvm::ArrayRef(to, size));
  md5.final(result);
  if (header.hash && header.hash != result.low())
    return failure("the compressed offload bundle is damaged: its contents do not match the hash in its header");
  if (end)
    *end = header.headerBytes +
           (header.size || header.isZstd ? stream.size() : zlibStreamBytes(stream, llvm::ArrayRef(to, size)));
  return std::unique_ptr<llvm::MemoryBuffer>(std::move(plain));
}

} // namespace fly::container
