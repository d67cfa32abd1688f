// See Functions.h.
#include "compiler/artifact/Functions.h"

#include "compiler/artifact/HeaderParts.h"

#include <algorithm>

namespace fly::artifact {

bool ModuleFunction::mayBeAbsent(size_t parameter) const {
  return std::any_of(archs.begin(), archs.end(), [&](const FunctionOnArch &arch) {
    return (*arch.parameters)[parameter].kind == ParameterKind::Tensor && !arch.isUsed[parameter];
  });
}

namespace {

/// Reads integers: a scalar of another type is never the extent of anything.
bool isInteger(const ParameterInfo &parameter) {
  return parameter.kind == ParameterKind::Scalar && parameter.size >= 1 && !parameter.type.empty() &&
         (parameter.type[0] == 'i' || parameter.type[0] == 'u') && typeOf(parameter.type);
}

std::vector<ScalarSource> sourcesOf(size_t scalar, const std::vector<ParameterInfo> &parameters) {
  std::vector<ScalarSource> extents, strides;
  if (!isInteger(parameters[scalar]))
    return {};
  auto isScalar = [&](const host::ExprRef &expr) {
    return expr && expr->op == host::ExprOp::Parameter && expr->parameter == scalar;
  };
  for (unsigned tensor = 0; tensor < parameters.size(); ++tensor) {
    const ParameterInfo &info = parameters[tensor];
    if (info.kind != ParameterKind::Tensor || info.shape.size() != info.strides.size())
      continue;
    const std::vector<size_t> counts = host::leafCounts(info.modes, info.shape.size());
    for (unsigned mode = 0, leaf = 0; mode < counts.size(); leaf += unsigned(counts[mode++])) {
      if (counts[mode] != 1)
        continue;
      if (isScalar(info.shape[leaf]))
        extents.push_back({tensor, mode, leaf, false});
      if (isScalar(info.strides[leaf]))
        strides.push_back({tensor, mode, leaf, true});
    }
  }
  extents.insert(extents.end(), strides.begin(), strides.end());
  return extents;
}

/// What all architectures have.
void findSources(ModuleFunction &function) {
  for (size_t i = 0; i < function.parameters().size(); ++i) {
    std::vector<ScalarSource> sources = sourcesOf(i, function.parameters());
    for (const FunctionOnArch &arch : function.archs) {
      const std::vector<ScalarSource> own = sourcesOf(i, *arch.parameters);
      std::erase_if(sources,
                    [&](const ScalarSource &source) { return std::find(own.begin(), own.end(), source) == own.end(); });
    }
    function.sources.push_back(std::move(sources));
  }
}

std::vector<bool> usedBy(const InstanceInfo &instance) {
  std::vector<bool> used;
  for (const ParameterInfo &parameter : instance.parameters)
    used.push_back(parameter.isUsed);
  return used;
}

void markUsed(const ArgumentInfo &argument, std::vector<bool> &used) {
  if (argument.kind == ArgumentInfo::Parameter && argument.index < used.size())
    used[argument.index] = true;
  for (const ArgumentInfo &field : argument.fields)
    markUsed(field, used);
}

/// What the steps use that every launch runs.
std::vector<bool> usedBy(const LaunchInfo &launch, const ArchInfo &arch) {
  std::vector<bool> used(launch.parameters.size());
  for (const StepInfo &step : launch.steps) {
    if (step.when && !(step.when->op == host::ExprOp::BoolConstant && step.when->boolValue))
      continue;
    if (step.fill) {
      markUsed(step.fill->memory, used);
      continue;
    }
    for (const InstanceInfo &kernel : arch.instances)
      for (size_t i = 0; kernel.symbol == step.kernel && i < kernel.parameters.size(); ++i)
        if (kernel.parameters[i].isUsed)
          markUsed(step.arguments[i], used);
  }
  return used;
}

class FunctionList {
public:
  template <typename Info>
  void add(size_t arch, const Info &info, const std::string &source, const std::vector<bool> &used) {
    std::vector<std::string> names = {info.symbol};
    names.insert(names.end(), info.aliases.begin(), info.aliases.end());
    for (const std::string &name : names) {
      auto found = std::find_if(functions.begin(), functions.end(),
                                [&](const ModuleFunction &function) { return function.symbol == name; });
      if (found == functions.end()) {
        functions.emplace_back();
        found = functions.end() - 1;
        found->symbol = name;
        found->source = source;
        found->constants = info.constants;
      }
      found->archs.push_back({arch, &info.parameters, &info.requirements, namedBy(info), used});
      if constexpr (std::is_same_v<Info, LaunchInfo>)
        found->hasWorkspace |= !info.workspace.empty();
    }
  }

