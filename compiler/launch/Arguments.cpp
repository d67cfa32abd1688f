// Parsing of arguments, and the memory they describe.
#include "compiler/launch/Arguments.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

namespace fly::driver {

namespace {

constexpr uint64_t largestBuffer = uint64_t(1) << 35;
constexpr const char *forms =
    "an argument is FILE.npy, a value like i32:5, or a buffer like zeros:f32[8,16]; `flyc run --help` lists the forms";

/// "x=..." -> "x"; a name is an identifier, a position or an offset.
std::string takeName(llvm::StringRef &text) {
  size_t equals = text.find('=');
  llvm::StringRef name = text.take_front(equals == llvm::StringRef::npos ? 0 : equals);
  llvm::StringRef word = name;
  word.consume_front("@");
  if (word.empty() ||
      !llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }) ||
      name.contains(".npy"))
    return "";
  text = text.drop_front(equals + 1);
  return name.str();
}

std::optional<host::Shape> parseShape(llvm::StringRef text) {
  host::Shape shape;
  if (!text.consume_front("[") || !text.consume_back("]"))
    return std::nullopt;
  while (!text.empty()) {
    auto [extent, rest] = text.split(',');
    uint64_t n;
    if (extent.trim().getAsInteger(10, n) || n > uint64_t(INT64_MAX) || (text.contains(',') && rest.empty()))
      return std::nullopt;
    shape.push_back(int64_t(n));
    text = rest;
  }
  return shape;
}

std::optional<host::Scalar> parseNumber(llvm::StringRef text) {
  int64_t integer;
  double floating;
  if (!text.getAsInteger(0, integer))
    return host::Scalar::ofInt(integer);
  if (!text.getAsDouble(floating) && std::isfinite(floating))
    return host::Scalar::ofFloat(floating);
  return std::nullopt;
}

/// Parses everything after the name and the output file. Returns an error text, empty on success.
std::string parseForm(llvm::StringRef text, ArgumentSpec &spec) {
  if (text == "null") {
    spec.kind = ArgumentSpec::Null;
    return "";
  }
  auto [head, rest] = text.split(':');
  if (head == "lds") {
    spec.kind = ArgumentSpec::Lds;
    return rest.getAsInteger(0, spec.ldsBytes) ? "`lds:` needs a number of bytes" : "";
  }
  if (head == "bytes") {
    spec.kind = ArgumentSpec::Bytes;
    auto bytes = parseBytes(rest, "`bytes:`");
    spec.bytes = std::move(bytes.value);
    return bytes.error;
  }
  if (auto *type = findElementType(head)) {
    spec.kind = ArgumentSpec::Value;
    spec.type = type;
    auto value = parseValue(rest, *type);
    spec.bytes = value.value;
    return value.error;
  }
  struct Form {
    const char *name;
    ArgumentSpec::Kind kind;
    unsigned parameters;
  };
  static constexpr Form table[] = {{"zeros", ArgumentSpec::Zeros, 0},   {"empty", ArgumentSpec::Empty, 0},
                                   {"arange", ArgumentSpec::Arange, 0}, {"fill", ArgumentSpec::Fill, 1},
                                   {"random", ArgumentSpec::Random, 1}, {"uniform", ArgumentSpec::Random, 3},
                                   {"normal", ArgumentSpec::Normal, 1}};
  auto *form = llvm::find_if(table, [&, head = head](const Form &f) { return head == f.name; });
  if (form == std::end(table))
    return forms;
  spec.kind = form->kind;
  llvm::SmallVector<llvm::StringRef> parts;
  rest.split(parts, ':');
  if (parts.size() == form->parameters + 2 + (spec.kind == ArgumentSpec::Normal) && spec.kind == ArgumentSpec::Normal) {
    // normal:SEED:MEAN:DEVIATION:TYPE[SHAPE]
  } else if (parts.size() != form->parameters + 1)
    return "`" + head.str() + ":` needs " + std::to_string(form->parameters + 1) + " parts after it, got " +
           std::to_string(parts.size());
  llvm::StringRef last = parts.back();
  size_t bracket = last.find('[');
  auto shape = bracket == llvm::StringRef::npos ? std::nullopt : parseShape(last.drop_front(bracket));
  if (!shape)
    return "`" + last.str() + "` is not of the form TYPE[SHAPE], like f32[16,64]";
  spec.shape = *shape;
  spec.type = findElementType(last.take_front(bracket));
  if (!spec.type)
    return "`" + last.take_front(bracket).str() + "` is not an element type; choose one of " + elementTypeNames();
  if (spec.kind == ArgumentSpec::Fill) {
    auto value = parseValue(parts[0], *spec.type);
    spec.bytes = value.value;
    return value.error;
  }
  if (spec.kind == ArgumentSpec::Random || spec.kind == ArgumentSpec::Normal) {
    if (parts[0].getAsInteger(0, spec.seed))
      return "the seed `" + parts[0].str() + "` is not a number";
    if (parts.size() == 4) {
      spec.low = parseNumber(parts[1]);
      spec.high = parseNumber(parts[2]);
      if (!spec.low || !spec.high)
        return "`" + (spec.low ? parts[2] : parts[1]).str() + "` is not a number";
    }
  }
  return "";
}

} // namespace

