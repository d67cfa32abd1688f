// Which registers a form reads and writes, what they must hold, and where they stand in the buffers of its kernel.
#include "compiler/hardware/forms/FormKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace fly::hardware {

namespace {

using isa::Class;
using isa::Operand;
using isa::Role;

bool isBuffer(const isa::Instruction &part) { return part.form == isa::Form::MUBUF || part.form == isa::Form::MTBUF; }

/// Of word `word` of an operand that is read.
Content contentOf(const isa::Instruction &part, const Operand &operand, unsigned word) {
  const llvm::StringRef name = isa::name(part.op);
  const bool isAsync = name.contains("_ASYNC_");
  switch (part.cls) {
  case Class::Lds: return operand.role == Role::Vaddr ? Content::LdsAddress : Content::Value;
  case Class::ScalarMemory:
    if (operand.role == Role::Soffset)
      return Content::SmallOffset;
    if (operand.role == Role::Saddr || operand.role == Role::Srsrc)
      return word ? Content::Upper : operand.width == 4 ? Content::Buffer : Content::MemoryAddress;
    return Content::Value;
  case Class::VectorMemory: break;
  default: return Content::Value;
  }
  switch (operand.role) {
  case Role::Srsrc: return word ? Content::Upper : Content::Buffer;
  case Role::Soffset: return Content::SmallOffset;
  case Role::Saddr:
    if (part.form == isa::Form::SCRATCH)
      return Content::SmallOffset;
    return word ? Content::Upper : Content::MemoryAddress;
  case Role::Vaddr:
    if (part.form == isa::Form::SCRATCH)
      return Content::ScratchOffset;
    if (isBuffer(part)) {
      if (!part.modifiers.idxen)
        return Content::MemoryOffset;
      return word ? Content::SmallOffset : Content::Index;
    }
    if (operand.width == 1)
      return Content::MemoryOffset;
    return word ? Content::Upper : Content::MemoryAddress;
  case Role::Dst:
  case Role::Vdata: return isAsync ? Content::LdsAddress : Content::Value;
  default: return Content::Value;
  }
}

FormRegister::MatrixPart matrixPartOf(const isa::Instruction &part, const Operand &operand) {
  using MatrixPart = FormRegister::MatrixPart;
  if (part.cls != Class::Matrix)
    return MatrixPart::None;
  switch (operand.role) {
  case Role::Src0:
  case Role::Src1: return MatrixPart::Factor;
  case Role::Src2: return MatrixPart::Addend;
  case Role::Scale0:
  case Role::Scale1: return MatrixPart::Scale;
  default: return MatrixPart::None;
  }
}

void enter(std::vector<FormRegister> &all, const FormRegister &one) {
  auto same = llvm::find_if(all, [&](auto &known) { return known.file == one.file && known.index == one.index; });
  if (same == all.end())
    all.push_back(one);
  else if (same->content == Content::Value && one.content != Content::Value)
    *same = one;
}

} // namespace

FormLayout::FormLayout(const Form &form) : lanes(form.waveSize) {
  for (const isa::Instruction &part : partsOf(form.decoded)) {
    const llvm::StringRef name = isa::name(part.op);
    const bool isMemory = part.cls == Class::VectorMemory || part.cls == Class::ScalarMemory;
    usesScratch |= part.form == isa::Form::SCRATCH;
    usesMemory |= isMemory && part.form != isa::Form::SCRATCH;
    usesLds |= part.cls == Class::Lds || (isMemory && (part.modifiers.lds || name.contains("LDS")));
    needsAllLanes |= part.cls == Class::Matrix || name.contains("_TR_") || name.contains("_TR4") ||
                     name.contains("_TR6") || name.contains("_TR8") || name.contains("_TR16");
    for (const Operand &operand : part.operands) {
      if (!operand.isRegister() || operand.isSpecial())
        continue;
      std::vector<FormRegister> &all = operand.isSgpr() ? scalars : vectors;
      const unsigned guard = operand.def ? 1 : 0; // a register behind a result must stay as it is
      for (unsigned word = 0; word < operand.width + guard; ++word) {
        FormRegister one{operand.file, operand.index + word};
        if (word < operand.width) {
          one.word = static_cast<uint8_t>(word);
          one.width = operand.width;
          one.content = contentOf(part, operand, word);
        }
        const Content whole = contentOf(part, operand, 0);
        one.isCompared = word >= operand.width || (whole != Content::MemoryAddress && whole != Content::Buffer);
        one.hasIndex = part.modifiers.idxen;
        if (word < operand.width)
          one.matrixPart = matrixPartOf(part, operand);
        enter(all, one);
      }
    }
  }
}

const FormRegister *FormLayout::registerAt(unsigned row) const {
  if (row >= specialRows && row < specialRows + scalars.size())
    return &scalars[row - specialRows];
  const unsigned vectorsFrom = outputRows() - static_cast<unsigned>(vectors.size());
  return row >= vectorsFrom ? &vectors[row - vectorsFrom] : nullptr;
}

std::string nameOf(const FormRegister &one) {
  const char *file = one.file == isa::RegisterFile::SGPR ? "s" : one.file == isa::RegisterFile::AGPR ? "a" : "v";
  return file + std::to_string(one.index);
}

std::string FormLayout::placeOf(unsigned dword) const {
  static constexpr const char *specials[] = {"exec_lo", "exec_hi", "vcc_lo", "vcc_hi", "SCC", "m0"};
  const unsigned row = dword / lanes, lane = dword % lanes;
  if (row < specialRows)
    return specials[row];
  if (const FormRegister *one = registerAt(row))
    return nameOf(*one) + (one->file == isa::RegisterFile::SGPR ? "" : ", lane " + std::to_string(lane));
  const unsigned inMemory = row - specialRows - static_cast<unsigned>(scalars.size());
  if (inMemory < ldsRows())
    return "LDS at " + std::to_string((inMemory * lanes + lane) * 4);
  return "scratch at " + std::to_string((inMemory - ldsRows()) * 4) + ", lane " + std::to_string(lane);
}

bool FormLayout::compares(unsigned dword) const {
  const unsigned row = dword / lanes;
  if (lanes == 32 && (row == 1 || row == 3)) // exec_hi and vcc_hi are no masks there
    return false;
  const FormRegister *one = registerAt(row);
  return !one || one->isCompared;
}

} // namespace fly::hardware
