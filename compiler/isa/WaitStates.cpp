// Who takes part in the rules of WaitStateRules.cpp, and the queue of instructions that are not far enough away.
#include "compiler/isa/WaitStates.h"

#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <array>

namespace fly::isa {

namespace {

using F = WaitStateFirst;
using S = WaitStateSecond;
using M = WaitStateMatch;

constexpr uint32_t bit(F f) { return 1u << static_cast<unsigned>(f); }
constexpr uint32_t bit(S s) { return 1u << static_cast<unsigned>(s); }

/// Numbers of registers, one row for all files.
enum : uint16_t { vgprs = 0, agprs = 1024, sgprs = 2048, vcc = sgprs + 106, exec = 3000, m0 = 3010, hardware = 3100 };

int unitOf(const Operand &o) {
  if (!o.isRegister()) return -1;
  switch (o.file) {
  case RegisterFile::VGPR: return vgprs + o.index;
  case RegisterFile::AGPR: return agprs + o.index;
  case RegisterFile::SGPR: return sgprs + o.index;
  case RegisterFile::Special: break;
  }
  switch (o.special()) {
  case Special::VCC: return vcc + o.sub;
  case Special::EXEC: return exec + o.sub;
  case Special::M0: return m0;
  default: return -1;
  }
}
bool isVector(const Operand &o) { return o.isVgpr() || o.isAgpr(); }
bool isScalar(const Operand &o) { return o.isSgpr() || o.isSpecial(Special::VCC); }

enum class Product : uint8_t { None, Xdl, Sgemm, Dgemm16, Dgemm4 };
Product productOf(const Instruction &i) {
  if (i.form != Form::MFMA) return Product::None;
  const llvm::StringRef op = name(i.op);
  if (op.contains("_F64_4X4X4")) return Product::Dgemm4;
  if (op.contains("_F64_")) return Product::Dgemm16;
  // "V_MFMA_F32_32X32X1F32", or with a mark of its blocks before the type.
  return op.ends_with("F32") && !op.ends_with("XF32") ? Product::Sgemm : Product::Xdl;
}

/// Adds spans to a use.
struct SpanBuilder {
  WaitStateUse &use;
  void add(int begin, unsigned width, uint32_t first, uint32_t second, const Operand &o) {
    if (begin < 0 || !(first | second)) return;
    use.spans.push_back({uint16_t(begin), uint16_t(unsigned(begin) + width), first, second, o});
    use.first |= first;
    use.second |= second;
  }
  void add(const Operand &o, uint32_t first, uint32_t second) { add(unitOf(o), o.width, first, second, o); }
  void addExec(uint32_t second) {
    Operand o;
    o.kind = Operand::Kind::Register;
    o.file = RegisterFile::Special;
    o.index = static_cast<uint16_t>(Special::EXEC);
    o.width = 2;
    add(exec, 2, 0, second, o);
  }
};

/// Carry and mask are forwarded: they are not constants (table 11, "as carry-in: 0").
bool readsMask(llvm::StringRef op, const Operand &o) {
  return o.role == Role::Src2 && (op.starts_with("V_ADDC") || op.starts_with("V_SUBB") || op.starts_with("V_CNDMASK") ||
                                  op.starts_with("V_DIV_FMAS"));
}

void addMatrix(SpanBuilder to, const Instruction &i) {
  const Product product = productOf(i);
  constexpr uint32_t results[] = {0, bit(F::Xdl), bit(F::Sgemm), bit(F::Dgemm16), bit(F::Dgemm4)};
  constexpr uint32_t reads[] = {0, bit(S::XdlReadsC), bit(S::SgemmReadsC), bit(S::Dgemm16ReadsC), bit(S::Dgemm4ReadsC)};
  for (const Operand &o : i.operands) {
    if (!isVector(o) || o.implicit) continue;
    if (o.def) {
      to.add(o, results[unsigned(product)], 0);
    } else if (o.role == Role::Src2) {
      to.add(o, product == Product::Xdl ? bit(F::XdlReadsC) : 0,
             bit(S::MatrixReads) | reads[unsigned(product)] | bit(S::PlainValuReads));
    } else {
      const bool isScale = o.role == Role::Scale0 || o.role == Role::Scale1;
      to.add(o, 0, bit(S::MatrixReads) | bit(S::PlainValuReads) | (isScale ? 0 : bit(S::MatrixReadsAB)));
    }
  }
  to.addExec(bit(S::ExecOfMatrix));
}

void addValu(SpanBuilder to, const Instruction &i) {
  const llvm::StringRef op = name(i.op);
  const bool trans = i.is(Class::Transcendental) && !op.starts_with("V_PRNG");
  const bool dot = op.starts_with("V_DOT"), dpp = i.modifiers.dpp;
  const bool lane = op.starts_with("V_READLANE") || op.starts_with("V_WRITELANE");
  const bool readlane = op.starts_with("V_READLANE"), readsLane = readlane || op.starts_with("V_READFIRSTLANE");
  const bool permlane = op.starts_with("V_PERMLANE"), divFmas = op.starts_with("V_DIV_FMAS");
  const bool movesWithin = i.modifiers.sdwa && i.modifiers.sdwaDst != 6;
  for (const Operand &o : i.operands) {
    if (!o.isRegister()) continue;
    if (o.def && isVector(o)) {
      to.add(o,
             (dot ? bit(F::Dot) : bit(F::VectorByValu)) | (trans ? bit(F::Transcendental) : 0) |
                 (movesWithin || o.opSel ? bit(F::PartByValu) : 0),
             bit(S::ValuWrites));
    } else if (o.def && isScalar(o)) {
      to.add(o, bit(F::ScalarByValu), 0);
    } else if (o.def && o.isSpecial(Special::EXEC)) {
      to.add(o, bit(F::ExecByValu), 0);
    } else if (o.def) {
      continue;
    } else if (isVector(o) && !o.implicit && o.role != Role::Old) {
      uint32_t second = bit(S::ValuReads) | (trans ? 0 : bit(S::PlainValuReads));
      if (dot && o.role != Role::Src2) second |= bit(S::DotReadsAB);
      if (dpp && o.role == Role::Src0) second |= bit(S::DppReads);
      if (permlane) second |= bit(S::PermlaneReads);
      if (readsLane && o.role == Role::Src0) second |= bit(readlane ? S::ReadlaneReads : S::ReadfirstlaneReads);
      to.add(o, 0, second);
    } else if (o.isSpecial(Special::VCCZ) || o.isSpecial(Special::EXECZ)) {
      to.add(o.isSpecial(Special::VCCZ) ? vcc : exec, 2, 0, bit(S::ZeroFlag), o);
    } else if (divFmas && o.isSpecial(Special::VCC)) {
      to.add(o, 0, bit(S::DivFmas));
    } else if (lane && o.role == Role::Src1 && isScalar(o)) {
      to.add(o, 0, bit(S::LaneSelect));
    } else if (!o.implicit && (isScalar(o) || o.isSpecial(Special::EXEC)) && !readsMask(op, o)) {
      to.add(o, 0, bit(S::Constant));
    }
  }
  uint32_t execUse = dpp ? bit(S::ExecOfDpp) : 0;
  if (lane || readsLane) execUse |= bit(S::ExecOfLane);
  if (permlane) execUse |= bit(S::ExecOfPermlane);
  if (execUse) to.addExec(execUse);
}

void addMemory(SpanBuilder to, const Instruction &i) {
  const bool buffer = i.form == Form::MUBUF || i.form == Form::MTBUF, lds = i.is(Class::Lds);
  const Operand *offset = i.find(Role::Soffset);
  const bool scalarOffset = buffer && offset && offset->isRegister() && !offset->isSpecial(Special::Null);
  for (const Operand &o : i.operands) {
    if (!o.isRegister() || o.def) continue;
    if (isVector(o) && !o.implicit && o.role != Role::Old) {
      const bool wide = !lds && i.mayStore && o.role == Role::Vdata && o.width > 2 && !scalarOffset;
      to.add(o, wide ? bit(F::WideStoreData) : 0, bit(S::MemoryReads));
    } else if (!lds && !o.implicit && isScalar(o)) {
      to.add(o, 0, bit(S::MemoryScalar));
    }
  }
}

constexpr uint32_t matrixResults = bit(F::Xdl) | bit(F::Sgemm) | bit(F::Dgemm16) | bit(F::Dgemm4);

struct Reach {
  std::array<uint8_t, 32> of{};
};
/// By first: the longest distance of its rules.
const Reach &reach() {
  static const Reach r = [] {
    Reach r;
    for (const WaitStateRule &rule : waitStateRules()) {
      uint8_t &longest = r.of[static_cast<unsigned>(rule.first)];
      longest = std::max<uint8_t>(longest, rule.states);
    }
    return r;
  }();
  return r;
}
/// By first, its rules.
llvm::ArrayRef<const WaitStateRule *> rulesOf(unsigned first) {
  static const std::array<std::vector<const WaitStateRule *>, 32> table = [] {
    std::array<std::vector<const WaitStateRule *>, 32> t;
    for (const WaitStateRule &rule : waitStateRules()) t[static_cast<unsigned>(rule.first)].push_back(&rule);
    return t;
  }();
  return table[first];
}

constexpr const char *unitIsBusy = "with the states that products wait for the matrix unit the distance is kept; LLVM "
                                   "does not count them";

uint8_t sum(unsigned a, unsigned b) { return uint8_t(std::min(255u, a + b)); }

bool holds(M match, const WaitStateUse &first, const WaitStateUse::Span &a, const WaitStateUse &second,
           const WaitStateUse::Span &b) {
  switch (match) {
  case M::Overlap: return true;
  case M::Same: return a.begin == b.begin && a.end == b.end;
  case M::Partly: return a.begin != b.begin || a.end != b.end;
  case M::SameOp: return first.op == second.op;
  case M::OtherOp: return first.op != second.op;
  }
  return false;
}

} // namespace

bool hasWaitStates(const target::Target &target) { return WaitStateQueue::machineOf(target) != 0; }
uint8_t WaitStateQueue::machineOf(const target::Target &target) { return static_cast<uint8_t>(target.waitStates); }

unsigned matrixPasses(const Instruction &i, const target::Target &target) {
  llvm::StringRef op = name(i.op);
  const bool cdna4 = WaitStateQueue::machineOf(target) == 2;
  const Product product = productOf(i);
  if (product == Product::None) return 0;
  if (product == Product::Dgemm4) return 4;
  if (product == Product::Dgemm16) return cdna4 ? 16 : 8;
  const bool large = op.contains("32X32X");
  const size_t shape = op.find(large ? "32X32X" : "16X16X");
  if (shape == op.npos) return op.contains("4X4X") ? 2 : 0;
  if (op.contains("SMFMAC")) return large ? 8 : 4;
  if (op.contains("F8F6F4")) { // twice as long if one of the operands has 8 bits
    const bool bytes = i.modifiers.cbsz < 2 || i.modifiers.blgp < 2;
    return (large ? 8 : 4) * (bytes ? 2 : 1);
  }
  unsigned k = 0;
  llvm::StringRef rest = op.drop_front(shape + 6);
  rest.consumeInteger(10, k);
  const bool slow = product == Product::Sgemm || (!op.contains("XF32") && k <= 4);
  return (large ? 8 : 4) * (slow ? 2 : 1);
}

WaitStateUse waitStateUse(const Instruction &i, const target::Target &target) {
  WaitStateUse use;
  use.op = i.op;
  const llvm::StringRef op = name(i.op);
  SpanBuilder to{use};
  if (op == "S_NOP") {
    if (const Operand *simm = i.find(Role::Simm)) use.states = uint8_t(1 + (simm->bits & 15));
    return use;
  }
  switch (i.cls) {
  case Class::Matrix:
    addMatrix(to, i);
    use.passes = uint8_t(matrixPasses(i, target));
    break;
  case Class::Vector:
  case Class::Transcendental: addValu(to, i); break;
  case Class::VectorMemory:
  case Class::Lds: addMemory(to, i); break;
  default: break;
  }
  if (i.is(Class::Scalar) && (op.starts_with("S_SETREG") || op.starts_with("S_GETREG"))) {
    const bool set = op.starts_with("S_SETREG");
    to.add(hardware + i.modifiers.hardwareRegister, 1, set ? bit(F::ModeBySetreg) : 0, bit(set ? S::Setreg : S::Getreg),
           Operand());
  }
  const bool readsM0 = op == "S_SENDMSG" || op == "S_SENDMSGHALT" || op.starts_with("S_MOVREL") ||
                       op.contains("ADDTID") || i.modifiers.lds;
  const bool bufferLoad = i.modifiers.lds && i.mayLoad && (i.form == Form::MUBUF || i.form == Form::MTBUF);
  for (const Operand &o : i.operands)
    if (o.isSpecial(Special::M0)) {
      if (o.def && i.is(Class::Scalar)) to.add(m0, 1, bit(F::M0BySalu), 0, o);
      if (!o.def && readsM0) to.add(m0, 1, 0, bit(bufferLoad ? S::BufferToLds : S::M0Reader), o);
    }
  for (unsigned f = 0; f < 32; ++f)
    if (use.first >> f & 1) use.reach = std::max(use.reach, reach().of[f]);
  return use;
}

std::optional<WaitStateFinding> WaitStateQueue::check(const WaitStateUse &first, const WaitStateUse &second,
                                                      const Recent &r) const {
  std::optional<WaitStateFinding> worst;
  const uint8_t elapsed = second.passes ? r.free : r.elapsed; // a product waits for the unit
  for (const WaitStateUse::Span &a : first.spans) {
    if (!a.first) continue;
    for (const WaitStateUse::Span &b : second.spans) {
      if (!b.second || a.begin >= b.end || b.begin >= a.end) continue;
      const bool isHidden = (a.first & matrixResults) && r.hiddenBegin <= std::max(a.begin, b.begin) &&
                            std::min(a.end, b.end) <= r.hiddenEnd;
      for (unsigned f = 0, bits = a.first; bits; ++f, bits >>= 1)
        if (bits & 1)
          for (const WaitStateRule *rule : rulesOf(f)) {
            if (!(b.second >> static_cast<unsigned>(rule->second) & 1) || r.between >= rule->states ||
                !(rule->machines & machine) || (rule->passes && rule->passes != first.passes) ||
                (isHidden && rule->second != S::ValuWrites) || !holds(rule->match, first, a, second, b))
              continue;
            WaitStateFinding found{rule, r.number, r.between, b.operand,
                                   rule->doubt               ? rule->doubt
                                   : elapsed >= rule->states ? unitIsBusy
                                                             : nullptr};
            if (!worst || (worst->doubt && !found.doubt) ||
                (!worst->doubt == !found.doubt && found.missing() > worst->missing()))
              worst = found;
          }
    }
  }
  return worst;
}

void WaitStateQueue::hide(const WaitStateUse &use, llvm::ArrayRef<WaitStateUse> all) {
  const auto isResult = [](const WaitStateUse::Span &span) { return span.first & matrixResults; };
  const auto result = llvm::find_if(use.spans, isResult);
  if (result == use.spans.end()) return;
  for (Recent &r : recent) {
    const auto earlier = llvm::find_if(all[r.number].spans, isResult);
    if (earlier == all[r.number].spans.end()) continue;
    uint16_t begin = std::max(earlier->begin, result->begin), end = std::min(earlier->end, result->end);
    if (begin >= end) continue;
    if (r.hiddenBegin < r.hiddenEnd) {
      if (end < r.hiddenBegin || r.hiddenEnd < begin) continue; // one interval is kept
      begin = std::min(begin, r.hiddenBegin), end = std::max(end, r.hiddenEnd);
    }
    r.hiddenBegin = begin, r.hiddenEnd = end;
  }
}

void WaitStateQueue::advance(uint32_t number, const WaitStateUse &use, llvm::ArrayRef<WaitStateUse> all) {
  for (Recent &r : recent) {
    r.between = sum(r.between, use.states);
    r.elapsed = sum(use.passes ? r.free : r.elapsed, use.states);
    r.free = use.passes ? sum(r.elapsed, use.passes - 1u) : std::max(r.free, r.elapsed);
  }
  busy = use.passes ? uint8_t(use.passes - 1) : busy > use.states ? uint8_t(busy - use.states) : uint8_t(0);
  llvm::erase_if(recent, [&](const Recent &r) { return r.number == number || r.between >= all[r.number].reach; });
  hide(use, all);
  if (!use.reach) return;
  auto place = llvm::find_if(recent, [&](const Recent &r) { return r.number > number; });
  recent.insert(place, {.number = number, .free = busy});
}

bool WaitStateQueue::join(const WaitStateQueue &other) {
  bool changed = isReached ? other.busy < busy : other.busy != busy;
  busy = isReached ? std::min(busy, other.busy) : other.busy;
  isReached = true;
  for (const Recent &r : other.recent) {
    auto known = llvm::find_if(recent, [&](const Recent &mine) { return mine.number >= r.number; });
    if (known == recent.end() || known->number != r.number) {
      recent.insert(known, r);
      changed = true;
      continue;
    }
    const uint8_t between = std::min(known->between, r.between), elapsed = std::min(known->elapsed, r.elapsed),
                  free = std::min(known->free, r.free);
    uint16_t begin = std::max(known->hiddenBegin, r.hiddenBegin), end = std::min(known->hiddenEnd, r.hiddenEnd);
    if (begin >= end) begin = end = 0;
    changed |= between != known->between || elapsed != known->elapsed || free != known->free ||
               begin != known->hiddenBegin || end != known->hiddenEnd;
    known->between = between, known->elapsed = elapsed, known->free = free;
    known->hiddenBegin = begin, known->hiddenEnd = end;
  }
  return changed;
}

std::string toString(const WaitStateFinding &f) {
  const std::string reg = f.reg.isRegister() ? toString(f.reg) : "the hardware register";
  const bool writes = f.rule->second == S::ValuWrites || f.rule->second == S::Setreg;
  const bool reads = f.rule->first == F::WideStoreData || f.rule->first == F::XdlReadsC;
  return reg + (writes ? " is written " : " is read ") + counted(f.between, "wait state") + " after it was " +
         (reads ? "read" : "written") + ", " + counted(f.rule->states, "is", "are") + " needed: `s_nop " +
         std::to_string(f.missing() - 1) + "` is missing";
}

} // namespace fly::isa
