// See Builtin.h.
#include "compiler/sema/value/Builtin.h"

namespace fly::sema {

BuiltinTable::BuiltinTable(llvm::ArrayRef<BuiltinFamily> families) {
  for (const BuiltinFamily &family : families)
    for (const Builtin &row : family.rows) {
      rows.push_back(&row);
      byName[row.name] = &row;
    }
}

} // namespace fly::sema
