// See PinnedFragments.h.
#include "compiler/sema/tensor/PinnedFragments.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/isa/Registers.h"

namespace fly::sema {

namespace {

std::string textOf(llvm::StringRef file, int64_t first, int64_t count) {
  const std::string number = std::to_string(first);
  return file.str() + "[" + number + ":" + std::to_string(first + count) + "]";
}

int64_t bitsOf(ir::SlotOp slot) {
  auto held = llvm::cast<mlir::VectorType>(slot.getType().getValueType());
  return held.getNumElements() * int64_t(held.getElementTypeBitWidth());
}

int64_t wordsOf(ir::SlotOp slot) { return (bitsOf(slot) + 31) / 32; }

} // namespace

void pinFragment(Elaborator &e, const Value &made, const Value &registers, SourceRange range) {
  auto wrong = [&](const std::string &wanted, const std::string &found) {
    e.fail(range, diag::register_range{.what = "`at`", .wanted = wanted, .found = found});
  };
  auto *object = objectAs<RegisterObject>(registers);
  if (!object || object->value.variable || !object->value.symbol.empty())
    wrong("a range of registers, such as `reg.a[0:64]`", object ? object->text() : describe(registers));
  const Register &at = object->value;
  const char *file = at.file == isa::RegisterFile::VGPR ? "v" : at.file == isa::RegisterFile::AGPR ? "a" : "s";
  const auto &slots = objectAs<Fragment>(made)->storage->slots;
  int64_t words = 0;
  for (mlir::Value each : slots) {
    auto slot = each.getDefiningOp<ir::SlotOp>();
    if (bitsOf(slot) % 32 != 0)
      wrong("given for a fragment whose pieces fill whole registers",
            "pieces of " + std::to_string(bitsOf(slot)) + " bits");
    words += wordsOf(slot);
  }
  if (words != int64_t(at.width))
    wrong(std::to_string(words) + (words == 1 ? " register" : " registers") + ", which is what the fragment takes",
          "`" + object->text() + "`, which is " + std::to_string(at.width));
  const int64_t limit = at.file == isa::RegisterFile::SGPR ? 100 : std::min<int64_t>(256, e.target.vgprs.addressable);
  if (int64_t(at.first + at.width) > limit)
    wrong("below " + std::string(file) + std::to_string(limit) + " on " + std::string(e.target.name),
          "`" + object->text() + "`");
  // As LLVM's tables say (FeatureRequiresAlignedVGPRs).
  const bool needsEven = e.target.unifiedRegisters || e.target.has("vgpr_msb");
  if (needsEven && at.file != isa::RegisterFile::SGPR && at.first % 2 != 0 && words > 1)
    wrong("a range that begins with an even register on " + std::string(e.target.name), "`" + object->text() + "`");
  for (mlir::Operation &op : *e.kernelEntry)
    if (auto other = llvm::dyn_cast<ir::SlotOp>(op); other && other.getFile() == file &&
                                                     int64_t(*other.getFirst()) < int64_t(at.first) + words &&
                                                     int64_t(at.first) < int64_t(*other.getFirst()) + wordsOf(other))
      e.report(range, diag::register_range{.what = "`at`",
                                           .wanted = "a range that no other fragment has",
                                           .found = "`" + object->text() + "`"})
          .note("`" + textOf(file, int64_t(*other.getFirst()), wordsOf(other)) + "` is pinned already"),
          throw Failed{};
  int64_t next = at.first;
  for (mlir::Value each : slots) {
    auto slot = each.getDefiningOp<ir::SlotOp>();
    slot.setFile(llvm::StringRef(file));
    slot.setFirst(uint64_t(next));
    next += wordsOf(slot);
  }
}

} // namespace fly::sema
