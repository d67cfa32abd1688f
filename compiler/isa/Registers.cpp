// LLVM's registers in our terms, read from their names, which have been stable for years, while their enumerators and
// encoding bits are private to LLVM. A tuple's name lists its members, so its width is a count.
#include "compiler/isa/Registers.h"

#include "llvm/ADT/StringRef.h"

namespace fly::isa {

namespace {

struct SpecialRow {
  const char *prefix;
  Special special;
  uint8_t width, sub;
};
// clang-format off
// The first row whose prefix fits wins: longer names come first.
constexpr SpecialRow specials[] = {
    {"VCC_LO", Special::VCC, 1, 0}, {"VCC_HI", Special::VCC, 1, 1}, {"VCC", Special::VCC, 2, 0},
    {"EXEC_LO", Special::EXEC, 1, 0}, {"EXEC_HI", Special::EXEC, 1, 1}, {"EXEC", Special::EXEC, 2, 0},
    {"SRC_EXECZ", Special::EXECZ, 1, 0}, {"SRC_VCCZ", Special::VCCZ, 1, 0}, {"SRC_SCC", Special::SCC, 1, 0},
    {"SCC", Special::SCC, 1, 0}, {"M0", Special::M0, 1, 0}, {"MODE", Special::MODE, 1, 0},
    {"FLAT_SCR_LO", Special::FlatScratch, 1, 0}, {"FLAT_SCR_HI", Special::FlatScratch, 1, 1},
    {"FLAT_SCR", Special::FlatScratch, 2, 0},
    {"XNACK_MASK_LO", Special::XnackMask, 1, 0}, {"XNACK_MASK_HI", Special::XnackMask, 1, 1},
    {"XNACK_MASK", Special::XnackMask, 2, 0},
    {"TBA_LO", Special::TBA, 1, 0}, {"TBA_HI", Special::TBA, 1, 1}, {"TBA", Special::TBA, 2, 0},
    {"TMA_LO", Special::TMA, 1, 0}, {"TMA_HI", Special::TMA, 1, 1}, {"TMA", Special::TMA, 2, 0},
    {"SGPR_NULL64", Special::Null, 2, 0}, {"SGPR_NULL_HI", Special::Null, 1, 1}, {"SGPR_NULL", Special::Null, 1, 0},
    {"SRC_SHARED_BASE_LO", Special::SharedBase, 1, 0}, {"SRC_SHARED_BASE_HI", Special::SharedBase, 1, 1},
    {"SRC_SHARED_BASE", Special::SharedBase, 2, 0},
    {"SRC_SHARED_LIMIT_LO", Special::SharedLimit, 1, 0}, {"SRC_SHARED_LIMIT_HI", Special::SharedLimit, 1, 1},
    {"SRC_SHARED_LIMIT", Special::SharedLimit, 2, 0},
    {"SRC_PRIVATE_BASE_LO", Special::PrivateBase, 1, 0}, {"SRC_PRIVATE_BASE_HI", Special::PrivateBase, 1, 1},
    {"SRC_PRIVATE_BASE", Special::PrivateBase, 2, 0},
    {"SRC_PRIVATE_LIMIT_LO", Special::PrivateLimit, 1, 0}, {"SRC_PRIVATE_LIMIT_HI", Special::PrivateLimit, 1, 1},
    {"SRC_PRIVATE_LIMIT", Special::PrivateLimit, 2, 0},
    {"SRC_FLAT_SCRATCH_BASE_LO", Special::FlatScratchBase, 1, 0},
    {"SRC_FLAT_SCRATCH_BASE_HI", Special::FlatScratchBase, 1, 1},
    {"SRC_FLAT_SCRATCH_BASE", Special::FlatScratchBase, 2, 0},
    {"SRC_POPS_EXITING_WAVE_ID", Special::PopsExitingWaveId, 1, 0}, {"LDS_DIRECT", Special::LdsDirect, 1, 0},
    {"ASYNCcnt", Special::AsyncCnt, 1, 0}, {"TENSORcnt", Special::TensorCnt, 1, 0},
};
// clang-format on

unsigned countOf(llvm::StringRef text, llvm::StringRef word) {
  unsigned n = 0;
  for (size_t at = text.find(word); at != llvm::StringRef::npos; at = text.find(word, at + word.size())) ++n;
  return n;
}

Operand resolve(llvm::StringRef text) {
  Operand o;
  o.kind = Operand::Kind::Register;
  struct FileRow {
    const char *prefix;
    RegisterFile file;
  };
  for (FileRow row : {FileRow{"SGPR", RegisterFile::SGPR}, FileRow{"VGPR", RegisterFile::VGPR},
                      FileRow{"AGPR", RegisterFile::AGPR}, FileRow{"TTMP", RegisterFile::Special}}) {
    llvm::StringRef rest = text;
    unsigned first;
    if (!rest.consume_front(row.prefix) || rest.consumeInteger(10, first)) continue;
    o.file = row.file;
    o.width = static_cast<uint8_t>(countOf(text, row.prefix));
    o.half = text.ends_with("_HI16") ? Half::High : text.ends_with("_LO16") ? Half::Low : Half::Whole;
    o.index = static_cast<uint16_t>(first);
    if (row.file == RegisterFile::Special) {
      o.sub = static_cast<uint8_t>(first);
      o.index = static_cast<uint16_t>(Special::TTMP);
    }
    return o;
  }
  o.file = RegisterFile::Special;
  o.index = static_cast<uint16_t>(Special::Other);
  for (const SpecialRow &row : specials)
    if (text.starts_with(row.prefix)) {
      o.index = static_cast<uint16_t>(row.special);
      o.width = row.width;
      o.sub = row.sub;
      break;
    }
  if (text.ends_with("_HI16")) o.half = Half::High;
  if (text.ends_with("_LO16")) o.half = Half::Low;
  return o;
}

} // namespace

const Operand &RegisterTable::operator[](llvm::MCRegister reg) {
  static const Operand none = resolve("");
  if (reg.id() >= rows.size()) return none;
  Row &row = rows[reg.id()];
  if (!row.known) {
    row.operand = resolve(reg.isValid() ? info.getName(reg) : "SGPR_NULL");
    row.known = true;
  }
  return row.operand;
}

} // namespace fly::isa
