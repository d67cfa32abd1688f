// The budget of compile-time evaluation, and where it went when it runs out.
//
// Every 61st step is remembered with its place: a number that no short loop is in step with, so that a loop's lines
// get their shares, and a count, not a clock, so that the message is the same in each run.
#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

constexpr uint64_t stride = 61;
constexpr size_t shown = 3;

void Elaborator::step(SourceRange range) {
  if (++steps % stride == 0)
    ++samples[{range.file, range.begin}];
  if (steps > limits.steps)
    stepLimit(range);
}

void Elaborator::stepLimit(SourceRange range) {
  if (!fatal) {
    struct Line {
      uint64_t count = 0;
      SourceRange first;
      bool operator<(const Line &other) const {
        return std::pair(other.count, first.begin) < std::pair(count, other.first.begin);
      }
    };
    std::map<std::pair<FileId, unsigned>, Line> lines;
    uint64_t all = 0;
    for (auto &[place, count] : samples) {
      auto [file, offset] = place;
      auto &line = lines[{file, diags.sources.lineColumn(file, offset).line}];
      if (!line.count)
        line.first = {file, offset, offset + 1};
      line.count += count;
      all += count;
    }
    std::vector<Line> hottest;
    for (auto &[where, line] : lines)
      hottest.push_back(line);
    llvm::sort(hottest);
    auto builder = report(range, diag::step_limit{.limit = int64_t(limits.steps)});
    for (size_t i = 0; i < std::min(shown, hottest.size()); ++i)
      if (uint64_t percent = hottest[i].count * 100 / all)
        builder.note(hottest[i].first, std::to_string(percent) + "% of the steps are on this line");
    builder.help(
        "a loop runs on the device only if its bounds or effects are known only at run time; a compile-time loop "
        "needs fewer iterations");
  }
  fatal = true;
  throw Failed{};
}

} // namespace fly::sema
