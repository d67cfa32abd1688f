// A checkpoint: the tensors of *.safetensors, mapped into memory. What a file says is compared with what it has, and a
// tensor with the shape that the model needs, before anything is read.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fly/numbers.h>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace llm {

using Json = nlohmann::json;
using Shape = std::vector<int64_t>;

template <typename... Parts> [[noreturn]] void refuse(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw std::runtime_error(text.str());
}

/// Calls `read`; an error in it says which file it is about.
template <typename Read> void readFile(const std::filesystem::path &path, Read read) {
  try {
    read();
  } catch (const std::exception &error) {
    refuse(path.string(), ": ", error.what());
  }
}

template <typename Read> void readJson(const std::filesystem::path &path, Read read) {
  readFile(path, [&] {
    std::ifstream file(path);
    if (!file)
      refuse("cannot be read");
    read(Json::parse(file));
  });
}

inline int64_t whole(const Json &json, const std::string &what, int64_t least = 0, int64_t most = INT32_MAX) {
  if (!json.is_number_integer() || json.get<int64_t>() < least || json.get<int64_t>() > most)
    refuse(what, " must be a whole number from ", least, " to ", most, ", not ", json);
  return json;
}

struct Type {
  int64_t bytes;
  fly_number number; // of 8 and 16 bits
};
inline const std::map<std::string, Type> types = {
    {"BF16", {2, FLY_BF16}}, {"F16", {2, FLY_F16}}, {"F32", {4, {}}}, {"F8_E4M3", {1, FLY_F8E4M3FN}}};

struct Tensor {
  std::string type;
  Shape shape;
  const unsigned char *bytes;

  std::vector<float> floats(int64_t begin, int64_t count) const {
    const Type &from = types.at(type);
    std::vector<float> found(count);
    if (from.bytes == 4)
      std::memcpy(found.data(), bytes + begin * 4, count * 4);
    for (int64_t i = 0; i < count && from.bytes < 4; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, bytes + (begin + i) * from.bytes, from.bytes);
      found[i] = fly_to_f32(from.number, bits);
    }
    return found;
  }
};

/// Weights of a device as a product wants them: rows of bf16, or of e4m3 with a scale each.
struct Rows {
  std::vector<unsigned char> bytes;
  std::vector<float> scales; // none: bf16
};

class Checkpoint {
public:
  explicit Checkpoint(const std::filesystem::path &folder) {
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".safetensors")
        readFile(entry.path(), [&] { map(entry.path()); });
    if (tensors.empty())
      refuse(folder.string(), ": there is no .safetensors file with tensors");
  }

  /// Whether any weight has 8 bits.
  bool isQuantised() const {
    return std::any_of(tensors.begin(), tensors.end(), [](auto &item) { return item.second.type == "F8_E4M3"; });
  }

  /// Appends one of `world` parts of a matrix, some rows (axis 0) or columns; a vector is one row. In 8 bits, scales
  /// are those of whole rows: as published, or such that the largest number becomes 448.
  void append(Rows &to, const std::string &name, const Shape &part, bool as8Bits, int axis = 0, int rank = 0,
              int world = 1) const {
    Shape shape = part;
    shape[axis] *= world;
    const Tensor &tensor = at(name, shape);
    const bool published = tensor.type == "F8_E4M3", asItIs = tensor.type == (as8Bits ? "F8_E4M3" : "BF16");
    const std::vector<float> scales = published ? scalesOf(name, shape[0]) : std::vector<float>(shape[0], 1.0f);
    const int64_t rows = part.size() > 1 ? part[0] : 1, columns = part.back(), width = shape.back();
    const int64_t top = axis ? 0 : rank * rows, left = axis ? rank * columns : 0, bytes = types.at(tensor.type).bytes;
    for (int64_t row = top; row < top + rows; ++row) {
      float scale = scales[row];
      if (asItIs) {
        const unsigned char *from = tensor.bytes + (row * width + left) * bytes;
        to.bytes.insert(to.bytes.end(), from, from + columns * bytes);
      } else {
        const std::vector<float> values = tensor.floats(row * width, width);
        const auto larger = [](float a, float b) { return std::fmax(a, std::fabs(b)); };
        if (as8Bits)
          scale = std::fmax(std::accumulate(values.begin(), values.end(), 0.0f, larger) / 448.0f, 0x1p-126f);
        for (int64_t column = left; column < left + columns; ++column) {
          const uint32_t bits = as8Bits ? fly_from_f32(FLY_F8E4M3FN, values[column] / scale, 1)
                                        : fly_from_f32(FLY_BF16, values[column] * scale, 0);
          const auto *begin = reinterpret_cast<const unsigned char *>(&bits);
          to.bytes.insert(to.bytes.end(), begin, begin + (as8Bits ? 1 : 2));
        }
      }
      if (as8Bits)
        to.scales.push_back(scale);
    }
  }

