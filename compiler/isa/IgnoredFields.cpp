// Which fields there are is in the chapter "Microcode formats" of the RDNA4 and CDNA5 manuals. The value that LLVM demands
// was found by changing each bit of each instruction of LLVM's tables, which the test of this file does again.
//
// Modifiers (negation, clamp, op_sel) are not here: no manual says that an integer instruction ignores them.
#include "compiler/isa/IgnoredFields.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

namespace fly::isa {

namespace {

struct Field {
  uint8_t low, width; ///< bits, from that of the first byte
  uint16_t value;     ///< that LLVM demands where the field is not used
};
struct Format {
  uint32_t mask, value; ///< of the first word
  llvm::ArrayRef<Field> fields;
};

constexpr uint16_t noSgpr = 0x7c, v0 = 0x100;

constexpr Field sopp[] = {{0, 16, 0}};                                               // SIMM16
constexpr Field vop1[] = {{17, 8, 0}};                                               // VDST
constexpr Field vop3p[] = {{0, 8, 0}, {50, 9, v0}, {14, 1, 1}, {59, 2, 3}};          // VDST, SRC2, OPSEL_HI
constexpr Field ds[] = {{16, 2, 0}, {32, 8, 0}, {40, 8, 0}, {48, 8, 0}, {56, 8, 0}}; // ADDR, DATA0, DATA1, VDST
constexpr Field flat[] = {{0, 7, noSgpr}, {49, 1, 0}};                               // SADDR, SVE
constexpr Field buffer[] = {{48, 2, 0}};
// DIM, R128, D16, A16; DMASK; VDATA, RSRC; VADDR4. Tensors have their operands in VADDR0 to VADDR3. AMD's comgr reads what
// assemblers wrote for early silicon, which is all zeros, as the same instruction.
constexpr Field tensor[] = {{0, 3, 1},  {3, 1, 0},  {4, 1, 0},  {5, 1, 0},  {6, 1, 0},      {22, 4, 1},
                            {32, 9, 0}, {41, 7, 0}, {48, 2, 0}, {55, 1, 0}, {56, 8, noSgpr}};
// A WMMA with scales is 16 bytes: the prefix is a VOP3P by itself, and its SRC2 means nothing. In the second half OPSEL_HI.
constexpr Field scaled[] = {{50, 9, v0}, {78, 1, 1}, {123, 2, 3}};

constexpr Format formats[] = {
    {0xff800000, 0xbf800000, sopp},   {0xfe000000, 0x7e000000, vop1},   {0xffff0000, 0xcc350000, scaled},
    {0xffff0000, 0xcc3a0000, scaled}, {0xff000000, 0xcc000000, vop3p},  {0xfc000000, 0xd8000000, ds},
    {0xfe000000, 0xec000000, flat}, // VFLAT, VSCRATCH
    {0xff000000, 0xee000000, flat}, // VGLOBAL
    {0xfc000000, 0xc4000000, buffer}, {0xfc3f8000, 0xd0310000, tensor},
};

unsigned bitOf(const CodeWindow &code, unsigned bit) { return code[bit / 8] >> (bit % 8) & 1; }
CodeWindow with(CodeWindow code, const Field &field, unsigned value) {
  for (unsigned i = 0; i < field.width; ++i) {
    uint8_t &byte = code[(field.low + i) / 8];
    const auto bit = static_cast<uint8_t>(1u << ((field.low + i) % 8));
    byte = static_cast<uint8_t>(value >> i & 1 ? byte | bit : byte & ~bit);
  }
  return code;
}
bool has(const CodeWindow &code, const Field &field, unsigned value) {
  for (unsigned i = 0; i < field.width; ++i)
    if (bitOf(code, field.low + i) != (value >> i & 1)) return false;
  return true;
}

/// Each value of a narrow field; of an operand, registers of every alignment and an inline constant.
bool isUsed(const CodeWindow &code, const Field &field,
            llvm::function_ref<bool(const CodeWindow &, const CodeWindow &)> sameAs) {
  static constexpr unsigned operands[] = {0, 1, 2, 4, 8, 16, 32, 0x80, 0x100, 0x101, 0x102, 0x104, 0x108};
  auto differs = [&](unsigned value) { return !sameAs(with(code, field, value), code); };
  if (field.width <= 4) return llvm::any_of(llvm::seq(1u << field.width), differs);
  return llvm::any_of(operands, [&](unsigned value) { return value < 1u << field.width && differs(value); });
}

} // namespace

bool clearIgnoredFields(CodeWindow &code, llvm::function_ref<bool(const CodeWindow &)> decodes,
                        llvm::function_ref<bool(const CodeWindow &, const CodeWindow &)> sameAs) {
  const uint32_t first = llvm::support::endian::read32le(code.data());
  const auto *format = llvm::find_if(formats, [&](const Format &row) { return (first & row.mask) == row.value; });
  if (format == std::end(formats)) return false;
  llvm::SmallVector<const Field *> unusual;
  for (const Field &field : format->fields)
    if (!has(code, field, field.value)) unusual.push_back(&field);
  // As few fields as possible: sets of one field, then of two.
  for (unsigned size = 1; size <= unusual.size(); ++size)
    for (unsigned set = 1; set < 1u << unusual.size(); ++set) {
      if (static_cast<unsigned>(llvm::popcount(set)) != size) continue;
      CodeWindow usual = code;
      auto chosen = [&](unsigned i) { return (set >> i & 1) != 0; };
      for (unsigned i = 0; i < unusual.size(); ++i)
        if (chosen(i)) usual = with(usual, *unusual[i], unusual[i]->value);
      if (!decodes(usual)) continue;
      bool used = false;
      for (unsigned i = 0; i < unusual.size() && !used; ++i) used = chosen(i) && isUsed(usual, *unusual[i], sameAs);
      if (used) continue;
      code = usual;
      return true;
    }
  return false;
}

} // namespace fly::isa
