// The variables of a frame: a map from names to values whose copies share what they have in common.
//
//     before = frame.variables          one pointer
//     frame.variables["x"] = ...        copies the path to `x`, some nodes of up to 16 children
//     difference(before, now)           {"x"}: what is shared is not looked at
//
// Run-time branches and loops copy the variables of the frame and join them afterwards. With a plain map, each would
// cost time proportional to all variables of the function; here it is proportional to those assigned in it.
//
// The map is a trie over the bits of the names' hashes; its shape depends on the names alone.
#pragma once

#include "compiler/sema/value/Value.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"

#include <set>
#include <string>
#include <vector>

namespace fly::sema {

class Variables {
public:
  struct Entry {
    std::string first;
    Value second;
  };

  /// Null, which is also `end()`, if there is no such name.
  const Entry *find(llvm::StringRef name) const;
  const Entry *end() const { return nullptr; }
  bool count(llvm::StringRef name) const { return find(name) != end(); }
  /// The value of a name, which is made if it does not exist; valid until the map is copied or changed.
  Value &operator[](llvm::StringRef name);

  /// Adds the names that exist in one of the two only, or were assigned in one since they were the same.
  static void difference(const Variables &a, const Variables &b, std::set<std::string> &names);

private:
  struct Node : llvm::RefCountedBase<Node> {
    Entry entry;                                          ///< of a leaf
    std::vector<llvm::IntrusiveRefCntPtr<Node>> children; ///< of a branch: 16, some null
  };
  using Ref = llvm::IntrusiveRefCntPtr<Node>;
  static unsigned slot(llvm::StringRef name, unsigned depth);
  static void collect(const Ref &node, std::vector<const Node *> &leaves);
  static void difference(const Ref &a, const Ref &b, std::set<std::string> &names);

  Ref root;
};

} // namespace fly::sema
