// What takes the place of the defaults of a kernel's `@tune` parameters.
#pragma once

#include "compiler/sema/value/Scope.h"

namespace fly::sema {

/// A table that `flyc tune` wrote, or one candidate of its search. Without either, defaults stay.
class Tuning {
public:
  /// The best values for a shape.
  struct Entry {
    std::map<std::string, int64_t> shape; ///< the scalar arguments that tell shapes apart
    std::map<std::string, Value> values;  ///< of all `@tune` parameters
    double figure = 0;                    ///< how long it takes
  };
  virtual ~Tuning() = default;
  using Texts = std::map<std::string, std::string>;
  /// Of an instance that leaves all `@tune` parameters to it: `own` are their defaults, `others` its other constants.
  virtual std::vector<Entry> entries(const KernelDefinition & /*kernel*/, const Texts & /*own*/,
                                     const Texts & /*others*/) {
    return {};
  }
};

} // namespace fly::sema
