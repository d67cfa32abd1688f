// Binding a call's arguments to the signature of a builtin.
#include "compiler/sema/elaborator/Builtins.h"

#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/text/Words.h"
#include "llvm/ADT/DenseMap.h"

namespace fly::sema {

namespace {
struct SignatureParameter {
  llvm::StringRef name;
  bool optional, keywordOnly;
};
struct ParsedSignature {
  std::vector<SignatureParameter> parameters;
  bool hasRest = false, hasKeywords = false;
};

ParsedSignature parseSignature(llvm::StringRef text) {
  ParsedSignature out;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, false);
  bool keywordOnly = false;
  for (auto part : parts) {
    part = part.trim();
    if (part.starts_with("**"))
      out.hasKeywords = true;
    else if (part.starts_with("*")) {
      out.hasRest = part != "*";
      keywordOnly = true;
    } else
      out.parameters.push_back({part.split('=').first, part.contains('='), keywordOnly});
  }
  return out;
}
} // namespace

/// Each signature is taken apart once.
static const ParsedSignature &signatureOf(const Builtin &builtin) {
  static thread_local llvm::DenseMap<const char *, std::unique_ptr<ParsedSignature>> known;
  auto &slot = known[builtin.signature];
  if (!slot)
    slot = std::make_unique<ParsedSignature>(parseSignature(builtin.signature));
  return *slot;
}

std::string parameterName(const Builtin &builtin, size_t index) {
  return signatureOf(builtin).parameters[index].name.str();
}
std::string argumentName(const BoundCall &call, size_t index) {
  return diag::argument(parameterName(*call.builtin, index), call.builtin->name);
}

BoundCall bindBuiltin(Elaborator &e, const Builtin &builtin, Arguments &arguments, SourceRange range) {
  auto &signature = signatureOf(builtin);
  auto &parameters = signature.parameters;
  BoundCall call{&builtin,
                 Values(parameters.size()),
                 std::vector<SourceRange>(parameters.size(), range),
                 std::vector<bool>(parameters.size()),
                 {},
                 range,
                 nullptr};
  size_t next = 0, positional = llvm::count_if(parameters, [](auto &p) { return !p.keywordOnly; });
  for (auto &argument : arguments) {
    size_t at;
    if (argument.keyword.empty()) {
      if (next >= positional) {
        if (signature.hasRest) {
          call.rest.push_back(argument);
          continue;
        }
        size_t count = llvm::count_if(arguments, [](auto &a) { return a.keyword.empty(); });
        e.report(diag::wrong_argument_count, range,
                 {builtin.name, counted(positional, "argument"), std::to_string(count)})
            .note(std::string("`") + builtin.name + "(" + builtin.signature + ")`: " + builtin.doc);
        throw Failed{};
      }
      at = next++;
    } else {
      auto found = llvm::find_if(parameters, [&](auto &p) { return p.name == argument.keyword; });
      if (found == parameters.end() && signature.hasKeywords) {
        call.rest.push_back(argument);
        continue;
      }
      if (found == parameters.end()) {
        std::vector<std::string> names;
        for (auto &p : parameters)
          names.push_back(p.name.str());
        failUnknown(e, diag::unknown_keyword, argument.range, builtin.name, argument.keyword, names);
      }
      at = size_t(found - parameters.begin());
    }
    if (call.given[at])
      e.fail(diag::duplicate_argument, argument.range, {builtin.name, parameters[at].name.str()});
    call.values[at] = argument.value;
    call.ranges[at] = argument.range;
    call.given[at] = true;
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!call.given[i] && !parameters[i].optional) {
      e.report(diag::missing_argument, range, {builtin.name, parameters[i].name.str()})
          .note(std::string("`") + builtin.name + "(" + builtin.signature + ")`: " + builtin.doc);
      throw Failed{};
    }
  return call;
}

} // namespace fly::sema
