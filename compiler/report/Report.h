// `flyc report`: what the machine code of a code object is, as JSON. Schema: docs/schema/report.schema.json.
//
//     auto report = reportOf(object, "gemm.gfx942.hsaco", {.kernel = "gemm"}); // Expected<Json>, one "object"
//     std::string text = toText(wrap({*report}));                              // renders the JSON and nothing else
//
// The JSON is the product: pages, comparisons (ReportDiff.h) and limits (Limits.h) read it, from a file if need be.
#pragma once

#include "compiler/isa/CodeObject.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace fly::report {

using Json = nlohmann::ordered_json;

struct ReportOptions {
  std::string kernel;   ///< this one only; empty: all, and device functions
  bool listing = false; ///< every instruction, annotated
};

/// The error is the decoder's: some bytes are not instructions.
llvm::Expected<Json> reportOf(const isa::CodeObject &object, const std::string &file, const ReportOptions &options);
/// The whole document.
Json wrap(std::vector<Json> objects);
/// A document from its text; an error if it is none, or of a version that is not known.
llvm::Expected<Json> readReport(llvm::StringRef text);

std::string toText(const Json &report);

} // namespace fly::report
