// toCxxHeader: the C++17 header next to the C header. Its functions take device spans instead of pointers, compare
// their sizes with the shapes of the tensors, call the C function, and throw:
//
//     namespace vec_add {
//     inline void add_f32(fly_stream stream, fly::device_span<const float> a, ..., int32_t n) {
//       int fly_fault = 0;
//       fly::covers("vec_add.add_f32", "a", a.size(), fly_fault, {{n, 1}});            extents and strides
//       fly::check(vec_add_add_f32(stream, a.data(), ..., n));
//     }
//     inline fly_layout add_f32_layout_of_w(int32_t n);                              of tensors with divided modes
//     }
//
// A tensor whose elements share bytes (4-bit and 6-bit floats) is a fly::raw_span, a span of any elements.
#include "compiler/artifact/HeaderParts.h"

#include <algorithm>
#include <set>

namespace fly::artifact {

namespace {

class SpanWriter {
public:
  explicit SpanWriter(const ModuleInfo &module) : module(module) {}
  std::string write();

private:
  void kernel(const std::string &symbol, const InstanceInfo &instance);
  void launch(const std::string &symbol, const LaunchInfo &plan);
  std::string parameter(const ParameterInfo &p) const;
  void layouts(const std::string &symbol, const std::vector<ParameterInfo> &parameters);
  void covers(const ParameterInfo &p, const std::vector<ParameterInfo> &named, const std::string &symbol);
  static std::string passed(const ParameterInfo &p) {
    return cName(p.name) + (p.kind == ParameterKind::Tensor ? ".data()" : "");
  }

