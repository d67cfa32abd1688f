// C++17 wrapper for fly/runtime.h: owners free what they own, failures throw, and device memory knows its size.
//
//     fly::buffer<float> x(host), y(host.size());
//     fly::stream stream;
//     fly::check(vec_add_scale(stream, x, y, n));                generated headers take these objects directly
//     stream.synchronize();
//     std::vector<float> result = y.to_host();
//
// Everything happens on the calling thread's current device. Memory and streams stay with the device they were created
// on.
#pragma once

#include "fly/runtime.h"

#include <array>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fly {

/// An error from the runtime: its text and its status.
class error : public std::runtime_error {
public:
  explicit error(fly_status status) : std::runtime_error(fly_error()), code(status) {}
  fly_status status() const noexcept { return code; }

private:
  fly_status code;
};

inline void check(fly_status status) {
  if (status != FLY_OK)
    throw error(status);
}

/// A view of elements in device memory that something else owns. Only kernels may dereference the pointer.
template <typename T> class device_span {
public:
  device_span() = default;
  device_span(T *data, size_t size) noexcept : begin(data), count(size) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
  device_span(const device_span<U> &other) noexcept : begin(other.data()), count(other.size()) {}

  T *data() const noexcept { return begin; }
  size_t size() const noexcept { return count; }
  size_t size_bytes() const noexcept { return count * sizeof(T); }
  bool empty() const noexcept { return count == 0; }
  /// A part of the span; throws if it reaches past the end.
  device_span subspan(size_t first, size_t length) const {
    if (first > count || length > count - first)
      throw std::out_of_range(std::to_string(length) + " elements starting at " + std::to_string(first) +
                              " reach past the end of a device_span of " + std::to_string(count));
    return {begin + first, length};
  }
  device_span subspan(size_t first) const { return subspan(first, first > count ? 0 : count - first); }
  operator T *() const noexcept { return begin; }

  /// Copies from and to the host, which are complete on return. The sizes must match.
  void copy_from(const T *host, size_t size) const {
    match(size);
    check(fly_copy_to_device(const_cast<std::remove_const_t<T> *>(begin), host, size_bytes()));
  }
  void copy_from(const std::vector<std::remove_const_t<T>> &host) const { copy_from(host.data(), host.size()); }
  void copy_to(std::remove_const_t<T> *host, size_t size) const {
    match(size);
    check(fly_copy_to_host(host, begin, size_bytes()));
  }
  std::vector<std::remove_const_t<T>> to_host() const {
    std::vector<std::remove_const_t<T>> host(count);
    copy_to(host.data(), host.size());
    return host;
  }

private:
  void match(size_t size) const {
    if (size != count)
      throw std::length_error("a copy of " + std::to_string(size) + " elements to or from a device_span of " +
                              std::to_string(count));
  }
  T *begin = nullptr;
  size_t count = 0;
};

/// Owns memory of the current device and frees it on destruction, which waits for nothing beyond what HIP's free does.
template <typename T> class buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "kernels read and write plain bytes");

public:
  buffer() = default;
  explicit buffer(size_t size) : view(allocate(size), size) {}
  explicit buffer(const std::vector<T> &host) : buffer(host.size()) { copy_from(host); }
  buffer(buffer &&other) noexcept : view(std::exchange(other.view, {})) {}
  buffer &operator=(buffer &&other) noexcept {
    std::swap(view, other.view);
    return *this;
  }
  ~buffer() {
    if (view.data())
      fly_free(view.data());
  }

  T *data() const noexcept { return view.data(); }
  size_t size() const noexcept { return view.size(); }
  size_t size_bytes() const noexcept { return view.size_bytes(); }
  device_span<T> span() const noexcept { return view; }
  device_span<T> subspan(size_t first, size_t length) const { return view.subspan(first, length); }
  operator device_span<T>() const noexcept { return view; }
  operator device_span<const T>() const noexcept { return view; }
  operator T *() const noexcept { return view.data(); }

  void copy_from(const std::vector<T> &host) const { view.copy_from(host); }
  void copy_from(const T *host, size_t size) const { view.copy_from(host, size); }
  void copy_to(T *host, size_t size) const { view.copy_to(host, size); }
  std::vector<T> to_host() const { return view.to_host(); }

private:
  static T *allocate(size_t size) {
    void *memory = nullptr;
    if (size > SIZE_MAX / sizeof(T))
      throw std::length_error("a buffer of " + std::to_string(size) + " elements");
    check(fly_malloc(&memory, size * sizeof(T)));
    return static_cast<T *>(memory);
  }
  device_span<T> view;
};

/// A view of bytes in device memory, from a span or a buffer of any element type. T is void or const void.
template <typename T> class raw_span {
public:
  raw_span() = default;
  raw_span(T *data, size_t bytes) noexcept : begin(data), bytes(bytes) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U *, T *>>>
  raw_span(const device_span<U> &span) noexcept : begin(span.data()), bytes(span.size_bytes()) {}
  template <typename U> raw_span(const buffer<U> &owner) noexcept : begin(owner.data()), bytes(owner.size_bytes()) {}
  T *data() const noexcept { return begin; }
  size_t size_bytes() const noexcept { return bytes; }

private:
  T *begin = nullptr;
  size_t bytes = 0;
};

