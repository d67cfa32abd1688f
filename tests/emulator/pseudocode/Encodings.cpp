// Assembly texts from what the pseudocode says of its operands, tried one after another: the assembler decides which of
// them the architecture has. Registers are chosen so that every operand has room for 32 of them, or overlaps on purpose.
#include "tests/emulator/pseudocode/Encodings.h"

namespace fly::pseudocode {

using emulator::test::StepBench;

namespace {

struct Template { std::vector<std::string> dst, tail; bool literal = false; }; // operands before and after the sources

std::string range(char file, unsigned first, unsigned words) {
  if (words <= 1) return file + std::to_string(first);
  return std::string(1, file) + "[" + std::to_string(first) + ":" + std::to_string(first + words - 1) + "]";
}

class Chooser {
public:
  Chooser(StepBench &bench, const Instruction &what, Random &random) : bench(bench), what(what), shape(what.shape), random(random), mnemonic(mnemonicOf(what.name)) {
    for (unsigned n = 0; n < 3; ++n) words[n] = (std::max(shape.bits[n], 32u) + 31) / 32;
    dWords = (std::max(shape.resultBits, 32u) + 31) / 32;
    mask = bench.lanes() == 64 ? 2 : 1;
  }

  std::vector<int> run(unsigned variants) {
    if (mnemonic.compare(0, 2, "v_") == 0) vector();
    else if (mnemonic.compare(0, 3, "ds_") == 0) lds();
    else if (mnemonic.compare(0, 7, "global_") == 0 || mnemonic.compare(0, 5, "flat_") == 0 || mnemonic.compare(0, 8, "scratch_") == 0) flat();
    else if (mnemonic.compare(0, 7, "buffer_") == 0) buffer();
    else if (mnemonic.compare(0, 6, "s_load") == 0 || mnemonic.compare(0, 13, "s_buffer_load") == 0) scalarMemory();
    else if (mnemonic.compare(0, 2, "s_") == 0) scalar();
    if (!accepted.empty() && mnemonic.compare(0, 2, "v_") == 0)
      for (unsigned k = 0, tries = 0; k < variants && tries < 4 * variants; ++tries) k += vectorVariant();
    if (!accepted.empty() && (what.encoding == "SOP1" || what.encoding == "SOP2" || what.encoding == "SOPC"))
      for (unsigned k = 0; k < variants; ++k) scalarVariant();
    return accepted;
  }

private:
  StepBench &bench;
  const Instruction &what;
  const Shape &shape;
  Random &random;
  std::string mnemonic;
  unsigned words[3], dWords, mask;
  std::vector<int> accepted;
  struct Form { std::string head; std::vector<std::string> dst, sources, tail; };
  std::vector<Form> forms;

  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }
  bool has(const char *part) const { return mnemonic.find(part) != std::string::npos; }

  bool attempt(const std::string &text) {
    int n = bench.add(text);
    if (n < 0) return false;
    if (bench.instruction(n).op == isa::Op::Invalid) return false;
    accepted.push_back(n);
    return true;
  }
  static std::string join(const Form &f, const std::string &modifiers = {}) {
    std::string t = f.head;
    const char *separator = " ";
    for (const auto *list : {&f.dst, &f.sources, &f.tail})
      for (const std::string &o : *list) {
        t += separator + o;
        separator = ", ";
      }
    return t + modifiers;
  }
  bool attemptForm(Form f) {
    if (!attempt(join(f))) return false;
    forms.push_back(std::move(f));
    return true;
  }
  std::string vgpr(unsigned n) { return range('v', 40 + 32 * n, words[n]); }
  std::string sgprMask(unsigned first) { return range('s', first, mask); }

