// See Names.h. Brackets are matched by counting; `operator<` and `operator()` are not names of kernels, but a name with
// them must not run off the text.
#include "compiler/report/Names.h"

#include "llvm/Demangle/Demangle.h"

#include <set>

namespace fly::report {

std::string demangled(llvm::StringRef symbol) {
  if (!symbol.starts_with("_Z") && !symbol.starts_with("_R") && !symbol.starts_with("_D"))
    return "";
  std::string name = llvm::demangle(symbol.str());
  return name == symbol ? "" : name;
}

std::string shortened(llvm::StringRef name, size_t width) {
  // What is deeper than `most` brackets is left out.
  auto cut = [&](int most) {
    std::string out;
    int depth = 0;
    for (char c : name) {
      if ((c == '>' || c == ')') && depth > 0)
        --depth;
      if (depth <= most)
        out += c;
      if (c == '<' || c == '(') {
        ++depth;
        if (depth == most + 1)
          out += "...";
      }
    }
    return out;
  };
  if (name.size() <= width)
    return name.str();
  std::string out;
  for (int most : {2, 1, 0})
    if (out = cut(most); out.size() <= width)
      break;
  return out;
}

namespace {

/// "ns::gemm" of "void ns::gemm<128>(float*)".
std::string qualified(llvm::StringRef name) {
  std::string out;
  int depth = 0;
  name.consume_front("void ");
  for (char c : name) {
    if (c == '(' && depth == 0 && !llvm::StringRef(out).ends_with("::") && !out.empty())
      break; // not of "(anonymous namespace)"
    if (c == '>' || c == ')')
      --depth;
    else if (c == '<' || c == '(')
      ++depth;
    else if (depth == 0)
      out += c;
  }
  while (llvm::StringRef(out).starts_with("::"))
    out.erase(0, 2);
  return out;
}

} // namespace

std::string baseName(llvm::StringRef symbol) {
  std::string full = demangled(symbol);
  if (full.empty())
    return symbol.str();
  std::string name = qualified(full);
  size_t at = name.rfind("::");
  return at == name.npos ? name : name.substr(at + 2);
}

std::string resolveName(llvm::StringRef given, llvm::ArrayRef<std::string> symbols) {
  if (given.empty())
    return "";
  std::set<std::string> found;
  for (const std::string &symbol : symbols) {
    if (symbol == given)
      return symbol;
    std::string full = demangled(symbol);
    if (!full.empty() && (full == given || qualified(full) == given || baseName(symbol) == given))
      found.insert(symbol);
  }
  return found.size() == 1 ? *found.begin() : given.str();
}

} // namespace fly::report
