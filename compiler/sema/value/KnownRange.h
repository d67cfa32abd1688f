// A range of compile-time bounds as the sequence of its positions.
#pragma once

#include "compiler/sema/value/Value.h"

namespace fly::sema {

/// The positions of a range of compile-time bounds.
struct KnownRange {
  int64_t start, stop, step;
  int64_t size() const;
  int64_t operator[](int64_t i) const { return start + i * step; }
  /// None for a range of the machine.
  static std::optional<KnownRange> of(const Value &value);
  std::optional<int64_t> find(const Value &value) const;
};

} // namespace fly::sema
