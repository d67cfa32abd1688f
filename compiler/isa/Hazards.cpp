// The table of hazards, and who takes part in them.
#include "compiler/isa/Hazards.h"

#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace fly::isa {

namespace {

using P = HazardProducer;
using C = HazardConsumer;

constexpr const char *wmma = "CDNA5 ISA 7.12.1", *cases = "CDNA5 ISA 5.7.2";
/// LLVM 22 (GCNHazardRecognizer) keeps the same distances, one more for WmmaLong, and none for SetMode. See
/// HazardBound.
constexpr HazardRule rules[] = {
    {true, P::WmmaHalf, C::MatrixOperand, 5, false, wmma},
    {true, P::WmmaHalf, C::Vector, 4, false, wmma},
    {true, P::WmmaShort, C::MatrixOperand, 2, false, wmma},
    {true, P::WmmaShort, C::Vector, 1, false, wmma},
    {true, P::WmmaLong, C::MatrixOperand, 4, false, wmma},
    {true, P::WmmaLong, C::Vector, 3, false, wmma},
    {true, P::WmmaInteger, C::MatrixOperand, 9, false, wmma},
    {true, P::WmmaInteger, C::Vector, 8, false, wmma},
    {true, P::SparseFloat, C::MatrixOperand, 3, false, wmma},
    {true, P::SparseFloat, C::Vector, 2, false, wmma},
    {true, P::SparseInteger, C::MatrixOperand, 5, false, wmma},
    {true, P::SparseInteger, C::Vector, 4, false, wmma},
    {true, P::Transcendental, C::Vector, 1, false, cases},
    {true, P::CompareExec, C::LanePermute, 1, true, "LLVM's VcmpxPermlaneHazard"},
    {true, P::SetMode, C::SetVgprMsb, 1, true, cases},
    {false, P::WmmaRdna4, C::MatrixOperand, 1, false, "RDNA4 ISA 7.12.1"},
};
constexpr uint8_t longest = std::max_element(std::begin(rules), std::end(rules), [](auto &a, auto &b) {
                              return a.between < b.between;
                            })->between;

/// The kinds of WMMA, by what is in their names; the first that fits. Others have no rule: v_wmma_f32_16x16x4_f32 is
/// not executed beside other instructions, and the manual's table does not have RDNA 4's shapes.
struct MatrixRow {
  const char *prefix, *part;
  P producer;
};
constexpr MatrixRow matrixRows[] = {
    {"V_SWMMAC_", "_IU8", P::SparseInteger},        {"V_SWMMAC_", "16X16X64_F16", P::SparseFloat},
    {"V_SWMMAC_", "16X16X64_BF16", P::SparseFloat}, {"V_SWMMAC_", "16X16X128_FP8", P::SparseFloat},
    {"V_SWMMAC_", "16X16X128_BF8", P::SparseFloat}, {"V_WMMA_", "16X16X64_IU8", P::WmmaInteger},
    {"V_WMMA_", "16X16X32_F16", P::WmmaHalf},       {"V_WMMA_", "16X16X32_BF16", P::WmmaHalf},
    {"V_WMMA_", "16X16X64_FP8", P::WmmaShort},      {"V_WMMA_", "16X16X64_BF8", P::WmmaShort},
    {"V_WMMA_", "16X16X128_FP8", P::WmmaLong},      {"V_WMMA_", "16X16X128_BF8", P::WmmaLong},
    {"V_WMMA_", "32X16X128_F4", P::WmmaLong},       {"V_WMMA_", "16X16X128_F8F6F4", P::WmmaLong},
};
constexpr uint8_t fp4 = 4; ///< as Modifiers::matrixAFormat

P matrixProducer(const Instruction &i) {
  const llvm::StringRef op = name(i.op);
  for (const MatrixRow &row : matrixRows)
    if (op.starts_with(row.prefix) && op.contains(row.part)) {
      const bool small = op.contains("F8F6F4") && i.modifiers.matrixAFormat == fp4 && i.modifiers.matrixBFormat == fp4;
      return small ? P::WmmaShort : row.producer;
    }
  return P::None;
}

bool writesExec(const Instruction &i) {
  return llvm::any_of(i.operands, [](const Operand &o) { return o.def && o.isSpecial(Special::EXEC); });
}

P producerOf(const Instruction &i, bool cdna5) {
  const llvm::StringRef op = name(i.op);
  if (i.is(Class::Matrix)) return cdna5 ? matrixProducer(i) : P::WmmaRdna4;
  // 64-bit ones are scheduled like ordinary instructions (CDNA5 ISA, 5.8).
  if (i.is(Class::Transcendental)) return op.ends_with("_F64") ? P::None : P::Transcendental;
  if (op.starts_with("V_CMPX_") || (i.baseForm == Form::VOPC && writesExec(i))) return P::CompareExec;
  constexpr uint16_t mode = 1; // HW_REG_WAVE_MODE
  if (op.starts_with("S_SETREG") && i.modifiers.hardwareRegister == mode) return P::SetMode;
  return P::None;
}

void add(llvm::SmallVectorImpl<HazardRegisters> &to, const Operand &o) {
  if (o.isVgpr() || o.isSgpr()) to.push_back({o.file, o.index, o.width});
}

const HazardRegisters *overlap(llvm::ArrayRef<HazardRegisters> a, llvm::ArrayRef<HazardRegisters> b) {
  for (const HazardRegisters &x : a)
    for (const HazardRegisters &y : b)
      if (x.file == y.file && x.first < y.first + y.count && y.first < x.first + x.count) return &x;
  return nullptr;
}

/// CDNA5 ISA, 7.8: the first half of a pair that takes several cycles has written before the second reads.
void checkPair(const Instruction &i, HazardUse &use) {
  const Instruction &x = i.components[0], &y = i.components[1];
  llvm::SmallVector<HazardRegisters, 4> written, read;
  x.forEachDef([&](const Operand &o) { add(written, o); });
  y.forEachUse([&](const Operand &o) { add(read, o); });
  if (!llvm::StringRef(name(x.op)).ends_with("_F64") || !overlap(written, read)) return;
  use.broken = "the first half of the pair takes several cycles and overwrites a source of the second";
  use.brokenSource = "CDNA5 ISA 7.8";
}

/// LLVM's register classes of gfx1250 are aligned; of WMMA the manual says so, too.
void checkAligned(const Instruction &i, HazardUse &use) {
  for (const Operand &o : i.operands)
    if (!o.implicit && o.isVgpr() && o.width > 1 && o.index % 2) {
      use.broken = "a tuple of registers begins with an odd VGPR";
      use.brokenSource = "CDNA5 ISA 7.12, LLVM's register classes";
    }
}

} // namespace

