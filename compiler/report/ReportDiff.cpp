// Comparing two reports. Counts are compared by their path in the JSON: `counts/waits/vmcnt/0` of one against the
// other's, where a missing one is 0.
#include "compiler/report/ReportDiff.h"

#include "compiler/report/Metrics.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <tuple>

namespace fly::report {

namespace {

/// All numbers below a node by their path: "waits vmcnt 0".
void flatten(const Json &node, const std::string &path, std::map<std::string, int64_t> &out) {
  if (node.is_number_integer())
    out[path] = node.get<int64_t>();
  if (node.is_object())
    for (auto &[key, value] : node.items())
      flatten(value, path.empty() ? key : path + " " + key, out);
}

Json change(const std::string &name, const Json &before, const Json &after) {
  return {{"name", name}, {"old", before}, {"new", after}};
}

/// Every count that differs, without the classes, which are metrics.
Json detailsOf(const Json &before, const Json &after) {
  std::map<std::string, std::pair<int64_t, int64_t>> both;
  std::map<std::string, int64_t> flat;
  for (const char *part : {"accesses", "waits", "moves", "mnemonics"})
    for (bool isNew : {false, true}) {
      const Json &counts = isNew ? after : before;
      flat.clear();
      if (counts.is_object() && counts.contains(part))
        flatten(counts[part], part, flat);
      for (auto &[path, value] : flat)
        (isNew ? both[path].second : both[path].first) = value;
    }
  Json out = Json::array();
  for (auto &[path, values] : both)
    if (values.first != values.second)
      out.push_back(change(path, values.first, values.second));
  return out;
}

Json metricsOf(const Json &before, const Json &after) {
  Json out = Json::array();
  for (const Metric &metric : metrics()) {
    auto a = valueOf(metric, before), b = valueOf(metric, after);
    const bool older = !before.empty() && !after.empty() && a.has_value() != b.has_value(); // it did not count this
    if (a != b && !older)
      out.push_back(change(metric.name, a ? Json(*a) : Json(), b ? Json(*b) : Json()));
  }
  return out;
}

std::string loopKey(const Json &loop, bool withPlace) {
  return loop["kind"].get<std::string>() + " " + loop["depth"].dump() + (withPlace ? loop["source"].dump() : "");
}

/// Pairs of loops that belong together; ~0 where there is no partner.
std::vector<std::pair<size_t, size_t>> matchLoops(const Json &before, const Json &after) {
  std::vector<size_t> partner(after.size(), ~size_t(0));
  std::vector<bool> taken(before.size());
  for (bool withPlace : {true, false})
    for (size_t i = 0; i < after.size(); ++i)
      for (size_t k = 0; k < before.size() && partner[i] == ~size_t(0); ++k)
        if (!taken[k] && loopKey(before[k], withPlace) == loopKey(after[i], withPlace)) {
          partner[i] = k;
          taken[k] = true;
        }
  std::vector<std::pair<size_t, size_t>> out;
  for (size_t i = 0; i < after.size(); ++i)
    out.push_back({partner[i], i});
  for (size_t k = 0; k < before.size(); ++k)
    if (!taken[k])
      out.push_back({k, ~size_t(0)});
  return out;
}

Json loopsOf(const Json &before, const Json &after) {
  Json out = Json::array();
  for (auto [k, i] : matchLoops(before, after)) {
    const Json *a = k < before.size() ? &before[k] : nullptr, *b = i < after.size() ? &after[i] : nullptr;
    Json one;
    one["status"] = !a ? "added" : !b ? "removed" : "changed";
    one["source"] = (b ? *b : *a)["source"];
    one["old"] = a ? Json(k) : Json();
    one["new"] = b ? Json(i) : Json();
    one["metrics"] = Json::array();
    one["details"] = Json::array();
    if (a && b) {
      std::map<std::string, int64_t> flat[2];
      for (int side : {0, 1}) {
        const Json &loop = side ? *b : *a;
        flatten(loop["counts"]["classes"], "", flat[side]);
        for (const char *file : {"vgprs", "agprs", "sgprs"})
          flat[side]["live_" + std::string(file)] = loop["live"][file].get<int64_t>();
      }
      for (auto &[name, value] : flat[1])
        if (flat[0][name] != value)
          one["metrics"].push_back(change(name, flat[0][name], value));
      one["details"] = detailsOf((*a)["counts"], (*b)["counts"]);
      if (one["metrics"].empty() && one["details"].empty())
        one["status"] = "same";
    }
    out.push_back(std::move(one));
  }
  return out;
}

Json codeOf(const std::string &name, const Json *before, const Json *after) {
  Json out;
  out["name"] = name;
  out["status"] = !before ? "added" : !after ? "removed" : "changed";
  static const Json nothing = Json::object(), noLoops = Json::array();
  const Json &a = before ? *before : nothing, &b = after ? *after : nothing;
  out["metrics"] = metricsOf(a, b);
  out["limited_by"] = nullptr;
  if (before && after && a.contains("occupancy") && b.contains("occupancy") &&
      a["occupancy"]["limited_by"] != b["occupancy"]["limited_by"])
    out["limited_by"] = {{"old", a["occupancy"]["limited_by"]}, {"new", b["occupancy"]["limited_by"]}};
  out["details"] = before && after ? detailsOf(a["counts"], b["counts"]) : Json::array();
  out["loops"] = before && after ? loopsOf(a["loops"], b["loops"]) : Json::array();
  bool same = before && after && out["metrics"].empty() && out["details"].empty() && out["limited_by"].is_null() &&
              llvm::all_of(out["loops"], [](const Json &loop) { return loop["status"] == "same"; });
  if (same)
    out["status"] = "same";
  return out;
}

/// A kernel or function and where it is from.
struct Entry {
  std::string arch, name, file;
  const Json *code = nullptr;
};

std::vector<Entry> entriesOf(const Json &report, const char *list) {
  std::vector<Entry> out;
  for (const Json &object : report["objects"])
    if (object.contains(list))
      for (const Json &code : object[list])
        out.push_back(
            {object["arch"].get<std::string>(), code["name"].get<std::string>(), object.value("file", ""), &code});
  return out;
}

/// "out/gemm.gfx942.hsaco" and "gemm.fly" are of the module "gemm".
llvm::StringRef moduleOf(llvm::StringRef path) { return llvm::sys::path::filename(path).split('.').first; }

/// How much two paths look like the same file: wholly, in how many parts from the end, by the module.
unsigned closeness(llvm::StringRef a, llvm::StringRef b) {
  if (a == b)
    return ~0u;
  unsigned parts = 0;
  for (auto x = llvm::sys::path::rbegin(a), y = llvm::sys::path::rbegin(b);
       x != llvm::sys::path::rend(a) && y != llvm::sys::path::rend(b) && *x == *y; ++x, ++y)
    ++parts;
  return parts ? parts + 1 : moduleOf(a) == moduleOf(b);
}

} // namespace

bool hasAlias(const Json &code, llvm::StringRef name) {
  // Not is_contained, which would look up a key of the JSON.
  return code.contains("aliases") &&
         llvm::any_of(code["aliases"], [&](const Json &alias) { return alias == name.str(); });
}

namespace {

/// The kernel with this name as an alias; of several, the one from the closest file.
const Entry *withAlias(const std::vector<Entry> &entries, const Entry &wanted) {
  const Entry *best = nullptr;
  for (const Entry &entry : entries)
    if (entry.arch == wanted.arch && hasAlias(*entry.code, wanted.name))
      if (!best || closeness(entry.file, wanted.file) > closeness(best->file, wanted.file))
        best = &entry;
  return best;
}

/// The numbers of the entries with this name or alias.
std::vector<size_t> named(const std::vector<Entry> &entries, const std::string &name) {
  std::vector<size_t> out;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name || hasAlias(*entries[i].code, name))
      out.push_back(i);
  return out;
}

std::string number(const Json &value) { return value.is_null() ? "none" : value.dump(); }

std::string changeText(const Json &change) {
  std::string text = change["name"].get<std::string>() + " " + number(change["old"]) + " -> " + number(change["new"]);
  if (change["old"].is_number_integer() && change["new"].is_number_integer()) {
    int64_t by = change["new"].get<int64_t>() - change["old"].get<int64_t>();
    text += " (" + std::string(by > 0 ? "+" : "") + std::to_string(by) + ")";
  }
  return text;
}

/// Details by the part of the counts that they are in, several a line.
void printDetails(llvm::raw_ostream &os, const Json &details, const std::string &indent) {
  constexpr size_t width = 118;
  std::string part, line;
  auto end = [&] {
    if (!line.empty())
      os << line << '\n';
    line.clear();
  };
  for (const Json &change : details) {
    auto [head, rest] = llvm::StringRef(change["name"].get_ref<const std::string &>()).split(' ');
    std::string text = rest.str() + " " + number(change["old"]) + " -> " + number(change["new"]);
    if (head != part || line.size() + text.size() > width) {
      end();
      line = indent + (head == part ? "  " : head.str() + ": ") + text;
      part = head.str();
    } else {
      line += ", " + text;
    }
  }
  end();
}

} // namespace

