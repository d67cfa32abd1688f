// The elements of a host array, each in the array's own format, and which of them were never written.
//
// Elements are in pages. A page whose elements are all equal takes no memory, so an array of zeros is as large as what
// was changed in it. Pages are shared by copies of an array until one of them writes.
//
// Elements of a number type have its bits, packed as in a kernel's memory: two of 4 bits in a byte. Those without a type
// are doubles, 128-bit integers or, of bool, bytes.
#pragma once

#include "compiler/host/NumberFormat.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <memory>
#include <vector>

namespace fly::host {

/// Bits of an element in a kernel's memory: those of 4 and 6 bits are packed, the first in the lowest bits of the first
/// byte.
unsigned memoryBits(const NumberFormat &f);

class Elements {
public:
  static constexpr int64_t pageElements = 1 << 16;

  Elements() = default;
  /// All are zero.
  Elements(std::optional<Number> type, NumberClass kind, int64_t count);

  int64_t size() const { return count; }
  /// Bits that an element takes.
  static unsigned bitsOf(std::optional<Number> type, NumberClass kind);
  /// Bytes of memory that the pages take.
  uint64_t heldBytes() const;

  /// Of integers and bool the nearest double.
  double number(int64_t i) const;
  /// Of integers and bool.
  Int integer(int64_t i) const;
  /// The type must hold the value exactly.
  void setNumber(int64_t i, double value);
  void setInteger(int64_t i, Int value);
  /// All of them.
  void fillNumber(double value);
  void fillInteger(Int value);
  /// Element i of `from`, which has the same type and kind, as element `to`.
  void copy(int64_t to, const Elements &from, int64_t i);

  /// The bits of an element with a number type.
  uint64_t bits(int64_t i) const {
    return isUniform(i) ? get(at(i), 0) : get(pages[size_t(i / pageElements)].get(), i % pageElements);
  }
  void setBits(int64_t i, uint64_t value) { put(writable(i / pageElements), i % pageElements, value); }
  /// Packed bytes of a page's elements; whether all of them are zero.
  int64_t pageCount() const { return (count + pageElements - 1) / pageElements; }
  int64_t pageBytes(int64_t page) const;
  bool isZeroPage(int64_t page) const;
  void writePage(int64_t page, char *bytes) const;
  /// All elements as packed bytes, and from them. `bytes` has them all.
  void writeTo(char *bytes) const;
  void readFrom(const char *bytes);

  bool operator==(const Elements &other) const;
  /// The same as bytes; both have the same type.
  bool hasBytesOf(const Elements &other) const;
  /// Calls `found(i)` for each element with a number type whose bits are `code`.
  template <typename Found> void findBits(uint64_t code, Found found) const {
    for (int64_t page = 0; page < pageCount(); ++page)
      if (pages[size_t(page)] || get(uniform[size_t(page)].data(), 0) == code)
        findInPage(page, code, [&](int64_t i) { found(i); });
  }

private:
  void findInPage(int64_t page, uint64_t code, llvm::function_ref<void(int64_t i)> found) const;
  /// Which loop decodes an element.
  enum class Held : uint8_t { Double, Wide, Byte /* of bool */, F16, BF16, F32, F64, Signed, Unsigned, Other };
  bool isUniform(int64_t i) const { return !pages[size_t(i / pageElements)]; }
  /// Where element `i` of its page is, in bytes from the page's start; 0 in a uniform page.
  const uint8_t *at(int64_t i) const {
    return pages[size_t(i / pageElements)] ? pages[size_t(i / pageElements)].get() + i % pageElements * width / 8
                                           : uniform[size_t(i / pageElements)].data();
  }
  uint64_t get(const uint8_t *page, int64_t place) const;
  void put(uint8_t *page, int64_t place, uint64_t value);
  uint8_t *writable(int64_t page);
  void fillBytes(const std::array<uint8_t, 16> &value);

  std::optional<Number> type;
  Held held = Held::Double;
  unsigned width = 64; ///< bits of an element
  int64_t count = 0;
  std::vector<std::shared_ptr<uint8_t[]>> pages; ///< null: all elements are `uniform`
  std::vector<std::array<uint8_t, 16>> uniform;  ///< an element's bits; of less than 8 bits those of two or four
};

/// A bit per element. As with elements, pages without a difference take no memory.
class ElementMask {
public:
  /// No element has a bit, and none is set.
  bool empty() const { return count == 0; }
  void clear() { *this = {}; }
  /// Each element has one.
  void assign(int64_t elements, bool value);
  bool get(int64_t i) const {
    const auto &page = pages[size_t(i / Elements::pageElements)];
    const int64_t bit = i % Elements::pageElements;
    return page ? (*page)[size_t(bit / 64)] >> bit % 64 & 1 : uniform[size_t(i / Elements::pageElements)];
  }
  void set(int64_t i, bool value);
  bool any() const;
  /// Whether the page of element i has the same bit everywhere.
  bool isUniform(int64_t i) const { return !pages[size_t(i / Elements::pageElements)]; }
  bool operator==(const ElementMask &other) const;

private:
  using Bits = std::array<uint64_t, Elements::pageElements / 64>;
  int64_t count = 0;
  std::vector<std::shared_ptr<Bits>> pages;
  std::vector<bool> uniform;
};

} // namespace fly::host
