// toHeader: one header per module, in C99 and C++. It contains the code for all architectures and a typed function for
// each name of each kernel instance:
//
//     static inline fly_status vec_add_add_f32(fly_stream stream, const float *a, const float *b, float *c, int32_t n)
//
// It selects the code object of the current device, checks the preconditions in order, computes grid, block and LDS,
// lays out the arguments and launches. What architectures share is written once: those whose instance has the same
// body are cases of one branch. Everything is static, data too (inside a function, so that no compiler warns of data
// not used); the runtime shares what is loaded between copies.
#include "compiler/artifact/HeaderParts.h"
#include "compiler/artifact/HostObject.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace fly::artifact {

namespace {

class HeaderWriter {
public:
  explicit HeaderWriter(const ModuleInfo &module) : module(module) {}
  std::string write();

private:
  void writeData();
  void writeStructs();
  void writeStructs(const std::vector<ParameterInfo> &parameters);
  void writeStruct(const StructInfo &record);
  void writeFunction(const std::string &symbol);
  std::string body(const InstanceInfo &instance, const std::string &symbol);
  const InstanceInfo *instanceOf(const ArchInfo &arch, const std::string &symbol);

  const ModuleInfo &module;
  std::set<std::string> structs;     ///< written so far
  std::vector<std::string> symbols;  ///< every name of every instance, in order of appearance
  std::vector<std::string> exported; ///< the instances with their own function
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
  // With FLY_EXTERN_CODE the code is in an object that is linked (HostObject.h), not in here.
  const std::string isExtern = "FLY_EXTERN_CODE_" + module.name;
  out += "#if defined(FLY_EXTERN_CODE) && !defined(" + isExtern + ")\n#define " + isExtern + "\n#endif\n";
  out += "#ifdef " + isExtern + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const ArchInfo &arch : module.archs)
    out += "extern const unsigned char " + codeSymbol(module, arch) + "[" +
           std::to_string(std::max<size_t>(1, arch.hsaco.size())) + "];\n";
  out += "#ifdef __cplusplus\n}\n#endif\n#endif\n\n";
  out += "static inline fly_module *" + module.name + "_module(void) {\n#ifndef " + isExtern + "\n";
  // As words, the first byte lowest: a compiler reads eight times fewer numbers. Machines with a GPU are little-endian.
  for (const ArchInfo &arch : module.archs) {
    out += "  static const uint64_t " + codeSymbol(module, arch) + "[] = {";
    for (size_t i = 0; i < arch.hsaco.size(); i += 8) {
      uint64_t word = 0;
      for (size_t byte = 0; byte < 8 && i + byte < arch.hsaco.size(); ++byte)
        word |= uint64_t(static_cast<unsigned char>(arch.hsaco[i + byte])) << 8 * byte;
      char text[24];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(word));
      out += i % 48 ? "," : i ? ",\n    " : "\n    ";
      out += text;
    }
    out += arch.hsaco.empty() ? "0};\n" : "};\n";
  }
  out += "#endif\n";
  // An array in C is never empty; the count says how many elements are valid.
  out += "  static const fly_code_object code_objects[] = {\n";
  for (const ArchInfo &arch : module.archs)
    out += "    {\"" + arch.arch + "\", (const unsigned char *)" + codeSymbol(module, arch) + ", " +
           std::to_string(arch.hsaco.size()) + "},\n";
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
  std::string checks =
      "FLY_STATIC_ASSERT(sizeof(" + type + ") == " + std::to_string(record.size) + ", \"size of " + type + "\");\n";
  for (const FieldInfo &field : record.fields) {
    const std::string number = cType(field.type);
    const char *bits = bitsOf(field.size / std::max(1u, field.lanes));
    out += "  " + (field.record ? module.name + "_" + field.record->name + " "
                   : field.isPointer
                       ? std::string(field.isReadOnly ? "const " : "") + (number.empty() ? "void" : number) + " *"
                       : (!number.empty() ? number
                          : bits          ? bits
                                          : "uint8_t") +
                             " ");
    out += cName(field.name) + (field.lanes ? "[" + std::to_string(field.lanes) + "]" : "") + ";";
    out += !number.empty() || field.record ? "\n" : " /* " + cComment(field.type) + " */\n";
    checks += "FLY_STATIC_ASSERT(offsetof(" + type + ", " + cName(field.name) + ") == " + std::to_string(field.offset) +
              ", \"offset of " + field.name + "\");\n";
  }
  out += "} " + type + ";\n" + checks + "\n";
}

void HeaderWriter::writeStructs(const std::vector<ParameterInfo> &parameters) {
  for (const ParameterInfo &parameter : parameters)
    if (parameter.record)
      writeStruct(*parameter.record);
}

void HeaderWriter::writeStructs() {
  for (const ArchInfo &arch : module.archs)
    for (const InstanceInfo &instance : arch.instances)
      writeStructs(instance.parameters);
  for (const ArchInfo &arch : module.archs)
    for (const LaunchInfo &launch : arch.launches)
      writeStructs(launch.parameters);
}