static std::string unreadable(const std::string &path, const std::string &why) {
  return "cannot read `" + path + "`: " + why;
}

host::Result<std::string> readFile(const std::string &path) {
  if (llvm::sys::fs::is_directory(path))
    return {"", "it is a folder"};
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return {"", llvm::StringRef(buffer.getError().message()).lower()};
  return {(*buffer)->getBuffer().str(), ""};
}

std::optional<uint32_t> offsetOf(llvm::StringRef name) {
  uint32_t offset;
  if (!name.consume_front("@") || name.getAsInteger(0, offset))
    return std::nullopt;
  return offset;
}

host::Result<std::string> parseBytes(llvm::StringRef text, const std::string &what) {
  if (text.consume_front("@")) {
    auto file = readFile(text.str());
    if (!file.ok())
      file.error = unreadable(text.str(), file.error);
    return file;
  }
  std::string bytes;
  if (!llvm::tryGetFromHex(text, bytes) || text.size() % 2)
    return {"", what + " needs an even number of hexadecimal digits, or `@FILE`"};
  return {std::move(bytes), ""};
}

host::Result<ArgumentSpec> parseArgument(llvm::StringRef text) {
  ArgumentSpec spec;
  spec.text = text.str();
  spec.name = takeName(text);
  // A path may hold colons, so it ends at ".npy" and the end or a colon.
  size_t end = text.ends_with(".npy") ? text.size() : text.find(".npy:");
  if (text.starts_with("bytes:@") || end == llvm::StringRef::npos) {
    std::string error = parseForm(text, spec);
    return {std::move(spec), error};
  }
  if (end != text.size())
    end += 4;
  std::string path = text.take_front(end).str();
  llvm::StringRef rest = text.drop_front(end);
  rest.consume_front(":");
  if (rest.empty() || findElementType(rest)) {
    spec.input = path;
    spec.type = findElementType(rest);
    return {spec, ""};
  }
  spec.output = path;
  std::string error = parseForm(rest, spec);
  if (error.empty() &&
      (spec.kind == ArgumentSpec::Value || spec.kind == ArgumentSpec::Null || spec.kind == ArgumentSpec::Lds))
    error = "what is written to a file must be a buffer";
  return {spec, error};
}

namespace {

/// Uniform numbers to pairs of normal ones (Box and Muller).
host::Result<host::HostArray> normal(const ArgumentSpec &spec) {
  using host::Number, host::Scalar;
  host::Shape pairs{2};
  pairs.insert(pairs.end(), spec.shape.begin(), spec.shape.end());
  auto uniform = host::random(pairs, Number::F64, spec.seed, Scalar::ofFloat(0), Scalar::ofFloat(1));
  auto out = host::zeros(spec.shape, Number::F64);
  if (!uniform.ok() || !out.ok())
    return {{}, uniform.error + out.error};
  double mean = spec.low ? spec.low->toDouble() : 0, deviation = spec.high ? spec.high->toDouble() : 1;
  for (int64_t i = 0, n = out.value.size(); i < n; ++i) {
    double radius = std::sqrt(-2 * std::log1p(-uniform.value.number(i))),
           angle = 2 * M_PI * uniform.value.number(n + i);
    out.value.elements.setNumber(i, mean + deviation * radius * std::cos(angle));
  }
  return out;
}

host::Result<host::HostArray> generated(const ArgumentSpec &spec, uint64_t count) {
  if (spec.kind == ArgumentSpec::Normal)
    return normal(spec);
  if (spec.kind == ArgumentSpec::Random)
    return host::random(spec.shape, spec.type->number, spec.seed, spec.low, spec.high);
  auto steps =
      host::arange(host::Scalar::ofInt(0), host::Scalar::ofInt(int64_t(count)), host::Scalar::ofInt(1), std::nullopt);
  return steps.ok() ? host::reshape(steps.value, spec.shape) : steps;
}

} // namespace

