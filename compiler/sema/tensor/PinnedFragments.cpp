// See PinnedFragments.h.
#include "compiler/sema/tensor/PinnedFragments.h"

#include "compiler/analysis/SourcePlaces.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/isa/Registers.h"
#include "compiler/text/Words.h"

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

/// The first register of a file after all that are pinned, with the range that is about to be.
int64_t endOfPinned(Elaborator &e, llvm::StringRef file, llvm::StringRef of, int64_t end) {
  int64_t last = file == of ? end : 0;
  for (mlir::Operation &op : *e.kernel.entry)
    if (auto slot = llvm::dyn_cast<ir::SlotOp>(op); slot && slot.getFile() == file)
      last = std::max(last, int64_t(*slot.getFirst()) + wordsOf(slot));
  return last;
}

struct Limit {
  int64_t registers;
  std::string why; ///< empty: the machine's own
};

/// How many registers a wave has, by the kernel's options and the waves that a workgroup needs at the same time.
Limit limitOf(Elaborator &e, llvm::StringRef file, int64_t end) {
  if (file == "s")
    return {100, ""};
  auto kernel = llvm::cast<ir::KernelOp>(e.kernel.entry->getParentOp());
  Limit limit{namedRegisters(e, file == "v" ? isa::RegisterFile::VGPR : isa::RegisterFile::AGPR), ""};
  auto lower = [&](int64_t registers, std::string why) {
    if (registers < limit.registers)
      limit = {registers, std::move(why)};
  };
  if (auto vgprs = kernel.getVgprs(); vgprs && file == "v")
    lower(int64_t(*vgprs), "`vgprs=` allows no more");
  if (auto agprs = kernel.getAgprs(); agprs && file == "a")
    lower(int64_t(*agprs), "`agprs=` allows no more");
  if (auto block = kernel.getKnownBlock()) {
    const int64_t threads = int64_t((*block)[0]) * (*block)[1] * (*block)[2],
                  waves = llvm::divideCeil(threads, e.target.waveSize),
                  perSimd = std::max<int64_t>(1, llvm::divideCeil(waves, e.target.simdsPerComputeUnit)),
                  granule = e.target.vgprs.granule;
    int64_t registers = e.target.vgprs.perSimd / perSimd / granule * granule;
    if (e.target.unifiedRegisters) // AGPRs follow VGPRs, at a multiple of 4
      registers -= file == "v" ? endOfPinned(e, "a", file, end) : llvm::alignTo(endOfPinned(e, "v", file, end), 4);
    lower(std::max<int64_t>(0, registers), "a workgroup of " + std::to_string(threads) + " threads needs " +
                                               counted(perSimd, "wave") + " on a SIMD, which share its registers");
  }
  return limit;
}

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
    wrong(counted(words, "register") + ", which is what the fragment takes",
          "`" + object->text() + "`, which is " + std::to_string(at.width));
  const int64_t end = int64_t(at.first + at.width);
  if (const Limit limit = limitOf(e, file, end); end > limit.registers) {
    auto builder =
        e.report(range, diag::register_range{.what = "`at`",
                                             .wanted = "below " + std::string(file) + std::to_string(limit.registers) +
                                                       " on " + std::string(e.target.name),
                                             .found = "`" + object->text() + "`"});
    if (!limit.why.empty())
      builder.note(limit.why);
    throw Failed{};
  }
  // As LLVM's tables say (FeatureRequiresAlignedVGPRs).
  const bool needsEven = e.target.unifiedRegisters || e.target.has("vgpr_msb");
  if (needsEven && at.file != isa::RegisterFile::SGPR && at.first % 2 != 0 && words > 1)
    wrong("a range that begins with an even register on " + std::string(e.target.name), "`" + object->text() + "`");
  for (mlir::Operation &op : *e.kernel.entry)
    if (auto other = llvm::dyn_cast<ir::SlotOp>(op); other && other.getFile() == file &&
                                                     int64_t(*other.getFirst()) < int64_t(at.first) + words &&
                                                     int64_t(at.first) < int64_t(*other.getFirst()) + wordsOf(other))
      e.report(range, diag::register_range{.what = "`at`",
                                           .wanted = "a range that no other fragment has",
                                           .found = "`" + object->text() + "`"})
          .note(analysis::SourcePlaces(e.diags.sources, [&](FileId file) { return e.locationName(file); })
                    .of(other.getLoc()),
                "`" + textOf(file, int64_t(*other.getFirst()), wordsOf(other)) + "` is pinned here"),
          throw Failed{};
  int64_t next = at.first;
  for (mlir::Value each : slots) {
    auto slot = each.getDefiningOp<ir::SlotOp>();
    slot.setFile(llvm::StringRef(file));
    slot.setFirst(uint64_t(next));
    slot->setLoc(e.location(range));
    next += wordsOf(slot);
  }
}

} // namespace fly::sema
