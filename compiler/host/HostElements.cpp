// See HostElements.h.
#include "compiler/host/HostElements.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace fly::host {

unsigned memoryBits(const NumberFormat &f) { return f.bits < 8 ? f.bits : 8 * f.bytes(); }

unsigned Elements::bitsOf(std::optional<Number> type, NumberClass kind) {
  if (type)
    return memoryBits(format(*type));
  return kind == NumberClass::Float ? 64 : kind == NumberClass::Int ? 128 : 8;
}

Elements::Elements(std::optional<Number> type, NumberClass kind, int64_t count)
    : type(type), width(bitsOf(type, kind)), count(count), pages(size_t(pageCount())), uniform(size_t(pageCount())) {
  if (!type)
    held = kind == NumberClass::Float ? Held::Double : kind == NumberClass::Int ? Held::Wide : Held::Byte;
  else if (const NumberFormat &f = format(*type); width < 8)
    held = Held::Other;
  else if (f.isInteger() || f.isBool())
    held = f.isBool() ? Held::Byte : f.isSigned ? Held::Signed : Held::Unsigned;
  else
    held = *type == Number::F16    ? Held::F16
           : *type == Number::BF16 ? Held::BF16
           : *type == Number::F32  ? Held::F32
           : *type == Number::F64  ? Held::F64
                                   : Held::Other;
}

int64_t Elements::pageBytes(int64_t page) const {
  return (std::min(pageElements, count - page * pageElements) * width + 7) / 8;
}

uint64_t Elements::heldBytes() const {
  uint64_t bytes = 0;
  for (int64_t page = 0; page < pageCount(); ++page)
    bytes += pages[size_t(page)] ? uint64_t(pageBytes(page)) : 0;
  return bytes;
}

/// Fills `bytes` with repetitions of one element's bits, which are repeated in `value` to whole bytes.
static void repeat(uint8_t *to, int64_t bytes, const std::array<uint8_t, 16> &value, unsigned width) {
  const int64_t step = width == 6 ? 3 : std::max(width / 8, 1u);
  if (std::all_of(value.begin(), value.begin() + step, [&](uint8_t b) { return b == value[0]; })) {
    std::memset(to, value[0], size_t(bytes));
    return;
  }
  for (int64_t k = 0; k < bytes; k += step)
    std::memcpy(to + k, value.data(), size_t(std::min(step, bytes - k)));
}

uint8_t *Elements::writable(int64_t page) {
  std::shared_ptr<uint8_t[]> &held = pages[size_t(page)];
  const size_t bytes = size_t(pageBytes(page));
  if (!held) {
    held.reset(new uint8_t[bytes]);
    repeat(held.get(), int64_t(bytes), uniform[size_t(page)], width);
  } else if (held.use_count() > 1) {
    std::shared_ptr<uint8_t[]> own(new uint8_t[bytes]);
    std::memcpy(own.get(), held.get(), bytes);
    held = std::move(own);
  }
  return held.get();
}

uint64_t Elements::get(const uint8_t *page, int64_t place) const {
  if (width % 8 == 0) {
    uint64_t code = 0;
    std::memcpy(&code, page + place * (width / 8), width / 8);
    return code;
  }
  uint64_t code = 0; // at most two bytes
  const int64_t bit = place * width;
  code = page[bit / 8] >> bit % 8;
  if (bit % 8 + width > 8)
    code |= uint64_t(page[bit / 8 + 1]) << (8 - bit % 8);
  return code & ((1u << width) - 1);
}

void Elements::put(uint8_t *page, int64_t place, uint64_t value) {
  if (width % 8 == 0) {
    std::memcpy(page + place * (width / 8), &value, width / 8);
    return;
  }
  for (unsigned k = 0; k < width; ++k) {
    const int64_t bit = place * width + k;
    const auto mask = uint8_t(1u << bit % 8);
    page[bit / 8] = value >> k & 1 ? page[bit / 8] | mask : page[bit / 8] & uint8_t(~mask);
  }
}

/// The values of f16 by their bits.
static const float *halves() {
  static const std::vector<float> values = [] {
    std::vector<float> out(1 << 16);
    for (uint32_t k = 0; k < out.size(); ++k)
      out[k] = float(decode(Number::F16, k));
    return out;
  }();
  return values.data();
}

