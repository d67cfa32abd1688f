// Reading and writing .npy files; the format is NumPy's (numpy.lib.format, NEP 1).
#include "compiler/host/NumPyFile.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::host {

namespace {

constexpr llvm::StringLiteral magic("\x93NUMPY");
constexpr size_t largestHeader = 1 << 20;
constexpr size_t mostAxes = 64; // NumPy's own limit

/// The header: a dictionary of three entries in any order.
class HeaderReader {
public:
  explicit HeaderReader(llvm::StringRef text) : rest(text) {}
  std::string error, descr;
  bool fortran = false;
  Shape shape;

  bool read() {
    bool seenDescr = false, seenOrder = false, seenShape = false;
    if (!take('{'))
      return fail("does not start with `{`");
    while (!take('}')) {
      std::string key;
      if (!readString(key) || !take(':'))
        return fail("lacks the name of an entry");
      bool *seen = key == "descr"           ? &seenDescr
                   : key == "fortran_order" ? &seenOrder
                   : key == "shape"         ? &seenShape
                                            : nullptr;
      if (!seen)
        return fail("has an unknown entry `" + key.substr(0, 40) + "`");
      if (*seen)
        return fail("has two entries `" + key + "`");
      *seen = true;
      if (!(seen == &seenDescr ? readDescr() : seen == &seenOrder ? readBool() : readShape()))
        return false;
      if (!take(',') && !peek('}'))
        return fail("has no `,` after `" + key + "`");
    }
    skip();
    if (!rest.empty())
      return fail("continues after its `}`");
    if (!seenDescr || !seenOrder || !seenShape)
      return fail(std::string("has no `") + (!seenDescr ? "descr" : !seenOrder ? "fortran_order" : "shape") + "`");
    return true;
  }

private:
  llvm::StringRef rest;
  void skip() { rest = rest.ltrim(" \t\r\n"); }
  bool peek(char c) {
    skip();
    return rest.starts_with(llvm::StringRef(&c, 1));
  }
  bool take(char c) {
    if (!peek(c))
      return false;
    rest = rest.drop_front();
    return true;
  }
  bool fail(std::string why) {
    if (error.empty())
      error = "its header " + std::move(why);
    return false;
  }
  bool readString(std::string &out) {
    char quote = take('\'') ? '\'' : take('"') ? '"' : 0;
    size_t end = quote ? rest.find(quote) : llvm::StringRef::npos;
    if (end == llvm::StringRef::npos)
      return false;
    out = rest.take_front(end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }
  bool readDescr() {
    if (peek('[')) {
      error = "it holds a structured array; save the fields as arrays of their own";
      return false;
    }
    return readString(descr) || fail("has a `descr` that is not a string");
  }
  bool readBool() {
    skip();
    fortran = rest.starts_with("True");
    return rest.consume_front("True") || rest.consume_front("False") ||
           fail("has a `fortran_order` that is neither True nor False");
  }
  bool readShape() {
    if (!take('('))
      return fail("has a `shape` that is not a tuple");
    while (!take(')')) {
      skip();
      uint64_t extent;
      if (rest.consumeInteger(10, extent) || extent > uint64_t(INT64_MAX))
        return fail("has an extent that is not a count");
      rest.consume_front("L"); // Python 2 wrote long integers so
      shape.push_back(int64_t(extent));
      if (shape.size() > mostAxes)
        return fail("has more than 64 extents");
      if (!take(',') && !peek(')'))
        return fail("has a `shape` without `,` between its extents");
    }
    return true;
  }
};

/// Column-major to row-major, elements of any size.
std::string fromFortran(const NumPyArray &a, llvm::StringRef data) {
  std::string out(data.size(), '\0');
  size_t rank = a.shape.size();
  std::vector<int64_t> index(rank, 0), strides(rank, 1);
  for (size_t i = 1; i < rank; ++i)
    strides[i] = strides[i - 1] * a.shape[i - 1];
  int64_t from = 0;
  for (int64_t to = 0, count = a.size(); to < count; ++to) {
    std::copy_n(data.data() + from * a.bytes, a.bytes, out.data() + to * a.bytes);
    for (size_t i = rank; i-- > 0;) { // the last axis is the fastest of the row-major order
      from += strides[i];
      if (++index[i] < a.shape[i])
        break;
      from -= strides[i] * a.shape[i];
      index[i] = 0;
    }
  }
  return out;
}

} // namespace

std::string NumPyArray::descr() const {
  return std::string(kind == 'V' || bytes == 1 ? "|" : "<") + kind + std::to_string(bytes);
}

int64_t NumPyArray::size() const {
  if (llvm::is_contained(shape, 0))
    return 0; // the other extents may be of any size
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

Result<NumPyArray> readNumPy(llvm::StringRef file) {
  auto failure = [](std::string why) { return Result<NumPyArray>{{}, std::move(why)}; };
  if (!file.consume_front(magic))
    return failure("it is not a .npy file");
  if (file.size() < 4)
    return failure("it ends within its header");
  unsigned major = uint8_t(file[0]), minor = uint8_t(file[1]), lengthBytes = major == 1 ? 2 : 4;
  if (major < 1 || major > 3 || minor != 0)
    return failure("it is a .npy file of version " + std::to_string(major) + "." + std::to_string(minor) +
                   "; 1.0, 2.0 and 3.0 are known");
  file = file.drop_front(2);
  if (file.size() < lengthBytes)
    return failure("it ends within its header");
  size_t length = 0;
  for (unsigned i = 0; i < lengthBytes; ++i)
    length |= size_t(uint8_t(file[i])) << 8 * i;
  file = file.drop_front(lengthBytes);
  if (length > largestHeader)
    return failure("its header is longer than 1 MiB");
  if (file.size() < length)
    return failure("it ends within its header");
  HeaderReader header(file.take_front(length));
  llvm::StringRef data = file.drop_front(length);
  if (!header.read())
    return failure(header.error);

  NumPyArray a;
  llvm::StringRef descr = header.descr;
  char order = descr.empty() ? 0 : descr[0];
  if (order == '>')
    return failure("its elements are big-endian (`" + header.descr + "`); save it with `.astype('" + "<" +
                   descr.drop_front().str() + "')`");
  if (order == '<' || order == '|' || order == '=')
    descr = descr.drop_front();
  if (descr.empty())
    return failure("its element type `" + header.descr + "` is not known");
  a.kind = descr[0];
  bool known = !descr.drop_front().getAsInteger(10, a.bytes);
  auto oneOf = [&](std::initializer_list<unsigned> sizes) { return llvm::is_contained(sizes, a.bytes); };
  switch (a.kind) {
  case 'b': known = known && oneOf({1}); break;
  case 'i':
  case 'u': known = known && oneOf({1, 2, 4, 8}); break;
  case 'f': known = known && oneOf({2, 4, 8}); break;
  case 'c': known = known && oneOf({8, 16}); break;
  case 'V': known = known && a.bytes >= 1 && a.bytes <= 4096; break;
  default: known = false;
  }
  if (!known)
    return failure("elements of type `" + header.descr + "` are not supported");
  a.shape = std::move(header.shape);
  uint64_t total = a.bytes;
  bool empty = llvm::is_contained(a.shape, 0);
  for (int64_t extent : a.shape)
    if (!empty && __builtin_mul_overflow(total, uint64_t(extent), &total))
      return failure("its shape " + toText(a.shape) + " is too large");
  if (empty)
    total = 0;
  if (data.size() != total)
    return failure("it holds " + std::to_string(data.size()) + " bytes of data, its shape " + toText(a.shape) +
                   " of `" + a.descr() + "` needs " + std::to_string(total));
  a.data = header.fortran && a.shape.size() > 1 && total ? fromFortran(a, data) : data.str();
  return {std::move(a), ""};
}

std::string writeNumPy(const NumPyArray &array) {
  std::string header =
      "{'descr': '" + array.descr() + "', 'fortran_order': False, 'shape': " + toText(array.shape) + ", }";
  auto withPrefix = [&](unsigned lengthBytes) {
    size_t prefix = magic.size() + 2 + lengthBytes;
    size_t length = (prefix + header.size() + 1 + 63) / 64 * 64 - prefix;
    std::string out = magic.str() + char(lengthBytes == 2 ? 1 : 2) + '\0';
    for (unsigned i = 0; i < lengthBytes; ++i)
      out += char(length >> 8 * i);
    out += header;
    out.append(length - header.size() - 1, ' ');
    return out + '\n';
  };
  return withPrefix(header.size() < 65000 ? 2 : 4) + array.data;
}

} // namespace fly::host
