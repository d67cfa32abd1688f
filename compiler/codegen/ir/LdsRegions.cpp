// See LdsRegions.h.
#include "compiler/codegen/ir/LdsRegions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

#include <map>
#include <optional>

namespace fly::codegen {

namespace {

/// Bytes of an object from `begin` up to, not including, `end`.
struct Bytes {
  int64_t begin = 0, end = 0;
};

/// An object, and what of it: none if that is not known.
struct LdsPlace {
  const llvm::GlobalVariable *object = nullptr;
  std::optional<Bytes> bytes;
};

/// What is known of an integer. LLVM's own analyses stop after six operations.
struct Facts {
  llvm::ConstantRange range;
  llvm::KnownBits bits;
};

class Ranges {
public:
  explicit Ranges(const llvm::DataLayout &layout) : layout(layout) {}

  const Facts &of(const llvm::Value *value, unsigned depth = 0) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    const llvm::KnownBits bits = llvm::computeKnownBits(value, layout);
    Facts facts{llvm::ConstantRange::getFull(bits.getBitWidth()), bits};
    if (constexpr unsigned deepest = 24; depth < deepest)
      add(facts, value, depth + 1);
    facts.range = facts.range.intersectWith(llvm::ConstantRange::fromKnownBits(facts.bits, /*IsSigned=*/false));
    return known.insert_or_assign(value, facts).first->second;
  }

private:
  const llvm::DataLayout &layout;
  std::map<const llvm::Value *, Facts> known;

  void add(Facts &facts, const llvm::Value *value, unsigned depth) {
    if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(value)) {
      const Facts &x = of(operation->getOperand(0), depth), &y = of(operation->getOperand(1), depth);
      facts.bits = facts.bits.unionWith(bitsOf(*operation, x.bits, y.bits));
      facts.range = x.range.binaryOp(operation->getOpcode(), y.range);
      if (auto *wraps = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(operation)) {
        unsigned kind = wraps->hasNoUnsignedWrap() ? unsigned(llvm::OverflowingBinaryOperator::NoUnsignedWrap) : 0u;
        kind |= wraps->hasNoSignedWrap() ? unsigned(llvm::OverflowingBinaryOperator::NoSignedWrap) : 0u;
        facts.range = x.range.overflowingBinaryOp(operation->getOpcode(), y.range, kind);
      }
    } else if (auto *cast = llvm::dyn_cast<llvm::CastInst>(value); cast && cast->isIntegerCast()) {
      facts.range = of(cast->getOperand(0), depth).range.castOp(cast->getOpcode(), facts.bits.getBitWidth());
    } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      facts.range = of(select->getTrueValue(), depth).range.unionWith(of(select->getFalseValue(), depth).range);
    } else if (auto *call = llvm::dyn_cast<llvm::CallBase>(value)) {
      if (call->getIntrinsicID() == llvm::Intrinsic::amdgcn_readfirstlane) {
        const Facts &lane = of(call->getArgOperand(0), depth);
        facts = {lane.range, facts.bits.unionWith(lane.bits)};
      } else if (std::optional<llvm::ConstantRange> range = call->getRange()) {
        facts.range = *range;
      }
    }
  }

  static llvm::KnownBits bitsOf(const llvm::BinaryOperator &operation, const llvm::KnownBits &x,
                                const llvm::KnownBits &y) {
    switch (operation.getOpcode()) {
    case llvm::Instruction::And: return x & y;
    case llvm::Instruction::Or: return x | y;
    case llvm::Instruction::Xor: return x ^ y;
    case llvm::Instruction::Shl: return llvm::KnownBits::shl(x, y);
    case llvm::Instruction::LShr: return llvm::KnownBits::lshr(x, y);
    case llvm::Instruction::Add: return llvm::KnownBits::add(x, y);
    case llvm::Instruction::Mul: return llvm::KnownBits::mul(x, y);
    default: return llvm::KnownBits(x.getBitWidth());
    }
  }
};

/// Where the pointer may point, with one byte behind it.
LdsPlace placeOf(const llvm::Value *pointer, Ranges &ranges, const llvm::DataLayout &layout) {
  Bytes offset{0, 1};
  bool isKnown = true;
  while (auto *step = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variable;
    llvm::APInt constant(layout.getIndexTypeSizeInBits(step->getType()), 0);
    isKnown &= step->collectOffset(layout, constant.getBitWidth(), variable, constant);
    offset.begin += constant.getSExtValue();
    offset.end += constant.getSExtValue();
    for (auto &[index, scale] : variable) {
      const llvm::ConstantRange range = ranges.of(index).range;
      isKnown &= !range.isFullSet() && scale.getSExtValue() > 0;
      offset.begin += range.getSignedMin().getSExtValue() * scale.getSExtValue();
      offset.end += range.getSignedMax().getSExtValue() * scale.getSExtValue();
    }
    pointer = step->getPointerOperand();
  }
  const auto *object = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0));
  isKnown &= object == pointer;
  return {object, isKnown ? std::optional(offset) : std::nullopt};
}

