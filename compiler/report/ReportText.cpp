// A report as text. It reads nothing but the JSON, so that a report from a file and one just made look alike.
//
//     kernel scale                                                   scale.fly:12
//       registers   14 VGPR, 0 AGPR, 18 SGPR
//       occupancy   4 of 8 waves per SIMD, limited by vector registers: 108 of 512 (112 allocated)
//                   5 waves with 96 vector registers or fewer (12 less)
#include "compiler/report/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace fly::report {

namespace {

std::string textOf(const Json &value) { return value.is_string() ? value.get<std::string>() : value.dump(); }
std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}
std::string placeText(const Json &place) {
  return place.is_null() ? "" : textOf(place["file"]) + ":" + textOf(place["line"]);
}
std::string hex(const Json &address) { return "0x" + llvm::utohexstr(address.get<uint64_t>(), true); }

struct ResourceName { const char *key, *text; };
constexpr ResourceName resourceNames[] = {
    {"vector_registers", "vector registers"}, {"sgprs", "SGPRs"}, {"lds_bytes", "bytes of LDS"},
    {"workgroup_size", "the workgroup's size"}, {"wave_slots", "wave slots"},
};
std::string nameOf(const std::string &key) {
  for (auto &row : resourceNames)
    if (key == row.key)
      return row.text;
  return key;
}

class TextWriter {
public:
  explicit TextWriter(llvm::raw_ostream &os) : os(os) {}

  void object(const Json &object) {
    os << textOf(object["file"]) << ": " << textOf(object["arch"])
       << (object["line_table"].get<bool>() ? "" : ", no line table") << '\n';
    for (const Json &kernel : object["kernels"])
      code(kernel, true);
    for (const Json &function : object["functions"])
      code(function, false);
  }

private:
  llvm::raw_ostream &os;

  /// A line with its title, broken after commas and semicolons if it is long.
  void line(const char *title, llvm::StringRef text) {
    constexpr size_t width = 112;
    const std::string inner(text.size() - text.ltrim().size() + 2, ' '); // of the lines that follow
    bool first = true;
    while (!text.empty()) {
      size_t end = text.size();
      if (text.size() > width) {
        size_t comma = text.take_front(width).rfind(", "), semicolon = text.take_front(width).rfind("; ");
        size_t at = comma == text.npos ? semicolon : semicolon == text.npos ? comma : std::max(comma, semicolon);
        if (at != text.npos)
          end = at + 1;
      }
      os << "    " << llvm::left_justify(title, 12) << (first ? "" : inner) << text.take_front(end) << '\n';
      text = text.drop_front(end).ltrim();
      title = "";
      first = false;
    }
  }

  void code(const Json &code, bool isKernel) {
    std::string title = (isKernel ? "kernel " : "function ") + textOf(code["name"]);
    if (isKernel)
      for (const Json &alias : code["aliases"])
        title += ", " + textOf(alias);
    std::string place = placeText(code["source"]);
    os << "\n  " << (place.empty() ? title : padded(title, 60) + " " + place) << '\n';
    if (isKernel) {
      resources(code["resources"]);
      occupancy(code["occupancy"], code["resources"]);
      for (const Json &remark : code.value("remarks", Json::array()))
        line("remark", textOf(remark));
    }
    live(code["live"]);
    const Json &classes = code["counts"]["classes"];
    line("code", textOf(code["code_bytes"]) + " bytes, " + textOf(classes["instructions"]) + " instructions");
    line("counts", summary(classes));
    accesses(code["counts"]["accesses"]);
    waits(code);
    if (std::string moves = pairs(code["counts"]["moves"]); !moves.empty())
      line("moves", moves);
    if (code["calls"] != 0)
      line("calls", callees(code["callees"]) + "; these counts do not include callees");
    if (code["indirect_jumps"] != 0)
      line("jumps", textOf(code["indirect_jumps"]) + " to computed addresses; loops through them are not detected");
    loops(code["loops"]);
    if (code.contains("listing"))
      listing(code["listing"]);
  }

  static std::string callees(const Json &list) {
    std::string text;
    for (const Json &one : list)
      text += (text.empty() ? "" : ", ") + (one["name"].is_null() ? "unknown" : textOf(one["name"])) + " " +
              textOf(one["calls"]);
    return text;
  }

  void resources(const Json &r) {
    std::string text = textOf(r["vgprs"]) + " VGPR, " + textOf(r["agprs"]) + " AGPR, " + textOf(r["sgprs"]) + " SGPR";
    if (r["from"] == "descriptor")
      text += " (allocated; no metadata)";
    line("registers", text);
    text = textOf(r["lds_bytes"]) + " B LDS, " + textOf(r["scratch_bytes"]) + " B scratch per lane";
    if (r["dynamic_stack"].get<bool>())
      text += " and a dynamic stack";
    text += ", " + textOf(r["vgpr_spills"]) + " VGPR and " + textOf(r["sgpr_spills"]) + " SGPR spills, " +
            textOf(r["kernarg_bytes"]) + " B arguments";
    line("memory", text);
    line("launch", "workgroups of at most " + textOf(r["max_workgroup_size"]) + ", waves of " + textOf(r["wave_size"]));
  }

