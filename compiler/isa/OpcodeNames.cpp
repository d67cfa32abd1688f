// Semantic ids: one dense number for everything that computes the same.
//
// LLVM has one opcode for each encoding, addressing mode and subtarget: V_ADD_F32 alone has 23. Their names are
// composed, from the left: the mnemonic, then (in any order and often doubled) marks of encoding (e32 e64 dpp dpp8
// sdwa), of 16-bit register handling (t16 fake16), of addressing (SADDR OFFEN IMM ...), of the register file (agpr,
// acd, vcd), of the wave size and of the subtarget. Removing these marks from the right until none is left gives the
// name:
//
//     V_ADD_F16_fake16_e64_dpp_gfx12                     V_ADD_F16
//     GLOBAL_ATOMIC_ADD_SADDR_RTN_vi                     GLOBAL_ATOMIC_ADD
//     V_ADD_NC_I16V_ADD_I16_t16_e64_gfx12                V_ADD_I16      (the new mnemonic, then the common name)
//
// A few opcodes bear the newer mnemonic where an older one of the same meaning exists: `renamed` lists them, so that
// each meaning has one name. The meanings agree in what they compute, not in every detail of the denormal mode.
#include "compiler/isa/OpcodeNames.h"

#include "compiler/isa/Instruction.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>
#include <mutex>
#include <shared_mutex>

