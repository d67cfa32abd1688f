// Which encoding an instruction has, which unit runs it and which counters it raises.
//
// The encoding is in the first bits of the first word, as the ISA manuals' chapter "Microcode formats" lists them;
// the class and the counters follow from form and name. LLVM's own flags for this are private, so they are not used.
#include "compiler/isa/OpcodeNames.h"
#include "compiler/isa/OperandRoles.h"

namespace fly::isa {

namespace {

struct EncodingRow {
  unsigned shift;
  uint32_t value;
  Form form;
};
// word >> shift == value; the first that fits.
constexpr EncodingRow common[] = {
    {23, 0x17d, Form::SOP1}, {23, 0x17e, Form::SOPC}, {23, 0x17f, Form::SOPP}, {28, 0xb, Form::SOPK},
    {30, 2, Form::SOP2},     {25, 0x3f, Form::VOP1},  {25, 0x3e, Form::VOPC},  {31, 0, Form::VOP2},
};
// Also of gfx9.
constexpr EncodingRow gfx8[] = {
    {23, 0x1a7, Form::VOP3P}, {26, 0x34, Form::VOP3},    {26, 0x30, Form::SMEM},  {26, 0x36, Form::DS},
    {26, 0x37, Form::FLAT},   {26, 0x38, Form::MUBUF},   {26, 0x3a, Form::MTBUF}, {26, 0x3c, Form::MIMG},
    {26, 0x31, Form::EXP},    {26, 0x35, Form::VINTERP},
};
// Also of gfx11.
constexpr EncodingRow gfx10[] = {
    {24, 0xcc, Form::VOP3P}, {24, 0xcd, Form::VINTERP}, {26, 0x35, Form::VOP3},  {26, 0x3d, Form::SMEM},
    {26, 0x36, Form::DS},    {26, 0x37, Form::FLAT},    {26, 0x38, Form::MUBUF}, {26, 0x3a, Form::MTBUF},
    {26, 0x3c, Form::MIMG},  {26, 0x3e, Form::EXP},     {24, 0xce, Form::DS},
};
constexpr EncodingRow gfx12[] = {
    {24, 0xcc, Form::VOP3P},   {24, 0xcd, Form::VINTERP}, {24, 0xcf, Form::VOPD},  {26, 0x35, Form::VOP3},
    {26, 0x32, Form::VOPD},    {26, 0x3d, Form::SMEM},    {26, 0x36, Form::DS},    {24, 0xec, Form::FLAT},
    {24, 0xed, Form::SCRATCH}, {24, 0xee, Form::GLOBAL},  {26, 0x31, Form::MUBUF}, {26, 0x34, Form::MIMG},
    {26, 0x39, Form::MIMG},    {26, 0x3e, Form::EXP},     {24, 0xce, Form::DS},
};
struct PrefixRow {
  const char *prefix;
  Form form;
};
// What the first word does not tell: the segment of gfx9's FLAT, gfx12's joint buffer encoding, matrix operations, and
// what 0x32 begins: interpolation on gfx10, a pair of instructions on gfx11.
constexpr PrefixRow prefixes[] = {
    {"V_MFMA_", Form::MFMA},   {"V_SMFMAC_", Form::MFMA},    {"V_WMMA_", Form::WMMA},     {"V_SWMMAC_", Form::WMMA},
    {"GLOBAL_", Form::GLOBAL}, {"CLUSTER_", Form::GLOBAL},   {"SCRATCH_", Form::SCRATCH}, {"FLAT_", Form::FLAT},
    {"BUFFER_", Form::MUBUF},  {"TBUFFER_", Form::MTBUF},    {"TENSOR_", Form::TENSOR},   {"IMAGE_", Form::MIMG},
    {"V_DUAL_", Form::VOPD},   {"V_INTERP_", Form::VINTERP},
};

struct ClassRow {
  const char *prefix;
  Class cls;
};
constexpr ClassRow classes[] = {
    {"S_WAIT", Class::Wait},
    {"S_BARRIER", Class::Barrier},
    {"S_ENDPGM", Class::End},
    {"S_BRANCH", Class::Branch},
    {"S_CBRANCH", Class::Branch},
    {"S_SETPC", Class::Branch},
    {"S_SWAPPC", Class::Branch},
    {"S_CALL", Class::Branch},
    {"S_RFE", Class::Branch},
    {"S_ADD_PC", Class::Branch},
    {"S_SENDMSG", Class::Message},
    {"S_TRAP", Class::Message},
    {"S_SETHALT", Class::Message},
    {"S_SETKILL", Class::Message},
    {"V_RCP_", Class::Transcendental},
    {"V_RSQ_", Class::Transcendental},
    {"V_SQRT_", Class::Transcendental},
    {"V_EXP_", Class::Transcendental},
    {"V_LOG_", Class::Transcendental},
    {"V_SIN_", Class::Transcendental},
    {"V_COS_", Class::Transcendental},
    {"V_TANH_", Class::Transcendental},
    {"V_S_", Class::Transcendental},
    {"V_PRNG_", Class::Transcendental},
};

} // namespace

Form encodingOf(target::Encodings encodings, llvm::StringRef opcodeName, uint32_t word) {
  for (const PrefixRow &row : prefixes)
    if (opcodeName.starts_with(row.prefix)) return row.form;
  for (const EncodingRow &row : common)
    if (word >> row.shift == row.value) return row.form;
  using target::Encodings;
  llvm::ArrayRef<EncodingRow> rows = encodings < Encodings::Gfx10   ? llvm::ArrayRef(gfx8)
                                     : encodings < Encodings::Gfx12 ? llvm::ArrayRef(gfx10)
                                                                    : llvm::ArrayRef(gfx12);
  for (const EncodingRow &row : rows)
    if (word >> row.shift == row.value) return row.form;
  return Form::Unknown;
}

Class classOf(llvm::StringRef name, Form form, Form baseForm) {
  for (const ClassRow &row : classes)
    if (name.starts_with(row.prefix)) return row.cls;
  switch (baseForm) {
  case Form::SOPP: return Class::Hint;
  case Form::SOP1:
  case Form::SOP2:
  case Form::SOPC:
  case Form::SOPK: return Class::Scalar;
  case Form::SMEM: return Class::ScalarMemory;
  case Form::VOP1:
  case Form::VOP2:
  case Form::VOPC:
  case Form::VOP3:
  case Form::VOP3P:
  case Form::VOPD:
  case Form::VINTERP: return Class::Vector;
  case Form::MFMA:
  case Form::WMMA: return Class::Matrix;
  case Form::DS: return Class::Lds;
  case Form::FLAT:
  case Form::GLOBAL:
  case Form::SCRATCH:
  case Form::MUBUF:
  case Form::MTBUF:
  case Form::MIMG:
  case Form::TENSOR: return Class::VectorMemory;
  case Form::EXP: return Class::VectorMemory;
  default: return Class::Unknown;
  }
}

CounterMask countersOf(const target::Target &row, llvm::StringRef name, Form form, bool hasResult, bool mayLoad,
                       bool mayStore) {
  auto has = [&](llvm::StringRef part) { return name.contains(part); };
  const bool split = row.generation.splitCounters;
  const CounterMask scalar = maskOf(split ? Counter::Km : Counter::Lgkm),
                    lds = maskOf(split ? Counter::Ds : Counter::Lgkm);
  const CounterMask load = maskOf(split ? Counter::Load : Counter::Vm);
  const CounterMask store = maskOf(split ? Counter::Store : row.generation.storeCounter ? Counter::Vs : Counter::Vm);
  const CounterMask translation = row.translationCounter ? maskOf(Counter::X) : 0;
  switch (form) {
  case Form::SMEM:
    if (has("PREFETCH") || name == "S_DCACHE_INV") return split ? 0 : scalar;
    return scalar | translation;
  case Form::DS:
    if (has("DIRECT_LOAD") || has("PARAM_LOAD")) return maskOf(Counter::Exp); // by the path of exports
    return has("NOP") ? 0 : split && has("_ASYNC_") ? maskOf(Counter::Async) : lds;
  case Form::TENSOR: return maskOf(Counter::Tensor) | translation;
  case Form::EXP: return maskOf(Counter::Exp);
  case Form::MIMG:
    if (split && has("BVH")) return maskOf(Counter::Bvh);
    if (split && (has("SAMPLE") || has("GATHER"))) return maskOf(Counter::Sample);
    return hasResult ? load : store;
  case Form::FLAT:
  case Form::GLOBAL:
  case Form::SCRATCH:
  case Form::MUBUF:
  case Form::MTBUF:
    if (has("PREFETCH")) return 0;
    if (split) {
      if (has("ASYNC")) return maskOf(Counter::Async) | translation;
      if (name == "GLOBAL_INV") return load;
      if (name == "GLOBAL_WB" || name == "GLOBAL_WBINV") return store;
    } else {
      if (name == "BUFFER_INV" || name == "BUFFER_INVL2" || name.starts_with("BUFFER_WBINVL1")) return 0;
      if (name == "BUFFER_GL0_INV" || name == "BUFFER_GL1_INV") return 0;
    }
    // A load into LDS has no result.
    return (hasResult || (!split && has("LOAD")) ? load : store) | (form == Form::FLAT ? lds : 0) | translation;
  case Form::SOPP:
  case Form::SOP1:
    if (name.starts_with("S_SENDMSG")) return scalar;
    if (name.starts_with("S_GET_BARRIER_STATE")) return maskOf(Counter::Km);
    return 0;
  default: return 0;
  }
}

} // namespace fly::isa
