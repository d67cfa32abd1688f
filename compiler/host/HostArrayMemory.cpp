// Host arrays as the memory of a kernel's tensor, and back.
//
// The logical array has no layout; the parameter's strides determine where each element is stored:
//
//     In[f16, (m, n):(lda, 1)], m = 2, n = 2, lda = 3      x00 x01 ... x10 x11
//
// Gaps (here the third place) hold the format's poison, so a kernel that reads a gap gets NaN, and one that writes to
// it can be detected. Two coordinates may share a place (stride 0) as long as they agree on its value.
#include "compiler/host/HostArrayInternal.h"

#include <algorithm>
#include <cstring>

namespace fly::host {

Result<int64_t> elementSpan(const Shape &shape, llvm::ArrayRef<int64_t> strides) {
  if (strides.size() != shape.size())
    return {0, "shape " + toText(shape) + " needs " + std::to_string(shape.size()) + " strides, found " +
                   std::to_string(strides.size())};
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 0 || strides[i] < 0)
      return {0, "extents and strides must not be negative, found " + toText(shape) + ":" + toText(strides.vec())};
  int64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0)
      return {0, ""};
    int64_t reach;
    if (__builtin_mul_overflow(shape[i] - 1, strides[i], &reach) || __builtin_add_overflow(last, reach, &last))
      return {0, "the layout " + toText(shape) + ":" + toText(strides.vec()) + " does not fit in 64 bits"};
  }
  return {last + 1, ""};
}

static uint64_t bytesFor(const NumberFormat &f, int64_t elements) {
  return (uint64_t(elements) * memoryBits(f) + 7) / 8;
}

static void putElement(std::string &bytes, size_t place, uint64_t code, const NumberFormat &f) {
  const unsigned width = memoryBits(f);
  if (width % 8 == 0) {
    for (unsigned i = 0; i < width / 8; ++i)
      bytes[place * (width / 8) + i] = char(code >> (8 * i));
    return;
  }
  for (unsigned i = 0; i < width; ++i) {
    const size_t bit = place * width + i;
    const uint8_t mask = uint8_t(1u << bit % 8);
    uint8_t &byte = reinterpret_cast<uint8_t &>(bytes[bit / 8]);
    byte = code >> i & 1 ? byte | mask : byte & uint8_t(~mask);
  }
}
static uint64_t getElement(llvm::StringRef bytes, size_t place, const NumberFormat &f) {
  const unsigned width = memoryBits(f);
  uint64_t code = 0;
  if (width % 8 == 0) {
    for (unsigned i = 0; i < width / 8; ++i)
      code |= uint64_t(uint8_t(bytes[place * (width / 8) + i])) << (8 * i);
    return code;
  }
  for (unsigned i = 0; i < width; ++i)
    code |= uint64_t(uint8_t(bytes[(place * width + i) / 8]) >> (place * width + i) % 8 & 1) << i;
  return code;
}

static uint64_t bitsOf(const HostArray &x, int64_t flat, Number type) {
  if (x.isPoisoned(flat))
    return format(type).poison;
  if (x.type == type)
    return x.elements.bits(flat);
  return x.isFloat() ? encode(type, x.number(flat)) : encodeInteger(type, x.integer(flat));
}

bool liesAsHeld(const HostArray &x, Number type, llvm::ArrayRef<int64_t> strides) {
  return x.type == type && !format(type).isBool() && Shape(strides.begin(), strides.end()) == rowMajorStrides(x.shape);
}

void forPieces(const HostArray &x, llvm::function_ref<void(uint64_t, llvm::StringRef)> piece) {
  const NumberFormat &f = format(*x.type);
  std::string bytes, poison; // of a page
  uint64_t offset = 0;
  for (int64_t page = 0; page < x.elements.pageCount(); ++page) {
    const int64_t first = page * Elements::pageElements, length = x.elements.pageBytes(page),
                  count = std::min(Elements::pageElements, x.size() - first);
    const bool isMarked = !x.poisoned.empty() && (!x.poisoned.isUniform(first) || x.poisoned.get(first));
    if (isMarked && x.poisoned.isUniform(first)) {
      if (poison.empty()) {
        poison.resize(size_t(length)); // the first page is no smaller than others
        for (int64_t i = 0; i < count; ++i)
          putElement(poison, size_t(i), f.poison, f);
      }
      piece(offset, llvm::StringRef(poison).take_front(size_t(length)));
    } else if (isMarked || !x.elements.isZeroPage(page)) {
      bytes.resize(size_t(length));
      x.elements.writePage(page, bytes.data());
      for (int64_t i = 0; isMarked && i < count; ++i)
        if (x.poisoned.get(first + i))
          putElement(bytes, size_t(i), f.poison, f);
      piece(offset, bytes);
    }
    offset += uint64_t(length);
  }
}

