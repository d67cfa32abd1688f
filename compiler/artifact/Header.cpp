// toHeader: one header a module, C99 and C++, with the code of all architectures inside and a typed function for
// each name of each kernel instance:
//
//     static inline fly_status vec_add_add_f32(fly_stream stream, const float *a, const float *b, float *c, int32_t n)
//
// It selects the code object of the current device, checks the preconditions in order, computes grid, block and LDS,
// lays out the arguments and launches. What architectures share is written once: those whose instance has the same
// body are cases of one branch. Everything is static, data too (inside a function, so that no compiler warns of data
// not used); the runtime shares what is loaded between copies.
#include "compiler/artifact/HeaderExpression.h"
#include "compiler/artifact/ModuleInfo.h"

#include <algorithm>
#include <map>
#include <set>

namespace fly::artifact {

namespace {

/// FNV-1a over everything that makes the loaded module what it is.
uint64_t hashOf(const ModuleInfo &module) {
  uint64_t hash = 14695981039346656037ull;
  auto add = [&](const std::string &bytes) {
    for (unsigned char byte : bytes)
      hash = (hash ^ byte) * 1099511628211ull;
    hash = (hash ^ bytes.size()) * 1099511628211ull;
  };
  add(module.name);
  for (const ArchInfo &arch : module.archs) {
    add(arch.arch);
    add(arch.hsaco);
  }
  return hash;
}

struct CType { const char *type; const char *format, *cast; };

/// The C types of .fly's types. What C has no type for (f16, bf16, 8-bit floats, vectors) is raw bits.
const CType *typeOf(const std::string &type) {
  static const std::map<std::string, CType> types = {
      {"bool", {"bool", "%d", "(int)"}},
      {"i8", {"int8_t", "%lld", "(long long)"}},     {"u8", {"uint8_t", "%lld", "(long long)"}},
      {"i16", {"int16_t", "%lld", "(long long)"}},   {"u16", {"uint16_t", "%lld", "(long long)"}},
      {"i32", {"int32_t", "%lld", "(long long)"}},   {"u32", {"uint32_t", "%lld", "(long long)"}},
      {"i64", {"int64_t", "%lld", "(long long)"}},   {"u64", {"uint64_t", "%llu", "(unsigned long long)"}},
      {"f32", {"float", "%.9g", "(double)"}},        {"f64", {"double", "%.17g", ""}}};
  auto found = types.find(type);
  return found == types.end() ? nullptr : &found->second;
}

/// The bits of a number that C has no type for; null for other sizes.
const char *bitsOf(uint32_t size) {
  switch (size) {
  case 1: return "uint8_t";
  case 2: return "uint16_t";
  case 4: return "uint32_t";
  case 8: return "uint64_t";
  }
  return nullptr;
}

/// `prefix`: of the names of structs.
std::string declaration(const ParameterInfo &parameter, const std::string &prefix) {
  const CType *type = typeOf(parameter.type);
  std::string name = cName(parameter.name);
  if (parameter.kind == ParameterKind::Struct)
    return prefix + parameter.type + " " + name;
  if (parameter.kind == ParameterKind::Tensor || parameter.kind == ParameterKind::Pointer)
    return std::string(parameter.direction == Direction::In ? "const " : "") + (type ? type->type : "void") + " *" +
           name;
  if (type)
    return std::string(type->type) + " " + name;
  if (const char *bits = bitsOf(parameter.size))
    return std::string(bits) + " " + name;
  return "const void *" + name; // a vector: `size` bytes, copied
}

bool byAddress(const ParameterInfo &parameter) {
  return parameter.kind == ParameterKind::Scalar && declaration(parameter, "").rfind("const void *", 0) == 0;
}

/// What launch-time expressions may name: parameters, and behind them the numbers in structs.
std::vector<ParameterInfo> namedBy(const InstanceInfo &instance) {
  std::vector<ParameterInfo> all = instance.parameters;
  all.insert(all.end(), instance.fields.begin(), instance.fields.end());
  return all;
}

void collectParameters(const host::Expr &expr, std::set<unsigned> &indices) {
  if (expr.op == host::ExprOp::Parameter)
    indices.insert(expr.parameter);
  for (const host::ExprRef &operand : expr.operands)
    collectParameters(*operand, indices);
}

/// `"n = %lld, k = %lld", (long long)n, (long long)k`: the values that a refused expression speaks of.
std::string valuesOf(const host::Expr &expr, const std::vector<ParameterInfo> &parameters) {
  std::set<unsigned> indices;
  collectParameters(expr, indices);
  std::string format, values;
  for (unsigned index : indices) {
    if (index >= parameters.size() || parameters[index].kind != ParameterKind::Scalar)
      continue;
    const CType *type = typeOf(parameters[index].type);
    if (!type)
      continue;
    format += (format.empty() ? "" : ", ") + parameters[index].name + " = " + type->format;
    values += std::string(", ") + type->cast + cPath(parameters[index].name);
  }
  return format.empty() ? "\"%s\", \"\"" : "\"" + format + "\"" + values;
}

class HeaderWriter {
public:
  explicit HeaderWriter(const ModuleInfo &module) : module(module) {}
  std::string write();

private:
  void writeData();
  void writeStructs();
  void writeStruct(const StructInfo &record);
  void writeFunction(const std::string &symbol);
  std::string body(const InstanceInfo &instance, const std::string &symbol);
  void assign(std::string &text, const std::string &to, const host::ExprRef &expr, int64_t otherwise,
              const InstanceInfo &instance, const std::string &label);
  const InstanceInfo *instanceOf(const ArchInfo &arch, const std::string &symbol);