private:
  /// No shape: any.
  const Tensor &at(const std::string &name, const Shape &shape) const {
    const auto found = tensors.find(name);
    if (found == tensors.end())
      refuse("the checkpoint has no tensor `", name, "`");
    const Tensor &tensor = found->second;
    if (!types.count(tensor.type))
      refuse("`", name, "` has elements of ", tensor.type, "; BF16, F16, F32 and F8_E4M3 are supported");
    if (!shape.empty() && tensor.shape != shape)
      refuse("`", name, "` has the shape ", Json(tensor.shape), "; config.json asks for ", Json(shape));
    return tensor;
  }

  std::vector<float> scalesOf(const std::string &name, int64_t rows) const {
    const Tensor &tensor = at(name + "_scale", {}); // those of blocks have another name
    const int64_t count = std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t(1), std::multiplies<>());
    if (count != 1 && count != rows)
      refuse("`", name, "` has ", rows, " rows and ", count, " scales; one, or one for each row, are supported");
    std::vector<float> scales = tensor.floats(0, count);
    scales.resize(rows, scales[0]);
    return scales;
  }

  void map(const std::filesystem::path &path) {
    const uint64_t size = std::filesystem::file_size(path);
    const int file = open(path.c_str(), O_RDONLY);
    void *memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (memory == MAP_FAILED)
      refuse("cannot be read");
    mapped.emplace_back(memory, [size](void *begin) { munmap(begin, size); });
    const auto *header = static_cast<const unsigned char *>(memory) + 8;
    uint64_t length = 0;
    std::memcpy(&length, memory, std::min<uint64_t>(size, 8));
    if (size < 8 || length > size - 8)
      refuse("is damaged: its header ends beyond the file");
    const unsigned char *data = header + length;
    const auto most = static_cast<int64_t>(size - 8 - length);
    const Json all = Json::parse(header, data);
    for (const auto &[name, item] : all.items()) {
      if (name == "__metadata__")
        continue;
      const std::string what = "an offset or an extent of `" + name + "`";
      const Json &offsets = item.at("data_offsets");
      const int64_t begin = whole(offsets.at(0), what, 0, most), end = whole(offsets.at(1), what, begin, most);
      Tensor tensor = {item.at("dtype"), {}, data + begin};
      const auto type = types.find(tensor.type);
      double bytes = type == types.end() ? 1 : static_cast<double>(type->second.bytes);
      for (const Json &extent : item.at("shape"))
        bytes *= static_cast<double>(tensor.shape.emplace_back(whole(extent, what, 0, most)));
      if (type != types.end() && bytes != static_cast<double>(end - begin))
        refuse("`", name, "` of the shape ", Json(tensor.shape), " does not fill the bytes ", offsets);
      if (!tensors.emplace(name, tensor).second)
        refuse("`", name, "` is in another file, too");
    }
  }

  std::map<std::string, Tensor> tensors;
  std::vector<std::shared_ptr<void>> mapped;
};

} // namespace llm