std::vector<CodePair> pairCode(const Json &before, const Json &after, const char *list, const NamePairs &byHand) {
  const std::vector<Entry> old = entriesOf(before, list), now = entriesOf(after, list);
  std::map<std::pair<std::string, std::string>, std::pair<std::vector<size_t>, std::vector<size_t>>> groups;
  for (size_t k = 0; k < old.size(); ++k)
    groups[{old[k].arch, old[k].name}].first.push_back(k);
  for (size_t i = 0; i < now.size(); ++i)
    groups[{now[i].arch, now[i].name}].second.push_back(i);

  std::vector<const Entry *> partnerOfNow(now.size()), partnerOfOld(old.size());
  auto pair = [&](const std::vector<size_t> &ofOld, const std::vector<size_t> &ofNow) {
    std::vector<std::tuple<unsigned, size_t, size_t>> candidates;
    for (size_t i : ofNow)
      for (size_t k : ofOld)
        if (old[k].arch == now[i].arch)
          candidates.push_back({~closeness(old[k].file, now[i].file), i, k});
    llvm::sort(candidates); // the closest first, equally close ones in order
    for (auto [distance, i, k] : candidates)
      if (!partnerOfNow[i] && !partnerOfOld[k]) {
        partnerOfNow[i] = &old[k];
        partnerOfOld[k] = &now[i];
      }
  };
  for (auto &[oldName, newName] : byHand)
    pair(named(old, oldName), named(now, newName));
  std::vector<bool> isByHand(now.size());
  for (size_t i = 0; i < now.size(); ++i)
    isByHand[i] = partnerOfNow[i];
  for (auto &[key, group] : groups)
    pair(group.first, group.second);

  std::vector<CodePair> out;
  auto add = [&](const Entry &entry, const Json *a, const Json *b) {
    auto &group = groups[{entry.arch, entry.name}];
    bool several = group.first.size() > 1 || group.second.size() > 1;
    out.push_back({entry.arch, entry.name, several ? entry.file : "", a, b, ""});
  };
  for (size_t i = 0; i < now.size(); ++i) {
    const Entry *partner = partnerOfNow[i] ? partnerOfNow[i] : withAlias(old, now[i]);
    add(now[i], partner ? partner->code : nullptr, now[i].code);
    if (isByHand[i])
      out.back().oldName = partner->name;
  }
  for (size_t k = 0; k < old.size(); ++k)
    if (!partnerOfOld[k] && !withAlias(now, old[k]))
      add(old[k], old[k].code, nullptr);
  return out;
}

