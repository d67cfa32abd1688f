// See LlvmOptions.h.
//
// Attributes are a table, because LLVM has no list of them. Not in it is what flyc sets itself, by the kernel's block,
// its LDS, `vgprs=` or `agprs=`. Globals are what LLVM has registered, without those that print a text and end the
// process, and those that ask for the instruction selector that is not there (Absent.cpp).
#include "compiler/codegen/LlvmOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace fly::codegen {

namespace {

enum class Form { Number, Range, Truth, Choice };

struct AttributeRow {
  llvm::StringLiteral name;
  Form form;
  std::vector<llvm::StringRef> choices = {};
};

const std::vector<AttributeRow> &attributes() {
  static const std::vector<AttributeRow> rows = {
      {"amdgpu-waves-per-eu", Form::Range}, // least and most waves on a SIMD: a budget of registers
      {"amdgpu-num-sgpr", Form::Number},    // the most SGPRs
      {"amdgpu-sched-strategy",
       Form::Choice,
       {"max-ilp", "max-memory-clause", "iterative-ilp", "iterative-minreg", "iterative-maxocc"}},
      {"amdgpu-memory-bound", Form::Truth}, // what the scheduler believes of the kernel
      {"amdgpu-wave-limiter", Form::Truth},
      {"amdgpu-unroll-threshold", Form::Number}, // how much code a loop may become
      {"amdgpu-promote-alloca-to-vector-max-regs", Form::Number},
      {"amdgpu-promote-alloca-to-vector-vgpr-ratio", Form::Number},
  };
  return rows;
}

const AttributeRow *findAttribute(llvm::StringRef name) {
  auto found = llvm::find_if(attributes(), [&](auto &row) { return row.name == name; });
  return found == attributes().end() ? nullptr : &*found;
}

constexpr llvm::StringLiteral leftOut[] = {
    "help", "help-list",     "help-hidden",       "help-list-hidden", "version",
    "h",    "print-options", "print-all-options", "global-isel",      "global-isel-abort",
};

llvm::cl::Option *findGlobal(llvm::StringRef name) {
  if (llvm::is_contained(leftOut, name))
    return nullptr;
  return llvm::cl::getRegisteredOptions().lookup(name);
}

bool isNumber(llvm::StringRef text) {
  unsigned number = 0;
  return !text.getAsInteger(10, number);
}

} // namespace

LlvmOptionKind kindOfLlvmOption(std::string_view name) {
  return findAttribute(name) ? LlvmOptionKind::Attribute
         : findGlobal(name)  ? LlvmOptionKind::Global
                             : LlvmOptionKind::Unknown;
}

const std::vector<std::string> &llvmOptionNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (auto &row : attributes())
      all.push_back(row.name.str());
    for (auto &entry : llvm::cl::getRegisteredOptions())
      if (findGlobal(entry.first))
        all.push_back(entry.first.str());
    llvm::sort(all);
    all.erase(llvm::unique(all), all.end());
    return all;
  }();
  return names;
}

std::string attributeProblem(std::string_view name, std::string_view text) {
  const AttributeRow &row = *findAttribute(name);
  const llvm::StringRef value(text);
  switch (row.form) {
  case Form::Number: return isNumber(value) ? "" : "it takes a number";
  case Form::Truth: return value == "true" || value == "false" ? "" : "it takes True or False";
  case Form::Range: {
    auto [least, most] = value.split(',');
    const bool good = isNumber(least) && (isNumber(most) || !value.contains(','));
    return good ? "" : "it takes a number, or two as in \"2,4\"";
  }
  case Form::Choice: break;
  }
  return llvm::is_contained(row.choices, value) ? "" : "it takes one of " + llvm::join(row.choices, ", ");
}

std::optional<LlvmOptionProblem> setGlobalOptions(const LlvmOptions &options) {
  for (auto &[name, value] : options) {
    llvm::cl::Option *option = findGlobal(name);
    if (!option)
      return LlvmOptionProblem{name, "this LLVM has no such option"};
    std::string argument = "-" + name, said;
    if (option->getValueExpectedFlag() == llvm::cl::ValueDisallowed) {
      if (value == "false")
        continue;
      if (value != "true")
        return LlvmOptionProblem{name, "it takes True or False"};
    } else {
      argument += "=" + value;
    }
    llvm::raw_string_ostream out(said);
    const char *arguments[] = {"llvm", argument.c_str()};
    if (!llvm::cl::ParseCommandLineOptions(2, arguments, "", &out))
      return LlvmOptionProblem{name, llvm::StringRef(said).trim().str()};
  }
  return std::nullopt;
}

} // namespace fly::codegen
