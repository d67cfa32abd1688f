// A function for each tensor of a kernel or launch function whose modes are divided, such as shuffled weights: where its
// elements lie, for fly_layout_copy (fly/layout.h).
//
//     fly_status m_f_layout_of_w(fly_layout *layout, int32_t n, ...)                 scalars and structs only
//
// Other tensors lie row after row, or with a stride that their caller chose.
#include "compiler/artifact/HeaderParts.h"

#include <algorithm>

namespace fly::artifact {

namespace {

/// FLY_LAYOUT_LEAVES of fly/layout.h.
constexpr size_t mostLeaves = 24;

bool isKnown(const std::vector<host::ExprRef> &numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](const host::ExprRef &each) {
    return each && each->kind == host::ExprKind::Int && !usesDevice(each);
  });
}

std::string body(const ParameterInfo &p, const std::vector<ParameterInfo> &named, const std::string &label) {
  const std::string bits = std::to_string(p.elementBits ? p.elementBits : p.elementBytes * 8);
  const std::vector<size_t> leaves = host::leafCounts(p.modes, p.shape.size());
  std::string text = "    fly_to->bits = " + bits + ";\n    fly_to->modes = " + std::to_string(leaves.size()) + ";\n";
  for (size_t i = 0; i < leaves.size(); ++i)
    text += "    fly_to->leaves[" + std::to_string(i) + "] = " + std::to_string(leaves[i]) + ";\n";
  for (size_t i = 0; i < p.shape.size(); ++i) {
    assignSize(text, "fly_to->extents[" + std::to_string(i) + "]", p.shape[i], 1, named, label, "    ");
    assignSize(text, "fly_to->strides[" + std::to_string(i) + "]", p.strides[i], 1, named, label, "    ");
  }
  return text;
}

} // namespace

bool hasLayout(const ParameterInfo &parameter) {
  const std::vector<size_t> leaves = host::leafCounts(parameter.modes, parameter.shape.size());
  return parameter.kind == ParameterKind::Tensor && parameter.shape.size() <= mostLeaves &&
         parameter.shape.size() == parameter.strides.size() &&
         std::any_of(leaves.begin(), leaves.end(), [](size_t count) { return count > 1; }) &&
         isKnown(parameter.shape) && isKnown(parameter.strides);
}

std::string layoutFunctions(const ModuleInfo &module, const std::string &symbol,
                            const std::vector<const std::vector<ParameterInfo> *> &parameters,
                            const std::vector<std::vector<ParameterInfo>> &named) {
  const auto first = std::find_if(parameters.begin(), parameters.end(), [](auto *each) { return each; });
  const std::string label = "\"" + module.name + "." + symbol + "\"", prefix = module.name + "_";
  std::string out;
  for (size_t p = 0; p < (*first)->size(); ++p) {
    const ParameterInfo &tensor = (**first)[p];
    if (!hasLayout(tensor))
      continue;
    std::vector<std::pair<std::string, std::string>> bodies; // with the `case` of its architectures
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i] || !hasLayout((*parameters[i])[p]))
        continue;
      const std::string text = body((*parameters[i])[p], named[i], label);
      const std::string at = "  case " + std::to_string(i) + ": /* " + module.archs[i].arch + " */\n";
      auto same = std::find_if(bodies.begin(), bodies.end(), [&](const auto &entry) { return entry.first == text; });
      if (same == bodies.end())
        bodies.push_back({text, at});
      else
        same->second += at;
    }
    out += "/* Where the elements of `" + cComment(tensor.name) + "` lie. */\nstatic inline fly_status " + prefix +
           symbol + "_layout_of_" + tensor.name + "(fly_layout *fly_to";
    std::string unused;
    for (const ParameterInfo &each : **first)
      if (each.kind == ParameterKind::Scalar || each.kind == ParameterKind::Struct) {
        out += ", " + declaration(each, prefix);
        unused += "  (void)" + cName(each.name) + ";\n";
      }
    out += ") {\n  int fly_fault = 0;\n" + unused + "  (void)fly_fault;\n  memset(fly_to, 0, sizeof *fly_to);\n";
    if (bodies.size() == 1) {
      out += "  {\n" + bodies[0].first + "  }\n";
    } else {
      out += "  uint32_t fly_index = 0;\n  const fly_status fly_selected = fly_module_select(" + module.name +
             "_module(), NULL, &fly_index);\n  if (fly_selected != FLY_OK)\n    return fly_selected;\n"
             "  switch (fly_index) {\n";
      for (const auto &[text, at] : bodies)
        out += at + text + "    break;\n";
      out += "  default:\n    return fly_refuse(FLY_ERROR_ARCHITECTURE, \"%s: not available for this device\", " +
             label + ");\n  }\n";
    }
    out += "  return FLY_OK;\n}\n";
  }
  return out;
}

} // namespace fly::artifact
