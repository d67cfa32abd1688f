// fly/runtime.hpp: buffers, spans, streams, objects; a generated header's functions with them.
#include "fly/runtime.hpp"

#include "hip_kernels.h"
#include "hip_kernels.hpp"

#include <cstdio>
#include <numeric>

static int failures;
#define EXPECT(condition)                                                                                              \
  ((condition) ? void() : (++failures, void(std::printf("line %d: %s\n", __LINE__, #condition))))

template <typename Error, typename Body> static std::string thrown(Body body) {
  try {
    body();
  } catch (const Error &error) {
    return error.what();
  }
  return "nothing was thrown";
}

int main(int, char **argv) {
  std::vector<float> host(600);
  std::iota(host.begin(), host.end(), 0.0f);
  const int n = static_cast<int>(host.size());
  fly::buffer<float> x(host), y(host.size());
  fly::stream stream;
  {
    fly::loaded_module loaded(hip_kernels_module());
    fly::check(hip_kernels_scale(stream, x, y, n, 2.0f));
    stream.synchronize();
    EXPECT(y.to_host()[599] == 1199.0f);
    // With spans, whose sizes are compared with the tensors' shapes.
    hip_kernels::scale(stream, x, y, n, 3.0f);
    hip_kernels::scale(stream, x.subspan(100, 500), y.subspan(0, 500), 500, 4.0f);
    stream.synchronize();
    EXPECT(y.to_host()[0] == 401.0f && y.to_host()[599] == 1798.0f);
    std::puts(thrown<fly::error>([&] { hip_kernels::scale(stream, x, y.subspan(0, 599), n, 3.0f); }).c_str());
  }
  fly::object object(std::string(argv[1]) + "/hip_kernels." + fly::architecture() + ".hsaco");
  EXPECT(object.kernel_names() == std::vector<std::string>{"scale"});
  fly::kernel scale = object.kernel("scale");
  EXPECT(scale.parameter_count() == 4 && scale.parameter(2).size == 4);
  fly::device_span<const float> half = x.subspan(0, 300);
  scale(stream, fly::grid{2}, fly::block{256}, half, y, 300, 5.0f);
  stream.synchronize();
  EXPECT(y.to_host()[299] == 1496.0f);
  std::puts(thrown<fly::error>([&] { scale(stream, fly::grid{2}, fly::block{256}, half, y, 300, 5.0); }).c_str());
  std::puts(thrown<fly::error>([&] { fly::object("/nowhere.hsaco"); }).c_str());
  std::puts(thrown<std::out_of_range>([&] { x.subspan(599, 2); }).c_str());
  std::puts(thrown<std::length_error>([&] { x.copy_from(std::vector<float>(3)); }).c_str());
  fly::buffer<float> moved = std::move(x), other;
  EXPECT(moved.size() == 600 && x.size() == 0);
  other = std::move(moved);
  EXPECT(other.to_host()[1] == 1.0f);
  fly::synchronize();
  std::printf("failures: %d\n", failures);
  return failures;
}