  void vector() {
    std::string vcc = mask == 2 ? "vcc" : "vcc_lo", d = range('v', 4, dWords);
    std::vector<std::string> s;
    for (unsigned n = 0; n < (has("v_cmp") ? 2 : shape.sources); ++n) { // v_cmp_f_* ignores its sources
      if (shape.sources == 0 && has("64")) words[n] = 2;
      s.push_back(mnemonic.compare(0, 4, "v_s_") == 0 ? "s" + std::to_string(28 + n) : vgpr(n));
    }
    bool literal = what.text->uses("SIMM32") || what.text->uses("SIMM16");
    std::vector<std::vector<std::string>> dsts, tails{{}};
    if (has("cmp")) dsts = {{vcc}, {sgprMask(20)}, {}};
    else if (has("readlane") || has("readfirstlane") || mnemonic.compare(0, 4, "v_s_") == 0) dsts = {{"s20"}};
    else if (shape.usesD1 || has("_co_") || has("div_scale")) dsts = {{d, vcc}, {d, sgprMask(20)}};
    else dsts = {{d}};
    if (shape.usesVcc && !has("div_") && !has("v_add_co_u32") && !has("v_sub_co_u32") && !has("v_subrev_co_u32")) tails = {{}, {vcc}, {sgprMask(24)}};
    for (const char *suffix : {"_e32", "_e64", ""}) {
      if (*suffix == 0 && !forms.empty()) break;
      if (has("permlane16") || has("permlanex16")) { // with FI, which the texts assume: inactive lanes are read too
        if (!has("swap")) attempt(mnemonic + suffix + " " + d + ", v40" + (has("_var") ? ", v72" : ", s28, s29") + " op_sel:[1,0]");
        if (!has("swap")) continue;
      }
      for (const auto &dst : dsts)
        for (const auto &tail : tails) {
          Form f{mnemonic + suffix, dst, s, tail};
          if (literal) f.sources.insert(f.sources.begin() + (has("amk") || has("admk") ? 1 : 2), has("f16") ? "0x3a55" : "0x40490fdb");
          if (has("readlane") && f.sources.size() > 1) f.sources[1] = "s30";
          if (has("writelane")) f.sources = {"s28", "5"};
          attemptForm(std::move(f));
        }
    }
    if (mnemonic == "v_swap_b32" || mnemonic == "v_swap_b16") return;
    if (what.encoding == "VOPD") attempt(mnemonic + " v4, " + s[0] + (s.size() > 1 ? ", v73" : "") + (literal ? ", 0x40490fdb" : "") + " :: v_dual_mov_b32 v7, v42");
  }

