// A kernel's machine code with what each instruction costs by itself on the machine of its architecture.
#pragma once

#include "compiler/diagnostics/Source.h"
#include "compiler/isa/CodeObject.h"
#include "runtime/emulator/timing/Cost.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fly::driver {

struct CostedCode {
  std::vector<isa::Instruction> instructions; ///< with places
  std::vector<std::string> mnemonics;
  std::vector<emulator::Cost> costs;
};

/// None if the code cannot be decoded.
std::optional<CostedCode> costedCode(const isa::CodeObject &object, const isa::Kernel &kernel);

/// A line of a line table, without the blanks around it; none if its file is no source. `fileName`: a file's name in
/// line tables.
std::optional<SourceRange> lineAt(const SourceManager &sources, const std::function<std::string(FileId)> &fileName,
                                  const isa::CodeObject &object, uint32_t file, uint32_t line);

} // namespace fly::driver