/// For generated headers: refuses a span with fewer elements than a tensor with these (extent, stride) modes needs.
inline void covers(const char *kernel, const char *tensor, size_t elements, int fault,
                   std::initializer_list<std::pair<int64_t, int64_t>> modes) {
  int64_t last = 0;
  for (const auto &[extent, stride] : modes) {
    if (extent <= 0)
      return; // empty, or the kernel refuses it
    if (stride > 0)
      last = fly_expr_add(&fault, last, fly_expr_mul(&fault, extent - 1, stride));
  }
  if (fault || static_cast<uint64_t>(last) >= elements)
    throw error(fault ? fly_refuse(FLY_ERROR_ARGUMENT, "%s: the size of `%s` cannot be computed", kernel, tensor)
                      : fly_refuse(FLY_ERROR_ARGUMENT, "%s: `%s` needs %llu elements, but the span has %llu", kernel,
                                   tensor, static_cast<unsigned long long>(last) + 1,
                                   static_cast<unsigned long long>(elements)));
}

namespace detail {
/// A handle that is destroyed with its owner; it can be moved.
template <typename Handle, fly_status (*destroy)(Handle)> class owner {
protected:
  owner() = default;
  owner(owner &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  owner &operator=(owner &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~owner() {
    if (handle)
      destroy(handle);
  }
  Handle handle = nullptr;
};
} // namespace detail

/// A stream that does not wait for the default stream. Its destructor destroys it once its work is done.
class stream : detail::owner<fly_stream, fly_stream_destroy> {
public:
  stream() { check(fly_stream_create(&handle)); }
  void synchronize() const { check(fly_stream_synchronize(handle)); }
  operator fly_stream() const noexcept { return handle; }
};

/// A moment in a stream's work, to measure and to wait for.
class event : detail::owner<fly_event, fly_event_destroy> {
public:
  event() { check(fly_event_create(&handle)); }
  void record(fly_stream stream) const { check(fly_event_record(handle, stream)); }
  /// From `begin` to this one, which it waits for.
  float milliseconds_since(const event &begin) const {
    float found = 0;
    check(fly_event_milliseconds(&found, begin.handle, handle));
    return found;
  }
  operator fly_event() const noexcept { return handle; }
};

/// Loads a generated header's module, and unloads it from all devices on destruction.
class loaded_module {
public:
  explicit loaded_module(fly_module *module) : module(module) { check(fly_module_load(module)); }
  loaded_module(const loaded_module &) = delete;
  loaded_module &operator=(const loaded_module &) = delete;
  ~loaded_module() { fly_module_unload(module); }

private:
  fly_module *module;
};

/// What a function gives a stream, recorded once and launched as a whole. Modules that it launches are loaded before.
class graph : detail::owner<fly_graph, fly_graph_destroy> {
public:
  template <typename Work> graph(fly_stream stream, Work &&work) {
    check(fly_graph_begin(stream));
    try {
      work();
    } catch (...) { // ends the recording; the stream is usable again
      fly_graph_end(stream, &handle);
      throw;
    }
    check(fly_graph_end(stream, &handle));
  }
  void launch(fly_stream stream) const { check(fly_graph_launch(handle, stream)); }
};

struct grid {
  int64_t x = 1, y = 1, z = 1;
};
struct block {
  int64_t x = 1, y = 1, z = 1;
};

/// A kernel of an object; valid as long as the object.
class kernel {
public:
  explicit kernel(const fly_kernel *handle) : handle(handle) {}
  uint32_t parameter_count() const noexcept { return fly_kernel_parameter_count(handle); }
  fly_parameter parameter(uint32_t index) const {
    fly_parameter result;
    check(fly_kernel_parameter(handle, index, &result));
    return result;
  }
  /// Launches. Buffers and spans are passed as pointers, anything else as its bytes. The number and sizes of the
  /// arguments are compared with the code object.
  template <typename... Arguments>
  void operator()(fly_stream stream, grid g, block b, const Arguments &...arguments) const {
    launch(stream, g, b, 0, argument(arguments)...);
  }
  template <typename... Arguments>
  void launch(fly_stream stream, grid g, block b, int64_t dynamic_lds, Arguments... arguments) const {
    const std::array<const void *, sizeof...(arguments) + 1> values{&arguments..., nullptr};
    const std::array<size_t, sizeof...(arguments) + 1> sizes{sizeof arguments..., 0};
    const fly_launch config = {{g.x, g.y, g.z}, {b.x, b.y, b.z}, dynamic_lds, 0, nullptr, 0};
    check(fly_kernel_launch_values(handle, &config, stream, sizeof...(arguments), values.data(), sizes.data()));
  }

private:
  template <typename T> static T *argument(const buffer<T> &b) { return b.data(); }
  template <typename T> static T *argument(const device_span<T> &s) { return s.data(); }
  template <typename T> static T argument(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>, "an argument is passed as plain bytes");
    return value;
  }
  const fly_kernel *handle;
};

/// A code object from a file or from memory, loaded on the current device and unloaded on destruction.
class object : detail::owner<fly_object *, fly_object_close> {
public:
  explicit object(const std::string &path) { check(fly_object_open(&handle, path.c_str())); }
  object(const void *bytes, size_t size) { check(fly_object_open_memory(&handle, bytes, size)); }
  fly::kernel kernel(const std::string &name) const {
    const fly_kernel *found = nullptr;
    check(fly_object_kernel(handle, name.c_str(), &found));
    return fly::kernel(found);
  }
  std::vector<std::string> kernel_names() const {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < fly_object_kernel_count(handle); ++i)
      names.emplace_back(fly_object_kernel_name(handle, i));
    return names;
  }
};

inline void synchronize() { check(fly_synchronize()); }

/// The current device's architecture, such as "gfx942".
inline std::string architecture() {
  char name[32];
  check(fly_device_architecture(name, sizeof name));
  return name;
}

} // namespace fly
