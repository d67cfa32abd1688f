// Reads the documents' JSON, applies the errata, parses, and looks at what each text does.
#include "tests/emulator/pseudocode/Library.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fly::pseudocode {

namespace {

/// The number that a constant expression of slices and literals has, if it is one.
std::optional<unsigned> constant(const Node &n) {
  if (n.op == Op::Constant) return static_cast<unsigned>(n.constant.v);
  return std::nullopt;
}

const Node *base(const Node &n) {
  const Node *b = &n;
  while (b->op == Op::As || b->op == Op::Index || b->op == Op::Slice || b->op == Op::SlicePlus)
    b = b->children[0].get();
  return b;
}

Shape shapeOf(const Text &text) {
  Shape s;
  auto index = [&](const Node &n) -> int { // 0..2 a source, 3 D0, -1 neither
    const Node *b = base(n);
    if (b->op != Op::Name) return -1;
    const std::string &name = text.symbols[static_cast<size_t>(b->symbol)];
    if (name == "D0" || name == "D") return 3;
    return name.size() == 2 && name[0] == 'S' && name[1] >= '0' && name[1] <= '2' ? name[1] - '0' : -1;
  };
  auto widen = [&](int which, unsigned bits) {
    if (which < 0) return;
    unsigned &to = which == 3 ? s.resultBits : s.bits[which];
    to = std::max(to, bits);
  };
  forEachNode(*text.body, [&](const Node &n) {
    int which = n.op == Op::As || n.op == Op::Slice || n.op == Op::Name || n.op == Op::Index ? index(n) : -1;
    if (n.op == Op::Name && which >= 0 && which < 3) s.sources = std::max(s.sources, static_cast<unsigned>(which) + 1);
    if (n.op == Op::As && which >= 0) {
      if (n.children[0]->op == Op::Name) widen(which, n.type.bits);
      if (n.type.isFloat() && which < 3 && !s.floatBits[which]) {
        s.floatBits[which] = n.type.bits;
        s.bfloat[which] = n.type.kind == Type::BFloat;
      }
      if (which == 3 && n.type.isFloat()) s.resultFloat = true;
    }
    if (n.op == Op::Slice && which >= 0) {
      auto a = constant(*n.children[1]), b = constant(*n.children[2]);
      if (a && b) widen(which, std::max(*a, *b) + 1);
    }
    if (n.op == Op::Divide || (n.op == Op::Call && [&] {
          const std::string &f = text.symbols[static_cast<size_t>(n.symbol)];
          return f == "sqrt" || f == "pow" || f == "log2" || f == "sin" || f == "cos";
        }()))
      s.approximates = true;
    if (n.op == Op::Index && n.children[0]->op == Op::Index && n.children[0]->children[0]->op == Op::Name &&
        text.symbols[static_cast<size_t>(n.children[0]->children[0]->symbol)] == "VGPR") {
      const Node &lane = *n.children[0]->children[1];
      if (lane.op == Op::Name && text.symbols[static_cast<size_t>(lane.symbol)] == "laneId") s.byRegister = true;
      else s.wave = true;
    }
  });
  forEachNode(*text.body, [&](const Node &n) {
    if (n.op != Op::Assign && n.op != Op::AssignValue) return;
    const Node &target = *n.children[0];
    auto add = [&](const Node &t) {
      const Node *b = base(t);
      if (b->op == Op::Name) s.writes.insert(text.symbols[static_cast<size_t>(b->symbol)]);
    };
    if (target.op == Op::Concat)
      for (const auto &c : target.children) add(*c);
    else add(target);
    if (target.op == Op::Index && target.children[1]->op == Op::Name &&
        text.symbols[static_cast<size_t>(target.children[1]->symbol)] == "laneId" && index(target) == 3)
      s.maskResult = true;
  });
  s.choosesWords = text.uses("OPSEL");
  s.mixed = text.uses("S") && text.uses("in");
  if (s.mixed) s.sources = 3;
  s.writesD0 = text.uses("D0") || text.uses("D");
  s.usesVcc = text.uses("VCC");
  s.usesD1 = text.uses("D1");
  s.usesScc = text.uses("SCC");
  return s;
}

} // namespace

std::string mnemonicOf(const std::string &name) {
  if (name.size() > 4 &&
      (name.compare(name.size() - 4, 4, "_e32") == 0 || name.compare(name.size() - 4, 4, "_e64") == 0))
    return name.substr(0, name.size() - 4);
  return name;
}

Library::Library(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    error = "cannot read " + path;
    return;
  }
  auto parsed = llvm::json::parse((*buffer)->getBuffer());
  if (!parsed) {
    error = llvm::toString(parsed.takeError());
    return;
  }
  const llvm::json::Object *root = parsed->getAsObject();
  if (!root) {
    error = path + " holds no object";
    return;
  }
  for (const auto &encoding : *root)
    if (const llvm::json::Object *list = encoding.second.getAsObject())
      for (const auto &entry : *list) {
        auto source = entry.second.getAsString();
        if (!source) continue;
        Instruction i;
        i.name = llvm::StringRef(entry.first).str();
        i.encoding = llvm::StringRef(encoding.first).str();
        i.source = source->str();
        for (const Erratum &e : errata) {
          if (!e.from || e.from[0] == '@' || mnemonicOf(i.name) != e.name) continue;
          std::string from = e.from;
          for (size_t at = 0; (at = i.source.find(from, at)) != std::string::npos; at += std::string(e.to).size())
            i.source.replace(at, from.size(), e.to);
        }
        try {
          if (i.source.rfind("D = A (", 0) == 0)
            throw Unsupported(
                "a formula of matrices, which does not say where their elements are nor in which order they are added; "
                "matrix_test and wmma_test compare with layouts that were measured");
          i.text = parse(i.source);
          i.shape = shapeOf(*i.text);
        } catch (const Unsupported &u) {
          i.text.reset();
          i.problem = u.what();
        }
        instructions.emplace(i.name, std::move(i));
      }
}

const Instruction *Library::find(const std::string &name) const {
  for (const char *suffix : {"", "_e64", "_e32"})
    if (auto it = instructions.find(name + suffix); it != instructions.end()) return &it->second;
  return nullptr;
}

} // namespace fly::pseudocode