/// How many bytes follow where the pointer points; none if that is not known.
std::optional<int64_t> bytesOf(const LdsAccess &access, const llvm::DataLayout &layout, unsigned waveSize) {
  const llvm::Instruction &instruction = *access.instruction;
  if (access.isCopy) {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    auto *each = call ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(2)) : nullptr;
    const unsigned offsetAt = call && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_global_load_lds ? 3 : 5;
    auto *offset = each ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(offsetAt)) : nullptr;
    if (!offset || !offset->isZero()) // which moves the place in LDS, too
      return std::nullopt;
    return int64_t(std::max<uint64_t>(each->getZExtValue(), 4)) * waveSize;
  }
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return int64_t(layout.getTypeStoreSize(load->getType()));
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return int64_t(layout.getTypeStoreSize(store->getValueOperand()->getType()));
  return std::nullopt;
}

LdsPlace placeOf(const LdsAccess &access, Ranges &ranges, const llvm::DataLayout &layout, unsigned waveSize) {
  for (const llvm::Use &operand : access.instruction->operands())
    if (auto *type = llvm::dyn_cast<llvm::PointerType>(operand->getType());
        type && type->getAddressSpace() == ldsSpace) {
      LdsPlace place = placeOf(operand, ranges, layout);
      const std::optional<int64_t> bytes = bytesOf(access, layout, waveSize);
      if (!bytes)
        place.bytes.reset();
      else if (place.bytes)
        place.bytes->end += *bytes - 1;
      return place;
    }
  return {};
}

bool overlap(const Bytes &a, const Bytes &b) { return a.begin < b.end && b.begin < a.end; }
bool contains(const Bytes &a, const Bytes &b) { return a.begin <= b.begin && b.end <= a.end; }

using LdsParts = llvm::MapVector<const llvm::GlobalVariable *, std::vector<Bytes>>;

/// By object that is accessed: the bytes from the first to the last that copies of one phase fill.
LdsParts partsOf(llvm::ArrayRef<LdsAccess> accesses, llvm::ArrayRef<LdsPlace> places) {
  LdsParts parts;
  std::map<std::pair<const llvm::GlobalVariable *, unsigned>, size_t> ofPhase;
  for (size_t i = 0; i < accesses.size(); ++i) {
    const LdsPlace &place = places[i];
    if (!place.object)
      continue;
    std::vector<Bytes> &ofObject = parts[place.object];
    if (!accesses[i].isCopy || !place.bytes)
      continue;
    auto [number, isNew] = ofPhase.try_emplace({place.object, accesses[i].phase}, ofObject.size());
    if (isNew)
      ofObject.push_back(*place.bytes);
    Bytes &part = ofObject[number->second];
    part = {std::min(part.begin, place.bytes->begin), std::max(part.end, place.bytes->end)};
  }
  return parts;
}

/// Disjoint ones. A part that holds several smaller ones is none: a kernel's beginning fills all stages at once, its loop
/// one after the other.
std::vector<Bytes> joined(std::vector<Bytes> parts) {
  llvm::stable_sort(parts, [](const Bytes &a, const Bytes &b) { return a.end - a.begin < b.end - b.begin; });
  std::vector<Bytes> regions;
  for (const Bytes &part : parts) {
    auto overlaps = [&](const Bytes &region) { return overlap(region, part); };
    const auto first = llvm::find_if(regions, overlaps);
    if (first == regions.end())
      regions.push_back(part);
    else if (std::find_if(std::next(first), regions.end(), overlaps) == regions.end())
      *first = {std::min(first->begin, part.begin), std::max(first->end, part.end)};
  }
  return regions;
}

} // namespace

std::vector<std::vector<unsigned>> regionsOf(llvm::ArrayRef<LdsAccess> accesses, unsigned waveSize) {
  std::vector<std::vector<unsigned>> out(accesses.size());
  if (accesses.empty())
    return out;
  const llvm::DataLayout &layout = accesses.front().instruction->getDataLayout();
  Ranges ranges(layout);
  std::vector<LdsPlace> places;
  for (const LdsAccess &access : accesses)
    places.push_back(placeOf(access, ranges, layout, waveSize));
  llvm::MapVector<const llvm::GlobalVariable *, std::vector<Bytes>> regions;
  for (auto &[object, parts] : partsOf(accesses, places))
    regions[object] = joined(std::move(parts));
  llvm::DenseMap<const llvm::GlobalVariable *, unsigned> firstOf;
  unsigned count = 0;
  for (auto &[object, all] : regions) {
    firstOf[object] = count;
    count += unsigned(all.size()) + 1; // the last is what no copy fills
  }
  for (size_t i = 0; i < accesses.size(); ++i) {
    auto found = regions.find(places[i].object);
    if (found == regions.end())
      continue;
    const unsigned first = firstOf[places[i].object], last = unsigned(found->second.size());
    bool isElsewhere = true;
    for (unsigned n = 0; n < last; ++n)
      if (!places[i].bytes || overlap(found->second[n], *places[i].bytes)) {
        out[i].push_back(first + n);
        isElsewhere &= !places[i].bytes || !contains(found->second[n], *places[i].bytes);
      }
    if (isElsewhere)
      out[i].push_back(first + last);
  }
  return out;
}

} // namespace fly::codegen
