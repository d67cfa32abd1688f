// Scalar instructions and scalar memory: see Chooser.h.
#include "tests/emulator/pseudocode/Chooser.h"

namespace fly::pseudocode {

void Chooser::scalar() {
  if (has("getreg") || has("setreg")) return hardwareRegisters();
  if (has("barrier")) {
    for (const char *number : {"-1", "m0", "0xffff", "0"}) {
      attempt(mnemonic + " " + number);
      attempt(mnemonic + " s20, " + number);
    }
    return;
  }
  if (has("set_gpr_idx")) {
    for (const char *mode : {"1", "2", "4", "8", "9", "15"})
      if (!attempt(mnemonic + " s40, " + mode)) attempt(mnemonic + " " + mode);
    if (has("idx_idx")) attempt(mnemonic + " s40");
    if (has("idx_off")) attempt(mnemonic);
    return;
  }
  if (what.encoding == "SOPK") {
    for (const char *k : {"0x1234", "0xfedc", "0xffff", "7"})
      if (!attempt(mnemonic + " s20, " + k) && !attempt(mnemonic + " s[20:21], " + k)) attempt(mnemonic + " " + k);
    return;
  }
  if (what.encoding == "SOPP") {
    for (const char *k : {" 16", " 100", ""}) attempt(mnemonic + k);
    return;
  }
  const bool result = shape.writesD0 || uses("DST");
  const unsigned first[4] = {dWords, words[0], words[1], words[2]};
  tryWidths((result ? 1 : 0) + std::min(sources, 3u), result ? first : first + 1, [&](const unsigned *w) {
    Form f{mnemonic, {}, {}, {}};
    if (result) f.dst = {range('s', 20, *w)};
    for (unsigned n = 0; n < sources; ++n) f.sources.push_back(range('s', 40 + 16 * n, w[(result ? 1 : 0) + n]));
    if (uses("SIMM32")) f.sources.insert(f.sources.begin() + (has("amk") ? 1 : 2), "0x40490fdb");
    if (!attemptForm(std::move(f))) return false;
    if (result) dWords = *w;
    for (unsigned n = 0; n < sources && n < 3; ++n) words[n] = w[(result ? 1 : 0) + n];
    return true;
  });
}

/// MODE, whole and in parts: the register whose bits the documents and the emulator share.
void Chooser::hardwareRegisters() {
  for (unsigned offset : {0u, 4u, 6u})
    for (unsigned size : {1u, 2u, 4u, 32u - offset}) {
      std::string id = std::to_string(1 | offset << 6 | (size - 1) << 11);
      if (has("getreg")) attempt(mnemonic + " s20, " + id);
      else attempt(mnemonic + " " + id + (uses("SIMM32") ? below(2) ? ", 0x40490fdb" : ", 0xa5c3965a" : ", s40"));
    }
}

void Chooser::scalarVariant() {
  if (forms.empty() || forms[0].sources.empty() || uses("SIMM32") || uses("SRC0") || uses("DST")) return;
  Form f = forms[0];
  unsigned n = below(static_cast<unsigned>(f.sources.size()));
  switch (below(5)) {
  case 0: f.sources[n] = words[n] == 2 ? "vcc" : "vcc_lo"; break;
  case 1: f.sources[n] = words[n] == 2 ? "exec" : "m0"; break;
  case 2: f.sources[n] = f.sources[below(static_cast<unsigned>(f.sources.size()))]; break;
  case 3:
    if (!f.dst.empty() && words[n] == dWords) f.sources[n] = f.dst[0];
    break;
  default: f.sources[n] = constant(n);
  }
  if (f.sources[n][0] != 's' && f.sources[n][0] != 'v' && f.sources[n][0] != 'e' && f.sources[n][0] != 'm')
    for (size_t k = 0; k < f.sources.size(); ++k)
      if (k != n && f.sources[k].compare(0, 2, "0x") == 0) return;
  attempt(join(f));
}

void Chooser::scalarMemory() {
  if (has("prefetch")) {
    const char *base = has("buffer") ? " s[36:39], " : has("pc_rel") ? " " : " s[34:35], ";
    for (const char *tail : {"0x100, s30, 5", "0x0, m0, 31"}) attempt(mnemonic + base + tail);
    return;
  }
  const char *const base = has("buffer") ? "s[36:39]" : "s[34:35]";
  const bool atomic = has("atomic"), stores = has("store");
  const unsigned first[1] = {dataWords(atomic ? "DATA" : "SDATA")};
  tryWidths(1, first, [&](const unsigned *w) {
    bool any = false;
    for (const char *tail : {"0x0", "0x40", "s30", "s30 offset:0x40"}) {
      std::string text = mnemonic + " " + range('s', stores || atomic ? 44 : 4, *w) + ", " + base + ", " + tail;
      any |= attempt(text);
      if (atomic) any |= attempt(text + " glc");
    }
    return any;
  });
}

} // namespace fly::pseudocode