namespace fly::isa {

namespace {

constexpr std::string_view marks[] = {
    // encoding
    "e32", "e64", "e96", "sdwa", "dpp", "dpp8", "early", "ec", "alt", "opsel", "nosdst", "inreg", "format",
    // 16-bit registers
    "t16", "fake16",
    // register files and tied operands
    "agpr", "acd", "vcd", "vgprcd", "mac", "twoaddr", "threeaddr", "w32", "w64",
    // subtargets
    "vi", "si", "ci", "gfx6", "gfx7", "gfx80", "gfx8", "gfx9", "gfx90a", "gfx940", "gfx950", "gfx10", "gfx11", "gfx12",
    "gfx1250", "gfx13", "not",
    // work-arounds
    "nop", "s", "pad", "exact", "16bank", "pseudo"};

struct Family {
  std::string_view prefix;
  std::initializer_list<std::string_view> marks;
};
const Family families[] = {
    {"GLOBAL_", {"SADDR", "RTN"}},
    {"CLUSTER_", {"SADDR"}},
    {"FLAT_", {"SADDR", "RTN"}},
    {"SCRATCH_", {"SADDR", "SVS", "ST", "VE"}},
    {"BUFFER_", {"OFFSET", "OFFEN", "IDXEN", "BOTHEN", "ADDR64", "RTN", "VBUFFER", "TFE", "LDS"}},
    {"TBUFFER_", {"OFFSET", "OFFEN", "IDXEN", "BOTHEN", "ADDR64", "VBUFFER", "TFE"}},
    {"S_", {"IMM", "SGPR", "RTN", "M0"}},
    {"TENSOR_", {"D2"}},
    {"V_MFMA_", {"f4", "f6", "f8"}},
    {"V_WMMA_", {"f4", "f6", "f8"}},
};

const llvm::StringMap<std::string_view> &renamed() {
  // clang-format off
  static const llvm::StringMap<std::string_view> map{
      {"S_LOAD_B32", "S_LOAD_DWORD"}, {"S_LOAD_B64", "S_LOAD_DWORDX2"}, {"S_LOAD_B96", "S_LOAD_DWORDX3"},
      {"S_LOAD_B128", "S_LOAD_DWORDX4"}, {"S_LOAD_B256", "S_LOAD_DWORDX8"}, {"S_LOAD_B512", "S_LOAD_DWORDX16"},
      {"S_BUFFER_LOAD_B32", "S_BUFFER_LOAD_DWORD"}, {"S_BUFFER_LOAD_B64", "S_BUFFER_LOAD_DWORDX2"},
      {"S_BUFFER_LOAD_B96", "S_BUFFER_LOAD_DWORDX3"}, {"S_BUFFER_LOAD_B128", "S_BUFFER_LOAD_DWORDX4"},
      {"S_BUFFER_LOAD_B256", "S_BUFFER_LOAD_DWORDX8"}, {"S_BUFFER_LOAD_B512", "S_BUFFER_LOAD_DWORDX16"},
      // carry-in arithmetic: gfx9 addc, gfx10 and later add_co_ci
      {"V_ADDC_U32", "V_ADDC_CO_U32"}, {"V_SUBB_U32", "V_SUBB_CO_U32"}, {"V_SUBBREV_U32", "V_SUBBREV_CO_U32"},
      {"V_ADD_CO_CI_U32", "V_ADDC_CO_U32"}, {"V_SUB_CO_CI_U32", "V_SUBB_CO_U32"},
      {"V_SUBREV_CO_CI_U32", "V_SUBBREV_CO_U32"},
      {"V_ADD_NC_U32", "V_ADD_U32"}, {"V_SUB_NC_U32", "V_SUB_U32"}, {"V_SUBREV_NC_U32", "V_SUBREV_U32"},
      {"V_ADD_NC_I32", "V_ADD_I32"}, {"V_SUB_NC_I32", "V_SUB_I32"},
      {"V_MAD_CO_U64_U32", "V_MAD_U64_U32"}, {"V_MAD_CO_I64_I32", "V_MAD_I64_I32"},
      // bit scans and conversions
      {"V_CLZ_I32_U32", "V_FFBH_U32"}, {"V_CLS_I32", "V_FFBH_I32"}, {"V_CTZ_I32_B32", "V_FFBL_B32"},
      {"V_CVT_FLOOR_I32_F32", "V_CVT_FLR_I32_F32"}, {"V_CVT_NEAREST_I32_F32", "V_CVT_RPI_I32_F32"},
      {"V_CVT_PK_NORM_I16_F32", "V_CVT_PKNORM_I16_F32"}, {"V_CVT_PK_NORM_U16_F32", "V_CVT_PKNORM_U16_F32"},
      {"V_CVT_PK_RTZ_F16_F32", "V_CVT_PKRTZ_F16_F32"},
      {"V_FMA_DX9_ZERO_F32", "V_FMA_LEGACY_F32"}, {"V_MUL_DX9_ZERO_F32", "V_MUL_LEGACY_F32"},
      // IEEE minNum/maxNum: gfx12's name describes what the older ones do
      {"V_MIN_NUM_F32", "V_MIN_F32"}, {"V_MAX_NUM_F32", "V_MAX_F32"}, {"V_MIN_NUM_F16", "V_MIN_F16"},
      {"V_MAX_NUM_F16", "V_MAX_F16"}, {"V_MIN_NUM_F64", "V_MIN_F64"}, {"V_MAX_NUM_F64", "V_MAX_F64"},
      {"V_MIN3_NUM_F32", "V_MIN3_F32"}, {"V_MAX3_NUM_F32", "V_MAX3_F32"}, {"V_MED3_NUM_F32", "V_MED3_F32"},
      {"V_MIN3_NUM_F16", "V_MIN3_F16"}, {"V_MAX3_NUM_F16", "V_MAX3_F16"}, {"V_MED3_NUM_F16", "V_MED3_F16"},
      {"V_MINMAX_NUM_F32", "V_MINMAX_F32"}, {"V_MAXMIN_NUM_F32", "V_MAXMIN_F32"},
      {"V_MINMAX_NUM_F16", "V_MINMAX_F16"}, {"V_MAXMIN_NUM_F16", "V_MAXMIN_F16"},
      {"V_PK_MIN_NUM_F16", "V_PK_MIN_F16"}, {"V_PK_MAX_NUM_F16", "V_PK_MAX_F16"},
  };
  // clang-format on
  return map;
}

/// All names seen so far. Names are never removed, so views of them stay valid.
struct NameTable {
  std::shared_mutex mutex;
  std::deque<std::string> names{std::string()};
  llvm::StringMap<uint16_t> numbers;
};
NameTable &table() {
  static NameTable t;
  return t;
}

} // namespace

std::string semanticName(std::string_view full) {
  // "V_NEWV_OLD": the second name begins at a "V_" after a digit.
  if (full.substr(0, 2) == "V_" && full.substr(0, 7) != "V_DUAL_")
    for (size_t at = full.find("V_", 2); at != full.npos; at = full.find("V_", at + 1))
      if (full[at - 1] >= '0' && full[at - 1] <= '9') {
        full = full.substr(at);
        break;
      }
  const Family *family = nullptr;
  for (const Family &f : families)
    if (full.substr(0, f.prefix.size()) == f.prefix) {
      family = &f;
      break;
    }
  for (;;) {
    size_t at = full.rfind('_');
    if (at == full.npos || at == 0) break;
    std::string_view last = full.substr(at + 1);
    bool known = false;
    for (std::string_view m : marks) known |= m == last;
    if (!known && family)
      for (std::string_view m : family->marks) known |= m == last;
    if (!known) break;
    full = full.substr(0, at);
  }
  auto it = renamed().find(llvm::StringRef(full.data(), full.size()));
  return std::string(it == renamed().end() ? full : it->second);
}

bool hasToken(std::string_view name, std::string_view token) {
  for (size_t at = name.find(token); at != name.npos; at = name.find(token, at + 1)) {
    bool left = at == 0 || name[at - 1] == '_';
    size_t end = at + token.size();
    if (left && (end == name.size() || name[end] == '_')) return true;
  }
  return false;
}

std::string_view name(Op op) {
  NameTable &t = table();
  std::shared_lock lock(t.mutex);
  size_t index = static_cast<size_t>(op);
  return index < t.names.size() ? std::string_view(t.names[index]) : std::string_view();
}

Op findOp(std::string_view name) {
  NameTable &t = table();
  llvm::StringRef key(name.data(), name.size());
  {
    std::shared_lock lock(t.mutex);
    auto it = t.numbers.find(key);
    if (it != t.numbers.end()) return static_cast<Op>(it->second);
  }
  std::unique_lock lock(t.mutex);
  // 65,535 names are several times what LLVM has; past them every further name shares the last number.
  if (t.names.size() > 0xffff) return static_cast<Op>(0xffff);
  auto [it, fresh] = t.numbers.try_emplace(key, static_cast<uint16_t>(t.names.size()));
  if (fresh) t.names.emplace_back(name);
  return static_cast<Op>(it->second);
}

unsigned opCount() {
  NameTable &t = table();
  std::shared_lock lock(t.mutex);
  return static_cast<unsigned>(t.names.size());
}

} // namespace fly::isa
