// A checkpoint: config.json and the tensors of *.safetensors, mapped into memory. What a file says is compared with what it has, and
// a tensor with the shape that the model needs, before anything is read.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace llm {

using Json = nlohmann::json;
using Shape = std::vector<int64_t>;

[[noreturn]] inline void refuse(const std::string &text) { throw std::runtime_error(text); }

inline Json readJson(const std::filesystem::path &path) {
  std::ifstream file(path);
  if (!file)
    refuse(path.string() + ": cannot be read");
  try {
    Json found = Json::parse(file);
    if (!found.is_object())
      refuse(path.string() + ": is not an object in JSON");
    return found;
  } catch (const Json::exception &error) {
    refuse(path.string() + ": " + error.what());
  }
}

struct Tensor {
  std::string dtype; // "BF16", "F16", "F32", "F8_E4M3"
  Shape shape;
  const unsigned char *bytes;
};

inline std::string textOf(const Shape &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + ")";
}

/// The bits of a float in bf16, rounded to nearest even.
inline uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Of 8 or 16 bits: a sign, an exponent, and a mantissa of so many bits.
inline float ofBits(uint32_t bits, int exponentBits, int mantissaBits, bool infinities) {
  const uint32_t mantissa = bits & ((1u << mantissaBits) - 1), most = (1u << exponentBits) - 1;
  const uint32_t exponent = bits >> mantissaBits & most;
  const int bias = static_cast<int>(most >> 1);
  float value;
  if (exponent == most && infinities)
    value = mantissa ? NAN : INFINITY;
  else if (exponent == most && mantissa + 1 == 1u << mantissaBits)
    value = NAN;
  else
    value = std::ldexp(static_cast<float>(exponent ? mantissa | 1u << mantissaBits : mantissa),
                       std::max(static_cast<int>(exponent), 1) - bias - mantissaBits);
  return bits >> (exponentBits + mantissaBits) & 1 ? -value : value;
}

/// The bits of a float in OCP's e4m3, rounded to nearest even; larger ones become 448.
inline uint8_t toE4m3(float value) {
  const float magnitude = std::fmin(std::fabs(value), 448.0f); // fmin of NaN is 448
  const int exponent = std::max(magnitude > 0 ? std::ilogb(magnitude) : -6, -6);
  const int steps = static_cast<int>(
      std::nearbyint(std::ldexp(magnitude, 3 - exponent))); // of 2^(exponent - 3), 16: the next exponent
  const int bits = steps < 8 ? steps : steps + (exponent + 6) * 8;
  return static_cast<uint8_t>(bits | (std::signbit(value) ? 0x80 : 0));
}

/// Weights of a device as a product wants them: rows of bf16, or of e4m3 with a scale each.
struct Rows {
  std::vector<unsigned char> bytes;
  std::vector<float> scales; // none: bf16
};

class Checkpoint {
public:
  explicit Checkpoint(const std::filesystem::path &folder) : config(readJson(folder / "config.json")) {
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".safetensors") {
        try {
          map(entry.path());
        } catch (const Json::exception &error) {
          refuse(entry.path().string() + ": is not a safetensors file: " + error.what());
        }
      }
    if (tensors.empty())
      refuse(folder.string() + ": there is no .safetensors file with tensors");
  }
  Checkpoint(const Checkpoint &) = delete;
  ~Checkpoint() {
    for (auto &[memory, size] : mapped)
      munmap(memory, size);
  }

  const Tensor &at(const std::string &name) const {
    auto found = tensors.find(name);
    if (auto other = others.find(name); other != others.end())
      refuse("`" + name + "` has elements of " + other->second + "; BF16, F16, F32 and F8_E4M3 are supported");
    if (found == tensors.end())
      refuse("the checkpoint has no tensor `" + name + "`");
    return found->second;
  }
  const Tensor &at(const std::string &name, const Shape &shape) const {
    const Tensor &found = at(name);
    if (found.shape != shape)
      refuse("`" + name + "` has the shape " + textOf(found.shape) + "; config.json asks for " + textOf(shape));
    return found;
  }
  /// Whether any weight has 8 bits.
  bool isQuantised() const {
    return std::any_of(tensors.begin(), tensors.end(), [](auto &item) { return item.second.dtype == "F8_E4M3"; });
  }

  /// All elements, in bf16.
  std::vector<unsigned char> bf16(const std::string &name, const Shape &shape) const {
    Rows found;
    take(found, name, shape, 0, shape[0], 0, shape.size() > 1 ? shape[1] : 1, false);
    return std::move(found.bytes);
  }

  /// Appends `rows` rows of `columns` columns of a matrix, or of elements of a vector. In 8 bits, the scales are those of
  /// whole rows: as published, or such that the largest number becomes 448.
  void take(Rows &to, const std::string &name, const Shape &shape, int64_t row, int64_t rows, int64_t column,
            int64_t columns, bool as8Bits) const {
    const Tensor &tensor = at(name, shape);
    const int64_t width = shape.size() > 1 ? shape[1] : 1;
    const std::vector<float> scales = tensor.dtype == "F8_E4M3" ? scalesOf(name, shape[0]) : std::vector<float>();
    std::vector<float> whole(static_cast<size_t>(width));
    for (int64_t r = row; r < row + rows; ++r) {
      const float known = scales.empty() ? 1.0f : scales[static_cast<size_t>(r)];
      if (as8Bits && !scales.empty()) {
        const unsigned char *from = tensor.bytes + r * width + column;
        to.bytes.insert(to.bytes.end(), from, from + columns);
        to.scales.push_back(known);
      } else if (as8Bits) {
        convert(tensor, r * width, width, 1.0f, whole.data());
        float largest = 0;
        for (float value : whole)
          largest = std::fmax(largest, std::fabs(value));
        to.scales.push_back(std::fmax(largest / 448.0f, 0x1p-126f));
        for (int64_t c = column; c < column + columns; ++c)
          to.bytes.push_back(toE4m3(whole[static_cast<size_t>(c)] / to.scales.back()));
      } else {
        const size_t begin = to.bytes.size();
        to.bytes.resize(begin + static_cast<size_t>(columns) * 2);
        if (tensor.dtype == "BF16") {
          std::memcpy(&to.bytes[begin], tensor.bytes + (r * width + column) * 2, static_cast<size_t>(columns) * 2);
          continue;
        }
        convert(tensor, r * width + column, columns, known, whole.data());
        for (size_t c = 0; c < static_cast<size_t>(columns); ++c) {
          const uint16_t bits = toBf16(whole[c]);
          std::memcpy(&to.bytes[begin + c * 2], &bits, 2);
        }
      }
    }
  }

  const Json config;

