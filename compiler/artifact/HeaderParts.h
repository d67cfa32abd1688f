// Building blocks for the functions of a generated header: declarations, error returns, sizes. Local variables that the
// pieces use: `fly_fault` and `fly_holds`.
#pragma once

#include "compiler/artifact/HeaderExpression.h"

#include <optional>

namespace fly::artifact {

struct CType {
  const char *type;
  const char *format, *cast;
};
/// The C type of a .fly type; null for what C has none for (f16, bf16, 8-bit floats, vectors): raw bits.
const CType *typeOf(const std::string &type);
/// The C type of a tensor's elements and of fields: that of `typeOf`, or one of fly/types.h; empty for formats that share bytes, vectors
/// and structs.
std::string cType(const std::string &type);
/// The C type with this many bits, for a number type that C does not have; null for other sizes.
const char *bitsOf(uint32_t size);
/// `prefix`: of the names of structs.
std::string declaration(const ParameterInfo &parameter, const std::string &prefix);
/// A tensor or pointer.
bool isAddress(const ParameterInfo &parameter);
/// A scalar that is passed by the address of its bytes.
bool byAddress(const ParameterInfo &parameter);
/// The names that launch-time expressions may use: parameters, followed by the numbers in structs.
std::vector<ParameterInfo> namedBy(const InstanceInfo &instance);
std::vector<ParameterInfo> namedBy(const LaunchInfo &launch);
/// `"n = %lld, k = %lld", (long long)n, (long long)k`: the values that a refused expression speaks of.
std::string valuesOf(const host::Expr &expr, const std::vector<ParameterInfo> &parameters);
/// Whether a part of the expression is a number of the device.
bool usesDevice(const host::ExprRef &expr);

/// Refuses the call unless the precondition holds. `label`: a C string, whose precondition it is.
void require(std::string &text, const RequirementInfo &requirement, const std::vector<ParameterInfo> &parameters,
             const std::string &label, const std::string &indent);
/// The extents of tensors that must not be below zero, each once. Extents that only the launch knows are left out.
std::vector<host::ExprRef> extentsToCheck(const std::vector<ParameterInfo> &parameters);
/// Refuses a tensor of `parameters` with an extent below zero.
void requireExtents(std::string &text, const std::vector<ParameterInfo> &parameters,
                    const std::vector<ParameterInfo> &named, const std::string &label, const std::string &indent);
/// The extents that make a tensor empty if one of them is zero; none if it may be null: it is not used, or empty, or
/// nobody knows.
std::optional<std::vector<host::ExprRef>> extentsOfMemory(const ParameterInfo &parameter);
/// Refuses a null tensor unless the grid (a C array) or the tensor is empty. Behind `requireExtents`.
void requireMemory(std::string &text, const ParameterInfo &parameter, const std::vector<ParameterInfo> &named,
                   const std::string &grid, const std::string &label, const std::string &indent);
/// A C string of code in backticks.
std::string quoted(const std::string &code);
/// Refuses a tensor or pointer that is not aligned as its parameter says.
void requireAlignment(std::string &text, const ParameterInfo &parameter, const std::string &label);
/// `to = expr;`, refused where it cannot be computed.
void assignSize(std::string &text, const std::string &to, const host::ExprRef &expr, int64_t otherwise,
                const std::vector<ParameterInfo> &parameters, const std::string &label, const std::string &indent);
/// "add[T=f16]; a: f16 (n)"
std::string signatureText(const std::string &name, const std::vector<std::pair<std::string, std::string>> &constants,
                          const std::vector<ParameterInfo> &parameters);
/// The same as the comment above a function.
std::string signatureComment(const std::string &name, const std::vector<std::pair<std::string, std::string>> &constants,
                             const std::vector<ParameterInfo> &parameters);

/// Whether a tensor has a function that says where its elements lie: its modes are divided.
bool hasLayout(const ParameterInfo &parameter);
/// Those functions of a kernel or launch function (HeaderLayouts.cpp). `parameters` and `named`, the names that expressions use: by
/// architecture; null where it is not there.
std::string layoutFunctions(const ModuleInfo &module, const std::string &symbol,
                            const std::vector<const std::vector<ParameterInfo> *> &parameters,
                            const std::vector<std::vector<ParameterInfo>> &named);

/// The functions of the `@launch` functions (HeaderLaunches.cpp). `symbols`: the module's kernels by their number.
std::string launchFunctions(const ModuleInfo &module, const std::vector<std::string> &symbols);

} // namespace fly::artifact
