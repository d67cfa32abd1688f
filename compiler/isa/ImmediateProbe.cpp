// Finds out what a bare immediate of an LLVM instruction means, with LLVM's own printer.
//
// The decoder hands over `v_mfma_f32_32x32x8_f16` as vdst, src0, src1, src2, 0, 0, 0: the names of the three zeros
// (cbsz, abid, blgp) are in tables private to LLVM, their order differs from opcode to opcode (f8f6f4 has no abid),
// and the same holds for clamp, omod, op_sel, byte_sel, bitop3 and every field of DPP, SDWA and WMMA. But the printer
// is public, and it names each field in the text:
//
//     immediate 5 = 0:  v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]
//     immediate 5 = 1:  v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15] abid:1       so it is abid
//
// This is done once for each immediate operand of each opcode met. An immediate that never shows (op_sel duplicates
// the source modifiers) is ignored.
#include "compiler/isa/OperandRoles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

namespace fly::isa {

namespace {

using Fields = llvm::StringMap<std::string>;

const llvm::StringMap<Slot> &keywords() {
  // clang-format off
  static const llvm::StringMap<Slot> map{
      {"offset", Slot::Offset}, {"offset0", Slot::Offset0}, {"offset1", Slot::Offset1}, {"gds", Slot::Gds},
      {"glc", Slot::CachePolicy}, {"slc", Slot::CachePolicy}, {"dlc", Slot::CachePolicy}, {"sc0", Slot::CachePolicy},
      {"sc1", Slot::CachePolicy}, {"nt", Slot::CachePolicy}, {"scc", Slot::CachePolicy}, {"th", Slot::CachePolicy},
      {"scope", Slot::CachePolicy}, {"nv", Slot::CachePolicy}, {"scale_offset", Slot::CachePolicy},
      {"format", Slot::Format}, {"clamp", Slot::Clamp}, {"mul", Slot::OutputModifier}, {"div", Slot::OutputModifier},
      {"bitop3", Slot::Bitop3}, {"byte_sel", Slot::ByteSel}, {"scale_sel", Slot::ScaleSel},
      {"quad_perm", Slot::DppControl}, {"row_shl", Slot::DppControl}, {"row_shr", Slot::DppControl},
      {"row_ror", Slot::DppControl}, {"row_mirror", Slot::DppControl}, {"row_half_mirror", Slot::DppControl},
      {"row_bcast", Slot::DppControl}, {"row_newbcast", Slot::DppControl}, {"row_share", Slot::DppControl},
      {"row_xmask", Slot::DppControl}, {"wave_shl", Slot::DppControl}, {"wave_rol", Slot::DppControl},
      {"wave_shr", Slot::DppControl}, {"wave_ror", Slot::DppControl},
      {"row_mask", Slot::RowMask}, {"bank_mask", Slot::BankMask}, {"bound_ctrl", Slot::BoundControl},
      {"fi", Slot::FetchInactive}, {"dpp8", Slot::Dpp8},
      {"dst_sel", Slot::SdwaDst}, {"dst_unused", Slot::SdwaUnused}, {"src0_sel", Slot::SdwaSource0},
      {"src1_sel", Slot::SdwaSource1},
      {"cbsz", Slot::Cbsz}, {"abid", Slot::Abid}, {"blgp", Slot::Blgp}, {"neg", Slot::Blgp},
      {"matrix_a_fmt", Slot::MatrixAFormat}, {"matrix_b_fmt", Slot::MatrixBFormat},
      {"matrix_a_scale", Slot::MatrixAScale}, {"matrix_b_scale", Slot::MatrixBScale},
      {"matrix_a_scale_fmt", Slot::MatrixAScaleFormat}, {"matrix_b_scale_fmt", Slot::MatrixBScaleFormat},
      {"matrix_a_reuse", Slot::MatrixAReuse}, {"matrix_b_reuse", Slot::MatrixBReuse}, {"index_key", Slot::IndexKey},
  };
  // clang-format on
  return map;
}

/// "v_add_f32_e64 v0, v1, v2 clamp mul:2" -> {clamp: "", mul: "2"} and the rest under its own words.
Fields fieldsOf(const Machine &machine, const llvm::MCInst &inst) {
  std::string text;
  llvm::raw_string_ostream out(text);
  machine.printer->printInst(&inst, 0, "", *machine.subtarget, out);
  Fields fields;
  llvm::SmallVector<llvm::StringRef, 16> words;
  llvm::SplitString(text, words, " \t,");
  for (llvm::StringRef word : words) {
    auto [key, value] = word.split(':');
    if (keywords().contains(key)) fields[key] = value.str();
  }
  return fields;
}

} // namespace

Slot probeImmediate(const Machine &machine, const llvm::MCInst &inst, unsigned index) {
  if (index >= inst.getNumOperands() || !inst.getOperand(index).isImm()) return Slot::Ignored;
  auto fieldsWith = [&](int64_t value) {
    llvm::MCInst changed = inst;
    changed.getOperand(index).setImm(value);
    return fieldsOf(machine, changed);
  };
  // 0 and 1 are legal in each enumerated field; the printer asserts that other values do not occur. 2 and 8 show cache
  // policies whose lowest bit has no name there; the last pair are legal controls of 64-bit DPP.
  constexpr std::pair<int64_t, int64_t> trials[] = {{0, 1}, {0, 2}, {0, 8}, {0x151, 0x152}};
  for (auto [first, second] : trials) {
    Fields before = fieldsWith(first), after = fieldsWith(second);
    for (const auto &field : before) {
      auto it = after.find(field.getKey());
      if (it == after.end() || it->second != field.getValue()) return keywords().lookup(field.getKey());
    }
    for (const auto &field : after)
      if (!before.contains(field.getKey())) return keywords().lookup(field.getKey());
  }
  return Slot::Ignored;
}

} // namespace fly::isa
