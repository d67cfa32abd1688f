// AMD's published pseudocode (tests/facts/isa), by document and instruction name, with its known errata.
#pragma once

#include "tests/emulator/pseudocode/Syntax.h"

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace fly::pseudocode {

/// A place where a document's text is wrong. With `from`, that part of the text is replaced by `to`; without, the
/// instruction is not compared; with `from` "@mode" only in the default rounding and denormal mode, with "@clamp" only
/// without clamp, with "@exec" only with all lanes active.
struct Erratum {
  const char *name, *from, *to, *reason;
};
extern const std::vector<Erratum> errata;

/// What can be said of a text before it runs.
struct Shape {
  unsigned sources = 0;                         ///< S0 .. : how many
  unsigned bits[3] = {0, 0, 0}, resultBits = 0; ///< the widest view; 0: none
  unsigned floatBits[3] = {0, 0, 0};            ///< of the first float view of each source, 0: none
  bool bfloat[3] = {false, false, false};
  std::set<std::string> writes; ///< names that are assigned
  bool maskResult = false;      ///< D0.u64[laneId] = ...: the result is a bit of a mask
  bool choosesWords = false;    ///< by OPSEL: packed sources come as they are
  bool mixed = false;           ///< S is an array of the sources (v_fma_mix)
  bool writesD0 = false, resultFloat = false, usesVcc = false, usesD1 = false, usesScc = false;
  bool wave = false;         ///< runs once for all lanes: it moves data between them
  bool approximates = false; ///< uses division, roots, exponentials, ...
  bool byRegister = false;   ///< reads VGPR[laneId][SRC0]: the sources must be vector registers
};

struct Instruction {
  std::string name;     ///< as in the document: v_add_f32_e64
  std::string encoding; ///< VOP3
  std::string source;
  std::optional<Text> text; ///< none: `problem` says why
  std::string problem;
  Shape shape;
};

class Library {
public:
  /// `path` of the JSON file. An empty library and `error` if it cannot be read.
  explicit Library(const std::string &path);
  std::string error;
  const std::map<std::string, Instruction> &all() const { return instructions; }
  /// With or without _e32, _e64.
  const Instruction *find(const std::string &name) const;

private:
  std::map<std::string, Instruction> instructions; ///< by name
};

/// v_add_f32 of v_add_f32_e64.
std::string mnemonicOf(const std::string &name);

} // namespace fly::pseudocode
