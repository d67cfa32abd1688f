// Which pages of the cache a sequence has. A full page is known by the tokens in it and before it, so that sequences with
// the same beginning share pages; a page that nobody has any more stays known until it is needed.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace llm {

constexpr int pageRows = 16; // PAGE of layer.fly

class Pages {
public:
  explicit Pages(int count) : users(static_cast<size_t>(count)), keys(users.size()) {
    for (int page = 0; page < count; ++page)
      unused.push_back(page);
  }

  /// The pages with the beginning of `tokens`, as far as they are known; the caller has them from now on. At least one token is
  /// left, whose logits are wanted.
  std::vector<int> known(const std::vector<int> &tokens) {
    std::vector<int> found;
    for (size_t end = pageRows; end < tokens.size(); end += pageRows) {
      auto entry = byKey.find(keyOf(found, tokens, end));
      if (entry == byKey.end())
        break;
      found.push_back(entry->second);
    }
    for (int page : found)
      take(page);
    return found;
  }

  int available() const { return static_cast<int>(unused.size()); }

  int allocate() {
    if (unused.empty())
      throw std::runtime_error("the cache has no free page");
    const int page = unused.front();
    unused.pop_front();
    forget(page);
    users[static_cast<size_t>(page)] = 1;
    return page;
  }

  /// Says that all rows of the last of `pages` are written, with the tokens up to `end`.
  void full(const std::vector<int> &pages, const std::vector<int> &tokens, size_t end) {
    const int page = pages[end / pageRows - 1];
    std::vector<int> before(pages.begin(), pages.begin() + static_cast<ptrdiff_t>(end / pageRows - 1));
    Key key = keyOf(before, tokens, end);
    if (keys[static_cast<size_t>(page)].second.empty() && byKey.emplace(key, page).second)
      keys[static_cast<size_t>(page)] = std::move(key);
  }

  void release(const std::vector<int> &pages) {
    for (auto page = pages.rbegin(); page != pages.rend(); ++page) // the beginning is needed last
      if (--users[static_cast<size_t>(*page)] == 0)
        unused.push_back(*page);
  }

private:
  using Key = std::pair<int, std::vector<int>>; // the page before (-1: none), and the tokens in this one

  static Key keyOf(const std::vector<int> &before, const std::vector<int> &tokens, size_t end) {
    return {before.empty() ? -1 : before.back(),
            std::vector<int>(tokens.begin() + static_cast<ptrdiff_t>(end - pageRows),
                             tokens.begin() + static_cast<ptrdiff_t>(end))};
  }

  void take(int page) {
    if (users[static_cast<size_t>(page)]++ == 0)
      unused.remove(page);
  }

  /// The page gets another content: it is not known any more, nor are the pages that follow it.
  void forget(int page) {
    Key &key = keys[static_cast<size_t>(page)];
    if (!key.second.empty())
      byKey.erase(key);
    key = {};
    for (auto next = byKey.lower_bound({page, {}}); next != byKey.end() && next->first.first == page;) {
      keys[static_cast<size_t>(next->second)] = {};
      next = byKey.erase(next);
    }
  }

  std::vector<int> users;
  std::vector<Key> keys; // of each page that is known
  std::list<int> unused; // the longest unused first
  std::map<Key, int> byKey;
};

} // namespace llm
