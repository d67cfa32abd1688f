#include "compiler/isa/WaitTexts.h"

#include <algorithm>

namespace fly::isa {

std::vector<std::string> waitTexts(const Waits &waits, const target::Generation &generation) {
  auto count = [&](Counter c) { return waits[c]; };
  auto has = [&](Counter c) { return waits[c] != Waits::none; };
  std::vector<std::string> texts;
  if (!generation.splitCounters) {
    std::string text = "s_waitcnt";
    for (auto [counter, name] : {std::pair{Counter::Vm, "vmcnt"}, {Counter::Exp, "expcnt"}, {Counter::Lgkm, "lgkmcnt"}})
      if (has(counter)) text += std::string(" ") + name + "(" + std::to_string(count(counter)) + ")";
    if (text.ends_with(")")) texts.push_back(text);
    if (has(Counter::Vs)) texts.push_back("s_waitcnt_vscnt null, " + std::to_string(count(Counter::Vs)));
    return texts;
  }
  struct Row {
    Counter counter;
    const char *name;
  };
  constexpr Row rows[] = {{Counter::Load, "s_wait_loadcnt"},     {Counter::Store, "s_wait_storecnt"},
                          {Counter::Ds, "s_wait_dscnt"},         {Counter::Km, "s_wait_kmcnt"},
                          {Counter::Exp, "s_wait_expcnt"},       {Counter::Sample, "s_wait_samplecnt"},
                          {Counter::Bvh, "s_wait_bvhcnt"},       {Counter::Async, "s_wait_asynccnt"},
                          {Counter::Tensor, "s_wait_tensorcnt"}, {Counter::X, "s_wait_xcnt"}};
  const bool both = has(Counter::Load) && has(Counter::Ds);
  if (both) texts.push_back("s_wait_loadcnt_dscnt " + std::to_string(count(Counter::Load) << 8 | count(Counter::Ds)));
  for (const Row &row : rows)
    if (has(row.counter) && !(both && (row.counter == Counter::Load || row.counter == Counter::Ds)))
      texts.push_back(std::string(row.name) + " " + std::to_string(count(row.counter)));
  return texts;
}

std::vector<std::string> nopTexts(unsigned states, const target::Generation &generation) {
  const unsigned most = generation.nopStates;
  std::vector<std::string> texts;
  for (unsigned left = states; left; left -= std::min(left, most))
    texts.push_back("s_nop " + std::to_string(std::min(left, most) - 1));
  return texts;
}

} // namespace fly::isa
