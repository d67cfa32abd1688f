// See TuneTableLookup.h.
#include "compiler/compilation/TuneTableLookup.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fly::driver {

const TuneTable *TuneTableLookup::tableOf(const sema::ModuleScope &module) {
  auto [found, isNew] = tables.try_emplace(&module);
  auto &[isBad, table] = found->second;
  if (isNew && !module.path.empty() && module.path != "-" && !loader.isStdlib(module)) {
    const std::string path = tuneTablePath(module.path);
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    std::string error;
    if (buffer && !(table = TuneTable::parse((*buffer)->getBuffer().str(), error)))
      diags.report({}, diag::bad_tuning_table{.table = path, .problem = error}), isBad = true;
    else if (!buffer && buffer.getError() != std::errc::no_such_file_or_directory)
      diags.report(diag::cannot_read, {}).arg(path).arg(llvm::StringRef(buffer.getError().message()).lower()),
          isBad = true;
  }
  if (isBad)
    throw sema::Failed{};
  return table ? &*table : nullptr;
}

std::vector<std::string> TuneTableLookup::filesRead() const {
  std::vector<std::string> paths;
  for (auto &[module, each] : tables)
    if (each.table)
      paths.push_back(tuneTablePath(module->path));
  llvm::sort(paths);
  return paths;
}

/// A value that the kernel offers, by its text.
static const sema::Value *offeredValue(const sema::Values &offered, const std::string &text) {
  auto found = llvm::find_if(offered, [&](auto &value) { return toText(value, true) == text; });
  return found == offered.end() ? nullptr : &*found;
}

std::vector<sema::Tuning::Entry> TuneTableLookup::entries(const sema::KernelDefinition &kernel, const Texts &,
                                                          const Texts &others) {
  const TuneTable *table = tableOf(*kernel.module);
  if (!table)
    return {};
  auto ofArch = table->architectures.find(arch);
  if (ofArch == table->architectures.end() || !ofArch->second.count(kernel.name))
    return {};
  const TunedKernel &tuned = ofArch->second.at(kernel.name);
  const std::string path = tuneTablePath(kernel.module->path);
  auto [isCurrent, isNew] = current.try_emplace(&kernel);
  if (isNew) {
    isCurrent->second = tuned.hash == hashOfProgram(diags.sources, loader, *kernel.module, /*checks=*/false);
    if (!isCurrent->second)
      diags.report(kernel.def->nameRange, diag::stale_tuning{.table = path, .kernel = kernel.name})
          .help("`flyc tune " + kernel.module->path + " --arch " + arch + "` tunes it again");
  }
  if (!isCurrent->second)
    return {};
  std::vector<Entry> out;
  for (auto &entry : tuned.entries) {
    if (entry.constants != others)
      continue;
    // Only which shape takes longest is asked of it, where a table may have both units: a microsecond is 2000 cycles.
    Entry one{entry.shape, {}, entry.unit == "cycles" ? entry.figure : entry.figure * 2000};
    for (auto &[name, offered] : kernel.tune->offered) {
      auto found = entry.values.find(name);
      auto *value = found == entry.values.end() ? nullptr : offeredValue(offered, found->second);
      if (!value) {
        diags.report(
            kernel.def->nameRange,
            diag::bad_tuning_table{.table = path,
                                   .problem = found == entry.values.end()
                                                  ? "an entry of `" + kernel.name + "` has no value for `" + name + "`"
                                                  : "the `@tune` of `" + kernel.name + "` does not offer `" + name +
                                                        "=" + found->second + "`"});
        throw sema::Failed{};
      }
      one.values[name] = *value;
    }
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace fly::driver
