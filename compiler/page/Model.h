// What a page about machine code shows, as JSON: docs/schema/page.schema.json.
//
//     Model model;
//     model.add(object, "gemm.hsaco", "", {}, sourceText);   // any code object; more of them may follow
//     model.attach(profile);                                 // counts or times of a launch, as `flyc run` writes them
//     std::string html = pageOf(model.json());               // Page.h
//
// A kernel is a report (docs/schema/report.schema.json) and columns: for each instruction its text, place, unit, live
// registers. Columns and not objects, because a kernel may have 20,000 instructions and a page must open at once.
// Places are numbered; what is known of an instruction, a line of Fly IR and a line of LLVM IR is one number each, and
// so are the links between them.
#pragma once

#include "compiler/artifact/PlacedText.h"
#include "compiler/report/Report.h"

#include <functional>
#include <map>
#include <optional>

namespace fly::page {

using report::Json;

/// How the lanes of the first wave access a tensor, and the tiled copy that they do it for.
struct Access {
  artifact::PlacedText::Place place;
  std::string tensor, element; ///< "`sa[stage]`"; "f16", or empty
  bool isLds = false, isWrite = false;
  uint32_t bits = 0;          ///< of a lane
  uint64_t active = 0;        ///< lanes that take part
  std::vector<int64_t> bytes; ///< by lane, the address
  std::string atom, tv, tile; ///< of a tiled copy: as texts; empty: a single access
  bool ofSource = false;
};

/// A loop that the source gives a name, `range(..., name="main")` or `isa.label(name="main")`, and where its jumps back
/// come from, as in line tables.
struct LoopName {
  std::string name, file;
  unsigned line = 0;
};

/// What is known of a kernel that was compiled just now.
struct Compiled {
  artifact::PlacedText fly, llvmIr;
  std::vector<Access> accesses;
  std::vector<LoopName> loops;
};

/// So many instructions fit into one page: about 40 MB.
inline constexpr size_t mostInstructions = 400'000;

class Model {
public:
  /// The text of a file that a line table names; none if it is not found.
  using SourceText = std::function<std::optional<std::string>(const std::string &file)>;

  /// Adds the kernels of an object, or the one named `kernel`, and its device functions; `name` is the object's.
  /// `compiled` is by the kernels' symbols. An error if some bytes are not instructions.
  llvm::Error add(const isa::CodeObject &object, const std::string &name, const std::string &kernel,
                  const std::map<std::string, Compiled> &compiled, const SourceText &source);
  /// What `flyc run --profile=json` or `--time-model=json` wrote of a launch of one of these kernels. Why it cannot be
  /// shown; empty: it is.
  std::string attach(const Json &measured);

  size_t kernels() const { return list.size(); }
  size_t instructions() const { return count; }
  Json json() const;

private:
  int32_t fileOf(const std::string &name, const SourceText &source);

  std::vector<Json> files, list;
  std::map<std::pair<std::string, std::string>, int32_t> known; ///< files by name and text
  size_t count = 0;
};

} // namespace fly::page
