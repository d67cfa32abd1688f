// Private: what each operand of an LLVM instruction is for.
#pragma once

#include "compiler/isa/Machine.h"
#include "compiler/isa/Registers.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCInst.h"

namespace fly::isa {

// clang-format off
/// What an LLVM operand becomes: an Operand with a Role, the modifiers of another operand, or a field of Modifiers.
enum class Slot : uint8_t {
  Ignored, Operand, SourceModifiers,
  Offset, Offset0, Offset1, CachePolicy, Gds, Format,
  Clamp, OutputModifier, Bitop3, ByteSel, ScaleSel,
  DppControl, RowMask, BankMask, BoundControl, FetchInactive, Dpp8,
  SdwaDst, SdwaUnused, SdwaSource0, SdwaSource1,
  Cbsz, Abid, Blgp, MatrixAFormat, MatrixBFormat, MatrixAScale, MatrixBScale, MatrixAScaleFormat, MatrixBScaleFormat,
  MatrixAReuse, MatrixBReuse, IndexKey,
};
// clang-format on

struct OperandSlot {
  Slot slot = Slot::Ignored;
  Role role = Role::Other;
  bool def = false;
  int8_t modifierOf = -1; ///< SourceModifiers: index of the operand they belong to
  uint8_t component = 0;  ///< VOPD: 0 X, 1 Y
  uint8_t bits = 32;      ///< width of the operand's type
  bool signed64 = false;  ///< a 32-bit literal of a 64-bit integer operand is sign-extended
  bool float64 = false;   ///< a 32-bit literal is the high half
};

/// Everything about an opcode that does not depend on the single instruction.
struct OpcodeRow {
  Op op = Op::Invalid;
  std::array<Op, 2> componentOps{}; ///< VOPD
  Form form = Form::Unknown, baseForm = Form::Unknown;
  Class cls = Class::Unknown;
  CounterMask increments = 0;
  bool mayLoad = false, mayStore = false, isAtomic = false, terminator = false;
  bool packed = false;                      ///< modifiers are op_sel, op_sel_hi, neg_lo, neg_hi
  bool mix = false;                         ///< v_fma_mix*: packed bits, but neg_hi means abs
  bool signedSimm = false;                  ///< SOPK: sign-extended
  bool halfWidthResult = false;             ///< buffer cmpswap: the result is half of the register tuple
  Modifiers modifiers;                      ///< fields that follow from the opcode: offen, lds, dpp, ...
  llvm::SmallVector<OperandSlot, 12> slots; ///< one for each operand of the descriptor
  llvm::SmallVector<Operand, 4> implicit;   ///< with VCC and EXEC at the wave's size
};

/// Works out the row of `inst`'s opcode; `inst` is one decoded instance and `bytes` its encoding.
OpcodeRow resolveOpcode(const Machine &machine, RegisterTable &registers, const llvm::MCInst &inst,
                        llvm::ArrayRef<uint8_t> bytes);

/// The parts of it (Forms.cpp): encoding, unit and counters from name and first word.
Form encodingOf(target::Encodings encodings, llvm::StringRef opcodeName, uint32_t word);
Class classOf(llvm::StringRef semanticName, Form form, Form baseForm);
CounterMask countersOf(const target::Target &row, llvm::StringRef semanticName, Form form, bool hasResult, bool mayLoad,
                       bool mayStore);

/// What an immediate operand is, found by changing it and looking at what changes in the printed text
/// (ImmediateProbe.cpp). Slot::Ignored if nothing does.
Slot probeImmediate(const Machine &machine, const llvm::MCInst &inst, unsigned index);

} // namespace fly::isa
