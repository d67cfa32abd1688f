// One line per kernel, for libraries with thousands of them: what the descriptor and the metadata say, occupancy, and
// two counts. Neither text nor live registers nor waits are computed, which is where a report's time goes.
//
//     Summarizer summarizer;                            // keeps decoders for the objects that follow
//     auto rows = summarizer.of(object, "");            // Expected: code that cannot be decoded is an error
//     printSummary(os, "gfx942", *rows);
#pragma once

#include "compiler/isa/Decoder.h"
#include "compiler/report/Report.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

namespace fly::report {

struct KernelSummary {
  std::string name;
  uint32_t vgprs = 0, agprs = 0, sgprs = 0, ldsBytes = 0, scratchBytes = 0;
  uint32_t waves = 0, waveSlots = 0; ///< per SIMD
  uint64_t instructions = 0, matrix = 0;
};

class Summarizer {
public:
  /// All kernels, or the one named `only`. A name for the same code is a kernel of its own here.
  llvm::Expected<std::vector<KernelSummary>> of(const isa::CodeObject &object, const std::string &only);

private:
  std::map<std::pair<std::string, unsigned>, std::unique_ptr<isa::Decoder>> decoders; ///< by architecture and wave size
};

/// The same of an object of a report.
std::vector<KernelSummary> summaryOf(const Json &object);

/// The heads of the columns; then rows.
void printSummaryHead(llvm::raw_ostream &os);
void printSummary(llvm::raw_ostream &os, const std::string &architecture, const std::vector<KernelSummary> &kernels);

} // namespace fly::report