  std::vector<ModuleFunction> functions;
};

} // namespace

std::vector<ModuleFunction> functionsOf(const ModuleInfo &module) {
  FunctionList list;
  for (size_t i = 0; i < module.archs.size(); ++i)
    for (const InstanceInfo &instance : module.archs[i].instances)
      if (instance.exported)
        list.add(i, instance, instance.kernel, usedBy(instance));
  for (size_t i = 0; i < module.archs.size(); ++i)
    for (const LaunchInfo &launch : module.archs[i].launches)
      list.add(i, launch, launch.function, usedBy(launch, module.archs[i]));
  for (ModuleFunction &function : list.functions)
    findSources(function);
  return std::move(list.functions);
}

namespace {

bool contains(const host::Expr &expr, const std::vector<bool> &missing) {
  if (expr.op == host::ExprOp::Parameter)
    return expr.parameter < missing.size() && missing[expr.parameter];
  return std::any_of(expr.operands.begin(), expr.operands.end(),
                     [&](const host::ExprRef &operand) { return contains(*operand, missing); });
}

/// Makes the one unknown of a product known, if there is one and it lies under sums and products.
bool solve(const std::vector<host::ExprRef> &factors, std::vector<bool> &missing) {
  const host::Expr *unknown = nullptr;
  for (const host::ExprRef &factor : factors) {
    if (!factor || !contains(*factor, missing))
      continue;
    if (unknown)
      return false;
    unknown = factor.get();
  }
  if (!unknown)
    return false;
  if (unknown->op == host::ExprOp::Parameter) {
    missing[unknown->parameter] = false;
    return true;
  }
  const bool isLinear =
      unknown->op == host::ExprOp::Add || unknown->op == host::ExprOp::Sub || unknown->op == host::ExprOp::Mul;
  return isLinear && solve(unknown->operands, missing);
}

/// One round over all tensors; whether it found something.
bool solveTensors(const std::vector<ParameterInfo> &parameters, std::vector<bool> &missing) {
  bool isFound = false;
  for (const ParameterInfo &info : parameters) {
    if (info.kind != ParameterKind::Tensor)
      continue;
    size_t leaf = 0;
    for (size_t count : host::leafCounts(info.modes, info.shape.size())) {
      isFound |= solve({info.shape.begin() + leaf, info.shape.begin() + leaf + count}, missing);
      leaf += count;
    }
    if (info.modes.empty())
      for (const host::ExprRef &stride : info.strides)
        isFound |= solve({stride}, missing);
  }
  return isFound;
}

} // namespace

std::vector<bool> solvable(const ModuleFunction &function) {
  const size_t count = function.parameters().size();
  std::vector<bool> result(count, true);
  for (const FunctionOnArch &arch : function.archs) {
    std::vector<bool> missing(count), isGiven(count);
    for (size_t i = 0; i < count; ++i) {
      missing[i] = (*arch.parameters)[i].kind == ParameterKind::Scalar;
      isGiven[i] = !missing[i];
    }
    // Where nothing more follows, the first unknown must be given.
    for (;;) {
      while (solveTensors(*arch.parameters, missing)) {
      }
      auto next = std::find(missing.begin(), missing.end(), true);
      if (next == missing.end())
        break;
      *next = false;
      isGiven[size_t(next - missing.begin())] = true;
    }
    for (size_t i = 0; i < count; ++i)
      result[i] = result[i] && !isGiven[i];
  }
  return result;
}

unsigned packedMode(const ParameterInfo &parameter) {
  const std::vector<size_t> counts = host::leafCounts(parameter.modes, parameter.shape.size());
  unsigned found = counts.empty() ? 0 : unsigned(counts.size()) - 1;
  for (unsigned mode = 0, leaf = 0; mode < counts.size(); leaf += unsigned(counts[mode++]))
    for (size_t i = leaf; i < leaf + counts[mode]; ++i)
      if (const host::ExprRef &stride = parameter.strides[i];
          stride && stride->op == host::ExprOp::IntConstant && stride->intValue == 1)
        found = mode;
  return found;
}

} // namespace fly::artifact
