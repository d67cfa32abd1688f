// A checkpoint: config.json and the tensors of *.safetensors, mapped into memory.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

inline Json readJson(const std::filesystem::path &path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path.string() + ": cannot be read");
  try {
    return Json::parse(file);
  } catch (const Json::exception &error) {
    throw std::runtime_error(path.string() + ": " + error.what());
  }
}

struct Tensor {
  std::string dtype; // "BF16", "F16", "F32", "F8_E4M3"
  std::vector<int64_t> shape;
  const unsigned char *bytes;
  size_t size;

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
};

/// The bits of a float in bf16, rounded to nearest even.
inline uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float halfToFloat(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  float value;
  if (exponent == 0) {
    value = static_cast<float>(mantissa) / 16777216.0f;
    return sign ? -value : value;
  }
  const uint32_t bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | mantissa << 13;
  std::memcpy(&value, &bits, 4);
  return value;
}

class Checkpoint {
public:
  explicit Checkpoint(const std::filesystem::path &folder) : config(readJson(folder / "config.json")) {
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".safetensors")
        map(entry.path());
    if (tensors.empty())
      throw std::runtime_error(folder.string() + ": there is no .safetensors file with tensors");
  }
  Checkpoint(const Checkpoint &) = delete;
  ~Checkpoint() {
    for (auto &[memory, size] : mapped)
      munmap(memory, size);
  }

  bool has(const std::string &name) const { return tensors.count(name) != 0; }
  const Tensor &at(const std::string &name) const {
    auto found = tensors.find(name);
    if (found == tensors.end())
      throw std::runtime_error("the checkpoint has no tensor `" + name + "`");
    return found->second;
  }

  /// The bits in bf16 of rows [first, first + count) of a matrix, or of the elements of a vector; columns likewise.
  std::vector<uint16_t> bf16(const std::string &name, int64_t first = 0, int64_t count = -1, int64_t column = 0,
                             int64_t columns = -1) const {
    const Tensor &tensor = at(name);
    const int64_t width = tensor.shape.size() > 1 ? tensor.elements() / tensor.shape[0] : 1;
    if (count < 0)
      count = tensor.shape[0] - first;
    if (columns < 0)
      columns = width - column;
    std::vector<uint16_t> found(static_cast<size_t>(count * columns));
    for (int64_t row = 0; row < count; ++row)
      convert(tensor, (first + row) * width + column, columns, &found[static_cast<size_t>(row * columns)]);
    return found;
  }

  const Json config;

private:
  static void convert(const Tensor &tensor, int64_t begin, int64_t count, uint16_t *to) {
    if (tensor.dtype == "BF16") {
      std::memcpy(to, tensor.bytes + begin * 2, static_cast<size_t>(count) * 2);
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      float value;
      if (tensor.dtype == "F32") {
        std::memcpy(&value, tensor.bytes + (begin + i) * 4, 4);
      } else if (tensor.dtype == "F16") {
        uint16_t half;
        std::memcpy(&half, tensor.bytes + (begin + i) * 2, 2);
        value = halfToFloat(half);
      } else {
        throw std::runtime_error("tensors of " + tensor.dtype + " are not supported");
      }
      to[i] = toBf16(value);
    }
  }

  void map(const std::filesystem::path &path) {
    const int file = open(path.c_str(), O_RDONLY);
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0 || info.st_size < 8)
      throw std::runtime_error(path.string() + ": cannot be read");
    const auto size = static_cast<size_t>(info.st_size);
    void *memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (memory == MAP_FAILED)
      throw std::runtime_error(path.string() + ": cannot be mapped");
    mapped.emplace_back(memory, size);
    const auto *bytes = static_cast<const unsigned char *>(memory);
    uint64_t length;
    std::memcpy(&length, bytes, 8);
    if (length > size - 8)
      throw std::runtime_error(path.string() + ": is not a safetensors file");
    const Json header = Json::parse(bytes + 8, bytes + 8 + length);
    const size_t data = 8 + length;
    for (const auto &[name, item] : header.items()) {
      if (name == "__metadata__")
        continue;
      const size_t begin = item.at("data_offsets").at(0), end = item.at("data_offsets").at(1);
      if (begin > end || end > size - data)
        throw std::runtime_error(path.string() + ": `" + name + "` ends beyond the file");
      tensors[name] = {item.at("dtype"), item.at("shape").get<std::vector<int64_t>>(), bytes + data + begin,
                       end - begin};
    }
  }

  std::map<std::string, Tensor> tensors;
  std::vector<std::pair<void *, size_t>> mapped;
};

} // namespace llm
