// Vector instructions: see Chooser.h.
#include "tests/emulator/pseudocode/Chooser.h"

namespace fly::pseudocode {

void Chooser::vector() {
  plainVector();
  if (what.encoding == "VOPD")
    attempt(mnemonic + " v4, " + vgpr(0) + (shape.sources > 1 ? ", v73" : "") + (uses("SIMM32") ? ", 0x40490fdb" : "") +
            " :: v_dual_mov_b32 v7, v42");
  vectorSelections();
  if (accepted.empty()) vectorHalves();
}

/// The document's own forms: _e32 and _e64, or neither, with the results and masks that each may have.
void Chooser::plainVector() {
  std::string vcc = mask == 2 ? "vcc" : "vcc_lo";
  bool toScalar = has("readlane") || has("readfirstlane") || begins("v_s_");
  if (sources == 0 && has("64")) words[0] = words[1] = 2; // v_cmp_f_* ignores its sources
  const unsigned count = has("v_cmp") ? 2 : sources;
  bool literal = uses("SIMM32") || uses("SIMM16");
  std::vector<std::vector<std::string>> tails{{}};
  if (shape.usesVcc && !has("div_") && !has("v_add_co_u32") && !has("v_sub_co_u32") && !has("v_subrev_co_u32"))
    tails = {{}, {vcc}, {sgprMask(24)}};
  for (const char *suffix : {"_e32", "_e64", ""}) {
    if (*suffix == 0 && !forms.empty()) break;
    if (has("permlane16") || has("permlanex16")) { // with FI, which the texts assume: inactive lanes are read too
      if (!has("swap")) {
        attempt(mnemonic + suffix + " " + range('v', 4, dWords) + ", v40" + (has("_var") ? ", v72" : ", s28, s29") +
                " op_sel:[1,0]");
        continue;
      }
    }
    const unsigned first[4] = {dWords, words[0], words[1], words[2]};
    tryWidths(1 + std::min(count, 3u), first, [&](const unsigned *w) {
      std::string d = range('v', 4, w[0]);
      std::vector<std::string> s;
      for (unsigned n = 0; n < count; ++n)
        s.push_back(begins("v_s_") ? "s" + std::to_string(28 + n) : range('v', 40 + 32 * n, w[1 + n]));
      if (has("div_scale")) s[0] = s[below(2) + 1]; // it is for one of the two others
      std::vector<std::vector<std::string>> dsts;
      if (has("cmp")) dsts = {{vcc}, {sgprMask(20)}, {}};
      else if (toScalar) dsts = {{"s20"}};
      else if (shape.usesD1 || has("_co_") || has("div_scale")) dsts = {{d, vcc}, {d, sgprMask(20)}};
      else dsts = {{d}};
      bool any = false;
      for (const auto &dst : dsts)
        for (const auto &tail : tails) {
          Form f{mnemonic + suffix, dst, s, tail};
          if (literal)
            f.sources.insert(f.sources.begin() + (has("amk") || has("admk") ? 1 : 2),
                             has("f16") ? "0x3a55" : "0x40490fdb");
          if (has("readlane") && f.sources.size() > 1) f.sources[1] = "s30";
          if (has("writelane")) f.sources = {"s28", "5"};
          any |= attemptForm(std::move(f));
        }
      if (any) {
        dWords = w[0];
        for (unsigned n = 0; n < count && n < 3; ++n) words[n] = w[1 + n];
      }
      // Other widths are for where the text does not tell them: mostly the first try is refused for another reason.
      bool open = shape.bits[0] == 0 || shape.sources < sources || (shape.writesD0 && shape.resultBits == 0);
      return any || (!open && mnemonic.find("cvt") == std::string::npos);
    });
  }
}

/// 16-bit instructions of gfx12 that only exist with the halves of registers as operands.
void Chooser::vectorHalves() {
  for (const char *suffix : {"_e32", "_e64", ""})
    for (const char *to : {".l", ".h"})
      for (const char *from : {".l", ".h"}) {
        Form f{mnemonic + suffix, {std::string("v4") + to}, {}, {}};
        for (unsigned n = 0; n < sources; ++n) f.sources.push_back("v" + std::to_string(40 + 32 * n) + from);
        attemptForm(std::move(f));
      }
}

/// Where a text asks which part of a source or of the result is meant, every answer.
void Chooser::vectorSelections() {
  if (uses("SDWA_SRC0_SEL"))
    for (const char *part : uses("WORD1") ? std::initializer_list<const char *>{"WORD_0", "WORD_1"}
                                          : std::initializer_list<const char *>{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3"})
      attempt(mnemonic + "_sdwa " + range('v', 4, dWords) + ", " + range('v', 40, 1) + " src0_sel:" + part);
  if (!uses("OPSEL") || what.encoding == "VOP3P") return;
  const std::vector<Form> plain = forms;
  for (const Form &f : plain) {
    for (unsigned k = 1; k < 4; ++k) attempt(join(f, " byte_sel:" + std::to_string(k)));
    for (unsigned k = 1; k < (2u << f.sources.size()); ++k) {
      std::string t = " op_sel:[";
      for (unsigned n = 0; n <= f.sources.size(); ++n) t += (n ? "," : "") + std::to_string(k >> n & 1);
      attempt(join(f, t + "]"));
    }
  }
}

std::string Chooser::constant(unsigned n) {
  static const char *const floats[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
  switch (below(3)) {
  case 0: return floats[below(shape.floatBits[n] == 64 ? 8 : 9)];
  case 1: return std::to_string(static_cast<int>(below(81)) - 16);
  default: {
    char b[16];
    std::snprintf(
        b, sizeof b, "0x%x",
        static_cast<unsigned>(interesting(random, shape.floatBits[n] == 16 ? 16 : 32,
                                          shape.floatBits[n] == 64 ? 32 : shape.floatBits[n], shape.bfloat[n])));
    return b;
  }
  }
}

bool Chooser::vectorVariant() {
  if (has("pk_fmac")) return true; // modifiers that LLVM gives it by mistake
  Form f = forms.empty() ? Form() : forms[below(static_cast<unsigned>(forms.size()))];
  if (forms.empty() || f.sources.empty()) return true;
  if (has("div_scale")) { // the first source is one of the others
    f.sources[0] = f.sources[1 + below(2)];
    return attempt(join(f));
  }
  bool literal = what.text->uses("SIMM32") || what.text->uses("SIMM16"), packed = what.encoding == "VOP3P";
  std::string modifiers;
  if (!literal && !shape.byRegister && !shape.wave && below(2)) {
    unsigned n = below(static_cast<unsigned>(f.sources.size()));
    switch (below(4)) {
    case 0: f.sources[n] = range('s', 32 + 8 * n, words[n]); break;
    case 1: f.sources[n] = f.sources[below(static_cast<unsigned>(f.sources.size()))]; break;
    case 2:
      if (words[n] == (shape.floatBits[n] == 64 ? 2 : 1)) f.sources[n] = constant(n);
      break;
    default:
      if (words[n] == dWords && !f.dst.empty() && f.dst[0][0] == 'v' && f.dst[0] != "vcc" && f.dst[0] != "vcc_lo")
        f.sources[n] = f.dst[0];
    }
  }
  // True16: the high half by the register's name.
  if (shape.bits[0] == 16 && emulator::test::isGfx12(bench.row) && !packed && below(3) == 0) {
    for (std::string &o : f.sources)
      if (o[0] == 'v' && o[1] != 'c' && o.find('[') == std::string::npos) o += below(2) ? ".h" : ".l";
    if (shape.resultBits == 16 && !f.dst.empty() && f.dst[0][0] == 'v' && f.dst[0][1] != 'c')
      f.dst[0] += below(2) ? ".h" : ".l";
    return attempt(join(f));
  }
  bool wide = f.head.find("_e64") != std::string::npos;
  if (wide && !packed)
    for (size_t n = 0; n < f.sources.size() && n < 3; ++n)
      // Of two numbers: not said.
      if (shape.floatBits[n] && shape.bits[n] == shape.floatBits[n] && !has("dot") && below(2)) {
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
    auto bits = [&](const char *name) {
      return std::string(" ") + name + ":[" + std::to_string(below(2)) + "," + std::to_string(below(2)) + "," +
             std::to_string(below(2)) + "]";
    };
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
  if (!cmp && wide && shape.resultFloat && below(4) == 0)
    modifiers += below(3) == 0 ? " div:2" : below(2) ? " mul:2" : " mul:4";
  if (has("bitop3") && modifiers.find("bitop3") == std::string::npos)
    modifiers = " bitop3:" + std::to_string(below(256));
  return attempt(join(f, modifiers));
}

} // namespace fly::pseudocode