template <typename T> static T loadAs(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double Elements::number(int64_t i) const {
  const uint8_t *from = at(i);
  switch (held) {
  case Held::Double:
  case Held::F64: return loadAs<double>(from);
  case Held::F32: return loadAs<float>(from);
  case Held::F16: return halves()[loadAs<uint16_t>(from)];
  case Held::BF16: return std::bit_cast<float>(uint32_t(loadAs<uint16_t>(from)) << 16);
  case Held::Byte: return *from;
  case Held::Wide:
  case Held::Signed:
  case Held::Unsigned: return double(integer(i));
  case Held::Other: break;
  }
  return decode(*type, bits(i));
}

Int Elements::integer(int64_t i) const {
  const uint8_t *from = at(i);
  if (held == Held::Wide)
    return loadAs<Int>(from);
  if (held == Held::Byte)
    return *from != 0;
  const bool isSigned = held == Held::Signed;
  switch (held == Held::Signed || held == Held::Unsigned ? width : 0) {
  case 8: return isSigned ? Int(int8_t(*from)) : Int(*from);
  case 16: return isSigned ? Int(loadAs<int16_t>(from)) : Int(loadAs<uint16_t>(from));
  case 32: return isSigned ? Int(loadAs<int32_t>(from)) : Int(loadAs<uint32_t>(from));
  case 64: return isSigned ? Int(loadAs<int64_t>(from)) : Int(loadAs<uint64_t>(from));
  default: return decodeInteger(*type, bits(i));
  }
}

void Elements::setNumber(int64_t i, double value) {
  if (held == Held::Double || held == Held::F64) {
    std::memcpy(writable(i / pageElements) + i % pageElements * 8, &value, 8);
    return;
  }
  if (held == Held::F32 && value == value) {
    const auto narrow = float(value);
    std::memcpy(writable(i / pageElements) + i % pageElements * 4, &narrow, 4);
    return;
  }
  setBits(i, encode(*type, value));
}

void Elements::setInteger(int64_t i, Int value) {
  if (held == Held::Wide) {
    std::memcpy(writable(i / pageElements) + i % pageElements * 16, &value, 16);
    return;
  }
  setBits(i, held == Held::Byte ? value != 0 : uint64_t(value) & (width >= 64 ? ~0ull : (1ull << width) - 1));
}

void Elements::fillBytes(const std::array<uint8_t, 16> &value) {
  std::fill(pages.begin(), pages.end(), nullptr);
  std::fill(uniform.begin(), uniform.end(), value);
}

void Elements::fillNumber(double value) {
  std::array<uint8_t, 16> code{};
  const uint64_t bits = held == Held::Double ? std::bit_cast<uint64_t>(value) : encode(*type, value);
  if (width < 8) {
    for (int64_t k = 0; k < 24 / int64_t(width); ++k)
      put(code.data(), k, bits);
  } else
    std::memcpy(code.data(), &bits, 8);
  fillBytes(code);
}

void Elements::fillInteger(Int value) {
  std::array<uint8_t, 16> code{};
  if (width < 8)
    for (int64_t k = 0; k < 24 / int64_t(width); ++k)
      put(code.data(), k, uint64_t(value) & ((1u << width) - 1));
  else if (held == Held::Byte)
    code[0] = value != 0;
  else
    std::memcpy(code.data(), &value, 16);
  fillBytes(code);
}

void Elements::copy(int64_t to, const Elements &from, int64_t i) {
  if (width < 8) {
    setBits(to, from.bits(i));
    return;
  }
  const uint8_t *source = from.at(i);
  if (isUniform(to) && !std::memcmp(uniform[size_t(to / pageElements)].data(), source, width / 8))
    return; // it has that value
  std::memcpy(writable(to / pageElements) + to % pageElements * (width / 8), source, width / 8);
}

bool Elements::isZeroPage(int64_t page) const {
  const std::array<uint8_t, 16> &value = uniform[size_t(page)];
  return !pages[size_t(page)] && std::all_of(value.begin(), value.end(), [](uint8_t b) { return b == 0; });
}

void Elements::writePage(int64_t page, char *bytes) const {
  if (const uint8_t *from = pages[size_t(page)].get())
    std::memcpy(bytes, from, size_t(pageBytes(page)));
  else
    repeat(reinterpret_cast<uint8_t *>(bytes), pageBytes(page), uniform[size_t(page)], width);
}

void Elements::writeTo(char *bytes) const {
  const int64_t step = pageElements * width / 8;
  for (int64_t page = 0; page < pageCount(); ++page)
    writePage(page, bytes + page * step);
}

void Elements::readFrom(const char *bytes) {
  const int64_t step = pageElements * width / 8;
  for (int64_t page = 0; page < pageCount(); ++page) {
    const char *from = bytes + page * step;
    const auto length = size_t(pageBytes(page));
    pages[size_t(page)] = nullptr;
    uniform[size_t(page)] = {};
    if (*from == 0 && !std::memcmp(from, from + 1, length - 1)) // zeros
      continue;
    pages[size_t(page)].reset(new uint8_t[length]);
    std::memcpy(pages[size_t(page)].get(), from, length);
  }
}

bool Elements::operator==(const Elements &other) const {
  if (count != other.count || width != other.width || type != other.type || held != other.held)
    return false;
  for (int64_t i = 0; i < count; ++i) {
    const bool isInteger = held == Held::Wide || held == Held::Byte || held == Held::Signed || held == Held::Unsigned;
    if (isInteger ? integer(i) != other.integer(i) : number(i) != other.number(i))
      return false;
  }
  return true;
}

bool Elements::hasBytesOf(const Elements &other) const {
  for (int64_t page = 0; page < pageCount(); ++page) {
    const uint8_t *a = pages[size_t(page)].get(), *b = other.pages[size_t(page)].get();
    if (a && b ? std::memcmp(a, b, size_t(pageBytes(page))) != 0
               : (a || b || uniform[size_t(page)] != other.uniform[size_t(page)]))
      return false; // `readFrom` makes pages of zeros uniform in both
  }
  return count == other.count;
}

/// Blocks without the code are passed by a loop without branches.
template <typename T>
static void find(const uint8_t *bytes, int64_t first, int64_t count, uint64_t code,
                 llvm::function_ref<void(int64_t)> found) {
  constexpr int64_t block = 64;
  const T wanted = T(code);
  for (int64_t begin = 0; begin < count; begin += block) {
    const int64_t length = std::min(count - begin, block);
    T values[block];
    std::memcpy(values, bytes + begin * int64_t(sizeof(T)), size_t(length) * sizeof(T));
    bool any = false;
    for (int64_t k = 0; k < length; ++k)
      any |= values[k] == wanted;
    for (int64_t k = 0; any && k < length; ++k)
      if (values[k] == wanted)
        found(first + begin + k);
  }
}

void Elements::findInPage(int64_t page, uint64_t code, llvm::function_ref<void(int64_t)> found) const {
  const int64_t first = page * pageElements, length = std::min(pageElements, count - first);
  const uint8_t *bytes = pages[size_t(page)].get();
  switch (bytes ? width : 0) {
  case 8: return find<uint8_t>(bytes, first, length, code, found);
  case 16: return find<uint16_t>(bytes, first, length, code, found);
  case 32: return find<uint32_t>(bytes, first, length, code, found);
  case 64: return find<uint64_t>(bytes, first, length, code, found);
  default:
    for (int64_t k = 0; k < length; ++k)
      if (bits(first + k) == code)
        found(first + k);
  }
}

// --- Masks ---

void ElementMask::assign(int64_t elements, bool value) {
  count = elements;
  const auto size = size_t((elements + Elements::pageElements - 1) / Elements::pageElements);
  pages.assign(size, nullptr);
  uniform.assign(size, value);
}

void ElementMask::set(int64_t i, bool value) {
  const auto page = size_t(i / Elements::pageElements);
  std::shared_ptr<Bits> &bits = pages[page];
  if (!bits) {
    if (uniform[page] == value)
      return;
    bits = std::make_shared<Bits>();
    bits->fill(uniform[page] ? ~uint64_t(0) : 0);
  } else if (bits.use_count() > 1)
    bits = std::make_shared<Bits>(*bits);
  const int64_t bit = i % Elements::pageElements;
  uint64_t &word = (*bits)[size_t(bit / 64)];
  word = value ? word | uint64_t(1) << bit % 64 : word & ~(uint64_t(1) << bit % 64);
}

bool ElementMask::any() const {
  for (int64_t i = 0; i < count; i += isUniform(i) ? Elements::pageElements : 1)
    if (get(i))
      return true;
  return false;
}

bool ElementMask::operator==(const ElementMask &other) const {
  if (count != other.count)
    return false;
  for (int64_t i = 0; i < count; ++i)
    if (get(i) != other.get(i))
      return false;
  return true;
}

} // namespace fly::host