  const ModuleInfo &module;
  std::set<std::string> written;
  std::string out;
};

std::string SpanWriter::parameter(const ParameterInfo &p) const {
  if (p.kind != ParameterKind::Tensor)
    return declaration(p, "::" + module.name + "_");
  const bool isRead = p.direction == Direction::In;
  const std::string type = cType(p.type);
  if (type.empty())
    return std::string(isRead ? "fly::raw_span<const void> " : "fly::raw_span<void> ") + cName(p.name);
  return std::string("fly::device_span<") + (isRead ? "const " : "") + type + "> " + cName(p.name);
}

/// Extents and strides known only at launch are checked by the kernel's preconditions, as are elements that share
/// bytes.
void SpanWriter::covers(const ParameterInfo &p, const std::vector<ParameterInfo> &named, const std::string &symbol) {
  if (p.kind != ParameterKind::Tensor || p.elementBytes == 0 || p.shape.empty() || p.shape.size() != p.strides.size())
    return;
  std::string modes;
  for (size_t i = 0; i < p.shape.size(); ++i) {
    const host::ExprRef &extent = p.shape[i], &stride = p.strides[i];
    if (!extent || !stride || extent->kind != host::ExprKind::Int || stride->kind != host::ExprKind::Int ||
        usesDevice(extent) || usesDevice(stride))
      return;
    modes += (i ? ", {" : "{") + toC(*extent, named) + ", " + toC(*stride, named) + "}";
  }
  const std::string elements = !cType(p.type).empty()
                                   ? cName(p.name) + ".size()"
                                   : cName(p.name) + ".size_bytes() / " + std::to_string(p.elementBytes);
  out += "  fly::covers(\"" + module.name + "." + symbol + "\", " + cString(p.name) + ", " + elements +
         ", fly_fault, {" + modes + "});\n";
}

void SpanWriter::layouts(const std::string &symbol, const std::vector<ParameterInfo> &parameters) {
  std::string scalars, names;
  for (const ParameterInfo &p : parameters)
    if (p.kind == ParameterKind::Scalar || p.kind == ParameterKind::Struct) {
      scalars += (scalars.empty() ? "" : ", ") + parameter(p);
      names += ", " + passed(p);
    }
  for (const ParameterInfo &p : parameters)
    if (hasLayout(p))
      out += "inline fly_layout " + symbol + "_layout_of_" + p.name + "(" + scalars +
             ") {\n  fly_layout fly_to;\n  fly::check(::" + module.name + "_" + symbol + "_layout_of_" + p.name +
             "(&fly_to" + names + "));\n  return fly_to;\n}\n";
}

void SpanWriter::kernel(const std::string &symbol, const InstanceInfo &instance) {
  if (!written.insert(symbol).second)
    return;
  out += "\n/* " + signatureComment(instance.kernel, instance.constants, instance.parameters) + " */\ninline void " +
         cName(symbol) + "(fly_stream stream";
  std::string call = "::" + module.name + "_" + symbol + "(stream";
  for (const ParameterInfo &p : instance.parameters) {
    out += ", " + parameter(p);
    call += ", " + passed(p);
  }
  out += ") {\n  int fly_fault = 0;\n  (void)fly_fault;\n";
  const std::vector<ParameterInfo> named = namedBy(instance);
  for (const ParameterInfo &p : instance.parameters)
    covers(p, named, symbol);
  out += "  fly::check(" + call + "));\n}\n";
  layouts(symbol, instance.parameters);
}

void SpanWriter::launch(const std::string &symbol, const LaunchInfo &plan) {
  if (!written.insert(symbol).second)
    return;
  const bool hasWorkspace = !plan.workspace.empty();
  std::string scalars, scalarNames, all, names;
  for (const ParameterInfo &p : plan.parameters) {
    all += ", " + parameter(p);
    names += ", " + passed(p);
    if (p.kind != ParameterKind::Scalar && p.kind != ParameterKind::Struct)
      continue;
    scalars += (scalars.empty() ? "" : ", ") + parameter(p);
    scalarNames += ", " + passed(p);
  }
  if (hasWorkspace)
    out += "\ninline size_t " + symbol + "_workspace_bytes(" + scalars +
           ") {\n  size_t fly_bytes = 0;\n  fly::check(::" + module.name + "_" + symbol +
           "_workspace_bytes(&fly_bytes" + scalarNames + "));\n  return fly_bytes;\n}\n";
  out += "\n/* " + signatureComment(plan.function, plan.constants, plan.parameters) + " */\ninline void " +
         cName(symbol) + "(fly_stream stream" + (hasWorkspace ? ", fly::raw_span<void> workspace" : "") + all +
         ") {\n  int fly_fault = 0;\n  (void)fly_fault;\n";
  const std::vector<ParameterInfo> named = namedBy(plan);
  for (const ParameterInfo &p : plan.parameters)
    covers(p, named, symbol);
  if (hasWorkspace)
    out += "  fly::covers(\"" + module.name + "." + symbol +
           "\", \"workspace\", workspace.size_bytes(), fly_fault, {{static_cast<int64_t>(" + symbol +
           "_workspace_bytes(" + (scalarNames.empty() ? "" : scalarNames.substr(2)) + ")), 1}});\n";
  out += "  fly::check(::" + module.name + "_" + symbol + "(stream" + (hasWorkspace ? ", workspace.data()" : "") +
         names + "));\n}\n";
  layouts(symbol, plan.parameters);
}

std::string SpanWriter::write() {
  const std::string guard = "FLY_MODULE_" + module.name + "_HPP";
  out = "// The kernels of " + cComment(module.source) +
        " with spans of device memory. Generated by flyc; do not edit.\n"
        "#ifndef " +
        guard + "\n#define " + guard + "\n\n#include \"fly/runtime.hpp\"\n\n#include \"" + module.name +
        ".h\"\n\nnamespace " + module.name + " {\n";
  for (const ArchInfo &arch : module.archs) {
    for (const InstanceInfo &instance : arch.instances) {
      if (!instance.exported)
        continue;
      kernel(instance.symbol, instance);
      for (const std::string &alias : instance.aliases)
        kernel(alias, instance);
    }
    for (const LaunchInfo &plan : arch.launches) {
      launch(plan.symbol, plan);
      for (const std::string &alias : plan.aliases)
        launch(alias, plan);
    }
  }
  out += "\n} // namespace " + module.name + "\n\n#endif\n";
  return std::move(out);
}

} // namespace

std::string toCxxHeader(const ModuleInfo &module) { return SpanWriter(module).write(); }

} // namespace fly::artifact