  const ModuleInfo &module;
  std::set<std::string> structs;      ///< written so far
  std::vector<std::string> symbols;   ///< every name of every instance, in order of appearance
  std::string out;
};

const InstanceInfo *HeaderWriter::instanceOf(const ArchInfo &arch, const std::string &symbol) {
  for (const InstanceInfo &instance : arch.instances)
    if (instance.symbol == symbol ||
        std::find(instance.aliases.begin(), instance.aliases.end(), symbol) != instance.aliases.end())
      return &instance;
  return nullptr;
}

void HeaderWriter::writeData() {
  out += "static inline fly_module *" + module.name + "_module(void) {\n";
  for (const ArchInfo &arch : module.archs) {
    out += "  static const unsigned char " + arch.arch + "[] = {";
    for (size_t i = 0; i < arch.hsaco.size(); ++i) {
      out += i % 32 ? "," : i ? ",\n    " : "\n    ";
      out += std::to_string(static_cast<unsigned char>(arch.hsaco[i]));
    }
    out += arch.hsaco.empty() ? "0};\n" : "};\n";
  }
  // A list is never empty in C; its count says what is there.
  out += "  static const fly_code_object code_objects[] = {\n";
  for (const ArchInfo &arch : module.archs)
    out += "    {\"" + arch.arch + "\", " + arch.arch + ", sizeof " + arch.arch + "},\n";
  out += module.archs.empty() ? "    {\"\", NULL, 0}};\n" : "  };\n";
  out += "  static const char *const kernels[] = {";
  for (const std::string &symbol : symbols)
    out += "\n    \"" + symbol + "\",";
  out += symbols.empty() ? "NULL};\n" : "\n  };\n";
  out += "  static fly_module module = {FLY_ABI_VERSION, \"" + module.name + "\", UINT64_C(" +
         std::to_string(hashOf(module)) + "),\n                              " + std::to_string(module.archs.size()) +
         ", code_objects, " + std::to_string(symbols.size()) + ", kernels, {NULL}};\n  return &module;\n}\n";
}

/// A struct of a parameter, those inside first; a C compiler that lays it out differently refuses it.
void HeaderWriter::writeStruct(const StructInfo &record) {
  for (const FieldInfo &field : record.fields)
    if (field.record)
      writeStruct(*field.record);
  if (!structs.insert(record.name).second)
    return;
  std::string type = module.name + "_" + record.name;
  out += "typedef struct " + type + " {\n";
  std::string checks = "FLY_STATIC_ASSERT(sizeof(" + type + ") == " + std::to_string(record.size) + ", \"size of " + type + "\");\n";
  for (const FieldInfo &field : record.fields) {
    const CType *number = typeOf(field.type);
    const char *bits = bitsOf(field.size / std::max(1u, field.lanes));
    out += "  " + (field.record      ? module.name + "_" + field.record->name + " "
                   : field.isPointer ? std::string(field.isReadOnly ? "const " : "") + (number ? number->type : "void") + " *"
                                     : std::string(number ? number->type : bits ? bits : "uint8_t") + " ");
    out += cName(field.name) + (field.lanes ? "[" + std::to_string(field.lanes) + "]" : "") + ";";
    out += number || field.record ? "\n" : " /* " + cComment(field.type) + " */\n";
    checks += "FLY_STATIC_ASSERT(offsetof(" + type + ", " + cName(field.name) + ") == " + std::to_string(field.offset) + ", \"offset of " +
              field.name + "\");\n";
  }
  out += "} " + type + ";\n" + checks + "\n";
}

void HeaderWriter::writeStructs() {
  for (const ArchInfo &arch : module.archs)
    for (const InstanceInfo &instance : arch.instances)
      for (const ParameterInfo &parameter : instance.parameters)
        if (parameter.record)
          writeStruct(*parameter.record);
}

void HeaderWriter::assign(std::string &text, const std::string &to, const host::ExprRef &expr, int64_t otherwise,
                          const InstanceInfo &instance, const std::string &label) {
  host::ExprRef value = expr ? expr : host::intConstant(otherwise);
  std::string c = toC(*value, namedBy(instance));
  text += "    " + to + " = " + (value->kind == host::ExprKind::Int ? c : "(int64_t)(" + c + ")") + ";\n";
  if (host::isConstant(*value))
    return;
  text += "    if (fly_fault)\n      return fly_refuse_requirement(" + label + ", fly_fault, " +
          cString(host::toFly(*value)) + ", " + valuesOf(*value, namedBy(instance)) + ");\n";
}

std::string HeaderWriter::body(const InstanceInfo &instance, const std::string &symbol) {
  const std::string label = "\"" + module.name + "." + symbol + "\"";
  std::string text;
  for (const RequirementInfo &requirement : instance.requirements) {
    if (!requirement.expr)
      continue;
    std::string c = toC(*requirement.expr, namedBy(instance));
    std::string shown = requirement.text.empty() ? host::toFly(*requirement.expr) : requirement.text;
    text += "    fly_holds = " + (requirement.expr->kind == host::ExprKind::Bool ? c : "(" + c + ") != 0") + ";\n" +
            "    if (fly_fault || !fly_holds)\n      return fly_refuse_requirement(" + label + ", fly_fault, " +
            cString(shown) + ",\n                                     " +
            valuesOf(*requirement.expr, namedBy(instance)) + ");\n";
  }
  for (size_t i = 0; i < 3; ++i) {
    assign(text, "fly_config.grid[" + std::to_string(i) + "]", instance.grid[i], 1, instance, label);
    assign(text, "fly_config.block[" + std::to_string(i) + "]", instance.block[i], 1, instance, label);
  }
  assign(text, "fly_config.dynamic_lds", instance.dynamicLds, 0, instance, label);
  text += "    fly_config.max_workgroup_size = " + std::to_string(instance.resources.maxWorkgroupSize) + ";\n";
  uint32_t bytes = 0;
  for (const ParameterInfo &parameter : instance.parameters) {
    std::string name = cName(parameter.name);
    bool isPointer = parameter.kind == ParameterKind::Tensor || parameter.kind == ParameterKind::Pointer;
    if (isPointer && parameter.alignment > 1)
      text += "    if ((uintptr_t)" + name + " % " + std::to_string(parameter.alignment) +
              " != 0)\n      return fly_refuse(FLY_ERROR_ARGUMENT, \"%s: `%s` must be aligned to " +
              std::to_string(parameter.alignment) + " bytes\", " + label + ", " + cString(parameter.name) + ");\n";
    text += "    memcpy(fly_arguments + " + std::to_string(parameter.offset) + ", " +
            (byAddress(parameter) ? "" : "&") + name + ", " + std::to_string(parameter.size) + ");\n";
    bytes = std::max(bytes, parameter.offset + parameter.size);
  }
  return text + "    fly_config.argument_bytes = " + std::to_string(bytes) + ";\n";
}

void HeaderWriter::writeFunction(const std::string &symbol) {
  // Architectures by body; the first one with the symbol gives the signature, which all of them share.
  std::vector<std::pair<std::string, std::vector<size_t>>> bodies;
  const InstanceInfo *first = nullptr;
  uint32_t bytes = 1;
  for (size_t i = 0; i < module.archs.size(); ++i) {
    const InstanceInfo *instance = instanceOf(module.archs[i], symbol);
    if (!instance)
      continue;
    first = first ? first : instance;
    for (const ParameterInfo &parameter : instance->parameters)
      bytes = std::max(bytes, parameter.offset + parameter.size);
    std::string text = body(*instance, symbol);
    auto same = std::find_if(bodies.begin(), bodies.end(), [&](const auto &entry) { return entry.first == text; });
    if (same == bodies.end())
      bodies.push_back({text, {i}});
    else
      same->second.push_back(i);
  }

  out += "\n/* " + cComment(first->kernel);
  for (size_t i = 0; i < first->constants.size(); ++i)
    out += (i ? ", " : "[") + cComment(first->constants[i].first + "=" + first->constants[i].second);
  out += first->constants.empty() ? "" : "]";
  for (const ParameterInfo &parameter : first->parameters)
    if ((!typeOf(parameter.type) && parameter.kind != ParameterKind::Struct) || parameter.kind == ParameterKind::Tensor) {
      out += "; " + cComment(parameter.name + ": " + parameter.type);
      if (parameter.kind == ParameterKind::Tensor) {
        out += " (";
        for (size_t i = 0; i < parameter.shape.size(); ++i)
          out += (i ? ", " : "") + cComment(parameter.shape[i] ? host::toFly(*parameter.shape[i]) : "");
        out += ")";
      }
    }
  out += " */\nstatic inline fly_status " + module.name + "_" + symbol + "(fly_stream stream";
  for (const ParameterInfo &parameter : first->parameters)
    out += ", " + declaration(parameter, module.name + "_");
  out += ") {\n"
         "  unsigned char fly_arguments[" + std::to_string((bytes + 7) / 8 * 8) + "] = {0};\n"
         "  fly_launch fly_config = {{1, 1, 1}, {1, 1, 1}, 0, 0, NULL, 0};\n"
         "  fly_module *fly_code = " + module.name + "_module();\n"
         "  uint32_t fly_index = 0;\n"
         "  int fly_fault = 0, fly_holds = 1;\n"
         "  fly_status fly_selected = fly_module_select(fly_code, &fly_index);\n"
         "  if (fly_selected != FLY_OK)\n"
         "    return fly_selected;\n"
         "  (void)fly_fault;\n"
         "  (void)fly_holds;\n"
         "  switch (fly_index) {\n";
  for (const auto &[text, indices] : bodies) {
    for (size_t index : indices)
      out += "  case " + std::to_string(index) + ": /* " + module.archs[index].arch + " */\n";
    out += text + "    break;\n";
  }
  out += "  default:\n"
         "    return fly_refuse(FLY_ERROR_ARCHITECTURE, \"%s: `%s` is not there for %s\", \"" + module.name + "\", \"" +
         symbol + "\",\n                      fly_code->code_objects[fly_index].architecture);\n"
         "  }\n"
         "  fly_config.arguments = fly_arguments;\n"
         "  return fly_module_launch(fly_code, " +
         std::to_string(std::find(symbols.begin(), symbols.end(), symbol) - symbols.begin()) +
         ", &fly_config, stream);\n}\n";
}

std::string HeaderWriter::write() {
  for (const ArchInfo &arch : module.archs)
    for (const InstanceInfo &instance : arch.instances) {
      std::vector<std::string> names = {instance.symbol};
      names.insert(names.end(), instance.aliases.begin(), instance.aliases.end());
      for (const std::string &name : names)
        if (std::find(symbols.begin(), symbols.end(), name) == symbols.end())
          symbols.push_back(name);
    }
  std::string guard = "FLY_MODULE_" + module.name + "_H";
  out = "/* The kernels of " + cComment(module.source) + ", made by flyc; do not edit.\n"
        " * Tensors are device pointers; f16, bf16 and 8-bit floats are raw bits behind void pointers, scalars of them\n"
        " * unsigned integers. A launch returns when it is queued; fly_error() tells why one was refused. */\n"
        "#ifndef " + guard + "\n#define " + guard + "\n\n#include \"fly/runtime.h\"\n\n";
  writeStructs();
  writeData();
  for (const std::string &symbol : symbols)
    writeFunction(symbol);
  out += "\n#endif\n";
  return std::move(out);
}

} // namespace

std::string toHeader(const ModuleInfo &module) { return HeaderWriter(module).write(); }

} // namespace fly::artifact
