// Assembly texts to try for an instruction; Encodings.h. One file each for vector, scalar and memory instructions.
//
// The texts of the pseudocode tell how many sources there are and how wide a view of them is. Where that does not give
// the width of an operand (a source that is only sliced, or only named by its register number), widths are tried.
#pragma once

#include "tests/emulator/pseudocode/Encodings.h"

#include <functional>

namespace fly::pseudocode {

using emulator::test::StepBench;

/// v4, v[4:7], s20.
std::string range(char file, unsigned first, unsigned words);

class Chooser {
public:
  Chooser(StepBench &bench, const Instruction &what, Random &random);
  std::vector<int> run(unsigned variants);
  /// The assembler knows the mnemonic for this architecture.
  bool exists() const { return known; }

private:
  StepBench &bench;
  const Instruction &what;
  const Shape &shape;
  Random &random;
  std::string mnemonic;
  unsigned sources = 0; ///< S0.. or SRC0..
  unsigned words[3], dWords, mask;
  bool known = false;
  std::vector<int> accepted;
  struct Form {
    std::string head;
    std::vector<std::string> dst, sources, tail;
  };
  std::vector<Form> forms;

  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }
  bool has(const char *part) const { return mnemonic.find(part) != std::string::npos; }
  bool begins(const char *part) const { return mnemonic.rfind(part, 0) == 0; }
  bool uses(const char *name) const { return what.text->uses(name); }
  bool attempt(const std::string &text);
  bool attemptForm(Form f);
  static std::string join(const Form &f, const std::string &modifiers = {});
  /// Calls `make` with widths for `count` operands until it is true; each takes its own width first.
  bool tryWidths(unsigned count, const unsigned *first, const std::function<bool(const unsigned *)> &make);
  std::string vgpr(unsigned n) const { return range('v', 40 + 32 * n, words[n]); }
  std::string sgprMask(unsigned first) const { return range('s', first, mask); }
  std::string constant(unsigned n);

  void vector();
  void plainVector();
  void vectorHalves();
  void vectorSelections();
  bool vectorVariant();
  void scalar();
  void scalarVariant();
  void hardwareRegisters();
  void scalarMemory();
  unsigned dataWords(const char *name) const;
  bool loads() const;
  void lds();
  void flat();
  void buffer();
  void typedBuffer();
};

} // namespace fly::pseudocode
