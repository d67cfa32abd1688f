// See Performance.h.
//
// Global memory. Caches serve it by lines of 128 bytes. How many lines a wave's access needs at least, its bytes say;
// how many it touches, its addresses. Neighbouring bytes that lie across a line's end because a row begins anywhere are
// no fault of theirs, so each run of neighbours counts with the lines that it would touch if it began with one.
//
//   more than twice the least                 each line is a cycle of the caches, whatever else it serves: a warning
//   more than five quarters of it and one     a warning, unless what the wave accesses beside it fills the lines:
//                                             other values of the same tiled copy, other accesses of the same block
//
// Single accesses that the same lanes have right beside each other count as the wide one that LLVM makes of them.
//
// LDS. Cycles by the phases of the target (compiler/target/LdsBanks.h), and a layout of the tensor that has fewer for
// all accesses to it that are known (LdsSwizzles.h).
#include "compiler/analysis/Performance.h"

#include "compiler/dialect/AccessWidth.h"
#include "compiler/analysis/LdsSwizzles.h"

namespace fly::analysis {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;

constexpr int64_t lineBytes = 128;

static std::string text(int64_t n) { return std::to_string(n); }

// ---------------------------------------------------------------------------------------------------------
// Lines of global memory

static std::vector<ByteRange> bytesOf(const WaveAccess &access) {
  std::vector<ByteRange> bytes;
  for (auto [lane, place] : llvm::enumerate(access.places))
    if (access.active >> lane & 1)
      bytes.push_back({uint64_t(access.byteOf(place.real)), uint64_t(access.byteOf(place.real) + access.bits / 8)});
  return bytes;
}

/// Lines that are touched, those that would be if each run of neighbours began with one, and those that the bytes fill.
struct Lines {
  int64_t touched = 0, needed = 0, least = 0;
};

static Lines linesOf(std::vector<ByteRange> bytes) {
  llvm::sort(bytes);
  Lines lines;
  uint64_t next = 0, begin = 0, end = 0; // the first line that was not counted yet; a run
  int64_t total = 0;
  auto close = [&] {
    lines.needed += int64_t(llvm::divideCeil(end - begin, lineBytes)), total += int64_t(end - begin);
  };
  for (auto [i, range] : llvm::enumerate(bytes)) {
    const uint64_t first = std::max(next, range.first / lineBytes), past = (range.second - 1) / lineBytes + 1;
    if (past > first)
      lines.touched += int64_t(past - first), next = past;
    if (i == 0 || range.first > end) {
      if (i)
        close();
      begin = range.first, end = range.second;
    }
    end = std::max(end, range.second);
  }
  if (!bytes.empty())
    close();
  lines.needed = std::min(lines.needed, lines.touched);
  lines.least = (total + lineBytes - 1) / lineBytes;
  return lines;
}

static bool isFarAbove(const Lines &lines) { return lines.needed > 2 * lines.least; }
static bool isAbove(const Lines &lines) { return 4 * (lines.needed - 1) > 5 * lines.least; }

/// Whether two single accesses are of one kind to one tensor, in one block.
static bool areAlike(const WaveAccess &one, const WaveAccess &other) {
  return !one.isOfCopy && !other.isOfCopy && other.block == one.block && other.origin == one.origin &&
         other.isWrite == one.isWrite;
}

/// The bytes of an access with what the same lanes access right beside it, up to the widest access: LLVM joins these to
/// one.
static std::vector<ByteRange> joined(const std::vector<WaveAccess> &accesses, const WaveAccess &one) {
  constexpr uint64_t widest = ir::widestBits / 8;
  std::vector<ByteRange> all = bytesOf(one);
  for (bool grown = true; grown;) {
    grown = false;
    for (const WaveAccess &other : accesses) {
      if (!areAlike(one, other) || other.active != one.active)
        continue;
      const std::vector<ByteRange> beside = bytesOf(other);
      for (auto [range, more] : llvm::zip_equal(all, beside)) {
        const uint64_t first = std::min(range.first, more.first), past = std::max(range.second, more.second);
        if (past - first == (range.second - range.first) + (more.second - more.first) &&
            first / widest == (past - 1) / widest)
          range = {first, past}, grown = true;
      }
    }
  }
  return all;
}

/// What the wave accesses beside one access, itself included.
static std::vector<ByteRange> together(const std::vector<WaveAccess> &accesses, const WaveAccess &one) {
  std::vector<ByteRange> all = bytesOf(one);
  llvm::append_range(all, one.besides);
  for (const WaveAccess &other : accesses)
    if (areAlike(one, other))
      llvm::append_range(all, bytesOf(other));
  return all;
}

static void reportLines(Context &context, const std::vector<WaveAccess> &accesses, const WaveAccess &access) {
  const Lines lines = linesOf(bytesOf(access));
  if (!isFarAbove(lines) && !isAbove(lines))
    return;
  const Lines wide = linesOf(joined(accesses, access));
  if (!isFarAbove(wide) && !(isAbove(wide) && isAbove(linesOf(together(accesses, access)))))
    return;
  const std::string arch(context.target.name);
  context.reporter
      .report(access.range,
              diag::perf_uncoalesced{
                  .arch = arch, .bits = access.bits, .name = access.name, .lines = lines.touched, .least = lines.least})
      .help(access.isOfCopy
                ? "let neighbouring threads access adjacent memory, with another thread layout in `tiled_copy`"
                : "let neighbouring threads access adjacent memory: index the contiguous mode with `thread_id.x`");
}

// ---------------------------------------------------------------------------------------------------------
// Banks of LDS

/// The layout of a tensor's elements before a swizzle; none where something else stands in front of it.
static std::optional<Layout> plainLayout(mlir::Value tensor) {
  const AnyLayout &layout = llvm::cast<ir::TensorType>(tensor.getType()).getLayout();
  auto *composed = std::get_if<layout::ComposedLayout>(&layout);
  if (!layout::isStatic(layout) ||
      (composed && (!std::holds_alternative<layout::Swizzle>(composed->inner()) ||
                    !std::holds_alternative<Layout>(composed->outer()) || !composed->offset().isLeaf() ||
                    !composed->offset().leaf().isStatic(0))))
    return std::nullopt;
  return composed ? std::get<Layout>(composed->outer()) : std::get<Layout>(layout);
}

static LdsAccess ldsAccess(Context &context, const WaveAccess &access) {
  const int64_t elementBits = access.type.getElementBits();
  LdsAccess out{
      target::ldsRule(context.target.name, context.target.waveSize, unsigned(access.bits / 8), access.isWrite),
      access.active,
      {},
      access.bits / elementBits,
      elementBits};
  for (const LanePlace &place : access.places)
    out.places.push_back(place.plain);
  return out;
}

static target::LdsCost costOf(Context &context, const WaveAccess &access) {
  LdsAccess real = ldsAccess(context, access);
  for (auto [to, place] : llvm::zip_equal(real.places, access.places))
    to = place.real;
  return real.cost([](int64_t place) { return place; });
}

struct Help {
  std::string text, layout; ///< layout: as the author writes it; empty: none is better
};

/// The layout that all accesses to a tensor want, as far as they are known.
static Help helpFor(Context &context, const std::vector<WaveAccess> &accesses, mlir::Value origin) {
  std::vector<LdsAccess> known;
  std::set<std::pair<uint32_t, uint32_t>> places; // in the source; an access may be made several times
  unsigned cycles = 0;
  for (const WaveAccess &access : accesses)
    if (access.origin == origin) {
      known.push_back(ldsAccess(context, access));
      places.insert({access.range.begin, access.range.end});
      cycles += costOf(context, access).cycles;
    }
  const auto plain = origin ? plainLayout(origin) : std::nullopt;
  const auto better = plain ? betterLayout(*plain, known, cycles) : std::nullopt;
  const std::string all =
      places.size() == 1 ? "this access" : "the accesses to it at " + text(int64_t(places.size())) + " places";
  if (!better)
    return {"no swizzle and no padding" + (plain ? " of `" + plain->text() + "`" : std::string()) +
                " reduces the conflicts" + (places.size() > 1 ? " (in " + all + ")" : "") +
                "; let the lanes of a wave access adjacent or equal addresses",
            ""};
  return {"the layout `" + better->text + "` " +
              (better->cycles == better->ideal
                   ? "has no conflicts in " + all
                   : "reduces the " + text(cycles) + " cycles of " + all + " to " + text(better->cycles) + " (" +
                         text(better->ideal) + " without conflicts); no swizzle or padding needs fewer"),
          better->text};
}

/// Where the layout stands in the `shared(type, layout)` that made a tensor; nowhere if it was made in another way.
static SourceRange layoutArgument(Context &context, mlir::Value origin) {
  auto made = origin ? origin.getDefiningOp<ir::MakeTensorOp>() : ir::MakeTensorOp();
  const SourceRange call = made ? context.places.of(made.getLoc()) : SourceRange();
  if (!call.valid())
    return {};
  const llvm::StringRef text = context.reporter.diags.sources.text(call.file);
  llvm::StringRef head = text.drop_front(call.begin);
  if (!head.consume_front("shared") || !(head = head.ltrim()).starts_with("("))
    return {};
  unsigned depth = 0, argument = 0;
  uint32_t begin = 0;
  for (size_t i = size_t(head.data() - text.data()); i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#' || c == '"' || c == '\'')
      return {}; // what is not plain is left to the author
    const bool closes = c == ')' || c == ']' || c == '}';
    if (depth == 1 && (closes || c == ',') && argument == 1) {
      const llvm::StringRef written = text.slice(begin, i), bare = written.trim();
      const auto at = uint32_t(bare.data() - text.data());
      // `overlay=x`; a comparison is no layout
      return bare.empty() || bare.contains('=') ? SourceRange()
                                                : SourceRange{call.file, at, at + uint32_t(bare.size())};
    }
    depth += c == '(' || c == '[' || c == '{';
    depth -= closes;
    if (depth == 0)
      break;
    if (depth == 1 && c == ',') {
      ++argument;
      begin = uint32_t(i + 1);
    }
  }
  return {};
}

void reportPatterns(Context &context, const std::vector<WaveAccess> &accesses) {
  std::map<void *, Help> helps; // of tensors
  for (const WaveAccess &access : accesses) {
    const ir::AddressSpace space = access.type.getSpace();
    if (space == ir::AddressSpace::Global || space == ir::AddressSpace::Buffer)
      reportLines(context, accesses, access);
    if (space != ir::AddressSpace::Shared || !context.reporter.diags.isWanted(diag::perf_bank_conflicts::kind))
      continue;
    const target::LdsCost cost = costOf(context, access);
    if (!cost.conflicts())
      continue;
    Help &help = helps[access.origin.getAsOpaquePointer()];
    if (help.text.empty())
      help = helpFor(context, accesses, access.origin);
    const std::string arch(context.target.name);
    auto report = context.reporter.report(
        access.range,
        diag::perf_bank_conflicts{
            .arch = arch, .bits = access.bits, .name = access.name, .cycles = cost.cycles, .ideal = cost.ideal});
    if (const SourceRange at = layoutArgument(context, access.origin); at.valid() && !help.layout.empty())
      report.help(help.text, Fix::possible(at, help.layout));
    else
      report.help(help.text);
  }
}

// ---------------------------------------------------------------------------------------------------------
// Narrow accesses of tiled copies

void reportNarrowCopy(Context &context, const WaveAccess &access, int64_t legal, const std::string &element) {
  context.reporter.report(access.range, diag::perf_narrow{.bits = access.bits, .name = access.name, .wider = legal})
      .help("`UniversalCopy(" + text(legal) + ", " + element + ")`");
}

} // namespace fly::analysis