llvm::ArrayRef<HazardRule> hazardRules() { return rules; }

bool hasHazards(const target::Target &target) { return target.generation.valuHazards; }

HazardUse hazardUse(const Instruction &i, const target::Target &target) {
  HazardUse use;
  if (!hasHazards(target)) return use;
  const llvm::StringRef op = name(i.op);
  use.producer = producerOf(i, target.cdna5Arithmetic);
  use.matrix = i.is(Class::Matrix);
  use.pair = i.components.size() == 2;
  use.transcendental = i.is(Class::Transcendental);
  use.vector = use.matrix || use.transcendental || i.is(Class::Vector);
  use.lanePermute = op.starts_with("V_PERMLANE");
  use.setVgprMsb = op == "S_SET_VGPR_MSB";
  if (target.cdna5Arithmetic) {
    checkAligned(i, use);
    for (const Instruction &part : i.components) checkAligned(part, use);
  }
  if (!use.vector) return use;
  const auto operands = [&](const Instruction &part) {
    for (const Operand &o : part.operands) {
      if (o.implicit) continue;
      add(o.def ? use.writes : use.reads, o);
      if (use.matrix && !o.def && (o.role == Role::Src0 || o.role == Role::Src1 || o.role == Role::Index))
        add(use.matrixOperands, o);
    }
  };
  operands(i);
  for (const Instruction &part : i.components) operands(part);
  if (use.pair && target.cdna5Arithmetic) checkPair(i, use);
  return use;
}

