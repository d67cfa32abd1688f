// Accesses as pictures: who holds what of a copy's tile, and which banks of LDS serve whom in which phase. See
// Columns.h.
#include "compiler/page/Columns.h"

#include "compiler/picture/Picture.h"
#include "compiler/target/LdsBanks.h"

namespace fly::page {

namespace {

constexpr int64_t mostRows = 64, mostColumns = 64;

/// The tile with the threads and values that hold each place; null if there is no picture of it.
Json tileOf(const Access &access) {
  auto tv = layout::parseLayout(access.tv);
  auto tile = layout::parseIntTuple(access.tile);
  if (!tv || !tile)
    return nullptr;
  picture::Request request{layout::AnyLayout(*tv)};
  request.tile = *tile;
  request.fill = picture::Fill::Thread;
  request.maxRows = mostRows, request.maxColumns = mostColumns, request.maxSheets = 1;
  picture::Subject subject;
  auto drawn = picture::draw(request, subject);
  if (!drawn || drawn->sheets.empty())
    return nullptr;
  const picture::Sheet &sheet = drawn->sheets.front();
  Json cells = Json::array();
  for (const picture::Cell &cell : sheet.cells) {
    Json holders = Json::array();
    for (const picture::Holder &holder : cell.holders)
      holders.push_back(holder.thread), holders.push_back(holder.value);
    cells.push_back(cell.outside ? Json() : std::move(holders));
  }
  return {{"title", drawn->title},
          {"remarks", drawn->remarks},
          {"rows", sheet.rowLabels},
          {"columns", sheet.columnLabels},
          {"cells", std::move(cells)}};
}

/// Banks, phases and cycles of an access to LDS.
Json banksOf(const Access &access, const std::string &architecture, unsigned waveSize) {
  const unsigned bytes = std::max(1u, access.bits / 8);
  const target::LdsRule rule = target::ldsRule(architecture, waveSize, bytes, access.isWrite);
  std::vector<uint64_t> addresses(64, 0);
  for (size_t lane = 0; lane < std::min<size_t>(64, access.bytes.size()); ++lane)
    addresses[lane] = uint64_t(access.bytes[lane]);
  const target::LdsCost cost = target::ldsCost(rule, access.active, addresses.data(), std::min(bytes, 16u), false);
  Json phases = Json::array();
  for (unsigned p = 0; p < rule.phaseCount; ++p) {
    Json lanes = Json::array();
    for (unsigned lane = 0; lane < 64; ++lane)
      if (rule.phases[p] >> lane & 1)
        lanes.push_back(lane);
    phases.push_back(std::move(lanes));
  }
  return {{"banks", rule.banks},
          {"measured", rule.measured},
          {"phases", std::move(phases)},
          {"cycles", cost.cycles},
          {"ideal", cost.ideal}};
}

} // namespace

Json accessList(const std::vector<Access> &accesses, const std::string &architecture, unsigned waveSize,
                Places &places) {
  Json out = Json::array();
  for (const Access &access : accesses) {
    if (access.tv.empty() && !access.isLds)
      continue;
    Json one;
    one["place"] = places.of(access.place.file, access.place.line, access.place.column, -1);
    one["tensor"] = access.tensor;
    one["element"] = access.element;
    one["memory"] = access.isLds ? "lds" : "global";
    one["direction"] = access.isWrite ? "write" : "read";
    one["bits"] = access.bits;
    Json lanes = Json::array();
    for (size_t lane = 0; lane < access.bytes.size(); ++lane)
      lanes.push_back(lane < 64 && access.active >> lane & 1 ? Json(access.bytes[lane]) : Json());
    one["lanes"] = std::move(lanes);
    one["atom"] = access.atom;
    one["tile"] = access.tv.empty() ? Json() : tileOf(access);
    one["tv"] = access.tv;
    one["side"] = access.tv.empty() ? Json() : Json(access.ofSource ? "source" : "destination");
    one["lds"] = access.isLds ? banksOf(access, architecture, waveSize) : Json();
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace fly::page