private:
  static int64_t bytesOf(const std::string &dtype) {
    return dtype == "BF16" || dtype == "F16" ? 2 : dtype == "F32" ? 4 : dtype == "F8_E4M3" ? 1 : 0;
  }

  static void convert(const Tensor &tensor, int64_t begin, int64_t count, float scale, float *to) {
    const auto bytes = static_cast<size_t>(bytesOf(tensor.dtype));
    for (int64_t i = 0; i < count; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, tensor.bytes + static_cast<size_t>(begin + i) * bytes, bytes);
      if (tensor.dtype == "F16") {
        to[i] = scale * ofBits(bits, 5, 10, true);
      } else if (tensor.dtype == "F8_E4M3") {
        to[i] = scale * ofBits(bits, 4, 3, false);
      } else {
        bits <<= tensor.dtype == "BF16" ? 16 : 0;
        std::memcpy(to + i, &bits, 4);
      }
    }
  }

  std::vector<float> scalesOf(const std::string &name, int64_t rows) const {
    auto found = tensors.find(name + "_scale");
    if (found == tensors.end())
      refuse("`" + name + "` has 8 bits, but there is no `" + name + "_scale`; scales of blocks are not supported");
    int64_t count = 1;
    for (int64_t extent : found->second.shape)
      count *= extent;
    if (count != 1 && count != rows)
      refuse("`" + name + "` has " + std::to_string(rows) + " rows, and " + std::to_string(count) +
             " scales; one, or one for each row, are supported");
    std::vector<float> scales(static_cast<size_t>(count));
    convert(found->second, 0, count, 1.0f, scales.data());
    scales.resize(static_cast<size_t>(rows), scales[0]);
    return scales;
  }

  void map(const std::filesystem::path &path) {
    const int file = open(path.c_str(), O_RDONLY);
    struct stat info;
    const bool isRead = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    const size_t size = isRead ? static_cast<size_t>(info.st_size) : 0;
    void *memory = size < 8 ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
      close(file);
    if (!isRead || (size >= 8 && memory == MAP_FAILED))
      refuse(path.string() + ": cannot be read");
    uint64_t length = 0;
    if (size >= 8) {
      mapped.emplace_back(memory, size);
      std::memcpy(&length, memory, 8);
    }
    if (size < 8 || length > size - 8)
      refuse(path.string() + ": is not a safetensors file: its header ends beyond the file");
    const auto *bytes = static_cast<const unsigned char *>(memory);
    const size_t data = 8 + length;
    const Json header = Json::parse(bytes + 8, bytes + data);
    if (!header.is_object())
      refuse(path.string() + ": is not a safetensors file: its header is not an object");
    for (const auto &[name, item] : header.items()) {
      if (name == "__metadata__")
        continue;
      const std::string place = path.string() + ": `" + name + "`";
      const Json &offsets = item.at("data_offsets"), &extents = item.at("shape");
      if (!offsets.is_array() || offsets.size() != 2 || !extents.is_array() || !offsets[0].is_number_unsigned() ||
          !offsets[1].is_number_unsigned())
        refuse(place + " needs a shape and two offsets");
      const uint64_t begin = offsets[0], end = offsets[1];
      if (begin > end || end > size - data)
        refuse(place + " ends beyond the file");
      const std::string dtype = item.at("dtype");
      auto elements = static_cast<uint64_t>(1);
      Shape shape;
      for (const Json &extent : extents) {
        const uint64_t count = extent.is_number_unsigned() ? extent.get<uint64_t>() : UINT64_MAX;
        if (count > size || (count && elements > size / count))
          refuse(place + " has a shape that the file has no room for");
        elements *= count;
        shape.push_back(static_cast<int64_t>(count));
      }
      const auto each = static_cast<uint64_t>(bytesOf(dtype));
      if (each == 0) { // of no use to the models here, unless they ask for it
        others[name] = dtype;
        continue;
      }
      if (elements * each != end - begin)
        refuse(place + " has " + std::to_string(end - begin) + " bytes; " + textOf(shape) + " of " + dtype + " has " +
               std::to_string(elements * each));
      if (!tensors.emplace(name, Tensor{dtype, shape, bytes + data + begin}).second)
        refuse(place + " is in another file, too");
    }
  }

  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> others; // the types of tensors that cannot be read
  std::vector<std::pair<void *, size_t>> mapped;
};

} // namespace llm
