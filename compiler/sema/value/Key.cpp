// When two instances of a kernel, and two structs that a function made, are the same.
//
// Instances are the same if their constants are equal, all the way down. Two functions are equal if they are the same
// text and what they capture is equal; two struct types if they are the same class and the types of their fields, and
// what their methods capture, are equal.
//
//     def adder(n):
//         return lambda x: x + n
//     k[F=adder(1)], k[F=adder(1)], k[F=adder(2)]       two instances
//
// What a function captures are the names in its text that a frame around it has. That may be a few more than it uses.
#include "compiler/sema/value/Key.h"

#include "compiler/diagnostics/Source.h"
#include "compiler/sema/value/Scope.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

namespace fly::sema {

namespace {

class KeyWriter {
public:
  explicit KeyWriter(const SourceManager &sources) : sources(sources) {}

  std::string of(const Value &value) {
    if (auto *function = value.as<FunctionValue>())
      return ofFunction(*function);
    if (auto *type = value.as<StructTypeValue>())
      return ofStruct(*type->definition);
    if (auto *record = value.as<StructValue>())
      return ofStruct(*record->definition) + ofAll(*record->fields);
    if (auto *kernel = value.as<KernelValue>())
      return "kernel " + instanceKeyOf(*kernel->kernel, *kernel->constants);
    if (auto *method = value.as<MethodValue>())
      return of(*method->self) + "." + method->name;
    if (auto *dict = value.as<DictValue>())
      return "{" + ofAll(*dict->keys) + ofAll(*dict->values) + "}";
    if (auto *elements = value.sequence())
      return (value.is<TupleValue>() ? "tuple" : "list") + ofAll(*elements);
    return toText(value, true);
  }

  std::string instanceKeyOf(const KernelDefinition &kernel, const std::map<std::string, Value> &constants) {
    std::string key = kernel.module->path + ":" + kernel.name;
    for (auto &[name, value] : constants)
      key += "\n" + name + "=" + of(value);
    return key;
  }

  /// What a struct is made of: its text, the types of its fields, and what it reads from the functions around it.
  std::string ofStruct(const StructDefinition &definition) {
    std::string out = "struct " + place(definition.stmt->range);
    if (!open.insert({definition.stmt->range.begin, &definition}).second)
      return out;
    for (const StructDefinition::Field &field : definition.fields)
      out += " " + field.name + ":" + of(field.annotation);
    out += captures(withoutDocstrings(*definition.stmt), definition.enclosing.get());
    open.erase({definition.stmt->range.begin, &definition});
    return out;
  }

private:
  std::string ofAll(const Values &values) {
    std::string out = "(";
    for (const Value &each : values)
      out += of(each) + ",";
    return out + ")";
  }

  static std::string place(SourceRange range) { return std::to_string(range.file) + ":" + std::to_string(range.begin); }

  std::string ofFunction(const FunctionValue &function) {
    const SourceRange range = function.def ? function.def->range : function.lambda->range;
    std::string out = "function " + place(range);
    if (!open.insert({range.begin, function.enclosing.get()}).second)
      return out; // it captures itself
    if (function.defaults)
      for (const std::optional<Value> &each : *function.defaults)
        out += each ? "=" + of(*each) : std::string("=");
    out += captures(sources.text(range), function.enclosing.get());
    open.erase({range.begin, function.enclosing.get()});
    return out;
  }

  /// The text of a class without the docstrings of its methods, which speak of more names than the methods read.
  std::string withoutDocstrings(const ast::ClassStmt &stmt) {
    std::string out;
    uint32_t from = stmt.range.begin;
    for (auto *member : stmt.body) {
      auto *method = llvm::dyn_cast<ast::DefStmt>(member);
      if (!method || method->docstring.empty() || method->body.empty())
        continue;
      const llvm::StringRef head =
          sources.text({method->range.file, method->range.begin, method->body.front()->range.begin});
      const size_t end = head.rfind("\"\"\""), begin = head.take_front(std::min(end, head.size())).rfind("\"\"\"");
      if (end == head.npos || begin == head.npos)
        continue;
      out += sources.text({stmt.range.file, from, method->range.begin + static_cast<uint32_t>(begin)});
      from = method->range.begin + static_cast<uint32_t>(end) + 3;
    }
    return out + sources.text({stmt.range.file, from, stmt.range.end}).str();
  }

  /// The names in a text that frames around it have.
  std::string captures(llvm::StringRef text, const Frame *frame) {
    std::string out;
    if (!frame || frame->isModule)
      return out;
    std::set<llvm::StringRef> names;
    for (llvm::StringRef rest = text; !rest.empty();) {
      const llvm::StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      if (!word.empty() && !llvm::isDigit(word.front()))
        names.insert(word);
      rest = rest.drop_front(std::max<size_t>(1, word.size()));
    }
    for (llvm::StringRef name : names)
      for (const Frame *at = frame; at && !at->isModule; at = at->enclosing.get())
        if (auto found = at->variables.find(name); found != at->variables.end()) {
          out += " " + name.str() + "=" + of(found->second);
          break;
        }
    return out;
  }

  const SourceManager &sources;
  std::set<std::pair<uint32_t, const void *>> open; ///< what is being written
};

} // namespace

std::string instanceKey(const SourceManager &sources, const KernelDefinition &kernel,
                        const std::map<std::string, Value> &constants) {
  return KeyWriter(sources).instanceKeyOf(kernel, constants);
}

std::string structKey(const SourceManager &sources, const StructDefinition &definition) {
  return KeyWriter(sources).ofStruct(definition);
}

} // namespace fly::sema
