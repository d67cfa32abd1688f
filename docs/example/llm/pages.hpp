// Which pages of the cache a sequence has. A full page is known by the tokens in it and before it, so that sequences
// with the same beginning share pages; a page that nobody has any more stays known until it is needed.
#pragma once

#include <list>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace llm {

constexpr int pageRows = 16; // PAGE of layer.fly

inline int pagesFor(int tokens) { return (tokens + pageRows - 1) / pageRows; }

class Pages {
public:
  explicit Pages(int count) : pages(count), unused(count) { std::iota(unused.begin(), unused.end(), 0); }

  /// The pages with the beginning of `tokens`, as far as they are known; the caller has them from now on. At least one
  /// token is left, whose logits are wanted.
  std::vector<int> known(const std::vector<int> &tokens) {
    std::vector<int> found;
    for (size_t i = 0; (i + 1) * pageRows < tokens.size(); ++i) {
      const auto entry = byKey.find(keyOf(found, tokens, i));
      if (entry == byKey.end())
        break;
      if (pages[entry->second].users++ == 0)
        unused.remove(entry->second);
      found.push_back(entry->second);
    }
    return found;
  }

  int available() const { return static_cast<int>(unused.size()); }

  /// The page that nobody has had for the longest time. What it had is not known any more, nor are the pages after it.
  int allocate() {
    const int page = unused.front();
    unused.pop_front();
    byKey.erase(std::exchange(pages[page], {1, {}}).key);
    for (auto next = byKey.lower_bound({page, {}}); next != byKey.end() && next->first.first == page;) {
      pages[next->second].key = {};
      next = byKey.erase(next);
    }
    return page;
  }

  /// Says that all rows of page `i` of a sequence are written.
  void full(const std::vector<int> &own, const std::vector<int> &tokens, size_t i) {
    const Key key = keyOf(own, tokens, i);
    if (pages[own[i]].key.second.empty() && byKey.emplace(key, own[i]).second)
      pages[own[i]].key = key;
  }

  void release(const std::vector<int> &own) {
    for (auto page = own.rbegin(); page != own.rend(); ++page) // the beginning is needed last
      if (--pages[*page].users == 0)
        unused.push_back(*page);
  }

private:
  using Key = std::pair<int, std::vector<int>>; // the page before (-1: none), and the tokens in this one

  struct Page {
    int users = 0;
    Key key; // no tokens: it is not known
  };

  static Key keyOf(const std::vector<int> &own, const std::vector<int> &tokens, size_t i) {
    const auto begin = tokens.begin() + i * pageRows;
    return {i ? own[i - 1] : -1, {begin, begin + pageRows}};
  }

  std::vector<Page> pages;
  std::list<int> unused; // the longest unused first
  std::map<Key, int> byKey;
};

} // namespace llm
