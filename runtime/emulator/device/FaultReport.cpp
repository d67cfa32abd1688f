// The text of a fault, and its JSON; see FaultReport.h.
#include "runtime/emulator/device/FaultReport.h"

#include "runtime/emulator/formats/Text.h"

#include <nlohmann/json.hpp>

namespace fly::emulator {

namespace {

struct KindRow {
  FaultKind kind;
  std::string_view name;
  std::string_view other = "other access"; ///< what the other instruction is
};
constexpr KindRow kinds[] = {
    {FaultKind::None, "None"},
    {FaultKind::BadLaunch, "BadLaunch"},
    {FaultKind::UnknownInstruction, "UnknownInstruction"},
    {FaultKind::OutOfBounds, "OutOfBounds"},
    {FaultKind::LdsOutOfBounds, "LdsOutOfBounds"},
    {FaultKind::RegisterOutOfRange, "RegisterOutOfRange"},
    {FaultKind::BadJump, "BadJump"},
    {FaultKind::Misaligned, "Misaligned"},
    {FaultKind::Deadlock, "Deadlock"},
    {FaultKind::Runaway, "Runaway"},
    {FaultKind::Trap, "Trap"},
    {FaultKind::UninitialisedRead, "UninitialisedRead", "first read by"},
    {FaultKind::MissingWait, "MissingWait", "not waited for"},
    {FaultKind::Race, "Race"},
    {FaultKind::Hazard, "Hazard", "earlier instruction"},
    {FaultKind::SkippedBarrier, "SkippedBarrier"},
    {FaultKind::EqualStores, "EqualStores"},
};
constexpr bool isInOrder() {
  for (size_t k = 0; k < std::size(kinds); ++k)
    if (kinds[k].kind != static_cast<FaultKind>(k)) return false;
  return static_cast<size_t>(FaultKind::EqualStores) + 1 == std::size(kinds);
}
static_assert(isInOrder());
const KindRow &rowOf(FaultKind kind) { return kinds[static_cast<size_t>(kind)]; }

//===--------------------------------------------------------------------------------------------------------===//
// Text
//===--------------------------------------------------------------------------------------------------------===//

std::string toText(const GridIndex &index) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " + std::to_string(index[2]) + ")";
}

std::string toText(const ReportedInstruction &i) { return i.text + "   (at " + hex(i.address) + ")"; }

/// With a comma before it.
std::string sourceAfter(const std::string &source) { return source.empty() ? "" : ", " + source; }

std::string toText(const ReportedPlace &place) {
  std::string text = "workgroup " + toText(place.workgroup) + ", wave " + std::to_string(place.wave);
  if (place.lane >= 0) text += ", lane " + std::to_string(place.lane) + ", work-item " + toText(place.workItem);
  return text;
}

/// "waits at s_barrier, x.fly:7, for the workgroup barrier: 1 of 2 waves have signalled, without having signalled"
/// "loops at v_cmp_eq_u32 ..., x.fly:7, and sleeps"
std::string toText(const ReportedWaves::State &state) {
  using Doing = ReportedWaves::Doing;
  if (state.doing == Doing::HasEnded) return "ended";
  if (state.doing == Doing::HasJustEnded) return "has just ended";
  std::string text = state.doing == Doing::Waits ? "waits at " : state.doing == Doing::Runs ? "runs at " : "loops at ";
  text += toText(state.at) + sourceAfter(state.at.source());
  if (!state.barrier.empty()) text += ", for the " + state.barrier;
  if (!state.hasSignalled) text += ", without having signalled";
  if (state.sleeps) text += ", and sleeps";
  return text;
}

std::string toText(const ReportedWaves::Poll &poll, const std::string &sourceOfLoop) {
  std::string text = "polls " + std::to_string(poll.bytes) + " bytes at ";
  text +=
      poll.isLds ? "offset " + std::to_string(poll.address) + " of LDS" : hex(poll.address) + sourceAfter(poll.where);
  text += ", now " + std::to_string(poll.value);
  return poll.source == sourceOfLoop ? text : text + sourceAfter(poll.source);
}

