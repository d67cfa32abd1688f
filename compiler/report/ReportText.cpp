// A report as text. It reads nothing but the JSON, so that a report from a file and one just made look alike.
//
//     kernel scale                                                   scale.fly:12
//       registers   14 VGPR, 0 AGPR, 18 SGPR
//       occupancy   4 of 8 waves per SIMD, limited by vector registers: 108 of 512 (112 allocated)
//                   5 waves with 96 vector registers or fewer (12 less)
#include "compiler/report/Names.h"
#include "compiler/report/TextParts.h"

namespace fly::report {

namespace {

struct ResourceName {
  const char *key, *text;
};
constexpr ResourceName resourceNames[] = {
    {"vector_registers", "vector registers"},   {"sgprs", "SGPRs"},           {"lds_bytes", "bytes of LDS"},
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
    const Json readable = code.value("demangled", Json());
    std::string symbols = textOf(code["name"]);
    if (isKernel)
      for (const Json &alias : code["aliases"])
        join(symbols, textOf(alias));
    const std::string title =
        (isKernel ? "kernel " : "function ") + (readable.is_null() ? symbols : shortened(readable.get<std::string>()));
    std::string place = placeText(code["source"]);
    os << "\n  " << (place.empty() ? title : padded(title, 60) + " " + place) << '\n';
    if (!readable.is_null())
      line("symbol", symbols);
    if (isKernel) {
      resources(code["resources"]);
      if (code.contains("use"))
        use(code["use"]);
      if (std::string arguments = argumentsText(code); !arguments.empty())
        line("arguments", arguments);
      occupancy(code["occupancy"], code["resources"]);
      for (const Json &remark : code.value("remarks", Json::array()))
        line("remark", textOf(remark));
    }
    findings(code);
    live(code["live"]);
    const Json &counts = code["counts"], &classes = counts["classes"];
    line("code", textOf(code["code_bytes"]) + " bytes, " + textOf(classes["instructions"]) + " instructions");
    line("counts", summary(counts));
    if (std::string matrix = matrixText(counts.value("matrix", Json::array())); !matrix.empty())
      line("matrix", matrix);
    for (auto &[unit, text] : accesses(counts["accesses"]))
      line(unit.c_str(), text);
    std::string waits = waitsText(counts["waits"]);
    if (code["waits_without_effect"] != 0)
      waits += "; " + textOf(code["waits_without_effect"]) + " with nothing to wait for";
    if (!waits.empty())
      line("waits", waits);
    if (std::string moves = pairs(counts["moves"]); !moves.empty())
      line("moves", moves);
    if (std::string work = workText(counts); !work.empty())
      line("one pass", work);
    if (code["calls"] != 0)
      line("calls", callees(code["callees"]) + "; these counts do not include callees");
    if (code["indirect_jumps"] != 0)
      line("jumps", textOf(code["indirect_jumps"]) + " to computed addresses; loops through them are not detected");
    loops(code["loops"]);
    if (code.contains("listing"))
      writeListing(os, code["listing"]);
  }

  static std::string callees(const Json &list) {
    std::string text;
    for (const Json &one : list) {
      const Json readable = one.value("demangled", Json());
      join(text, (one["name"].is_null() ? "unknown"
                  : readable.is_null()  ? textOf(one["name"])
                                        : shortened(readable.get<std::string>())) +
                     " " + textOf(one["calls"]));
    }
    return text;
  }

  void findings(const Json &code) {
    constexpr size_t most = 20;
    const Json list = code.value("findings", Json::array());
    for (size_t i = 0; i < list.size() && i < most; ++i)
      line("lint", findingText(list[i]));
    if (list.size() > most)
      line("lint",
           std::to_string(code["missing_waits"].get<size_t>() + code["hazards"].get<size_t>() - most) + " more");
  }

