// Pictures of things that are not layouts, and of several side by side. See Picture.h.
//
//   S<2,1,3>     bits 4 and 5 onto bits 1 and 2: a table of 4 rows of 16
//
//     0 |  0  1 |  2  3 |  4  5 |  6  7 |  8 ...        pairs (base 1) stay together, and in each row they are
//    16 | 18 19 | 16 17 | 22 23 | 20 21 | 26 ...        exchanged by the number of the row
//
// A swizzle is designed for rows that span all LDS banks; that determines the default element size.
#include "compiler/picture/Picture.h"

#include <cstdlib>

namespace fly::picture {

using namespace layout;

Request requestOf(const Swizzle &swizzle, std::int64_t elementBits, std::int64_t banks) {
  // Bits from base + |shift| on number the row. Of long rows only what stays together is shown, as one cell.
  constexpr int wide = 6;
  const int distance = std::abs(swizzle.shift), inRow = swizzle.base + distance;
  const int unit = inRow <= wide ? 0 : swizzle.base;
  auto power = [](int exponent) { return std::int64_t(1) << exponent; };
  Layout offsets(IntTuple(std::vector<IntTuple>{power(swizzle.bits), power(inRow - unit)}),
                 IntTuple(std::vector<IntTuple>{power(inRow), power(unit)}));
  Request request(AnyLayout(ComposedLayout(swizzle, 0, offsets)));
  request.title = swizzle.text();
  request.banks = banks;
  request.elementBits = elementBits;
  const std::int64_t whole = banks * 32;
  if (!elementBits && whole % power(inRow) == 0)
    request.elementBits = whole / power(inRow);
  if (request.elementBits)
    request.fill = Fill::Bank;
  request.remarks.push_back(
      "row i / " + std::to_string(power(inRow)) + ", column i % " + std::to_string(power(inRow)) +
      ": where offset i is moved to" +
      (unit ? "; a cell stands for " + std::to_string(power(unit)) + " consecutive offsets" : ""));
  return request;
}

Result<Request> tableOf(const Layout &threadValue, std::int64_t width) {
  InferringArithmetic arithmetic;
  FLY_TRY(count, size(threadValue, arithmetic));
  const std::int64_t rows = count.value / width;
  auto table = [](std::int64_t a, std::int64_t b, std::int64_t stepA, std::int64_t stepB) {
    return Layout(IntTuple(std::vector<IntTuple>{a, b}), IntTuple(std::vector<IntTuple>{stepA, stepB}));
  };
  // Places are numbered down the columns.
  FLY_TRY(places, composition(table(width, rows, rows, 1), threadValue, arithmetic));
  Request request{AnyLayout(std::move(places))};
  request.tile = IntTuple(std::vector<IntTuple>{rows, width});
  request.over = AnyLayout(table(rows, width, width, 1));
  request.title = threadValue.text();
  return request;
}

void appendSheets(Picture &picture, Picture other, const std::string &label) {
  for (Sheet &sheet : other.sheets) {
    sheet.label = sheet.label.empty() ? label : label + " " + sheet.label;
    picture.sheets.push_back(std::move(sheet));
  }
}

} // namespace fly::picture
