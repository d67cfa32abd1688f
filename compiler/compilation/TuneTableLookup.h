// The tables of `flyc tune` for whatever compiles a kernel: that of each module is beside its source, and is read
// when a kernel of the module first asks.
#pragma once

#include "compiler/compilation/TuneTable.h"
#include "compiler/sema/elaborator/Elaborator.h"
#include "compiler/sema/elaborator/Tuning.h"

#include <set>

namespace fly::driver {

class TuneTableLookup final : public sema::Tuning {
public:
  TuneTableLookup(DiagnosticEngine &diags, const sema::ModuleLoader &loader, std::string arch)
      : diags(diags), loader(loader), arch(std::move(arch)) {}
  /// Throws Failed where the table is bad.
  std::vector<Entry> entries(const sema::KernelDefinition &kernel, const Texts &own, const Texts &others) override;
  /// Paths of the tables that were read.
  std::vector<std::string> filesRead() const;

private:
  const TuneTable *tableOf(const sema::ModuleScope &module);

  DiagnosticEngine &diags;
  const sema::ModuleLoader &loader;
  std::string arch;
  struct Table {
    bool isBad = false;
    std::optional<TuneTable> table;
  };
  std::map<const sema::ModuleScope *, Table> tables;
  std::map<const sema::KernelDefinition *, bool> current; ///< whether the hash is the program's
};

} // namespace fly::driver
