// Parts of a report's JSON that need no more than one analysis each; Report.cpp puts them together.
#pragma once

#include "compiler/isa/HazardPaths.h"
#include "compiler/report/Counts.h"
#include "compiler/report/Report.h"
#include "compiler/report/WaitCoverage.h"

namespace fly::report {

/// {"file", "line"}, null where the line table says nothing.
Json placeOf(const isa::CodeObject &object, const isa::SourceLocation &at);

/// Matrix instructions by shape and type, most flop first.
Json matrixList(const Counts &counts);
/// Flop and bytes of one pass, and their ratios.
Json workJson(const Counts &counts, unsigned waveSize);
/// Registers and LDS: used and allocated.
Json useJson(const isa::CodeObject &object, const Code &code);
Json argumentsJson(const isa::Kernel &kernel);
/// Null if the metadata lists arguments, or there are none.
Json argumentReadsJson(const Code &code);
Json findingsJson(const isa::CodeObject &object, const Code &code, const WaitCoverage &coverage,
                  llvm::ArrayRef<isa::Hazard> hazards);

} // namespace fly::report