host::Result<ArgumentContent> contentOf(const ArgumentSpec &spec, const ElementType *wanted) {
  ArgumentContent out;
  auto failure = [](std::string why) { return host::Result<ArgumentContent>{{}, std::move(why)}; };
  out.isBuffer = spec.kind != ArgumentSpec::Value && spec.kind != ArgumentSpec::Null && spec.kind != ArgumentSpec::Lds;
  if (spec.kind == ArgumentSpec::File) {
    auto file = readFile(spec.input);
    if (!file.ok())
      return failure(unreadable(spec.input, file.error));
    auto array = host::readNumPy(file.value);
    if (!array.ok())
      return failure(unreadable(spec.input, array.error));
    auto &a = array.value;
    const ElementType *type = spec.type ? spec.type : wanted && fits(a, *wanted) ? wanted : naturalType(a);
    if (spec.type && !fits(a, *spec.type))
      return failure("the elements of `" + spec.input + "` are `" + a.descr() + "`, not " + spec.type->name);
    out.type = type;
    out.numpyKind = a.kind;
    out.elementBytes = a.bytes;
    out.shape = a.shape;
    out.bytes = std::move(a.data);
    out.size = out.bytes.size();
    return {std::move(out), ""};
  }
  out.type = spec.type;
  out.shape = spec.shape;
  if (spec.type) {
    out.numpyKind = spec.type->numpyKind;
    out.elementBytes = spec.type->bytes;
  }
  if (spec.kind == ArgumentSpec::Value || spec.kind == ArgumentSpec::Bytes) {
    out.bytes = spec.bytes;
    out.size = spec.bytes.size();
    if (spec.kind == ArgumentSpec::Bytes) {
      out.shape = {int64_t(out.size)};
      out.numpyKind = 'u';
    }
    return {std::move(out), ""};
  }
  if (!out.isBuffer)
    return {std::move(out), ""};
  uint64_t count = 1;
  bool none = llvm::is_contained(spec.shape, 0);
  for (int64_t extent : spec.shape)
    if (!none && (__builtin_mul_overflow(count, uint64_t(extent), &count) || count > largestBuffer))
      return failure("a buffer of shape " + host::toText(spec.shape) + " is too large");
  count = none ? 0 : count;
  out.size = count * spec.type->bytes;
  out.isEmpty = spec.kind == ArgumentSpec::Empty;
  if (out.isEmpty)
    return {std::move(out), ""};
  if (spec.kind == ArgumentSpec::Zeros) {
    out.bytes.assign(out.size, '\0');
  } else if (spec.kind == ArgumentSpec::Fill) {
    out.bytes.reserve(out.size);
    for (uint64_t i = 0; i < count; ++i)
      out.bytes += spec.bytes;
  } else {
    auto array = generated(spec, count);
    if (!array.ok())
      return failure(array.error);
    out.bytes = toElements(array.value, *spec.type);
  }
  return {std::move(out), ""};
}

host::Result<OutputSpec> parseOutput(llvm::StringRef text) {
  OutputSpec spec{text.str(), "", ""};
  spec.name = takeName(text);
  spec.path = text.str();
  if (spec.name.empty() || !text.ends_with(".npy"))
    return {spec, "what is written is given as NAME=FILE.npy"};
  return {spec, ""};
}

host::Result<PrintSpec> parsePrint(llvm::StringRef text) {
  PrintSpec spec{text.str(), "", {}};
  auto [name, rest] = text.split('[');
  spec.name = name.str();
  if (!text.contains('['))
    return {spec, ""};
  auto failure = [&] {
    return host::Result<PrintSpec>{spec, "what is printed is given as NAME, NAME[5], NAME[:16] or NAME[2, 8:16:2]"};
  };
  if (!rest.consume_back("]"))
    return failure();
  llvm::SmallVector<llvm::StringRef> parts;
  rest.split(parts, ',');
  for (llvm::StringRef part : parts) {
    host::Subscript subscript;
    llvm::SmallVector<llvm::StringRef> bounds;
    part.trim().split(bounds, ':');
    if (bounds.size() > 3)
      return failure();
    subscript.isSlice = bounds.size() > 1;
    std::optional<int64_t> values[3];
    for (size_t i = 0; i < bounds.size(); ++i) {
      int64_t value;
      if (bounds[i].trim().empty() && subscript.isSlice)
        continue;
      if (bounds[i].trim().getAsInteger(10, value))
        return failure();
      values[i] = value;
    }
    subscript.at = values[0].value_or(0);
    subscript.start = values[0], subscript.stop = values[1], subscript.step = values[2];
    spec.subscripts.push_back(subscript);
  }
  return {spec, ""};
}

} // namespace fly::driver
