// A checkpoint: config.json and the tensors of *.safetensors, mapped into memory. What a file says is compared with what it has, and
// a tensor with the shape that the model needs, before anything is read.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace llm {

using Json = nlohmann::json;
using Shape = std::vector<int64_t>;

[[noreturn]] inline void refuse(const std::string &text) { throw std::runtime_error(text); }

/// What an error says, without the name that nlohmann's has in front.
inline std::string wordsOf(const std::exception &error) {
  const std::string text = error.what();
  const size_t name = text.rfind("[json.", 0) == 0 ? text.find("] ") : std::string::npos;
  return name == std::string::npos ? text : "is damaged: " + text.substr(name + 2);
}

inline Json readJson(const std::filesystem::path &path) {
  std::ifstream file(path);
  if (!file)
    refuse(path.string() + ": cannot be read");
  try {
    Json found = Json::parse(file);
    if (found.is_object())
      return found;
    refuse(path.string() + ": is damaged: not an object");
  } catch (const Json::exception &error) {
    refuse(path.string() + ": " + wordsOf(error));
  }
}

struct Tensor {
  std::string dtype; // "BF16", "F16", "F32", "F8_E4M3"
  Shape shape;
  const unsigned char *bytes;
};

/// The bits of a float in bf16, rounded to nearest even.
inline uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Of 8 or 16 bits: a sign, an exponent, and a mantissa of so many bits. f16 has infinities, e4m3 has not.
inline float ofBits(uint32_t bits, int exponentBits, int mantissaBits) {
  const int mantissa = static_cast<int>(bits & ((1u << mantissaBits) - 1)), hidden = 1 << mantissaBits;
  const int most = (1 << exponentBits) - 1, exponent = static_cast<int>(bits >> mantissaBits) & most;
  float value = std::ldexp(static_cast<float>(exponent ? mantissa | hidden : mantissa),
                           std::max(exponent, 1) - (most >> 1) - mantissaBits);
  if (exponent == most && (exponentBits == 5 || mantissa == hidden - 1))
    value = exponentBits == 5 && !mantissa ? INFINITY : NAN;
  return bits >> (exponentBits + mantissaBits) & 1 ? -value : value;
}

