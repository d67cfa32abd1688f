// What the writers of a report's text share.
#pragma once

#include "compiler/report/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace fly::report {

inline std::string textOf(const Json &value) { return value.is_string() ? value.get<std::string>() : value.dump(); }
inline std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}
inline std::string placeText(const Json &place) {
  return place.is_null() ? "" : textOf(place["file"]) + ":" + textOf(place["line"]);
}
inline std::string hex(const Json &address) { return "0x" + llvm::utohexstr(address.get<uint64_t>(), true); }

/// "a, b" and ", c" become "a, b, c": `part` after a separator unless it is the first.
inline void join(std::string &text, const std::string &part, const char *separator = ", ") {
  text += (text.empty() || part.empty() ? "" : separator) + part;
}

/// One pass of a wave: "16384 flop; VMEM 512 B read; ..."; empty if it does nothing of that.
std::string workText(const Json &counts);
/// "v_mfma_f32_32x32x8_f16 64 (16384 flop each)".
std::string matrixText(const Json &list);
/// "0 a: global_buffer 8 B, global; ...; 14 hidden".
std::string argumentsText(const Json &kernel);
std::string findingText(const Json &finding);

void writeListing(llvm::raw_ostream &os, const Json &list);

} // namespace fly::report