  std::string constant(unsigned n) {
    static const char *const floats[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
    switch (below(3)) {
    case 0: return floats[below(shape.floatBits[n] == 64 ? 8 : 9)];
    case 1: return std::to_string(static_cast<int>(below(81)) - 16);
    default: {
      char b[16];
      std::snprintf(b, sizeof b, "0x%x", static_cast<unsigned>(interesting(random, shape.floatBits[n] == 16 ? 16 : 32, shape.floatBits[n] == 64 ? 32 : shape.floatBits[n], shape.bfloat[n])));
      return b;
    }
    }
  }

  bool vectorVariant() {
    if (has("pk_fmac")) return true; // modifiers that LLVM gives it by mistake
    Form f = forms.empty() ? Form() : forms[below(static_cast<unsigned>(forms.size()))];
    if (forms.empty() || f.sources.empty()) return true;
    bool literal = what.text->uses("SIMM32") || what.text->uses("SIMM16"), packed = what.encoding == "VOP3P";
    std::string modifiers;
    if (!literal && !shape.byRegister && !shape.wave && below(2)) {
      unsigned n = below(static_cast<unsigned>(f.sources.size()));
      switch (below(4)) {
      case 0: f.sources[n] = range('s', 32 + 8 * n, words[n]); break;
      case 1: f.sources[n] = f.sources[below(static_cast<unsigned>(f.sources.size()))]; break;
      case 2: if (words[n] == (shape.floatBits[n] == 64 ? 2 : 1)) f.sources[n] = constant(n); break;
      default: if (words[n] == dWords && !f.dst.empty() && f.dst[0][0] == 'v' && f.dst[0] != "vcc" && f.dst[0] != "vcc_lo") f.sources[n] = f.dst[0];
      }
    }
    bool wide = f.head.find("_e64") != std::string::npos;
    if (wide && !packed)
      for (size_t n = 0; n < f.sources.size() && n < 3; ++n)
        if (shape.floatBits[n] && shape.bits[n] == shape.floatBits[n] && !has("dot") && below(2)) { // of two numbers: not said
          if (below(2)) f.sources[n] = "|" + f.sources[n] + "|";
          if (below(2)) f.sources[n] = "-" + f.sources[n];
        }
    bool cmp = has("cmp");
    if (packed && !has("dot") && !has("fma_mix") && !has("mad_mix")) {
      auto bits = [&](const char *name) {
        std::string t = std::string(" ") + name + ":[";
        for (size_t n = 0; n < f.sources.size(); ++n) t += (n ? "," : "") + std::to_string(below(2));
        return t + "]";
      };
      if (below(2)) modifiers += bits("op_sel");
      if (below(2)) modifiers += bits("op_sel_hi");
      if (shape.floatBits[0]) {
        if (below(2)) modifiers += bits("neg_lo");
        if (below(2)) modifiers += bits("neg_hi");
      }
    }
    if (has("fma_mix") || has("mad_mix")) {
      auto bits = [&](const char *name) { return std::string(" ") + name + ":[" + std::to_string(below(2)) + "," + std::to_string(below(2)) + "," + std::to_string(below(2)) + "]"; };
      f.sources = {vgpr(0), vgpr(1), vgpr(2)};
      for (unsigned n = 0; n < 3; ++n) {
        if (below(3) == 0) f.sources[n] = "|" + f.sources[n] + "|";
        if (below(3) == 0) f.sources[n] = "-" + f.sources[n];
      }
      modifiers = bits("op_sel") + bits("op_sel_hi");
    }
    if (wide && !packed && !cmp && !shape.usesVcc) {
      if (has("16") && below(3) == 0) {
        modifiers += " op_sel:[";
        for (size_t n = 0; n <= f.sources.size(); ++n) modifiers += (n ? "," : "") + std::to_string(below(2));
        modifiers += "]";
      }
      if (has("bitop3")) modifiers = " bitop3:" + std::to_string(below(256));
    }
    bool clamps = true;
    for (const Erratum &e : errata) clamps &= !(e.from && std::string_view(e.from) == "@clamp" && mnemonic == e.name);
    if (!cmp && (wide || packed) && below(3) == 0 && clamps) modifiers += " clamp";
    if (!cmp && wide && shape.resultFloat && below(4) == 0) modifiers += below(3) == 0 ? " div:2" : below(2) ? " mul:2" : " mul:4";
    if (has("bitop3") && modifiers.find("bitop3") == std::string::npos) modifiers = " bitop3:" + std::to_string(below(256));
    return attempt(join(f, modifiers));
  }

  void scalar() {
    std::vector<std::string> s;
    for (unsigned n = 0; n < shape.sources; ++n) s.push_back(range('s', 40 + 16 * n, words[n]));
    std::string d = range('s', 20, dWords);
    if (what.encoding == "SOPK") {
      for (const char *k : {"0x1234", "0xfedc", "0xffff", "7"})
        if (!attempt(mnemonic + " s20, " + k)) attempt(mnemonic + " " + std::string("s[20:21], ") + k);
      return;
    }
    if (what.encoding == "SOPP") {
      for (const char *k : {" 16", " 100", ""}) attempt(mnemonic + k);
      return;
    }
    std::vector<std::vector<std::string>> dsts;
    if (shape.writesD0) dsts = {{d}};
    else dsts = {{}};
    for (const auto &dst : dsts) {
      Form f{mnemonic, dst, s, {}};
      if (what.text->uses("SIMM32")) f.sources.insert(f.sources.begin() + (has("amk") ? 1 : 2), "0x40490fdb");
      attemptForm(std::move(f));
    }
  }
  void scalarVariant() {
    if (forms.empty() || forms[0].sources.empty() || what.text->uses("SIMM32")) return;
    Form f = forms[0];
    unsigned n = below(static_cast<unsigned>(f.sources.size()));
    switch (below(5)) {
    case 0: f.sources[n] = words[n] == 2 ? "vcc" : "vcc_lo"; break;
    case 1: f.sources[n] = words[n] == 2 ? "exec" : "m0"; break;
    case 2: f.sources[n] = f.sources[below(static_cast<unsigned>(f.sources.size()))]; break;
    case 3: if (!f.dst.empty() && words[n] == dWords) f.sources[n] = f.dst[0]; break;
    default: f.sources[n] = constant(n);
    }
    if (f.sources[n][0] != 's' && f.sources[n][0] != 'v' && f.sources[n][0] != 'e' && f.sources[n][0] != 'm')
      for (size_t k = 0; k < f.sources.size(); ++k)
        if (k != n && f.sources[k].compare(0, 2, "0x") == 0) return;
    attempt(join(f));
  }

  unsigned dataWords(const char *name) {
    unsigned bits = 32;
    forEachNode(*what.text->body, [&](const Node &n) {
      if ((n.op != Op::As && n.op != Op::Slice) || n.children[0]->op != Op::Name || what.text->symbols[static_cast<size_t>(n.children[0]->symbol)] != name) return;
      if (n.op == Op::As) bits = std::max<unsigned>(bits, n.type.bits);
      else if (n.children[1]->op == Op::Constant) bits = std::max(bits, static_cast<unsigned>(n.children[1]->constant.v) + 1);
    });
    return (bits + 31) / 32;
  }
  bool loads() const { return !what.text->uses("DATA") && !what.text->uses("DATA0") && !has("store") && !has("write"); }

  void lds() {
    std::string d = range('v', 4, dataWords("RETURN_DATA")), a = "v40", data = range('v', 72, dataWords(what.text->uses("DATA") ? "DATA" : "DATA0")), data2 = range('v', 104, dataWords("DATA2"));
    bool two = what.text->uses("DATA2"), pair = what.text->uses("OFFSET0") && (has("2addr") || has("read2") || has("write2") || has("xchg2") || has("xchg_2"));
    std::vector<std::string> operands;
    for (bool withAddress : {true, false}) {
      std::string base = mnemonic + " ";
      std::vector<std::string> list;
      bool returns = loads() || has("_rtn") || has("permute") || has("load") || has("read");
      if (returns) list.push_back(d);
      if (withAddress) list.push_back(a);
      if (!loads()) list.push_back(data);
      if (two) list.push_back(data2);
      for (size_t k = 0; k < list.size(); ++k) base += (k ? ", " : "") + list[k];
      bool any = false;
      for (const char *offset : pair ? std::initializer_list<const char *>{" offset0:1 offset1:3", " offset0:4 offset1:2"} : std::initializer_list<const char *>{"", " offset:16", " offset:1032"})
        any |= attempt(base + offset);
      if (any) return;
    }
  }
  void flat() {
    bool store = has("store"), atomic = has("atomic"), scratch = has("scratch");
    std::string name = atomic || what.text->uses("DATA") ? "DATA" : "VDATA";
    std::string data = range('v', 72, dataWords(name.c_str())), d = range('v', 4, atomic ? dataWords("RETURN_DATA") : dataWords("VDATA"));
    std::vector<std::pair<std::string, std::string>> addresses; // address operands before the data, after it
    if (has("flat_")) addresses = {{"v[40:41]", ""}};
    else if (scratch) addresses = {{"v40", ", off"}, {"off", ", s30"}, {"v40", ", s30"}};
    else addresses = {{"v[40:41]", ", off"}, {"v40", ", s[34:35]"}};
    for (const auto &[before, after] : addresses)
      for (const char *offset : {"", " offset:64"}) {
        if (store) attempt(mnemonic + " " + before + ", " + data + after + offset);
        else if (!atomic) attempt(mnemonic + " " + d + ", " + before + after + offset);
        else {
          attempt(mnemonic + " " + before + ", " + data + after + offset);
          if (!attempt(mnemonic + " " + d + ", " + before + ", " + data + after + offset + " sc0"))
            attempt(mnemonic + " " + d + ", " + before + ", " + data + after + offset + " th:TH_ATOMIC_RETURN");
        }
      }
  }
  void buffer() {
    if (has("format") || has("inv") || has("wb")) return;
    bool store = has("store"), atomic = has("atomic");
    std::string name = atomic ? "DATA" : "VDATA", data = range('v', 72, dataWords(name.c_str()));
    std::string d = store || atomic ? data : range('v', 4, dataWords("VDATA"));
    for (const char *tail : {" offset:64", ""}) {
      attempt(mnemonic + " " + d + ", v40, s[36:39], 0 offen" + tail);
      attempt(mnemonic + " " + d + ", v40, s[36:39], s30 offen" + tail);
      if (!attempt(mnemonic + " " + d + ", off, s[36:39], s30" + tail)) attempt(mnemonic + " " + d + ", off, s[36:39], s30" + tail);
      if (atomic && !attempt(mnemonic + " " + d + ", v40, s[36:39], 0 offen sc0" + tail)) attempt(mnemonic + " " + d + ", v40, s[36:39], 0 offen" + tail + " th:TH_ATOMIC_RETURN");
    }
  }
  void scalarMemory() {
    std::string d = range('s', 4, dataWords("SDATA")), base = has("buffer") ? "s[36:39]" : "s[34:35]";
    for (const char *tail : {"0x0", "0x40", "s30", "s30 offset:0x40"}) attempt(mnemonic + " " + d + ", " + base + ", " + tail);
  }
};

} // namespace

std::vector<int> encodings(StepBench &bench, const Instruction &what, Random &random, unsigned variants) {
  if (!what.text) return {};
  return Chooser(bench, what, random).run(variants);
}

Wide interesting(Random &random, unsigned bits, unsigned floatBits, bool bfloat) {
  auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  if (bits > 64) return Wide(random()) << 64 | random();
  if (floatBits && bits >= 2 * floatBits) { // packed
    Wide v = 0;
    for (unsigned k = 0; k < bits; k += floatBits) v |= interesting(random, floatBits, floatBits, bfloat) << k;
    return v;
  }
  if (floatBits) {
    unsigned mantissa = bfloat ? 7 : floatBits == 16 ? 10 : floatBits == 32 ? 23 : 52, exponent = floatBits - 1 - mantissa;
    uint64_t top = (1ull << exponent) - 1, bias = top >> 1, m = random() & ((1ull << mantissa) - 1), sign = static_cast<uint64_t>(below(2)) << (floatBits - 1);
    uint64_t quiet = 1ull << (mantissa - 1);
    auto make = [&](uint64_t e, uint64_t f) { return sign | e << mantissa | (f & ((1ull << mantissa) - 1)); };
    switch (below(20)) {
    case 0: return sign;                                             // zeros
    case 1: return make(0, 1);                                       // least denormal
    case 2: return make(0, m | 1);                                   // denormals
    case 3: return make(0, ~0ull);
    case 4: return make(1, below(2));                                // least normal
    case 5: return make(top - 1, ~0ull);                             // largest
    case 6: return make(top, 0);                                     // infinity
    case 7: return make(top, quiet | m);                             // quiet NaN
    case 8: return make(top, (m & (quiet - 1)) | 1);                 // signalling NaN
    case 9: return make(bias + below(2 * mantissa + 4) - below(8), below(2) ? 0 : below(2) ? 1 : ~0ull); // 2^k, next, before
    case 10: return make(bias + below(6), m & (~0ull << (mantissa - 3 < 64 ? mantissa - 3 : 0))); // small halves and quarters
    case 11: case 12: case 13: return sign | (random() & ((1ull << (floatBits - 1)) - 1)); // any bits
    case 14: return make(1 + below(floatBits == 16 ? 6 : 40), m);    // small normals
    default: return make(bias - 4 + below(9), m);                    // around one
    }
  }
  Wide all = maskOf(bits);
  switch (below(8)) {
  case 0: {
    static const uint64_t specials[] = {0, 1, ~0ull, 2, 31, 32, 63, 64};
    return specials[below(8)] & all;
  }
  case 1: return (Wide(1) << below(bits)) & all;
  case 2: return ((Wide(1) << below(bits)) - 1) & all;
  case 3: return ((Wide(1) << (bits - 1)) + below(3) - 1) & all;
  case 4: return below(256);
  default: return random() & all;
  }
}

} // namespace fly::pseudocode
