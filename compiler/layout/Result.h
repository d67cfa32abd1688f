// Result<T>: a value, or a sentence with the reason why there is none.
//
// The layout algebra is partial (a tile may not divide a nested mode, a product may overflow 64 bits) and is used from
// places that report errors in different ways: an MLIR verifier, the elaborator with its source ranges, `flyc eval`.
// So its functions return the text and leave the reporting to the caller. The texts follow the style of diagnostics:
// lower case, no full stop, code in backticks.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace fly::layout {

/// The reason of a failure; converts to any Result.
struct Error {
  std::string text;
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }

  /// The reason; only if there is no value.
  const std::string &text() const { return std::get<1>(state).text; }
  /// The failure, to be returned from a function with another value type.
  Error takeError() { return std::move(std::get<1>(state)); }

private:
  std::variant<T, Error> state;
};

// `FLY_TRY(name, expression)` declares `name` with the value of a Result or returns its error from this function.
#define FLY_TRY_JOIN_(a, b) a##b
#define FLY_TRY_JOIN(a, b) FLY_TRY_JOIN_(a, b)
#define FLY_TRY_(temporary, name, ...)                                                                                 \
  auto temporary = (__VA_ARGS__);                                                                                      \
  if (!temporary)                                                                                                      \
    return temporary.takeError();                                                                                      \
  auto name = std::move(*temporary)
#define FLY_TRY(name, ...) FLY_TRY_(FLY_TRY_JOIN(flyTry, __LINE__), name, __VA_ARGS__)

// `FLY_CHECK(expression)` returns the error of a Result whose value is of no interest.
#define FLY_CHECK_(temporary, ...)                                                                                     \
  if (auto temporary = (__VA_ARGS__); !temporary)                                                                      \
  return temporary.takeError()
#define FLY_CHECK(...) FLY_CHECK_(FLY_TRY_JOIN(flyCheck, __LINE__), __VA_ARGS__)

} // namespace fly::layout
