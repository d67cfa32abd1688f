#include "compiler/isa/ModifierNames.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::isa {

namespace {

// clang-format off
constexpr const char *names[] = {
    "abid", "addr64", "blgp", "byte_sel", "bitop3", "cbsz", "clamp", "compr", "dlc", "done", "format", "gds", "glc",
    "idxen", "index_key", "lds", "mul", "div", "neg_hi", "neg_lo", "nt", "nv", "offen", "offset", "offset0", "offset1",
    "op_sel", "op_sel_hi", "row_en", "sc0", "sc1", "scale_offset", "scale_sel", "scope", "slc", "tfe", "th", "vm",
    "wait_exp", "wait_va_vdst", "wait_vdst", "wait_vm_vsrc",
    // matrices
    "matrix_a_fmt", "matrix_a_reuse", "matrix_a_scale", "matrix_a_scale_fmt", "matrix_b_fmt", "matrix_b_reuse",
    "matrix_b_scale", "matrix_b_scale_fmt",
    // DPP
    "bank_mask", "bound_ctrl", "dpp8", "fi", "quad_perm", "row_bcast", "row_half_mirror", "row_mask", "row_mirror",
    "row_newbcast", "row_ror", "row_share", "row_shl", "row_shr", "row_xmask", "wave_rol", "wave_ror", "wave_shl",
    "wave_shr",
    // SDWA
    "dst_sel", "dst_unused", "src0_sel", "src1_sel"};
// clang-format on

constexpr const char *fields[] = {"vmcnt",          "expcnt",         "lgkmcnt",         "instid0",
                                  "instskip",       "instid1",        "depctr_hold_cnt", "depctr_sa_sdst",
                                  "depctr_va_sdst", "depctr_va_ssrc", "depctr_va_vcc",   "depctr_va_vdst",
                                  "depctr_vm_vsrc"};

} // namespace

llvm::ArrayRef<const char *> fieldNames() { return fields; }

bool isModifierName(llvm::StringRef name) {
  auto is = [&](const char *known) { return name == known; };
  return llvm::any_of(names, is) || llvm::any_of(fields, is);
}

std::vector<std::string> modifierNamesNear(llvm::StringRef name) {
  const unsigned most = name.size() < 4 ? 1 : 2;
  std::vector<std::pair<unsigned, std::string>> near;
  auto look = [&](const char *known) {
    const unsigned distance = name.edit_distance(known, /*AllowReplacements=*/true, most);
    if (distance <= most) near.push_back({distance, known});
  };
  llvm::for_each(names, look);
  llvm::for_each(fields, look);
  llvm::sort(near);
  std::vector<std::string> found;
  for (auto &[distance, known] : near)
    if (distance == near.front().first) found.push_back(known);
  return found;
}

} // namespace fly::isa
