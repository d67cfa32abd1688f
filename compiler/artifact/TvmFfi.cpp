// toTvmFfi: a C source next to the C header, with a function for each of the header's that Apache TVM's FFI can call:
//
//     int __tvm_ffi_add_f32(void *, const fly_ffi_any *given, int32_t count, fly_ffi_any *result)
//
// It reads the arguments in source order (then the workspace of a launch function), compares tensors with what the
// parameters declare, makes the tensors' device the current one, and calls the function of the header on the caller's
// stream. Scalars that follow from the tensors may be left out, all at once, or be None. What is the same for all
// functions is in fly/tvm_ffi_call.h; here are tables and expressions. Memory of the wrong size never reaches a kernel.
#include "compiler/artifact/Bindings.h"
#include "compiler/artifact/Functions.h"
#include "compiler/artifact/HeaderParts.h"

#include "compiler/host/NumberFormat.h"

#include <algorithm>
#include <limits>
#include <set>

namespace fly::artifact {

namespace {

std::string number(int64_t value) { return std::to_string(value); }

/// DLPack's code of an element type. Types that libraries may lack are taken as integers of the same size, too.
struct DlpackRow {
  const char *type;
  unsigned code;
  bool asBits;
};
constexpr unsigned noCode = 255; ///< DLPack has no such type
constexpr DlpackRow dlpackRows[] = {
    {"bool", 6, false},       {"i8", 0, false},       {"i16", 0, false},        {"i32", 0, false},
    {"i64", 0, false},        {"u8", 1, false},       {"u16", 1, false},        {"u32", 1, false},
    {"u64", 1, false},        {"f16", 2, false},      {"f32", 2, false},        {"f64", 2, false},
    {"bf16", 4, true},        {"f8E4M3FN", 10, true}, {"f8E4M3FNUZ", 11, true}, {"f8E5M2", 12, true},
    {"f8E5M2FNUZ", 13, true}, {"e8m0", 14, true},     {"f6E2M3", 15, true},     {"f6E3M2", 16, true},
    {"f4E2M1", 17, true},     {"i4", 0, true},        {"u4", 1, true},          {"tf32", noCode, true},
};

const DlpackRow *rowOf(const std::string &type) {
  auto row =
      std::find_if(std::begin(dlpackRows), std::end(dlpackRows), [&](const DlpackRow &r) { return type == r.type; });
  return row == std::end(dlpackRows) ? nullptr : row;
}

class TvmFfiWriter {
public:
  explicit TvmFfiWriter(const ModuleInfo &module) : module(module) {}
  std::string write();

private:
  void function(const ModuleFunction &function);
  std::string reads(const ModuleFunction &function, size_t i) const;
  std::string scalar(const ModuleFunction &function, size_t i) const;
  std::string floatScalar(const ParameterInfo &p, const host::NumberFormat &format, const std::string &index) const;
  std::string fits(const FunctionOnArch &arch, const std::string &failed) const;
  std::string allFit(const ModuleFunction &function) const;
  static std::string elements(size_t i) { return "fly_elements_" + number(int64_t(i)); }