std::optional<HazardFinding> HazardState::find(const HazardUse &use) const {
  std::optional<HazardFinding> worst;
  for (const Recent &r : recent)
    for (const HazardRule &rule : rules) {
      const uint8_t between = rule.countsAll ? r.all : r.vectors;
      if (rule.cdna5 != cdna5 || rule.producer != r.use->producer || between >= rule.between) continue;
      if (worst && worst->missing() >= rule.between - between) continue;
      const auto report = [&](HazardFinding::Effect effect, const HazardRegisters *registers) {
        if (registers) worst = HazardFinding{effect, &rule, r.number, between, *registers};
        return registers != nullptr;
      };
      static constexpr HazardRegisters nothing{};
      switch (rule.consumer) {
      case C::MatrixOperand: report(HazardFinding::Reads, overlap(use.matrixOperands, r.use->writes)); break;
      case C::Vector: {
        const bool afterMatrix = r.use->matrix;
        if (!use.vector || use.transcendental || (afterMatrix && use.matrix)) break;
        if (report(HazardFinding::Reads, overlap(use.reads, r.use->writes)) ||
            (use.pair && bound == HazardBound::Both) ||
            report(HazardFinding::Overwrites, overlap(use.writes, r.use->writes)))
          break;
        report(HazardFinding::OverwritesSource,
               overlap(use.writes, afterMatrix ? llvm::ArrayRef(r.use->matrixOperands) : llvm::ArrayRef(r.use->reads)));
        break;
      }
      case C::LanePermute: report(HazardFinding::Follows, use.lanePermute ? &nothing : nullptr); break;
      case C::SetVgprMsb: report(HazardFinding::Follows, use.setVgprMsb ? &nothing : nullptr); break;
      }
    }
  return worst;
}

void HazardState::advance(uint32_t number, const HazardUse &use) {
  for (Recent &r : recent) {
    r.vectors += use.vector;
    r.all = std::min<uint8_t>(r.all + 1, longest);
  }
  llvm::erase_if(recent, [&](const Recent &r) {
    if (r.number == number) return true;
    return llvm::none_of(rules, [&](const HazardRule &rule) {
      return rule.cdna5 == cdna5 && rule.producer == r.use->producer &&
             (rule.countsAll ? r.all : r.vectors) < rule.between;
    });
  });
  if (use.producer == P::None) return;
  const auto place = llvm::find_if(recent, [&](const Recent &r) { return r.number > number; });
  recent.insert(place, {number, &use, 0, 0});
}

bool HazardState::join(const HazardState &other) {
  bool changed = false;
  for (const Recent &r : other.recent) {
    const auto known = llvm::find_if(recent, [&](const Recent &mine) { return mine.number >= r.number; });
    if (known == recent.end() || known->number != r.number) {
      recent.insert(known, r);
      changed = true;
      continue;
    }
    changed |= r.vectors < known->vectors || r.all < known->all;
    known->vectors = std::min(known->vectors, r.vectors);
    known->all = std::min(known->all, r.all);
  }
  return changed;
}

std::string toString(const HazardRegisters &r) {
  Operand o;
  o.kind = Operand::Kind::Register;
  o.file = r.file;
  o.index = r.first;
  o.width = r.count;
  return toString(o);
}

const char *nameOf(const HazardRule &rule) {
  switch (rule.producer) {
  case HazardProducer::Transcendental: return "transcendental";
  case HazardProducer::CompareExec: return "permlane";
  case HazardProducer::SetMode: return "mode";
  default: return "wmma";
  }
}

std::string toString(const HazardFinding &f) {
  const std::string nop = f.rule->countsAll ? "s_nop" : "v_nop";
  const std::string unit = f.rule->countsAll ? "instruction" : "VALU instruction";
  std::string text = f.effect == HazardFinding::Reads              ? "reads " + toString(f.registers)
                     : f.effect == HazardFinding::Overwrites       ? "overwrites " + toString(f.registers)
                     : f.effect == HazardFinding::OverwritesSource ? "overwrites the source " + toString(f.registers)
                                                                   : std::string("comes");
  return text + " with " + counted(f.between, unit) + " in between, " + counted(f.rule->between, "is", "are") +
         " needed: " + counted(f.missing(), nop) + " " + plural(f.missing(), "is", "are") + " missing (" +
         f.rule->source + ")";
}

} // namespace fly::isa
