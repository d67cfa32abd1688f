#include "compiler/isa/SgprHazards.h"

#include "llvm/ADT/StringRef.h"

namespace fly::isa {

namespace {

constexpr uint8_t vccNumber = 106, ttmp0 = 108;

std::optional<SgprUse::Span> spanOf(const Operand &o) {
  if (!o.isRegister()) return std::nullopt;
  if (o.isSpecial(Special::VCC) || o.isSpecial(Special::VCCZ)) return SgprUse::Span{vccNumber, 1}; // as a whole
  if (o.implicit) return std::nullopt;
  if (o.isSgpr()) return SgprUse::Span{uint8_t(o.index), uint8_t(o.width)};
  if (o.isSpecial(Special::TTMP)) return SgprUse::Span{uint8_t(ttmp0 + o.sub), uint8_t(o.width)};
  return std::nullopt;
}

SgprUse::Kind kindOf(const Instruction &i) {
  using Kind = SgprUse::Kind;
  const llvm::StringRef op = name(i.op);
  if (op == "DS_NOP") return Kind::LdsNop;
  if (op == "S_WAITCNT_DEPCTR") return Kind::Wait;
  if (op.starts_with("S_SWAPPC") || op.starts_with("S_SETPC") || op.starts_with("S_CALL")) return Kind::Call;
  if (i.is(Class::Vector) || i.is(Class::Transcendental) || i.is(Class::Matrix)) return Kind::Vector;
  switch (i.form) {
  case Form::SMEM:
  case Form::MUBUF:
  case Form::MTBUF:
  case Form::MIMG: return Kind::Memory;
  case Form::SOP1:
  case Form::SOP2:
  case Form::SOPC:
  case Form::SOPK:
  case Form::SOPP: return Kind::Scalar;
  default: return Kind::Other;
  }
}

std::string nameOf(uint8_t sgpr) {
  if (sgpr == vccNumber) return "vcc";
  return sgpr < vccNumber ? "s" + std::to_string(sgpr) : "ttmp" + std::to_string(sgpr - ttmp0);
}

} // namespace

bool hasSgprHazards(const target::Target &target) { return target.sgprHazards; }

SgprUse sgprUse(const Instruction &i, const target::Target &target) {
  SgprUse use;
  if (!hasSgprHazards(target)) return use;
  use.kind = kindOf(i);
  if (use.kind == SgprUse::Kind::Wait) {
    const Operand *o = i.find(Role::Simm);
    const uint64_t bits = o ? o->bits : ~uint64_t(0);
    use.endsSalu = !(bits & 1), use.endsVcc = !(bits >> 1 & 1), use.endsValu = !(bits >> 9 & 7);
  }
  if (use.kind != SgprUse::Kind::Vector && use.kind != SgprUse::Kind::Scalar) return use;
  const auto operands = [&](const Instruction &part) {
    for (const Operand &o : part.operands)
      if (auto span = spanOf(o)) (o.def ? use.writes : use.reads).push_back(*span);
  };
  operands(i);
  for (const Instruction &part : i.components) operands(part);
  if (use.reads.empty() && use.writes.empty()) use.kind = SgprUse::Kind::Other;
  return use;
}

std::string waitText(const SgprFinding &f) {
  const char *field = !f.byValu ? "sa_sdst" : f.sgpr == vccNumber ? "va_vcc" : "va_sdst";
  return "s_wait_alu depctr_" + std::string(field) + "(0)";
}

std::string toString(const SgprFinding &f) {
  return nameOf(f.sgpr) + " is read after " + (f.byValu ? "VALU" : "SALU") +
         " has written it, and VALU has read it before that: `" + waitText(f) + "` is missing";
}

void SgprState::valuHasWritten() {
  const bool ofVcc = byValu[vccNumber];
  byValu.reset();
  byValu[vccNumber] = ofVcc;
}

std::optional<SgprFinding> SgprState::read(const SgprUse &use) {
  const bool isVector = use.kind == SgprUse::Kind::Vector;
  std::optional<SgprFinding> found;
  for (const SgprUse::Span &span : use.reads) {
    if (!isVector) { // it waits for VALU by itself
      if (span.first != vccNumber) valuHasWritten();
      else if (byValu[vccNumber]) byValu.reset(vccNumber), bySalu.reset(vccNumber);
    }
    if (!watched[span.first / 2]) {
      if (isVector) watched.set(span.first / 2);
      continue;
    }
    for (unsigned sgpr = span.first; sgpr < unsigned(span.first) + span.count && sgpr < bySalu.size(); ++sgpr)
      if (!found && (bySalu[sgpr] || (byValu[sgpr] && isVector)))
        found = SgprFinding{uint8_t(sgpr), !bySalu[sgpr], writers[sgpr]};
  }
  return found;
}

std::optional<SgprFinding> SgprState::advance(uint32_t number, const SgprUse &use) {
  using Kind = SgprUse::Kind;
  nops = use.kind == Kind::LdsNop ? nops + 1 : 0;
  switch (use.kind) {
  case Kind::Other: return std::nullopt;
  case Kind::LdsNop:
    if (nops >= nopsThatEnd) watched.reset();
    return std::nullopt;
  case Kind::Memory: bySalu.reset(), byValu.reset(); return std::nullopt;
  case Kind::Call: watched.reset(), bySalu.reset(), byValu.reset(); return std::nullopt; // the callee is not known
  case Kind::Wait:
    if (use.endsSalu) bySalu.reset();
    if (use.endsValu) valuHasWritten();
    if (use.endsVcc) byValu.reset(vccNumber);
    return std::nullopt;
  case Kind::Vector:
  case Kind::Scalar: break;
  }
  std::optional<SgprFinding> found = read(use);
  if (found && !found->byValu) bySalu.reset();
  else if (found && found->sgpr == vccNumber) byValu.reset(vccNumber);
  else if (found) valuHasWritten();
  for (const SgprUse::Span &span : use.writes) {
    if (!watched[span.first / 2]) continue;
    for (unsigned sgpr = span.first; sgpr < unsigned(span.first) + span.count && sgpr < bySalu.size(); ++sgpr) {
      bySalu[sgpr] = use.kind == Kind::Scalar;
      byValu[sgpr] = use.kind == Kind::Vector;
      writers[sgpr] = number;
    }
  }
  return found;
}

bool SgprState::join(const SgprState &other) {
  const SgprState before = *this;
  watched |= other.watched, bySalu |= other.bySalu, byValu |= other.byValu;
  for (unsigned sgpr = 0; sgpr < bySalu.size(); ++sgpr)
    if (!before.bySalu[sgpr] && !before.byValu[sgpr]) writers[sgpr] = other.writers[sgpr];
  return watched != before.watched || bySalu != before.bySalu || byValu != before.byValu;
}

} // namespace fly::isa