void add(std::vector<std::string> &lines, const ReportedGroup &group) {
  lines.push_back("  workgroup " + toText(group.workgroup));
  if (group.arrived)
    lines.back() += ", " + std::to_string(group.arrived->first) + " of " + std::to_string(group.arrived->second) +
                    " waves have arrived at the barrier";
  for (const ReportedWaves &waves : group.waves) {
    std::string who = waves.workgroup ? "workgroup " + toText(*waves.workgroup) + ", " : "";
    who += waves.first == waves.last ? "wave " + std::to_string(waves.first)
                                     : "waves " + std::to_string(waves.first) + " to " + std::to_string(waves.last);
    lines.push_back("  " + who + ": " + toText(waves.state));
    const std::string source = waves.state.at.source();
    for (const ReportedWaves::Poll &poll : waves.state.polls) lines.push_back("      " + toText(poll, source));
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// JSON
//===--------------------------------------------------------------------------------------------------------===//

using Json = nlohmann::ordered_json;

Json toJson(const ReportedInstruction &i) {
  Json json{{"text", i.text}, {"address", i.address}};
  if (!i.file.empty()) json["file"] = i.file, json["line"] = i.line;
  return json;
}

Json toJson(const ReportedPlace &place) {
  Json json{{"workgroup", place.workgroup}, {"wave", place.wave}};
  if (place.lane >= 0) json["lane"] = place.lane, json["work_item"] = place.workItem;
  return json;
}

Json toJson(const ReportedWaves &waves) {
  constexpr std::string_view doing[] = {"ended", "just-ended", "waits", "runs", "loops"};
  const ReportedWaves::State &state = waves.state;
  Json json{{"first", waves.first}, {"last", waves.last}, {"doing", doing[static_cast<size_t>(state.doing)]}};
  if (waves.workgroup) json["workgroup"] = *waves.workgroup;
  if (state.at.address) json["instruction"] = toJson(state.at);
  if (!state.barrier.empty()) json["barrier"] = state.barrier;
  if (state.doing == ReportedWaves::Doing::Waits) json["signalled"] = state.hasSignalled;
  if (state.sleeps) json["sleeps"] = true;
  for (const ReportedWaves::Poll &poll : state.polls) {
    Json &one = json["polls"].emplace_back(
        Json{{"bytes", poll.bytes}, {poll.isLds ? "lds_offset" : "address", poll.address}, {"value", poll.value}});
    if (!poll.where.empty()) one["where"] = poll.where;
    if (!poll.source.empty()) one["source"] = poll.source;
  }
  return json;
}

Json toJson(const FaultReport &report) {
  Json json{{"kind", nameOf(report.kind)}};
  if (!report.kernel.empty()) json["kernel"] = report.kernel, json["arch"] = report.arch;
  json["what"] = report.what;
  if (report.instruction) json["instruction"] = toJson(*report.instruction);
  if (report.other) json["other"] = toJson(*report.other);
  if (report.place) json["place"] = toJson(*report.place);
  if (report.address) {
    json["address"] = report.address->address;
    if (!report.address->where.empty()) json["memory"] = report.address->where;
  }
  for (const ReportedGroup &group : report.groups) {
    Json &one = json["workgroups"].emplace_back(Json{{"workgroup", group.workgroup}});
    if (group.arrived) one["arrived"] = group.arrived->first, one["expected"] = group.arrived->second;
    for (const ReportedWaves &waves : group.waves) one["waves"].push_back(toJson(waves));
  }
  if (report.moreGroups) json["more_workgroups"] = report.moreGroups;
  for (const FaultReport &other : report.others) json["others"].push_back(toJson(other));
  if (!report.notes.empty()) json["notes"] = report.notes;
  return json;
}

} // namespace

std::string_view nameOf(FaultKind kind) { return rowOf(kind).name; }

std::string ReportedInstruction::source() const { return file.empty() ? file : file + ":" + std::to_string(line); }

std::string FaultReport::summary() const {
  return kernel.empty() ? what : "kernel `" + kernel + "` on " + arch + ": " + what;
}

std::vector<std::string> FaultReport::details(std::string_view found) const {
  std::vector<std::string> lines;
  if (instruction) {
    lines.push_back("  instruction: " + toText(*instruction));
    if (const std::string source = instruction->source(); !source.empty()) lines.push_back("  source: " + source);
  }
  if (other)
    lines.push_back("  " + std::string(rowOf(kind).other) + ": " + toText(*other) + sourceAfter(other->source()));
  if (place) lines.push_back("  " + std::string(found) + toText(*place));
  if (address)
    lines.push_back("  address " + hex(address->address) + (address->where.empty() ? "" : ": " + address->where));
  for (const ReportedGroup &group : groups) add(lines, group);
  if (moreGroups) lines.push_back("  and " + std::to_string(moreGroups) + " more workgroups");
  for (const FaultReport &each : others) {
    lines.push_back(each.summary());
    for (std::string &line : each.details()) lines.push_back(std::move(line));
  }
  for (const std::string &note : notes) lines.push_back("  " + note);
  return lines;
}

std::string FaultReport::text(std::string_view found) const {
  const std::vector<std::string> lines = details(found);
  std::string text = summary();
  if (!lines.empty()) text += '\n';
  for (const std::string &line : lines) text += line + '\n';
  return text;
}

std::string FaultReport::json() const { return toJson(*this).dump(-1, ' ', false, Json::error_handler_t::replace); }

} // namespace fly::emulator