  void occupancy(const Json &o, const Json &r) {
    std::string text = textOf(o["waves"]) + " of " + textOf(o["wave_slots"]) + " waves per SIMD, limited by ";
    for (size_t i = 0; i < o["limited_by"].size(); ++i) {
      std::string key = textOf(o["limited_by"][i]);
      text += (i ? " and " : "") + nameOf(key);
      if (key == "vector_registers")
        text += ": " + textOf(r["vector_registers"]) + " of " + textOf(o["vector_registers_of_simd"]) + " (" +
                textOf(o["vector_registers_allocated"]) + " allocated)";
      else if (key == "sgprs" || key == "lds_bytes")
        text += ": " + textOf(r[key]);
    }
    line("occupancy", text);
    if (o["next"].is_null())
      return;
    text = textOf(o["next"]["waves"]) + " waves with ";
    for (size_t i = 0; i < o["next"]["needs"].size(); ++i) {
      const Json &need = o["next"]["needs"][i];
      text += (i ? " and " : "") + textOf(need["at_most"]) + " " + nameOf(textOf(need["resource"])) + " or fewer (" +
              textOf(need["free"]) + " fewer than now)";
    }
    line("", text);
  }

  void live(const Json &live) {
    std::string text = "at most ";
    const char *separator = "";
    for (auto [key, name] : {std::pair("vgprs", "VGPR"), std::pair("agprs", "AGPR"), std::pair("sgprs", "SGPR")}) {
      const Json &peak = live[key];
      text += separator + textOf(peak["most"]) + " " + name;
      if (peak["most"] != 0) {
        std::string place = placeText(peak["source"]);
        text += " (" + hex(peak["address"]) + (place.empty() ? "" : ", " + place) + ")";
      }
      separator = ", ";
    }
    line("live", text);
  }

  static std::string summary(const Json &c) {
    auto matrix = c["mfma"].get<uint64_t>() + c["wmma"].get<uint64_t>();
    std::string text = "matrix " + std::to_string(matrix) + ", VALU " + textOf(c["valu"]) + " (" + textOf(c["trans"]) +
                       " transcendental), SALU " + textOf(c["salu"]) + ", SMEM " + textOf(c["smem"]) + ", VMEM " +
                       textOf(c["vmem"]) + ", LDS " + textOf(c["ds"]);
    for (auto [key, name] : {std::pair("lds_dma", "memory to LDS"), std::pair("atomics", "atomic")})
      if (c[key] != 0)
        text += ", " + std::string(name) + " " + textOf(c[key]);
    return text + ", waits " + textOf(c["waits"]) + ", barriers " + textOf(c["barriers"]) + ", branches " +
           textOf(c["branches"]);
  }

  static std::string pairs(const Json &map) {
    std::string text;
    for (auto &[key, number] : map.items())
      text += (text.empty() ? "" : ", ") + key + " " + textOf(number);
    return text;
  }

  void accesses(const Json &accesses) {
    for (auto &[unit, directions] : accesses.items()) {
      std::string text;
      for (auto &[direction, widths] : directions.items())
        text += (text.empty() ? "" : "; ") + direction + " " + pairs(widths);
      if (!text.empty())
        line(unit == "lds" ? "LDS" : unit == "vmem" ? "VMEM" : "SMEM", text);
    }
  }

  void waits(const Json &code) {
    std::string text;
    for (auto &[counter, values] : code["counts"]["waits"].items())
      for (auto &[value, number] : values.items())
        text += (text.empty() ? "" : ", ") + counter + "(" + value + ") " + textOf(number);
    if (code["waits_without_effect"] != 0)
      text += "; " + textOf(code["waits_without_effect"]) + " with nothing to wait for";
    if (!text.empty())
      line("waits", text);
  }

  void loops(const Json &loops) {
    const char *title = "loops";
    for (size_t i = 0; i < loops.size(); ++i) {
      const Json &loop = loops[i];
      std::string indent((loop["depth"].get<unsigned>() - 1) * 2, ' '), place = placeText(loop["source"]), lines;
      for (const Json &run : loop["lines"])
        lines += (lines.empty() ? "" : ", ") + textOf(run["file"]) + ":" + textOf(run["first"]) +
                 (run["first"] == run["last"] ? "" : "-" + textOf(run["last"]));
      line(title,
           indent + "loop " + std::to_string(i) + " at " + hex(loop["address"]) +
               (place.empty() ? "" : " (" + place + ")") +
               (loop["kind"] == "irreducible" ? ": irreducible, " + std::to_string(loop["entries"].size()) + " entries"
                                              : "") +
               ": " + textOf(loop["counts"]["classes"]["instructions"]) + " instructions, " +
               textOf(loop["own_instructions"]) + " outside inner loops");
      title = "";
      line("", indent + "  " + summary(loop["counts"]["classes"]));
      line("", indent + "  live at most " + textOf(loop["live"]["vgprs"]) + " VGPR, " + textOf(loop["live"]["agprs"]) +
                   " AGPR, " + textOf(loop["live"]["sgprs"]) + " SGPR");
      if (!lines.empty())
        line("", indent + "  lines " + lines);
    }
  }

  static std::string relation(const Json &one, bool withCounter) {
    std::string text = hex(one["address"]);
    if (unsigned passes = one["passes_ago"].get<unsigned>())
      text += passes == 1 ? " of the previous iteration" : " of " + std::to_string(passes) + " iterations earlier";
    return text + (withCounter ? " (" + textOf(one["counter"]) + ")" : "");
  }

  void listing(const Json &list) {
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
};

} // namespace

std::string toText(const Json &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool first = true;
  for (const Json &object : report["objects"]) {
    if (!first)
      os << '\n';
    first = false;
    TextWriter(os).object(object);
  }
  return text;
}

} // namespace fly::report
