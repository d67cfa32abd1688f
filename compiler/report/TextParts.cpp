// See TextParts.h. Reports of earlier versions lack some keys; what is missing is not printed.
#include "compiler/report/TextParts.h"

namespace fly::report {

std::string matrixText(const Json &list) {
  std::string text;
  for (const Json &one : list) {
    std::string part = textOf(one["name"]) + " " + textOf(one["count"]) + " (";
    if (textOf(one["name"]).find("f8f6f4") != std::string::npos)
      part += textOf(one["a"]) + " by " + textOf(one["b"]) + ", ";
    join(text, part + textOf(one["flop"]) + (one["sparse"].get<bool>() ? " flop each if dense)" : " flop each)"));
  }
  return text;
}

namespace {

std::string bytesText(const char *unit, const Json &bytes) {
  std::string text;
  for (const char *key : {"read", "written", "atomic"})
    if (bytes[key] != 0)
      join(text, textOf(bytes[key]) + " B " + key);
  return text.empty() ? "" : std::string(unit) + " " + text;
}

/// 12.5, 12, 0.33: without zeros at the end.
std::string decimal(const Json &number) {
  std::string text = std::to_string(number.get<double>());
  text.resize(text.find('.') + 3);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text;
}

} // namespace

std::string workText(const Json &counts) {
  if (!counts.contains("work"))
    return "";
  const Json &work = counts["work"];
  std::string text, ratios;
  if (work["matrix_flop"] != 0)
    text = textOf(work["matrix_flop"]) + " matrix flop";
  join(text, bytesText("VMEM", work["vmem_bytes"]), "; ");
  join(text, bytesText("SMEM", work["smem_bytes"]), "; ");
  join(text, bytesText("LDS", work["lds_bytes"]), "; ");
  if (work["unknown_accesses"] != 0)
    join(text, textOf(work["unknown_accesses"]) + " accesses of unknown size", "; ");
  if (!work["matrix_per_valu"].is_null())
    join(ratios, decimal(work["matrix_per_valu"]) + " matrix instructions per VALU instruction");
  if (!work["flop_per_vmem_byte"].is_null())
    join(ratios, decimal(work["flop_per_vmem_byte"]) + " flop per byte of VMEM");
  if (!work["flop_per_lds_byte"].is_null())
    join(ratios, decimal(work["flop_per_lds_byte"]) + " flop per byte of LDS");
  join(text, ratios, "; ");
  return text;
}

std::string argumentsText(const Json &kernel) {
  std::string text;
  unsigned hidden = 0;
  const Json arguments = kernel.value("arguments", Json::array());
  for (const Json &a : arguments) {
    if (a["hidden"].get<bool>()) {
      ++hidden;
      continue;
    }
    std::string part = textOf(a["offset"]) + (a.contains("name") ? " " + textOf(a["name"]) : "") + ": " +
                       textOf(a["kind"]) + " " + textOf(a["size"]) + " B";
    for (const char *key : {"address_space", "access", "type"})
      if (a.contains(key))
        part += " " + textOf(a[key]);
    join(text, part);
  }
  if (hidden)
    join(text, std::to_string(hidden) + " hidden");
  const Json reads = kernel.value("argument_reads", Json());
  for (size_t i = 0; i < reads.size(); ++i)
    join(text, std::string(i ? "" : "not in the metadata; the code reads ") + textOf(reads[i]["bytes"]) + " B at " +
                   textOf(reads[i]["offset"]) + (reads[i]["preloaded"].get<bool>() ? " (preloaded)" : ""));
  return text;
}

std::string findingText(const Json &finding) {
  auto at = [](const Json &one) {
    std::string place = placeText(one["source"]);
    return hex(one["address"]) + (place.empty() ? "" : " (" + place + ")");
  };
  if (finding["kind"] == "hazard") {
    std::string text = at(finding) + " `" + textOf(finding["text"]) + "` ";
    if (!finding.contains("earlier"))
      return text + "is wrong: " + textOf(finding["message"]) + " (" + textOf(finding["rule"]) + ")";
    const Json &earlier = finding["earlier"];
    return text + textOf(finding["message"]) + ", after `" + textOf(earlier["text"]) + "` at " + at(earlier);
  }
  const Json &operation = finding["operation"];
  std::string text = at(finding) + " `" + textOf(finding["text"]) + "` " + textOf(finding["effect"]) + " " +
                     textOf(finding["registers"]) + " while `" + textOf(operation["text"]) + "` at " + at(operation);
  if (unsigned passes = operation["passes_ago"].get<unsigned>())
    text += passes == 1 ? " of the previous iteration" : " of " + std::to_string(passes) + " iterations earlier";
  text += " may be in flight; " + textOf(finding["counter"]) + "(" + textOf(finding["at_most"]) + ") is missing";
  for (size_t i = 0; i < finding["path"].size(); ++i)
    text += (i ? ", " : "; by way of ") + hex(finding["path"][i]);
  return text;
}

} // namespace fly::report