  void use(const Json &use) {
    std::string text;
    for (auto [key, name] : {std::pair("vgprs", "VGPR"), std::pair("agprs", "AGPR"), std::pair("sgprs", "SGPR")})
      if (use[key]["used"] != 0 || use[key]["allocated"] != 0)
        join(text, textOf(use[key]["used"]) + " of " + textOf(use[key]["allocated"]) + " " + name);
    if (use["at_least"].get<bool>())
      text = "at least " + text;
    const Json &lds = use["lds"];
    if (lds["accesses"] != 0) {
      text += "; LDS ";
      text += lds["touched"].is_null() ? "not known" : textOf(lds["touched"]);
      text += " of " + textOf(lds["allocated"]) + " B";
      if (lds["touched"].is_null() && lds["offsets_reach"] != 0)
        text += " (offsets reach " + textOf(lds["offsets_reach"]) + ")";
    }
    line("used", text);
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

  static std::string summary(const Json &counts) {
    const Json &c = counts["classes"];
    auto matrix = c["mfma"].get<uint64_t>() + c["wmma"].get<uint64_t>();
    std::string text = "matrix " + std::to_string(matrix) + ", VALU " + textOf(c["valu"]) + " (" + textOf(c["trans"]) +
                       " transcendental), SALU " + textOf(c["salu"]) + ", SMEM " + textOf(c["smem"]) + ", VMEM " +
                       textOf(c["vmem"]) + ", LDS " + textOf(c["ds"]);
    for (auto [key, name] : {std::pair("lds_dma", "memory to LDS"), std::pair("atomics", "atomic")})
      if (c[key] != 0)
        text += ", " + std::string(name) + " " + textOf(c[key]);
    text +=
        ", waits " + textOf(c["waits"]) + ", barriers " + textOf(c["barriers"]) + ", branches " + textOf(c["branches"]);
    if (c.value("nops", 0) != 0)
      text += ", nops " + textOf(c["nops"]) + " (" + textOf(counts["nop_states"]) + " wait states)";
    for (const char *key : {"priorities", "hints"})
      if (c.value(key, 0) != 0)
        text += ", " + std::string(key) + " " + textOf(c[key]);
    return text;
  }

  static std::string pairs(const Json &map) {
    std::string text;
    for (auto &[key, number] : map.items())
      text += (text.empty() ? "" : ", ") + key + " " + textOf(number);
    return text;
  }

  /// {"LDS", "read b128 4; write b32 1"}, ...
  static std::vector<std::pair<std::string, std::string>> accesses(const Json &accesses) {
    std::vector<std::pair<std::string, std::string>> out;
    for (auto &[unit, directions] : accesses.items()) {
      std::string text;
      for (auto &[direction, widths] : directions.items())
        join(text, direction + " " + pairs(widths), "; ");
      if (!text.empty())
        out.push_back({unit == "lds" ? "LDS" : unit == "vmem" ? "VMEM" : "SMEM", text});
    }
    return out;
  }

  static std::string waitsText(const Json &waits) {
    std::string text;
    for (auto &[counter, values] : waits.items())
      for (auto &[value, number] : values.items())
        join(text, counter + "(" + value + ") " + textOf(number));
    return text;
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
               (place.empty() ? "" : " (" + place + ")") + (loop.value("hot", false) ? ", the hot loop" : "") +
               (loop["kind"] == "irreducible" ? ": irreducible, " + std::to_string(loop["entries"].size()) + " entries"
                                              : "") +
               ": " + textOf(loop["counts"]["classes"]["instructions"]) + " instructions, " +
               textOf(loop["own_instructions"]) + " outside inner loops" +
               (loop["cold_instructions"] == 0 ? "" : ", " + textOf(loop["cold_instructions"]) + " more out of line"));
      title = "";
      const Json &counts = loop["counts"];
      line("", indent + "  " + summary(counts));
      if (std::string matrix = matrixText(counts.value("matrix", Json::array())); !matrix.empty())
        line("", indent + "  matrix " + matrix);
      for (auto &[unit, text] : accesses(counts["accesses"]))
        line("", indent + "  " + unit + " " + text);
      if (std::string waits = waitsText(counts["waits"]); !waits.empty())
        line("", indent + "  waits " + waits);
      if (std::string moves = pairs(counts["moves"]); !moves.empty())
        line("", indent + "  moves " + moves);
      if (std::string work = workText(counts); !work.empty())
        line("", indent + "  one pass " + work);
      line("", indent + "  live at most " + textOf(loop["live"]["vgprs"]) + " VGPR, " + textOf(loop["live"]["agprs"]) +
                   " AGPR, " + textOf(loop["live"]["sgprs"]) + " SGPR");
      if (!lines.empty())
        line("", indent + "  lines " + lines);
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