  const ModuleInfo &module;
  std::string out;
};

/// `fly_ffi_elements` of a tensor or pointer; empty: any elements.
std::string elementsOf(const ParameterInfo &p) {
  const DlpackRow *row = rowOf(p.type);
  if (!row)
    return "";
  const unsigned bits = host::format(*host::numberByName(p.type)).bits;
  return "{" + number(row->code) + ", " + number(bits) + ", " + number(row->asBits) + ", " +
         (p.kind == ParameterKind::Tensor && p.elementBits ? number(packedMode(p)) : "-1") + "}";
}

/// Leaves that nobody knows before the launch are not compared.
bool isKnown(const ParameterInfo &p) {
  auto known = [](const host::ExprRef &expr) { return expr && expr->kind == host::ExprKind::Int && !usesDevice(expr); };
  return p.kind == ParameterKind::Tensor && p.shape.size() == p.strides.size() &&
         std::all_of(p.shape.begin(), p.shape.end(), known) && std::all_of(p.strides.begin(), p.strides.end(), known);
}

std::string list(const std::vector<host::ExprRef> &exprs, const std::vector<ParameterInfo> &named) {
  std::string text;
  for (const host::ExprRef &expr : exprs)
    text += (text.empty() ? "" : ", ") + toC(*expr, named);
  return text.empty() ? "0" : text;
}

/// Compares every tensor with what an architecture's parameters declare.
std::string TvmFfiWriter::fits(const FunctionOnArch &arch, const std::string &failed) const {
  std::string text;
  for (size_t i = 0; i < arch.parameters->size(); ++i) {
    const ParameterInfo &p = (*arch.parameters)[i];
    if (!isKnown(p))
      continue;
    const std::vector<size_t> counts = host::leafCounts(p.modes, p.shape.size());
    std::string leaves;
    for (size_t count : counts)
      leaves += (leaves.empty() ? "" : ", ") + number(int64_t(count));
    // clang-format off
    text += "  {\n"
            "    static const uint8_t fly_leaves[] = {" + (leaves.empty() ? "0" : leaves) + "};\n"
            "    const int64_t fly_extents[] = {" + list(p.shape, arch.named) + "};\n"
            "    const int64_t fly_strides[] = {" + list(p.strides, arch.named) + "};\n"
            "    const fly_ffi_sizes fly_sizes = {" + number(int64_t(counts.size())) + ", fly_leaves, fly_extents, fly_strides};\n"
            "    if (fly_fault)\n"
            "      fly_ffi_fail(\"ValueError\", \"%s: the sizes of `%s` do not fit in 64 bits\", fly_call.function, " +
            cString(p.name) + ");\n"
            "    if (fly_fault || fly_ffi_fits(&fly_call, " + number(int64_t(i)) + ", &" + elements(i) + ", &fly_sizes))\n"
            "      return " + failed + ";\n"
            "  }\n";
    // clang-format on
  }
  return text;
}

/// The same before anything is launched; by architecture where they differ.
std::string TvmFfiWriter::allFit(const ModuleFunction &function) const {
  const std::string begin = "  if (fly_ffi_begin(&fly_call, &fly_queue))\n    return -1;\n";
  const std::string first = fits(function.archs.front(), "-1");
  if (std::all_of(function.archs.begin(), function.archs.end(),
                  [&](const FunctionOnArch &arch) { return fits(arch, "-1") == first; }))
    return first + begin;
  std::string text = begin + "  {\n  uint32_t fly_index = 0;\n  fly_done = fly_module_select(" + module.name +
                     "_module(), fly_queue, &fly_index);\n"
                     "  if (fly_done != FLY_OK)\n    return fly_ffi_end(&fly_call, fly_done);\n"
                     "  switch (fly_index) {\n";
  for (const FunctionOnArch &arch : function.archs)
    text += "  case " + number(int64_t(arch.arch)) + ": /* " + module.archs[arch.arch].arch + " */\n" +
            fits(arch, "fly_ffi_abandon(&fly_call)") + "    break;\n";
  return text + "  default: break; /* the header's function refuses it */\n  }\n  }\n";
}

/// A number of a type that C lacks: its bits.
std::string TvmFfiWriter::floatScalar(const ParameterInfo &p, const host::NumberFormat &format,
                                      const std::string &index) const {
  const host::Number type = format.number;
  const double infinity = std::numeric_limits<double>::infinity();
  const bool saturates = format.saturates();
  auto code = [&](double value, bool saturate) {
    return number(int64_t(host::encode(type, value, saturate) >> format.unused)) + "u";
  };
  const std::string name = cName(p.name);
  // clang-format off
  return "  {\n"
         "    static const fly_ffi_format fly_format = {" + number(format.exponentBits) + ", " +
         number(format.mantissaBits) + ", " + number(format.bias) + ", " + number(format.isSigned) + ", " +
         number(format.unused) + ", " + code(std::numeric_limits<double>::quiet_NaN(), saturates) + ", " +
         code(infinity, true) + ", " + code(infinity, saturates) + "};\n"
         "    double fly_number = 0;\n"
         "    if (fly_ffi_float(&fly_call, " + index + ", &fly_number))\n      return -1;\n"
         "    fly_bits = fly_ffi_encode(fly_number, &fly_format);\n"
         "    memcpy(&" + name + ", &fly_bits, sizeof " + name + ");\n"
         "  }\n";
  // clang-format on
}

std::string TvmFfiWriter::scalar(const ModuleFunction &function, size_t i) const {
  const ParameterInfo &p = function.parameters()[i];
  const std::string index = number(int64_t(i)), name = cName(p.name);
  const auto type = host::numberByName(p.type);
  if (!type) // bytes as they are
    return "  memset(&" + name + ", 0, sizeof " + name + ");\n  if (fly_ffi_bytes(&fly_call, " + index + ", sizeof " +
           name + ", &" + name + "))\n    return -1;\n";
  const host::NumberFormat &format = host::format(*type);
  if (format.isFloat() && p.type != "f32" && p.type != "f64")
    return floatScalar(p, format, index);
  if (format.isFloat())
    return "  {\n    double fly_number = 0;\n    if (fly_ffi_float(&fly_call, " + index +
           ", &fly_number))\n      return -1;\n    " + name + " = " +
           (p.type == "f32" ? "fly_ffi_f32(fly_number)" : "fly_number") + ";\n  }\n";
  const std::string bits = number(format.bits);
  const std::string least = p.type == "i4" ? "-8" : format.isSigned ? "INT" + bits + "_MIN" : "0";
  const std::string most = p.type == "i4"     ? "7"
                           : p.type == "u4"   ? "15"
                           : p.type == "bool" ? "1"
                           : p.type == "u64"  ? "INT64_MAX"
                                              : (format.isSigned ? "INT" : "UINT") + bits + "_MAX";
  std::string text = "  {\n", how = "fly_ffi_integer(&fly_call, " + index;
  if (const auto &sources = function.sources[i]; !sources.empty()) {
    std::string rows;
    for (const ScalarSource &source : sources) {
      const ParameterInfo &tensor = function.parameters()[source.tensor];
      const unsigned elementBits =
          tensor.elementBits && source.isStride != (source.mode == packedMode(tensor)) ? tensor.elementBits : 0;
      rows += (rows.empty() ? "{" : ", {") + number(source.tensor) + ", " +
              number(int64_t(host::leafCounts(tensor.modes, tensor.shape.size()).size())) + ", " + number(source.mode) +
              ", " + number(source.leaf) + ", " + number(source.isStride) + ", " + number(elementBits) + "}";
    }
    text += "    static const fly_ffi_source fly_sources[] = {" + rows + "};\n";
    how = "fly_ffi_derive(&fly_call, " + index + ", fly_sources, " + number(int64_t(sources.size()));
  }
  const CType *c = typeOf(p.type);
  return text + "    int64_t fly_number = 0;\n    if (" + how + ", " + least + ", " + most +
         ", &fly_number))\n      return -1;\n    " + name + " = (" +
         (c ? std::string(c->type) + ")fly_number" : "uint8_t)(fly_number & 15)") + ";\n  }\n";
}

/// Reads an argument into a local variable of its C type. Tensors have been looked at by then.
std::string TvmFfiWriter::reads(const ModuleFunction &function, size_t i) const {
  const ParameterInfo &p = function.parameters()[i];
  const std::string index = number(int64_t(i)), name = cName(p.name);
  switch (p.kind) {
  case ParameterKind::Tensor: return "  " + name + " = fly_ffi_data(fly_tensors[" + index + "]);\n";
  case ParameterKind::Pointer:
    return "  if (fly_ffi_pointer(&fly_call, " + index + ", " + (elementsOf(p).empty() ? "NULL" : "&" + elements(i)) +
           ", " + cString(p.type) + ", &fly_memory))\n    return -1;\n  " + name + " = fly_memory;\n";
  case ParameterKind::Struct:
    return "  memset(&" + name + ", 0, sizeof " + name + ");\n  if (fly_ffi_bytes(&fly_call, " + index + ", sizeof " +
           name + ", &" + name + "))\n    return -1;\n";
  case ParameterKind::Scalar: return scalar(function, i);
  }
  return "";
}

void TvmFfiWriter::function(const ModuleFunction &function) {
  const std::vector<ParameterInfo> &parameters = function.parameters();
  const std::string c = module.name + "_" + function.symbol;
  std::string names, rows, constants, locals, tensors, scalars, call, signature;
  auto parameter = [&](const std::string &name, bool isDerived, bool isOptional) {
    rows += "      {" + cString(name) + ", " + number(isDerived) + "},\n";
    names += (names.empty() ? "" : ", ") + name + (isOptional ? "=None" : "");
  };
  bool hasBits = false, hasPointer = function.hasWorkspace;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ParameterInfo &p = parameters[i];
    const bool isDerived = !function.sources[i].empty();
    parameter(p.name, isDerived, isDerived || function.mayBeAbsent(i));
    const std::string type = elementsOf(p), name = cName(p.name);
    const bool isMemory = p.kind == ParameterKind::Tensor || p.kind == ParameterKind::Pointer;
    if (isMemory && !type.empty())
      constants += "  static const fly_ffi_elements " + elements(i) + " = " + type + ";\n";
    locals += "  " + declaration(p, module.name + "_") + (isMemory ? " = NULL" : "") + ";\n";
    call += ", " + name;
    hasPointer |= p.kind == ParameterKind::Pointer;
    if (p.kind == ParameterKind::Scalar || p.kind == ParameterKind::Struct)
      scalars += ", " + name;
    if (auto format = host::numberByName(p.type); p.kind == ParameterKind::Scalar && format)
      hasBits |= host::format(*format).isFloat() && p.type != "f32" && p.type != "f64";
    if (p.kind == ParameterKind::Tensor)
      tensors += " ||\n      fly_ffi_tensor(&fly_call, " + number(int64_t(i)) + ", &" + elements(i) + ", " +
                 cString(p.type) + ", " + number(int64_t(host::leafCounts(p.modes, p.shape.size()).size())) + ", " +
                 number(int64_t(p.shape.size())) + ")";
  }
  if (function.hasWorkspace)
    parameter("workspace", false, true);
  const std::string count = number(int64_t(parameters.size() + function.hasWorkspace));
  const std::string room = number(int64_t(std::max<size_t>(1, parameters.size() + function.hasWorkspace)));
  // clang-format off
  out += "\n/* " + cComment(function.symbol + "(" + names + "): ") +
         signatureComment(function.source, function.constants, parameters) + " */\n"
         "FLY_FFI_EXPORT int __tvm_ffi_" + function.symbol + "(void *fly_self, const fly_ffi_any *fly_given,\n"
         "    int32_t fly_count, fly_ffi_any *fly_result);\n"
         "int __tvm_ffi_" + function.symbol + "(void *fly_self, const fly_ffi_any *fly_given, int32_t fly_count,\n"
         "    fly_ffi_any *fly_result) {\n"
         "  static const fly_ffi_parameter fly_parameters[] = {\n" + (rows.empty() ? "      {\"\", 0},\n" : rows) + "  };\n" +
         constants +
         "  const fly_ffi_any *fly_values[" + room + "];\n"
         "  const fly_dl_tensor *fly_tensors[" + room + "];\n"
         "  fly_ffi_call fly_call = {\"" + module.name + "." + function.symbol + "\", fly_parameters, " + count +
         ", fly_values, fly_tensors, {0, 0}, -1, -1, NULL};\n"
         "  fly_stream fly_queue = NULL;\n"
         "  fly_status fly_done = FLY_OK;\n"
         "  int fly_fault = 0;\n" +
         (hasBits ? "  uint32_t fly_bits = 0;\n" : "") + (hasPointer ? "  void *fly_memory = NULL;\n" : "") + locals +
         "  (void)fly_self;\n"
         "  (void)fly_fault;\n"
         "  fly_result->type_index = FLY_FFI_NONE;\n"
         "  if (fly_ffi_arguments(&fly_call, fly_given, fly_count)" + tensors + ")\n"
         "    return -1;\n";
  // clang-format on
  for (size_t i = 0; i < parameters.size(); ++i)
    out += reads(function, i);
  out += allFit(function);
  if (function.hasWorkspace)
    out += "  {\n    size_t fly_bytes = 0;\n    fly_done = " + c + "_workspace_bytes(&fly_bytes" + scalars +
           ");\n    if (fly_done != FLY_OK)\n      return fly_ffi_end(&fly_call, fly_done);\n"
           "    if (fly_ffi_workspace(&fly_call, " +
           number(int64_t(parameters.size())) + ", fly_bytes, &fly_memory))\n      return -1;\n  }\n";
  out += "  fly_done = " + c + "(fly_queue" + (function.hasWorkspace ? ", fly_memory" : "") + call +
         ");\n  return fly_ffi_end(&fly_call, fly_done);\n}\n";
}

std::string TvmFfiWriter::write() {
  // clang-format off
  out = "/* The functions of " + module.name + ".h for Apache TVM's FFI. Generated by flyc from " +
        cComment(module.source) + "; do not edit.\n"
        " *\n"
        " *     cc -shared -fPIC " + module.name + ".tvm_ffi.c -lfly_runtime -o " + module.name + ".so\n"
        " *\n"
        " * Arguments are in source order. Numbers with `=None` follow from the tensors: all of them may be left out, or\n"
        " * single ones be None. A workspace that is None is allocated for the call. */\n"
        "#include \"fly/tvm_ffi_call.h\"\n\n"
        "#include \"" + module.name + ".h\"\n";
  // clang-format on
  for (const ModuleFunction &each : functionsOf(module))
    function(each);
  return std::move(out);
}

} // namespace

std::string toTvmFfi(const ModuleInfo &module) { return TvmFfiWriter(module).write(); }

} // namespace fly::artifact
