// See ArrayValues.h.
#include "compiler/sema/elaborator/ArrayValues.h"

namespace fly::sema {

host::HostArray arrayOperand(Elaborator &e, const Value &value, SourceRange range) {
  if (auto *array = value.as<ArrayValue>())
    return *array->array;
  if (auto *b = value.as<bool>())
    return host::scalarArray(host::Scalar::ofBool(*b)).value;
  if (auto *d = value.as<double>())
    return host::scalarArray(host::Scalar::ofFloat(*d)).value;
  if (auto i = toHostInt(value))
    return host::scalarArray(host::Scalar::ofInt(*i)).value;
  e.fail(diag::wrong_value, range, {"an operand of a host array", "an array or a number", describe(value)});
}

Value fromArray(Elaborator &e, host::ArrayResult result, SourceRange range) {
  if (!result.ok())
    e.fail(diag::bad_array, range, {result.error});
  return Value(ArrayValue{std::make_shared<host::HostArray>(std::move(result.value))});
}

} // namespace fly::sema
