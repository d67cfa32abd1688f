// toPythonModule and toPythonStub: the Python module of a build, and its types.
//
//     def softmax_256(x: flyc.Tensor, y: flyc.Tensor | flyc.Empty, rows: int = ..., n: int = ..., *,
//                     stream: object = None, overlap: bool = False) -> flyc.Tensor | None:
//
// Parameters are in source order. A scalar that follows from the tensors has a default. What must be given but comes
// after such a scalar is keyword-only, because Python has no other way to leave out an argument in the middle.
#include "compiler/artifact/Bindings.h"
#include "compiler/artifact/Functions.h"
#include "compiler/artifact/HeaderParts.h"

#include "compiler/host/NumberFormat.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace fly::artifact {

namespace {

/// Words that cannot be a name in Python. Names of a .fly file never are; those that `export` gives may be.
bool isReserved(const std::string &name) {
  static constexpr std::string_view words[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return std::find(std::begin(words), std::end(words), name) != std::end(words);
}

/// Text inside a docstring.
std::string docText(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == '\\' || c == '"')
      result += '\\';
    result += c == '\r' ? ' ' : c;
  }
  return result;
}

/// Lines of a docstring at `indent`.
std::string docstring(const std::vector<std::string> &lines, const std::string &indent) {
  std::string text = indent + "\"\"\"";
  for (size_t i = 0; i < lines.size(); ++i)
    text += (i == 0 ? "" : lines[i].empty() ? "\n" : "\n" + indent) + docText(lines[i]);
  return text + (lines.size() > 1 ? "\n" + indent : "") + "\"\"\"\n";
}

class StubWriter {
public:
  explicit StubWriter(const ModuleInfo &module) : module(module), functions(functionsOf(module)) {
    for (const ModuleFunction &function : functions)
      names.insert(function.symbol);
  }
  std::string write();

private:
  void function(const ModuleFunction &function, const std::string &name);
  void overloaded(const std::string &source, const std::vector<const ModuleFunction *> &instances);
  std::vector<std::string> lines(const ModuleFunction &function) const;
  std::string typeOfParameter(const ModuleFunction &function, size_t i) const;
  /// A type of Python, although a function of the module may have its name.
  std::string builtin(const std::string &type) const { return (names.count(type) ? "builtins." : "") + type; }
  std::string returned(size_t outputs) const {
    return outputs == 0   ? "None"
           : outputs == 1 ? "_flyc.Tensor | None"
                          : "_flyc.Tensor | " + builtin("tuple") + "[_flyc.Tensor, ...] | None";
  }

  const ModuleInfo &module;
  std::vector<ModuleFunction> functions;
  std::set<std::string> names;
  std::string out;
};

std::string StubWriter::typeOfParameter(const ModuleFunction &function, size_t i) const {
  const ParameterInfo &p = function.parameters()[i];
  switch (p.kind) {
  case ParameterKind::Tensor:
    return "_flyc.Tensor" + std::string(p.direction == Direction::Out ? " | _flyc.Empty" : "") +
           (function.mayBeAbsent(i) ? " | None" : "");
  case ParameterKind::Pointer: return "_flyc.Tensor | None";
  case ParameterKind::Struct:
    return builtin("dict") + "[" + builtin("str") + ", " + builtin("object") + "] | " + builtin("tuple") + "[" +
           builtin("object") + ", ...] | " + builtin("object");
  case ParameterKind::Scalar: break;
  }
  const auto type = host::numberByName(p.type);
  return builtin(!type                           ? "object"
                 : host::format(*type).isBool()  ? "bool"
                 : host::format(*type).isFloat() ? "float"
                                                 : "int");
}

/// What it is, and what must hold: the shapes, the author's preconditions, the architectures if these are not all.
std::vector<std::string> StubWriter::lines(const ModuleFunction &function) const {
  std::vector<std::string> text = {signatureText(function.source, function.constants, function.parameters())};
  std::vector<std::string> needed;
  for (const FunctionOnArch &arch : function.archs)
    for (const RequirementInfo &requirement : *arch.requirements)
      if (!requirement.implied && !requirement.text.empty() &&
          std::find(needed.begin(), needed.end(), requirement.text) == needed.end())
        needed.push_back(requirement.text);
  std::string archs;
  for (const FunctionOnArch &arch : function.archs)
    archs += (archs.empty() ? "" : ", ") + module.archs[arch.arch].arch;
  if (!needed.empty() || function.archs.size() != module.archs.size())
    text.push_back("");
  for (const std::string &requirement : needed)
    text.push_back("Requires: " + requirement);
  if (function.archs.size() != module.archs.size())
    text.push_back("On: " + archs);
  return text;
}

