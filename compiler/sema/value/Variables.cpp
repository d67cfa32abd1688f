// The trie that implements Variables.
#include "compiler/sema/value/Variables.h"

#include "llvm/Support/xxhash.h"

#include <map>

namespace fly::sema {

constexpr unsigned width = 16, bits = 4, levels = 64 / bits;

/// The child that a name belongs to: four bits of its hash; after the last of them, those of another hash, so that any
/// two names differ at some level.
unsigned Variables::slot(llvm::StringRef name, unsigned depth) {
  uint64_t hash = depth < levels ? llvm::xxh3_64bits(name) : llvm::xxh3_64bits(name.str() + char(depth / levels));
  return unsigned(hash >> (depth % levels * bits)) % width;
}

const Variables::Entry *Variables::find(llvm::StringRef name) const {
  const Node *node = root.get();
  if (!node)
    return nullptr;
  uint64_t hash = node->children.empty() ? 0 : llvm::xxh3_64bits(name);
  for (unsigned depth = 0; node && !node->children.empty(); ++depth)
    node = node->children[depth < levels ? (hash >> (depth * bits)) % width : slot(name, depth)].get();
  return node && node->entry.first == name ? &node->entry : nullptr;
}

Value &Variables::operator[](llvm::StringRef name) {
  Ref *at = &root;
  for (unsigned depth = 0;; ++depth) {
    if (!*at) {
      *at = llvm::makeIntrusiveRefCnt<Node>();
      (*at)->entry.first = name.str();
      return (*at)->entry.second;
    }
    if ((*at)->UseCount() > 1)
      *at = llvm::makeIntrusiveRefCnt<Node>(**at);
    Node &node = **at;
    if (node.children.empty()) {
      if (node.entry.first == name)
        return node.entry.second;
      auto branch = llvm::makeIntrusiveRefCnt<Node>();
      branch->children.resize(width);
      branch->children[slot(node.entry.first, depth)] = *at;
      *at = branch;
    }
    at = &(*at)->children[slot(name, depth)];
  }
}

void Variables::collect(const Ref &node, std::vector<const Node *> &leaves) {
  if (!node)
    return;
  if (node->children.empty())
    leaves.push_back(node.get());
  for (auto &child : node->children)
    collect(child, leaves);
}

void Variables::difference(const Ref &a, const Ref &b, std::set<std::string> &names) {
  if (a == b)
    return;
  if (a && b && !a->children.empty() && !b->children.empty()) {
    for (unsigned i = 0; i < width; ++i)
      difference(a->children[i], b->children[i], names);
    return;
  }
  std::vector<const Node *> some, others;
  collect(a, some);
  collect(b, others);
  std::map<llvm::StringRef, const Node *> known;
  for (auto *leaf : some)
    known[leaf->entry.first] = leaf;
  for (auto *leaf : others) {
    auto found = known.find(leaf->entry.first);
    if (found == known.end())
      names.insert(leaf->entry.first);
    else if (found->second == leaf)
      known.erase(found);
  }
  for (auto &[name, leaf] : known)
    names.insert(name.str());
}

void Variables::difference(const Variables &a, const Variables &b, std::set<std::string> &names) {
  difference(a.root, b.root, names);
}

} // namespace fly::sema
