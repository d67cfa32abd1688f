#include "compiler/isa/Counters.h"

#include "llvm/ADT/StringRef.h"

namespace fly::isa {

unsigned completionLine(const Instruction &i, Counter counter, const target::Generation &generation) {
  const bool store = counter == Counter::Store || counter == Counter::Vs;
  llvm::StringRef op = name(i.op);
  if (counter == Counter::X) return i.is(Class::ScalarMemory) ? 0 : 1;
  switch (i.form) {
  case Form::DS:
  case Form::MUBUF:
  case Form::MTBUF:
  case Form::MIMG:
  case Form::TENSOR:
  case Form::EXP: return counter == Counter::Async && op.contains("STORE") ? 2 : 1;
  case Form::GLOBAL:
    if (counter == Counter::Async) return op.contains("STORE") || op.contains("FROM_LDS") ? 2 : 1;
    return op == "GLOBAL_INV" || op.starts_with("GLOBAL_WB") ? 3 : 1;
  case Form::SCRATCH: return store ? 2 : 1;
  case Form::FLAT: return !generation.flatInOrder ? 0 : store ? 2 : 1;
  default: return 0; // scalar memory, messages
  }
}

} // namespace fly::isa
