// The listing of a report's text: every instruction, the registers that are live before it, what waits cover.
#include "compiler/report/TextParts.h"

#include "llvm/Support/Format.h"

#include <map>

namespace fly::report {

namespace {

std::string relation(const Json &one, bool withCounter) {
  std::string text = hex(one["address"]);
  if (unsigned passes = one["passes_ago"].get<unsigned>())
    text += passes == 1 ? " of the previous iteration" : " of " + std::to_string(passes) + " iterations earlier";
  return text + (withCounter ? " (" + textOf(one["counter"]) + ")" : "");
}

} // namespace

void writeListing(llvm::raw_ostream &os, const Json &list) {
  std::map<uint64_t, std::string> labels;
  for (const Json &one : list)
    if (!one["target"].is_null())
      labels[one["target"].get<uint64_t>()];
  unsigned number = 0;
  for (auto &label : labels)
    label.second = ".L" + std::to_string(number++);
  os << "\n    live before: VGPR AGPR SGPR; address; instruction\n";
  std::string shown;
  for (const Json &one : list) {
    if (auto label = labels.find(one["address"].get<uint64_t>()); label != labels.end())
      os << "    " << label->second << ":" << (one["loop"].is_null() ? "" : "  ; in loop " + textOf(one["loop"]))
         << '\n';
    if (std::string place = placeText(one["source"]); !place.empty() && place != shown) {
      os << "                            ; " << place << '\n';
      shown = place;
    }
    std::string text = textOf(one["text"]), note;
    if (!one["target"].is_null()) {
      size_t at = text.find_last_of(" ,");
      text = (at == text.npos ? text + " " : text.substr(0, at + 1)) + labels[one["target"].get<uint64_t>()];
    }
    if (one.contains("covers")) {
      for (const Json &each : one["covers"])
        note += (note.empty() ? "covers " : ", ") + relation(each, one["covers"].size() > 1);
      if (note.empty())
        note = "covers nothing";
    }
    if (one.contains("covered_by"))
      for (const Json &each : one["covered_by"])
        note += (note.empty() ? "waited for at " : ", ") + relation(each, false);
    os << "    "
       << llvm::format("%4u %4u %4u  ", one["live"]["vgprs"].get<unsigned>(), one["live"]["agprs"].get<unsigned>(),
                       one["live"]["sgprs"].get<unsigned>())
       << llvm::right_justify(llvm::utohexstr(one["address"].get<uint64_t>(), true), 6) << "  ";
    os << (note.empty() ? text : padded(text, 56) + " ; " + note) << '\n';
  }
}

} // namespace fly::report
