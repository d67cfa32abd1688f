// Names of the enumerators, and operands as text: for reports, error texts and tests.
#include "compiler/isa/Instruction.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::isa {

namespace {
template <size_t N, class E> std::string_view at(const std::string_view (&names)[N], E e) {
  size_t i = static_cast<size_t>(e);
  return i < N ? names[i] : std::string_view("?");
}
} // namespace

std::string_view name(Form form) {
  static constexpr std::string_view names[] = {"unknown", "SOP1",    "SOP2",  "SOPC",  "SOPK",    "SOPP",   "SMEM",
                                               "VOP1",    "VOP2",    "VOPC",  "VOP3",  "VOP3P",   "VOPD",   "SDWA",
                                               "DPP16",   "DPP8",    "MFMA",  "WMMA",  "VINTERP", "DS",     "FLAT",
                                               "GLOBAL",  "SCRATCH", "MUBUF", "MTBUF", "MIMG",    "TENSOR", "EXP"};
  static_assert(std::size(names) == static_cast<size_t>(Form::EXP) + 1);
  return at(names, form);
}

std::string_view name(Class cls) {
  static constexpr std::string_view names[] = {
      "unknown", "vector", "transcendental", "matrix", "scalar", "scalar memory", "vector memory",
      "LDS",     "wait",   "barrier",        "branch", "end",    "message",       "hint"};
  static_assert(std::size(names) == static_cast<size_t>(Class::Hint) + 1);
  return at(names, cls);
}

std::string_view name(Role role) {
  static constexpr std::string_view names[] = {"dst",   "dst1",   "sdst",   "src0",   "src1",  "src2",     "old",
                                               "vaddr", "saddr",  "vdata",  "vdata1", "srsrc", "ssamp",    "soffset",
                                               "simm",  "target", "scale0", "scale1", "index", "implicit", "other"};
  static_assert(std::size(names) == static_cast<size_t>(Role::Other) + 1);
  return at(names, role);
}

std::string_view name(Special special) {
  // clang-format off
  static constexpr std::string_view names[] = {
      "none", "vcc", "exec", "scc", "m0", "mode", "flat_scratch", "xnack_mask", "ttmp", "tba", "tma", "xcc_id", "null",
      "src_shared_base", "src_shared_limit", "src_private_base", "src_private_limit", "src_flat_scratch_base",
      "src_pops_exiting_wave_id", "src_vccz", "src_execz", "lds_direct", "asynccnt", "tensorcnt", "other"};
  // clang-format on
  static_assert(std::size(names) == static_cast<size_t>(Special::Other) + 1);
  return at(names, special);
}

std::string toString(const Operand &o) {
  if (o.isImmediate()) return "0x" + llvm::utohexstr(o.bits, /*LowerCase=*/true);
  auto range = [&](const char *file, unsigned first) {
    std::string base = file;
    if (o.width == 1) return base + std::to_string(first);
    return base + "[" + std::to_string(first) + ":" + std::to_string(first + o.width - 1) + "]";
  };
  std::string text;
  switch (o.file) {
  case RegisterFile::SGPR: text = range("s", o.index); break;
  case RegisterFile::VGPR: text = range("v", o.index); break;
  case RegisterFile::AGPR: text = range("a", o.index); break;
  case RegisterFile::Special:
    if (o.isSpecial(Special::TTMP)) {
      text = range("ttmp", o.sub);
      break;
    }
    text = name(o.special());
    // Two-register specials name their halves.
    switch (o.special()) {
    case Special::VCC:
    case Special::EXEC:
    case Special::FlatScratch:
    case Special::XnackMask:
    case Special::TBA:
    case Special::TMA:
      if (o.width == 1) text += o.sub ? "_hi" : "_lo";
      break;
    default: break;
    }
  }
  if (o.half != Half::Whole) text += o.half == Half::High ? ".h" : ".l";
  return text;
}

} // namespace fly::isa