void StubWriter::function(const ModuleFunction &function, const std::string &called) {
  if (isReserved(called)) {
    out += "\n# " + called + ": a word of Python; getattr(module, \"" + called + "\") is the function\n";
    return;
  }
  const std::vector<ParameterInfo> &parameters = function.parameters();
  std::vector<std::string> positional, keywords;
  size_t outputs = 0;
  bool hasDefault = false;
  std::set<std::string> taken;
  const std::vector<bool> isLeftOut = solvable(function);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ParameterInfo &p = parameters[i];
    outputs += p.kind == ParameterKind::Tensor && p.direction == Direction::Out;
    hasDefault = hasDefault || isLeftOut[i];
    taken.insert(p.name);
    // What must be given, behind what may be left out, and everything behind that.
    const bool isKeyword = hasDefault && (!isLeftOut[i] || !keywords.empty());
    (isKeyword ? keywords : positional)
        .push_back(p.name + ": " + typeOfParameter(function, i) + (isLeftOut[i] ? " = ..." : ""));
  }
  const std::pair<const char *, std::string> options[] = {
      {"stream", builtin("object") + " = None"},
      {"workspace", function.hasWorkspace ? "_flyc.Tensor | None = None" : ""},
      {"overlap", builtin("bool") + " = False"}};
  for (const auto &[name, type] : options)
    if (!type.empty() && taken.insert(name).second)
      keywords.push_back(name + (": " + type));

  std::string list;
  auto add = [&](const std::string &text) { list += (list.empty() ? "" : ", ") + text; };
  for (const std::string &text : positional)
    add(text);
  if (!keywords.empty())
    add("*");
  for (const std::string &keyword : keywords)
    add(keyword);
  out += "\ndef " + called + "(" + list + ") -> " + returned(outputs) + ":\n" + docstring(lines(function), "    ") +
         "    ...\n";
}

/// A kernel by its name in the source: an instance is chosen by the arguments.
void StubWriter::overloaded(const std::string &source, const std::vector<const ModuleFunction *> &instances) {
  if (names.count(source))
    return;
  if (instances.size() == 1)
    return function(*instances.front(), source);
  std::string list;
  for (const ModuleFunction *instance : instances)
    list += (list.empty() ? "" : ", ") + instance->symbol;
  out += "\ndef " + source + "(*args: " + builtin("object") + ", **kwargs: " + builtin("object") + ") -> " +
         returned(2) + ":\n" + docstring({"One of " + list + ", by the arguments."}, "    ") + "    ...\n";
}

std::string StubWriter::write() {
  out = docstring({"Types of the functions of " + module.source + ". Generated by flyc; do not edit."}, "");
  for (const char *type : {"bool", "dict", "float", "int", "object", "str", "tuple"})
    if (names.count(type)) {
      out += "import builtins\n";
      break;
    }
  out += "import flyc as _flyc\n";
  std::map<std::string, std::vector<const ModuleFunction *>> bySource;
  for (const ModuleFunction &each : functions) {
    function(each, each.symbol);
    bySource[each.source].push_back(&each);
  }
  for (const auto &[source, instances] : bySource)
    overloaded(source, instances);
  return std::move(out);
}

} // namespace

std::string toPythonStub(const ModuleInfo &module) { return StubWriter(module).write(); }

std::string toPythonModule(const ModuleInfo &module) {
  // Its own names begin with an underscore: all others are functions.
  std::vector<std::string> doc = {"The functions of " + module.source + ". Generated by flyc; do not edit."};
  if (!module.docstring.empty())
    doc.insert(doc.end(), {"", module.docstring});
  // clang-format off
  return docstring(doc, "") +
         "import os as _os\n\n"
         "import flyc as _flyc\n\n"
         "_functions = _flyc.load(_os.path.join(_os.path.dirname(_os.path.abspath(__file__)), \"" + module.name + ".json\"))\n\n\n"
         "def __getattr__(name):\n"
         "    if name.startswith(\"__\"):\n"
         "        raise AttributeError(f\"module {__name__!r} has no attribute {name!r}\")\n"
         "    return getattr(_functions, name)\n\n\n"
         "def __dir__():\n"
         "    return sorted({*globals(), *dir(_functions)})\n";
  // clang-format on
}

} // namespace fly::artifact
