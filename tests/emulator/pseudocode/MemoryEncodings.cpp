// Vector memory and LDS: see Chooser.h.
#include "tests/emulator/pseudocode/BufferFormat.h"
#include "tests/emulator/pseudocode/Chooser.h"

namespace fly::pseudocode {

unsigned Chooser::dataWords(const char *name) const {
  unsigned bits = 32;
  forEachNode(*what.text->body, [&](const Node &n) {
    if ((n.op != Op::As && n.op != Op::Slice) || n.children[0]->op != Op::Name ||
        what.text->symbols[static_cast<size_t>(n.children[0]->symbol)] != name)
      return;
    if (n.op == Op::As) bits = std::max<unsigned>(bits, n.type.bits);
    else if (n.children[1]->op == Op::Constant)
      bits = std::max(bits, static_cast<unsigned>(n.children[1]->constant.v) + 1);
  });
  return (bits + 31) / 32;
}

bool Chooser::loads() const {
  return !uses("DATA") && !uses("DATA0") && !has("store") && !has("write") && !has("condxchg");
}

void Chooser::lds() {
  bool two = uses("DATA2"),
       pair = uses("OFFSET0") && (has("2addr") || has("read2") || has("write2") || has("xchg2") || has("xchg_2"));
  bool returns = loads() || has("_rtn") || has("permute") || has("load") || has("read") || has("swizzle");
  const unsigned first[3] = {dataWords("RETURN_DATA"), dataWords(uses("DATA") ? "DATA" : "DATA0"), dataWords("DATA2")};
  tryWidths(3, first, [&](const unsigned *w) {
    bool any = false;
    for (bool withAddress : {true, false}) {
      std::vector<std::string> list;
      if (returns) list.push_back(range('v', 4, w[0]));
      if (withAddress) list.push_back("v40");
      if (!loads() && !has("swizzle")) list.push_back(range('v', 72, w[1]));
      if (two) list.push_back(range('v', 104, w[2]));
      std::string base = mnemonic + " ";
      for (size_t k = 0; k < list.size(); ++k) base += (k ? ", " : "") + list[k];
      if (pair) {
        for (const char *offset : {" offset0:1 offset1:3", " offset0:4 offset1:2"}) any |= attempt(base + offset);
      } else if (has("swizzle")) {
        for (unsigned k : {0u, 1u, 2u, 5u, 9u, 14u, 31u})
          any |= attempt(base + " offset:" + std::to_string(0xe000 + k));
      } else
        for (const char *offset : {"", " offset:16", " offset:1032"}) any |= attempt(base + offset);
      if (any) return true;
    }
    return (!returns || first[0] > 1) && first[1] > 1; // the text told the widths
  });
}

void Chooser::flat() {
  bool store = has("store"), atomic = has("atomic"), scratch = has("scratch");
  std::vector<std::pair<std::string, std::string>> addresses; // address operands before the data, after it
  if (has("flat_")) addresses = {{"v[40:41]", ""}};
  else if (scratch) addresses = {{"v40", ", off"}, {"off", ", s30"}, {"v40", ", s30"}};
  else addresses = {{"v[40:41]", ", off"}, {"v40", ", s[34:35]"}};
  const unsigned first[2] = {dataWords(atomic || uses("DATA") ? "DATA" : "VDATA"),
                             atomic ? dataWords("RETURN_DATA") : dataWords("VDATA")};
  tryWidths(has("block") ? 2 : 1, first, [&](const unsigned *w) {
    bool any = false;
    std::string data = range('v', 72, w[0]), d = range('v', 4, has("block") ? w[1] : first[1]);
    for (const auto &[before, after] : addresses)
      for (const char *offset : {"", " offset:64"}) {
        if (store) any |= attempt(mnemonic + " " + before + ", " + data + after + offset);
        else if (!atomic) any |= attempt(mnemonic + " " + d + ", " + before + after + offset);
        else {
          any |= attempt(mnemonic + " " + before + ", " + data + after + offset);
          std::string returning = mnemonic + " " + d + ", " + before + ", " + data + after + offset;
          any |= attempt(returning + " sc0") || attempt(returning + " th:TH_ATOMIC_RETURN");
        }
      }
    return any || !has("block");
  });
}

/// Formats by number, from all that the architecture has: in the instruction, or (then the resource gets it when
/// registers are filled) in the resource.
void Chooser::typedBuffer() {
  bool store = has("store"), typed = begins("tbuffer");
  const unsigned first[1] = {dataWords("VDATA")};
  BufferFormats formats(bench);
  for (unsigned k = 0; k < (typed ? 24u : 8u); ++k) {
    unsigned code = 1 + below(emulator::test::isGfx12(bench.row) ? 63 : 127);
    if (typed && !formats[code].valid) continue;
    std::string format = typed ? " format:" + std::to_string(code) : "";
    tryWidths(1, first, [&](const unsigned *w) {
      std::string d = range('v', store ? 72 : 4, *w), tail = below(2) ? " offset:64" : "";
      return below(2) ? attempt(mnemonic + " " + d + ", v40, s[36:39], " +
                                (emulator::test::isGfx12(bench.row) ? "null" : "0") + format + " offen" + tail)
                      : attempt(mnemonic + " " + d + ", off, s[36:39], s30" + format + tail);
    });
    if (!known) return;
  }
}

void Chooser::buffer() {
  if (has("inv") || has("wb")) return;
  bool store = has("store"), atomic = has("atomic");
  std::string name = atomic ? "DATA" : "VDATA", data = range('v', 72, dataWords(name.c_str()));
  std::string d = store || atomic ? data : range('v', 4, dataWords("VDATA"));
  for (const char *tail : {" offset:64", ""}) {
    attempt(mnemonic + " " + d + ", v40, s[36:39], 0 offen" + tail);
    attempt(mnemonic + " " + d + ", v40, s[36:39], s30 offen" + tail);
    if (!attempt(mnemonic + " " + d + ", off, s[36:39], s30" + tail))
      attempt(mnemonic + " " + d + ", off, s[36:39], s30" + tail);
    if (atomic && !attempt(mnemonic + " " + d + ", v40, s[36:39], 0 offen sc0" + tail))
      attempt(mnemonic + " " + d + ", v40, s[36:39], 0 offen" + tail + " th:TH_ATOMIC_RETURN");
  }
}

} // namespace fly::pseudocode