std::string nameOf(const CodePair &pair) {
  return pair.name + ", " + pair.arch + (pair.file.empty() ? "" : " (" + pair.file + ")");
}

Json diffOf(const Json &before, const Json &after, const NamePairs &byHand) {
  Json out;
  out["schema_version"] = 1;
  out["kernels"] = Json::array();
  out["functions"] = Json::array();
  for (const char *list : {"kernels", "functions"}) {
    for (const CodePair &pair : pairCode(before, after, list, byHand)) {
      Json one = {{"arch", pair.arch}};
      if (!pair.file.empty())
        one["file"] = pair.file;
      if (!pair.oldName.empty())
        one["old_name"] = pair.oldName;
      one.update(codeOf(pair.name, pair.before, pair.after));
      out[list].push_back(std::move(one));
    }
  }
  return out;
}

std::string toDiffText(const Json &diff) {
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned same = 0;
  for (const char *list : {"kernels", "functions"})
    for (const Json &code : diff[list]) {
      if (code["status"] == "same") {
        ++same;
        continue;
      }
      os << (llvm::StringRef(list) == "kernels" ? "kernel " : "function ") << code["name"].get<std::string>()
         << (code.contains("old_name") ? ", before " + code["old_name"].get<std::string>() : "") << ", "
         << code["arch"].get<std::string>()
         << (code.contains("file") ? " (" + code["file"].get<std::string>() + ")" : "") << ": "
         << code["status"].get<std::string>() << '\n';
      if (code["status"] != "changed")
        continue;
      for (const Json &change : code["metrics"])
        os << "    " << changeText(change) << '\n';
      if (!code["limited_by"].is_null()) {
        auto words = [](const Json &list) {
          std::string out;
          for (const Json &each : list)
            out += (out.empty() ? "" : ", ") + each.get<std::string>();
          return out;
        };
        os << "    limited by " << words(code["limited_by"]["old"]) << " -> " << words(code["limited_by"]["new"])
           << '\n';
      }
      printDetails(os, code["details"], "    ");
      for (const Json &loop : code["loops"]) {
        if (loop["status"] == "same")
          continue;
        os << "    loop " << number(loop["new"].is_null() ? loop["old"] : loop["new"]);
        if (!loop["source"].is_null())
          os << " (" << loop["source"]["file"].get<std::string>() << ":" << loop["source"]["line"].dump() << ")";
        os << ": " << loop["status"].get<std::string>() << '\n';
        for (const Json &change : loop["metrics"])
          os << "      " << changeText(change) << '\n';
        printDetails(os, loop["details"], "      ");
      }
    }
  if (same)
    os << counted(same, "is", "are") << " the same\n";
  return text;
}

} // namespace fly::report
