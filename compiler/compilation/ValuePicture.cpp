// See ValuePicture.h.
#include "compiler/compilation/ValuePicture.h"

#include "compiler/sema/atom/TiledCopy.h"
#include "compiler/sema/atom/TiledMma.h"
#include "compiler/sema/value/LayoutObject.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

namespace fly::driver {

namespace {

constexpr const char *readsLabel = "source: the thread that reads each element",
                     *getsLabel = "destination: who receives it";

PictureParts failed(std::string what, std::string failure) { return {{}, std::move(what), std::move(failure)}; }

PictureParts partsOf(const sema::TiledCopy &copy) {
  auto part = [&](const char *label, const layout::Layout &threadValue) {
    picture::Request request{layout::AnyLayout(threadValue)};
    request.tile = copy.tile;
    return PicturePart{label, std::move(request)};
  };
  const atom::CopyLayouts own = copy.atom->layouts();
  if (own.source == own.destination)
    return {{part("", copy.tv)}, "", ""};
  PictureParts result;
  for (bool isSource : {true, false}) {
    auto made = copy.partitionLayout(isSource);
    if (!made)
      return failed("tiled_copy", made.text());
    result.parts.push_back(part(isSource ? readsLabel : getsLabel, *made));
  }
  return result;
}

PictureParts partsOf(const sema::CopyAtom &atom) {
  const atom::CopyLayouts own = atom.layouts();
  const bool isOne = own.source == own.destination;
  // Rows as long as there are lanes that get neighbours.
  const int64_t width = isOne ? atom.values() : own.destination.shape().mode(0).leaves().front().value;
  PictureParts result;
  for (bool isSource : {true, false}) {
    if (isOne && !isSource)
      break;
    auto request = picture::tableOf(isSource ? own.source : own.destination, width);
    if (!request)
      return failed(atom.text(), request.text());
    if (isOne)
      request->title = atom.text();
    result.parts.push_back({isOne ? "" : isSource ? readsLabel : getsLabel, std::move(*request)});
  }
  return result;
}

constexpr std::array<sema::MmaOperand, 3> mmaOperands = {sema::MmaOperand::A, sema::MmaOperand::B, sema::MmaOperand::C};
constexpr const char *mmaLabels[] = {"A: M rows, K columns", "B: N rows, K columns", "C: M rows, N columns"};

/// An operand of a product on its part of a tile (m, n, k), with a mode for the blocks if there are several.
PicturePart mmaPart(sema::MmaOperand operand, layout::Layout threadValue, std::array<int64_t, 3> tile, int64_t blocks,
                    std::string title) {
  const auto [m, n, k] = tile;
  picture::Request request{layout::AnyLayout(std::move(threadValue))};
  std::vector<layout::IntTuple> shape = {operand == sema::MmaOperand::B ? n : m,
                                         operand == sema::MmaOperand::C ? n : k};
  if (blocks > 1)
    shape.emplace_back(blocks);
  request.tile = layout::IntTuple(std::move(shape));
  request.title = std::move(title);
  return {mmaLabels[size_t(operand)], std::move(request)};
}

PictureParts partsOf(const sema::MmaAtom &atom) {
  PictureParts result;
  for (sema::MmaOperand operand : mmaOperands)
    result.parts.push_back(
        mmaPart(operand, atom.layoutOf(operand), {atom.row.m, atom.row.n, atom.row.k}, atom.row.blocks, atom.text()));
  return result;
}

PictureParts partsOf(const sema::TiledMma &mma) {
  PictureParts result;
  for (sema::MmaOperand operand : mmaOperands) {
    auto made = mma.layoutTV(operand);
    if (!made)
      return failed("tiled_mma", made.text());
    result.parts.push_back(mmaPart(operand, *made, mma.tile(), mma.atom->row.blocks, mma.text()));
  }
  return result;
}

} // namespace

PictureParts picturePartsOf(const sema::Value &value, int64_t elementBits, int64_t banks) {
  if (auto *copy = sema::objectAs<sema::TiledCopy>(value))
    return partsOf(*copy);
  if (auto *atom = sema::objectAs<sema::CopyAtom>(value))
    return partsOf(*atom);
  if (auto *mma = sema::objectAs<sema::TiledMma>(value))
    return partsOf(*mma);
  if (auto *atom = sema::objectAs<sema::MmaAtom>(value))
    return partsOf(*atom);
  auto *object = value.as<sema::LayoutValue>();
  if (!object)
    return {};
  if (auto *swizzle = object->object->as<layout::Swizzle>())
    return {{{"", picture::requestOf(*swizzle, elementBits, banks)}}, "", ""};
  if (auto found = object->object->layout())
    return {{{"", picture::Request(*found)}}, "", ""};
  return {};
}

picture::Picture joinPictures(const std::vector<PicturePart> &parts, std::vector<picture::Picture> drawn,
                              const std::string &title) {
  if (parts.front().label.empty())
    return std::move(drawn.front());
  picture::Picture result;
  result.title = title;
  if (llvm::all_of(drawn, [&](auto &each) { return each.remarks == drawn.front().remarks; }))
    result.remarks = drawn.front().remarks;
  else
    for (size_t i = 0; i < parts.size(); ++i)
      for (const std::string &remark : drawn[i].remarks)
        result.remarks.push_back(parts[i].label.substr(0, parts[i].label.find(':')) + ": " + remark);
  for (size_t i = 0; i < parts.size(); ++i)
    picture::appendSheets(result, std::move(drawn[i]), parts[i].label);
  return result;
}

} // namespace fly::driver