/// The bits of a float in OCP's e4m3, rounded to nearest even; larger ones become 448.
inline uint8_t toE4m3(float value) {
  const float magnitude = std::fmin(std::fabs(value), 448.0f); // of NaN: 448
  const int exponent = magnitude < 0x1p-6f ? -6 : std::ilogb(magnitude);
  const int steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 3 - exponent))); // 16: the next exponent
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
        } catch (const std::exception &error) {
          refuse(entry.path().string() + ": " + wordsOf(error));
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

  const Tensor &at(const std::string &name, const Shape &shape) const {
    auto found = tensors.find(name);
    if (found == tensors.end())
      refuse("the checkpoint has no tensor `" + name + "`");
    const Tensor &tensor = found->second;
    if (!bytesOf(tensor.dtype))
      refuse("`" + name + "` has elements of " + tensor.dtype + "; BF16, F16, F32 and F8_E4M3 are supported");
    if (!shape.empty() && tensor.shape != shape)
      refuse("`" + name + "` has the shape " + Json(tensor.shape).dump() + "; config.json asks for " +
             Json(shape).dump());
    return tensor;
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
    const bool published = tensor.dtype == "F8_E4M3", asItIs = as8Bits ? published : tensor.dtype == "BF16";
    const std::vector<float> scales = published ? scalesOf(name, shape[0]) : std::vector<float>();
    const int64_t width = shape.size() > 1 ? shape[1] : 1, each = bytesOf(tensor.dtype);
    std::vector<float> whole(static_cast<size_t>(width));
    for (int64_t r = row; r < row + rows; ++r) {
      float scale = published ? scales[static_cast<size_t>(r)] : 1.0f;
      if (asItIs) {
        const unsigned char *from = tensor.bytes + (r * width + column) * each;
        to.bytes.insert(to.bytes.end(), from, from + columns * each);
      } else {
        convert(tensor, r * width, width, whole.data());
        const auto larger = [](float a, float b) { return std::fmax(a, std::fabs(b)); };
        if (as8Bits)
          scale = std::fmax(std::accumulate(whole.begin(), whole.end(), 0.0f, larger) / 448.0f, 0x1p-126f);
        for (int64_t c = column; c < column + columns; ++c) {
          const float value = whole[static_cast<size_t>(c)];
          const unsigned bits = as8Bits ? toE4m3(value / scale) : toBf16(value * scale);
          to.bytes.push_back(static_cast<unsigned char>(bits));
          if (!as8Bits)
            to.bytes.push_back(static_cast<unsigned char>(bits >> 8));
        }
      }
      if (as8Bits)
        to.scales.push_back(scale);
    }
  }

  const Json config;

private:
  static int64_t bytesOf(const std::string &dtype) {
    return dtype == "BF16" || dtype == "F16" ? 2 : dtype == "F32" ? 4 : dtype == "F8_E4M3" ? 1 : 0;
  }

  static void convert(const Tensor &tensor, int64_t begin, int64_t count, float *to) {
    const auto bytes = static_cast<size_t>(bytesOf(tensor.dtype));
    const bool isHalf = tensor.dtype == "F16";
    for (int64_t i = 0; i < count; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, tensor.bytes + static_cast<size_t>(begin + i) * bytes, bytes);
      if (bytes == 1 || isHalf) {
        to[i] = isHalf ? ofBits(bits, 5, 10) : ofBits(bits, 4, 3);
      } else {
        bits <<= bytes == 2 ? 16 : 0;
        std::memcpy(to + i, &bits, 4);
      }
    }
  }

  std::vector<float> scalesOf(const std::string &name, int64_t rows) const {
    const Tensor &tensor = at(name + "_scale", {}); // those of blocks have another name
    const int64_t count = std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t(1), std::multiplies<>());
    if (count != 1 && count != rows)
      refuse("`" + name + "` has " + std::to_string(rows) + " rows and " + std::to_string(count) +
             " scales; one, or one for each row, are supported");
    std::vector<float> scales(static_cast<size_t>(count));
    convert(tensor, 0, count, scales.data());
    scales.resize(static_cast<size_t>(rows), scales[0]);
    return scales;
  }

  void map(const std::filesystem::path &path) {
    const uint64_t size = std::filesystem::file_size(path);
    const int file = open(path.c_str(), O_RDONLY);
    void *memory = file < 0 || size < 8 ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
      close(file);
    if (memory == MAP_FAILED)
      refuse(size < 8 ? "is damaged: it has less than 8 bytes" : "cannot be read");
    mapped.emplace_back(memory, size);
    const auto *bytes = static_cast<const unsigned char *>(memory);
    uint64_t length;
    std::memcpy(&length, bytes, 8);
    if (length > size - 8)
      refuse("is damaged: its header ends beyond the file");
    const uint64_t data = 8 + length;
    const Json header = Json::parse(bytes + 8, bytes + data);
    for (const auto &[name, item] : header.items()) {
      if (name == "__metadata__")
        continue;
      const auto number = [&, &name = name](const Json &json) {
        if (!json.is_number_unsigned() || json.get<uint64_t>() > size)
          refuse("`" + name + "` reaches beyond the file: " + json.dump());
        return json.get<uint64_t>();
      };
      const uint64_t begin = number(item.at("data_offsets").at(0)), end = number(item.at("data_offsets").at(1));
      Tensor tensor = {item.at("dtype"), {}, bytes + data + begin};
      auto most = static_cast<uint64_t>(bytesOf(tensor.dtype));
      for (const Json &extent : item.at("shape")) {
        tensor.shape.push_back(static_cast<int64_t>(number(extent)));
        most = tensor.shape.back() && most > size / number(extent) ? UINT64_MAX : most * number(extent);
      }
      if (begin > end || end > size - data || (bytesOf(tensor.dtype) && most != end - begin))
        refuse("`" + name + "` of the shape " + Json(tensor.shape).dump() + " is not in the bytes " +
               item["data_offsets"].dump() + " of the " + std::to_string(size - data));
      if (!tensors.emplace(name, tensor).second)
        refuse("`" + name + "` is in another file, too");
    }
  }

  std::map<std::string, Tensor> tensors;
  std::vector<std::pair<void *, size_t>> mapped;
};

} // namespace llm
