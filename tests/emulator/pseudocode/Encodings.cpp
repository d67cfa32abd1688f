// What all kinds of instructions share in choosing encodings. Registers are chosen so that every operand has room for
// 32 of them, or overlaps on purpose.
#include "tests/emulator/pseudocode/Chooser.h"

namespace fly::pseudocode {

std::string range(char file, unsigned first, unsigned words) {
  if (words <= 1) return file + std::to_string(first);
  return std::string(1, file) + "[" + std::to_string(first) + ":" + std::to_string(first + words - 1) + "]";
}

Chooser::Chooser(StepBench &bench, const Instruction &what, Random &random)
    : bench(bench), what(what), shape(what.shape), random(random), mnemonic(mnemonicOf(what.name)),
      sources(shape.sources) {
  for (unsigned n = 0; n < 3; ++n) {
    words[n] = (std::max(shape.bits[n], 32u) + 31) / 32;
    if (uses(("SRC" + std::to_string(n)).c_str())) sources = std::max(sources, n + 1);
  }
  dWords = (std::max(shape.resultBits, 32u) + 31) / 32;
  mask = bench.lanes() == 64 ? 2 : 1;
}

std::vector<int> Chooser::run(unsigned variants) {
  if (begins("v_")) vector();
  else if (begins("ds_")) lds();
  else if (begins("global_") || begins("flat_") || begins("scratch_") || begins("cluster_")) flat();
  else if (begins("tbuffer_") || has("_format_")) typedBuffer();
  else if (begins("buffer_")) buffer();
  else if (what.encoding == "SMEM") scalarMemory();
  else if (begins("s_")) scalar();
  if (!accepted.empty() && begins("v_"))
    for (unsigned k = 0, tries = 0; k < variants && tries < 4 * variants; ++tries) k += vectorVariant();
  if (!accepted.empty() && (what.encoding == "SOP1" || what.encoding == "SOP2" || what.encoding == "SOPC"))
    for (unsigned k = 0; k < variants; ++k) scalarVariant();
  return accepted;
}

bool Chooser::attempt(const std::string &text) {
  int n = bench.add(text);
  if (n < 0) {
    static const char *const absent[] = {"not supported on this GPU", "invalid instruction",
                                         "variant of this instruction is not supported"};
    bool other = false;
    for (const char *a : absent) other |= bench.error().find(a) != std::string::npos;
    known |= !other;
    return false;
  }
  known = true;
  if (bench.instruction(n).op == isa::Op::Invalid) return false;
  accepted.push_back(n);
  return true;
}

std::string Chooser::join(const Form &f, const std::string &modifiers) {
  std::string t = f.head;
  const char *separator = " ";
  for (const auto *list : {&f.dst, &f.sources, &f.tail})
    for (const std::string &o : *list) {
      t += separator + o;
      separator = ", ";
    }
  return t + modifiers;
}

bool Chooser::attemptForm(Form f) {
  if (!attempt(join(f))) return false;
  forms.push_back(std::move(f));
  return true;
}

bool Chooser::tryWidths(unsigned count, const unsigned *first, const std::function<bool(const unsigned *)> &make) {
  static constexpr unsigned widths[] = {0, 1, 2, 3, 4, 6, 8, 16, 32}; // 0: its own
  unsigned at[4] = {0, 0, 0, 0}, now[4];
  for (;;) {
    for (unsigned k = 0; k < count; ++k) now[k] = at[k] ? widths[at[k]] : first[k];
    if (make(now)) return true;
    if (!known) return false; // another width does not help
    unsigned k = 0;
    while (k < count && ++at[k] == std::size(widths)) at[k++] = 0;
    if (k == count) return false;
  }
}

std::vector<int> encodings(StepBench &bench, const Instruction &what, Random &random, unsigned variants, bool *exists) {
  if (!what.text) return {};
  Chooser chooser(bench, what, random);
  std::vector<int> list = chooser.run(variants);
  if (exists) *exists = chooser.exists();
  return list;
}

} // namespace fly::pseudocode