std::string HeaderWriter::body(const InstanceInfo &instance, const std::string &symbol) {
  const std::string label = "\"" + module.name + "." + symbol + "\"";
  const std::vector<ParameterInfo> named = namedBy(instance);
  std::string text;
  for (const RequirementInfo &requirement : instance.requirements) {
    if (!usesDevice(requirement.expr)) {
      require(text, requirement, named, label, "    ");
      continue;
    }
    text += "    {\n"
            "      int64_t fly_compute_units = 0;\n"
            "      const fly_status fly_asked = fly_device_compute_units(&fly_compute_units);\n"
            "      if (fly_asked != FLY_OK)\n        return fly_asked;\n";
    require(text, requirement, named, label, "      ");
    text += "    }\n";
  }
  requireExtents(text, instance.parameters, named, label, "    ");
  for (size_t i = 0; i < 3; ++i) {
    assignSize(text, "fly_config.grid[" + std::to_string(i) + "]", instance.grid[i], 1, named, label, "    ");
    assignSize(text, "fly_config.block[" + std::to_string(i) + "]", instance.block[i], 1, named, label, "    ");
  }
  assignSize(text, "fly_config.dynamic_lds", instance.dynamicLds, 0, named, label, "    ");
  text += "    fly_config.max_workgroup_size = " + std::to_string(instance.resources.maxWorkgroupSize) + ";\n";
  uint32_t bytes = 0;
  for (const ParameterInfo &parameter : instance.parameters) {
    std::string name = cName(parameter.name);
    requireMemory(text, parameter, named, "fly_config.grid", label, "    ");
    requireAlignment(text, parameter, label);
    text += "    memcpy(fly_arguments + " + std::to_string(parameter.offset) + ", " +
            (byAddress(parameter) ? "" : "&") + name + ", " + std::to_string(parameter.size) + ");\n";
    bytes = std::max(bytes, parameter.offset + parameter.size);
  }
  return text + "    fly_config.argument_bytes = " + std::to_string(bytes) + ";\n";
}

void HeaderWriter::writeFunction(const std::string &symbol) {
  // Architectures by body. The first one with the symbol determines the signature, which they all share.
  std::vector<std::pair<std::string, std::vector<size_t>>> bodies;
  const InstanceInfo *first = nullptr;
  std::vector<const std::vector<ParameterInfo> *> parameters(module.archs.size());
  std::vector<std::vector<ParameterInfo>> allNamed(module.archs.size());
  uint32_t bytes = 1;
  for (size_t i = 0; i < module.archs.size(); ++i) {
    const InstanceInfo *instance = instanceOf(module.archs[i], symbol);
    if (!instance)
      continue;
    parameters[i] = &instance->parameters;
    allNamed[i] = namedBy(*instance);
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

  out += "\n/* " + signatureComment(first->kernel, first->constants, first->parameters);
  out += " */\nstatic inline fly_status " + module.name + "_" + symbol + "(fly_stream stream";
  for (const ParameterInfo &parameter : first->parameters)
    out += ", " + declaration(parameter, module.name + "_");
  // clang-format off
  out += ") {\n"
         "  unsigned char fly_arguments[" + std::to_string((bytes + 7) / 8 * 8) + "] = {0};\n"
         "  fly_launch fly_config = {{1, 1, 1}, {1, 1, 1}, 0, 0, NULL, 0};\n"
         "  fly_module *fly_code = " + module.name + "_module();\n"
         "  uint32_t fly_index = 0;\n"
         "  int fly_fault = 0, fly_holds = 1;\n"
         "  fly_status fly_selected = fly_module_select(fly_code, stream, &fly_index);\n"
         "  if (fly_selected != FLY_OK)\n"
         "    return fly_selected;\n"
         "  (void)fly_fault;\n"
         "  (void)fly_holds;\n"
         "  switch (fly_index) {\n";
  // clang-format on
  for (const auto &[text, indices] : bodies) {
    for (size_t index : indices)
      out += "  case " + std::to_string(index) + ": /* " + module.archs[index].arch + " */\n";
    out += text + "    break;\n";
  }
  out += "  default:\n"
         "    return fly_refuse(FLY_ERROR_ARCHITECTURE, \"%s: `%s` is not available for %s\", \"" +
         module.name + "\", \"" + symbol +
         "\",\n                      fly_code->code_objects[fly_index].architecture);\n"
         "  }\n"
         "  fly_config.arguments = fly_arguments;\n"
         "  return fly_module_launch(fly_code, " +
         std::to_string(std::find(symbols.begin(), symbols.end(), symbol) - symbols.begin()) +
         ", &fly_config, stream);\n}\n" + layoutFunctions(module, symbol, parameters, allNamed);
}

std::string HeaderWriter::write() {
  for (const ArchInfo &arch : module.archs)
    for (const InstanceInfo &instance : arch.instances) {
      std::vector<std::string> names = {instance.symbol};
      names.insert(names.end(), instance.aliases.begin(), instance.aliases.end());
      for (const std::string &name : names)
        if (std::find(symbols.begin(), symbols.end(), name) == symbols.end()) {
          symbols.push_back(name);
          if (instance.exported)
            exported.push_back(name);
        }
    }
  std::string guard = "FLY_MODULE_" + module.name + "_H";
  // clang-format off
  out = "/* The kernels of " + cComment(module.source) + ". Generated by flyc; do not edit.\n"
        " * Tensors are device pointers. Tensors of f16, bf16 and 8-bit floats are void pointers to raw bits; scalars "
        "of these\n"
        " * types are unsigned integers. A launch returns when it is queued; fly_error() says why a launch was "
        "refused. */\n"
        "#ifndef " + guard + "\n#define " + guard + "\n\n#include \"fly/runtime.h\"\n\n"
        "#if FLY_ABI_VERSION != " + std::to_string(runtimeAbi) + "\n"
        "#error \"" + module.name + ".h was generated for version " + std::to_string(runtimeAbi) + " of fly/runtime.h; "
        "regenerate it with the flyc that belongs to this runtime\"\n#endif\n\n#include \"fly/layout.h\"\n#include "
        "\"fly/plan.h\"\n\n";
  // clang-format on
  writeStructs();
  writeData();
  for (const std::string &symbol : exported)
    writeFunction(symbol);
  out += launchFunctions(module, symbols);
  out += "\n#endif\n";
  return std::move(out);
}

} // namespace

std::string toHeader(const ModuleInfo &module) { return HeaderWriter(module).write(); }

} // namespace fly::artifact
