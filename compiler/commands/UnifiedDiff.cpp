// The shortest edit script of two texts' lines (Myers 1986: the furthest reaching paths of 0, 1, 2, ... edits), grouped
// with three lines around each change. After `maxEdits` edits the rest counts as replaced, which bounds the memory.
#include "compiler/commands/UnifiedDiff.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <vector>

namespace fly::driver {

namespace {

using Lines = llvm::SmallVector<llvm::StringRef, 0>;
struct Step {
  char mark; ///< ' ', '-', '+'
  llvm::StringRef line;
};

Lines linesOf(llvm::StringRef text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.take_front(end));
    text = text.drop_front(end);
  }
  return lines;
}

/// The script of a[from...] and b[from...], which differ in their first line or are empty.
void compare(llvm::ArrayRef<llvm::StringRef> a, llvm::ArrayRef<llvm::StringRef> b, std::vector<Step> &script) {
  constexpr int maxEdits = 4000;
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size()), limit = std::min(n + m, maxEdits);
  std::vector<std::vector<int>> traces; // traces[d][k + d]: the furthest x on diagonal k after d edits
  int edits = -1;
  for (int d = 0; d <= limit && edits < 0; ++d) {
    std::vector<int> reach(2 * d + 1);
    for (int k = -d; k <= d; k += 2) {
      int x = 0;
      if (d > 0) {
        auto &last = traces.back();
        auto at = [&](int diagonal) { return last[diagonal + d - 1]; };
        x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      }
      while (x < n && x - k < m && a[x] == b[x - k])
        ++x;
      reach[k + d] = x;
      if (x >= n && x - k >= m)
        edits = d;
    }
    traces.push_back(std::move(reach));
  }
  if (edits < 0) {
    for (auto line : a)
      script.push_back({'-', line});
    for (auto line : b)
      script.push_back({'+', line});
    return;
  }
  std::vector<Step> reversed;
  int x = n, y = m;
  for (int d = edits; d > 0; --d) {
    auto at = [&](int diagonal) { return traces[d - 1][diagonal + d - 1]; };
    const int k = x - y;
    const bool inserts = k == -d || (k != d && at(k - 1) < at(k + 1));
    const int fromX = inserts ? at(k + 1) : at(k - 1), fromY = fromX - (inserts ? k + 1 : k - 1);
    while (x > fromX + !inserts && y > fromY + inserts)
      reversed.push_back({' ', a[--x]}), --y;
    if (inserts)
      reversed.push_back({'+', b[--y]});
    else
      reversed.push_back({'-', a[--x]});
  }
  while (x > 0)
    reversed.push_back({' ', a[--x]});
  script.insert(script.end(), reversed.rbegin(), reversed.rend());
}

} // namespace

std::string unifiedDiff(llvm::StringRef before, llvm::StringRef after, llvm::StringRef name) {
  if (before == after)
    return "";
  constexpr size_t context = 3;
  const Lines a = linesOf(before), b = linesOf(after);
  std::vector<Step> script;
  compare(a, b, script);

  std::string out = ("--- " + name + "\n+++ " + name + "\n").str();
  size_t oldLine = 1, newLine = 1;
  for (size_t i = 0; i < script.size();) {
    size_t change = i;
    while (change < script.size() && script[change].mark == ' ')
      ++change;
    if (change == script.size())
      break;
    const size_t begin = change - i > context ? change - context : i;
    oldLine += begin - i, newLine += begin - i;
    // A hunk continues until more than twice the context is equal.
    size_t end = change;
    for (size_t k = change; k < script.size() && k <= end + 2 * context; ++k)
      if (script[k].mark != ' ')
        end = k;
    end = std::min(end + 1 + context, script.size());
    size_t oldCount = 0, newCount = 0;
    std::string hunk;
    for (size_t k = begin; k < end; ++k) {
      oldCount += script[k].mark != '+', newCount += script[k].mark != '-';
      hunk += script[k].mark;
      hunk += script[k].line;
      if (!script[k].line.ends_with("\n"))
        hunk += "\n\\ No newline at end of file\n";
    }
    out += "@@ -" + std::to_string(oldLine - (oldCount == 0)) + "," + std::to_string(oldCount) + " +" +
           std::to_string(newLine - (newCount == 0)) + "," + std::to_string(newCount) + " @@\n" + hunk;
    oldLine += oldCount, newLine += newCount;
    i = end;
  }
  return out;
}

} // namespace fly::driver
