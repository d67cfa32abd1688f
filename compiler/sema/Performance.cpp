// See Performance.h.
//
// The lanes of the first wave reach their first values: a wave's access. Strides that are not known stand far apart, so
// that only what is known to be near counts as near; a composed layout is taken to start where its swizzle starts anew.
//
//   global memory    lines of 128 bytes, the unit of the caches that serve the accesses: more than twice as many as hold
//                    the wave's bytes are a warning
//   LDS              cycles by the phases of the target (compiler/target/LdsBanks.h)
//   both             values of a thread that lie next to each other beyond one access of the atom
#include "compiler/sema/Performance.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/layout/Runs.h"
#include "compiler/target/LdsBanks.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;

constexpr int64_t lineBytes = 128, widestBits = 128, farApart = int64_t(1) << 32;

AnyLayout withKnownNumbers(const AnyLayout &layout) {
  if (auto *composed = std::get_if<layout::ComposedLayout>(&layout)) {
    IntTuple offset = composed->offset().mapLeaves([](const Leaf &leaf) { return leaf.isDynamic() ? Leaf::known(0) : leaf; });
    return layout::ComposedLayout(composed->inner(), std::move(offset), withKnownNumbers(composed->outer()));
  }
  const auto &plain = std::get<Layout>(layout);
  int64_t next = 1;
  IntTuple shape = plain.shape().mapLeaves([](const Leaf &leaf) { return leaf.isDynamic() ? Leaf::known(1 << 16) : leaf; });
  return Layout(std::move(shape), plain.stride().mapLeaves([&](const Leaf &leaf) { return leaf.isDynamic() ? Leaf::known(farApart * next++) : leaf; }));
}

/// Where the lanes of the first wave start, in bytes.
static std::vector<uint64_t> addressesOf(const AnyLayout &owned, int64_t lanes, int64_t elementBits) {
  layout::InferringArithmetic arithmetic;
  std::vector<uint64_t> addresses;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    IntTuple coordinate(std::vector<IntTuple>{IntTuple(std::vector<IntTuple>{lane, 0}), 0});
    auto offset = layout::evaluate(coordinate, owned, arithmetic);
    if (!offset || offset->isTuple() || !offset->leaf().isStatic())
      return {};
    addresses.push_back(uint64_t(offset->leaf().value) * uint64_t(elementBits) / 8);
  }
  return addresses;
}

bool wantsPerformance(Elaborator &e) {
  return e.diags.isWanted(diag::perf_uncoalesced) || e.diags.isWanted(diag::perf_bank_conflicts) || e.diags.isWanted(diag::perf_narrow);
}

void reportPattern(Elaborator &e, const WaveAccess &access, llvm::StringRef help) {
  auto text = [](int64_t n) { return std::to_string(n); };
  const int64_t bytes = access.bits / 8;
  if (access.space == ir::AddressSpace::Global || access.space == ir::AddressSpace::Buffer) {
    std::set<uint64_t> lines, reached;
    for (auto [lane, address] : llvm::enumerate(access.addresses))
      if (access.active >> lane & 1) {
        lines.insert({address / lineBytes, (address + uint64_t(bytes) - 1) / lineBytes});
        reached.insert(address);
      }
    const int64_t least = (int64_t(reached.size()) * bytes + lineBytes - 1) / lineBytes;
    if (int64_t(lines.size()) > 2 * least)
      e.report(diag::perf_uncoalesced, access.range, {text(access.bits), access.name, text(int64_t(lines.size())), text(least)}).help(help.str());
  } else if (access.space == ir::AddressSpace::Shared) {
    const target::LdsRule rule = target::ldsRule(e.target.name, e.target.waveSize, unsigned(bytes), access.isWrite);
    const target::LdsCost cost = target::ldsCost(rule, access.active, access.addresses.data(), unsigned(bytes), false);
    if (cost.conflicts() > 0)
      e.report(diag::perf_bank_conflicts, access.range, {text(access.bits), access.name, text(cost.cycles), text(cost.ideal)})
          .help("a swizzled layout spreads the rows over the banks: `composed(swizzle(3, 3, 3), layout)`; `flyc layout --fill bank` shows them");
  }
}

void checkPerformance(Elaborator &e, const TiledCopy &copy, const Value &tensor, const Value &owned, bool isWrite, SourceRange range) {
  auto *memory = owned.as<TensorValue>();
  if (!memory || !wantsPerformance(e) || copy.atom->layouts().threads != 1)
    return;
  auto type = llvm::cast<ir::TensorType>(memory->value.getType());
  const int64_t elementBits = type.getElementBits(), bits = copy.atom->bits, lanes = std::min<int64_t>(e.target.waveSize, copy.threads());
  const AnyLayout owners = withKnownNumbers(type.getLayout());
  const std::vector<uint64_t> addresses = addressesOf(owners, lanes, elementBits);
  if (addresses.empty())
    return;
  auto text = [](int64_t n) { return std::to_string(n); };
  const std::string name = nameOf(tensor);
  reportPattern(e, {type.getSpace(), addresses, lanes >= 64 ? ~0ull : (1ull << lanes) - 1, bits, isWrite, name, range},
                "let neighbouring threads reach what is next to each other: another thread layout in `tiled_copy`");
  // The values of one thread, as far as one access could take them: from wherever threads and tiles lead.
  unsigned alignment = type.getAlignment();
  for (const Layout &mode : {type.getDomain().mode(0).mode(0), type.getDomain().mode(1)})
    for (auto [extent, stride] : llvm::zip_equal(mode.shape().leaves(), mode.stride().leaves()))
      if (!extent.isStatic(1))
        alignment = ir::commonAlignment(alignment, std::max<int64_t>(1, stride.divisor() * elementBits / 8));
  auto values = layout::changeDomain(type.getLayout(), [](const Layout &domain) -> layout::Result<Layout> { return domain.mode(0).mode(1); });
  auto runs = values ? layout::runsOf(*values, ir::elementsIn(type, widestBits / 8), elementBits < 8 ? type.getUnit().elements * alignment : std::max<int64_t>(1, alignment * 8 / elementBits)) : layout::Result<layout::Runs>(layout::Error{""});
  if (!runs)
    return;
  int64_t legal = widestBits;
  for (const layout::Run &run : runs->runs)
    legal = std::min(legal, run.count * elementBits);
  if (legal > bits)
    e.report(diag::perf_narrow, range, {text(bits), name, text(legal)}).help("`UniversalCopy(" + text(legal) + ", " + std::string(host::format(memory->element).name) + ")`");
}

} // namespace fly::sema