Result<std::string> toBytes(const HostArray &x, Number type, llvm::ArrayRef<int64_t> strides, int64_t minimumElements) {
  auto span = elementSpan(x.shape, strides);
  if (!span.ok())
    return {"", span.error};
  const NumberFormat &f = format(type);
  int64_t elements = std::max(span.value, minimumElements);
  if (elements > (int64_t(1) << 34) / memoryBits(f))
    return {"", "a tensor of layout " + toText(x.shape) + ":" + toText(strides.vec()) + " needs more than 2 GiB"};
  std::string bytes(size_t(bytesFor(f, elements)), '\0');
  if (elements == x.size() && liesAsHeld(x, type, strides)) {
    forPieces(x,
              [&](uint64_t offset, llvm::StringRef piece) { std::memcpy(&bytes[offset], piece.data(), piece.size()); });
    return {std::move(bytes), ""};
  }
  for (int64_t i = 0; i < elements; ++i)
    putElement(bytes, size_t(i), f.poison, f);
  bool mayOverlap = Shape(strides.begin(), strides.end()) != rowMajorStrides(x.shape);
  std::vector<bool> written(mayOverlap ? size_t(elements) : 0);
  std::string error;
  walk<1>(x.shape, {Shape(strides.begin(), strides.end())}, [&](int64_t flat, const std::array<int64_t, 1> &at) {
    size_t place = size_t(at[0]);
    uint64_t bits = bitsOf(x, flat, type);
    if (mayOverlap) {
      if (written[place] && getElement(bytes, place, f) != bits && error.empty())
        error = "the layout " + toText(x.shape) + ":" + toText(strides.vec()) +
                " puts several elements in one place, and their values differ";
      written[place] = true;
    }
    putElement(bytes, place, bits, f);
  });
  if (!error.empty())
    return {"", error};
  return {std::move(bytes), ""};
}

/// For integers what is found is a hint: `compare` fails only where the value is wrong, too.
static void markPoison(HostArray &x) {
  x.elements.findBits(format(*x.type).poison, [&](int64_t i) {
    ensureMask(x);
    x.poisoned.set(i, true);
  });
}

HostArray fromHeld(Elements elements, Number type, const Shape &shape) {
  HostArray x;
  x.type = type;
  x.kind = format(type).kind;
  x.shape = shape;
  x.elements = std::move(elements);
  markPoison(x);
  return x;
}

ArrayResult fromBytes(llvm::StringRef bytes, Number type, const Shape &shape, llvm::ArrayRef<int64_t> strides) {
  auto span = elementSpan(shape, strides);
  if (!span.ok())
    return failure(span.error);
  const NumberFormat &f = format(type);
  if (uint64_t(span.value) > bytes.size() * 8 / memoryBits(f))
    return failure("the layout " + toText(shape) + ":" + toText(strides.vec()) + " needs " +
                   std::to_string(span.value) + " elements of " + f.name + ", found " + std::to_string(bytes.size()) +
                   " bytes");
  ArrayResult r = makeArray(shape, f.kind, type);
  if (!r.ok())
    return r;
  if (!f.isBool() && Shape(strides.begin(), strides.end()) == rowMajorStrides(shape)) {
    if (r.value.size())
      r.value.elements.readFrom(bytes.data());
    markPoison(r.value);
    return r;
  }
  walk<1>(shape, {Shape(strides.begin(), strides.end())}, [&](int64_t flat, const std::array<int64_t, 1> &at) {
    uint64_t bits = getElement(bytes, size_t(at[0]), f);
    if (bits == f.poison) {
      ensureMask(r.value);
      r.value.poisoned.set(flat, true);
    }
    r.value.elements.setBits(flat, f.isBool() ? bits != 0 : bits);
  });
  return r;
}

} // namespace fly::host
