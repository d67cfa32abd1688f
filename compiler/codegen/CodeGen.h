// What the code generator takes and gives: options, objects, failures. pipeline/Compile.h has its functions.
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/artifact/PlacedText.h"
#include "compiler/codegen/LlvmOptions.h"
#include "compiler/target/Target.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fly::codegen {

/// A kernel fixes what cannot be: registers, an order, a number of AGPRs.
struct Refusal {
  std::string message;   ///< lower case, no full stop
  std::string file = {}; ///< as the locations of the module name it; empty if the place is not known
  unsigned line = 0, column = 0;
};

struct Failure {
  enum class Stage { Translate, Optimize, Emit, Link, Read };
  Stage stage = Stage::Emit;
  std::string message;     ///< one line, lower case, in LLVM's own words where possible
  std::string details;     ///< LLVM's further lines (a selection graph, ...), may be empty
  bool crashed = false;    ///< the backend gave up instead of reporting: memory it held is lost
  std::string option = {}; ///< the LLVM option of the kernel whose value LLVM refused; the message is about it
  std::vector<Refusal> refusals = {}; ///< if there are any, the kernel is wrong, and neither compiler nor LLVM
};

/// A value or a Failure.
template <typename T> class Result {
public:
  Result(T value) : content(std::move(value)) {}
  Result(Failure failure) : content(std::move(failure)) {}
  explicit operator bool() const { return content.index() == 0; }
  T &operator*() { return std::get<0>(content); }
  const T &operator*() const { return std::get<0>(content); }
  T *operator->() { return &std::get<0>(content); }
  const T *operator->() const { return &std::get<0>(content); }
  const Failure &failure() const { return std::get<1>(content); }

private:
  std::variant<T, Failure> content;
};

/// A file of LLVM bitcode with functions that a kernel calls.
struct Bitcode {
  std::string name, bytes;
};

struct Options {
  std::vector<Bitcode> bitcode;       ///< linked into the kernel's module (Bitcode.h)
  LlvmOptions attributes;             ///< of the kernel's function
  LlvmOptions globals;                ///< for whoever starts the process; compileToObject does not look at them
  std::set<std::string> rulesOff;     ///< of compiler/verify: what breaks them is not mended
  unsigned timeout = 600;             ///< of that process, in seconds
  unsigned optimizationLevel = 3;     ///< 0 to 3
  bool keepLlvmIr = false;            ///< fill Object::llvmIr and Object::optimizedLlvmIr
  bool keepPlacedIr = false;          ///< fill Object::placedIr
  bool emitObject = true;             ///< false: stop after the LLVM IR
  std::vector<std::string> keepAfter; ///< passes, by name: fill Object::after
  std::string stopAfter;              ///< the last of them that is wanted: there is no object
  std::vector<std::string> without;   ///< passes that do not run, which may make the code wrong
};

/// LLVM IR or MIR as a pass left it.
struct PassText {
  std::string pass, text;
};

struct Object {
  std::string bytes;             ///< a relocatable ELF file
  std::string llvmIr;            ///< as translated
  std::string optimizedLlvmIr;   ///< as the backend gets it
  artifact::PlacedText placedIr; ///< the same, to be read next to the source
  std::vector<PassText> after;   ///< in the order in which they ran
};

} // namespace fly::codegen
