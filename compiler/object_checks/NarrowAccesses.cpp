// See NarrowAccesses.h.
//
// A place has several instructions if LLVM unrolled a loop and left another loop for the remaining iterations. The
// widest one counts, and it counts for all neighbours together, because a joined access has the place of one of them.
// If no instruction is left, nothing is known and nothing is reported. Values that are the same for the whole wave may
// be read by scalar loads, which are not considered here.
#include "compiler/object_checks/NarrowAccesses.h"

#include "compiler/object_checks/PlacedCode.h"
#include "compiler/isa/InstructionClasses.h"

namespace fly::driver {

namespace {

/// The bits that a lane moves by an instruction, from its name.
int64_t bitsOf(llvm::StringRef name) {
  static constexpr std::pair<const char *, int64_t> widths[] = {
      // the first that is met: `ubyte_d16` has 8
      {"dwordx4", 128}, {"b128", 128}, {"dwordx3", 96}, {"b96", 96}, {"dwordx2", 64}, {"b64", 64},
      {"dword", 32},    {"b32", 32},   {"byte", 8},     {"_u8", 8},  {"_i8", 8},      {"_b8", 8},
      {"short", 16},    {"_u16", 16},  {"_i16", 16},    {"b16", 16}, {"d16", 16},
  };
  for (auto [text, bits] : widths)
    if (name.contains(text))
      return name.contains("read2_") || name.contains("write2_") ? 2 * bits : bits;
  return 0;
}

class Widths {
public:
  Widths(std::vector<isa::Instruction> all, llvm::ArrayRef<std::string> files)
      : instructions(std::move(all)), files(files.begin(), files.end()) {}

  /// The widest access that comes from one of the places; none if there is none, or a scalar one, or if what nobody
  /// uses was left out.
  std::optional<int64_t> widest(const analysis::NeighbouringAccesses &one,
                                llvm::function_ref<bool(const isa::SourceLocation &, llvm::StringRef)> isMeant) const {
    int64_t best = 0, total = 0;
    for (const isa::Instruction &instruction : instructions) {
      const auto &at = instruction.location;
      if (!at.valid() || at.file >= files.size() || !isMeant(at, files[at.file]))
        continue;
      if (instruction.is(isa::Class::ScalarMemory))
        return std::nullopt;
      const bool isVector = instruction.is(isa::Class::VectorMemory), isLds = instruction.is(isa::Class::Lds);
      if (!(one.isLds ? isLds : isVector) || !(one.isWrite ? instruction.mayStore : instruction.mayLoad) ||
          instruction.isAtomic)
        continue;
      if (int64_t bits = bitsOf(isa::commonMnemonic(instruction)))
        best = std::max(best, bits), total += bits;
    }
    return best && (one.isOfTurns || total >= one.legalBits) ? std::optional(best) : std::nullopt;
  }

private:
  std::vector<isa::Instruction> instructions;
  std::vector<std::string> files;
};

void report(DiagnosticEngine &diags, const analysis::NeighbouringAccesses &one, int64_t bits) {
  const SourceRange at = one.ranges.front();
  llvm::StringRef text = diags.sources.text(at);
  const std::string name = text.contains('\n') ? "this tensor" : "`" + text.str() + "`";
  const std::string where = one.isOfTurns ? "in successive iterations of the loop" : "and what follows it";
  auto builder = diags.report(at, diag::perf_narrow{.bits = bits, .name = name + " " + where, .wider = one.legalBits});
  const std::string elements = std::to_string(one.legalBits / one.bits);
  const std::string access =
      std::string("one `") + (one.isWrite ? ".store(v)" : ".load()") + "` of a view of " + elements + " elements";
  builder.help((one.isOfTurns ? access + " replaces " + elements + " iterations"
                              : (one.isWrite ? "store" : "load") + std::string(" them together with ") + access) +
               ": `zipped_divide(t, (" + elements + ",))[:, i]`");
}

} // namespace

void reportNarrowAccesses(DiagnosticEngine &diags, const std::function<std::string(FileId)> &fileName,
                          llvm::StringRef codeObject, llvm::ArrayRef<NeighboursOf> instances) {
  if (llvm::all_of(instances, [](auto &each) { return each.neighbours->empty(); }))
    return;
  auto object = isa::CodeObject::read(codeObject);
  if (!object)
    return llvm::consumeError(object.takeError()); // linked by us: promises, which must be kept, report this
  for (const NeighboursOf &instance : instances) {
    const isa::Kernel *kernel = object->find(instance.info->symbol);
    if (instance.neighbours->empty() || !kernel)
      continue;
    auto code = placedCode(*object, *kernel);
    if (!code)
      continue;
    const Widths widths(std::move(*code), object->files());
    for (const analysis::NeighbouringAccesses &one : *instance.neighbours) {
      auto isMeant = [&](const isa::SourceLocation &at, llvm::StringRef file) {
        return llvm::any_of(one.ranges, [&](const SourceRange &range) {
          const LineColumn begin = diags.sources.lineColumn(range.file, range.begin);
          return at.line == begin.line && at.column == begin.column && file == fileName(range.file);
        });
      };
      if (auto bits = widths.widest(one, isMeant); bits && *bits < one.legalBits)
        report(diags, one, *bits);
    }
  }
}

} // namespace fly::driver
