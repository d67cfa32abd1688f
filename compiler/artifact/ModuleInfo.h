// Everything known about a compiled module: the one structure from which the JSON metadata, the C header, the report
// line and the launches of `flyc test` are made.
#pragma once

#include "compiler/host/HostExpr.h"
#include "compiler/host/Profile.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fly::artifact {

enum class ParameterKind { Tensor, Scalar, Pointer, Struct };
enum class Direction { In, Out, InOut };

struct StructInfo;
struct FieldInfo {
  std::string name;
  std::string type;              ///< of the number or of a vector's element, the struct's name, or what is pointed to
  uint32_t offset = 0, size = 0; ///< in the struct, bytes
  uint32_t lanes = 0;            ///< of a vector: an array in C
  bool isPointer = false, isReadOnly = false;
  uint32_t alignment = 1;                   ///< of what a pointer points to, bytes
  std::shared_ptr<const StructInfo> record; ///< of a nested struct
};
/// A struct that is passed by value, laid out by C's rules.
struct StructInfo {
  std::string name;
  uint32_t size = 0, alignment = 1;
  std::vector<FieldInfo> fields;
};

struct ParameterInfo {
  std::string name;
  ParameterKind kind = ParameterKind::Scalar;
  std::string type;          ///< element or scalar type: "f32", "i64", "bool", ...
  uint32_t elementBytes = 4; ///< bytes of one element (tensor) or of the scalar; 0 of several in a byte
  /// Of a tensor's element if it shares a byte with others; packed, the first in the lowest bits.
  uint32_t elementBits = 0;
  bool isUsed = true;  ///< false: this instance of the kernel does not use it, and a tensor may be a null pointer
  uint32_t offset = 0; ///< in the kernel argument block, bytes
  uint32_t size = 8;   ///< in the kernel argument block, bytes
  std::shared_ptr<const StructInfo> record; ///< structs only
  // Tensors and pointers:
  Direction direction = Direction::In;
  uint32_t alignment = 16; ///< of the pointer, bytes
  // Tensors only:
  std::vector<host::ExprRef> shape, strides; ///< elements, one per leaf
  host::Profiles modes;                      ///< how the leaves are grouped
};

/// A precondition; `text` is the author's (or, when implied, flyc's) expression.
struct RequirementInfo {
  host::ExprRef expr;
  std::string text;
  std::string file;
  unsigned line = 0;
  bool implied = false; ///< added by flyc: 31-bit offsets, whole clusters
};

/// Registers and memory of the finished machine code, read back from the object.
struct ResourceInfo {
  uint32_t vgprs = 0, agprs = 0, sgprs = 0, ldsBytes = 0, scratchBytes = 0, codeBytes = 0;
  uint32_t vgprSpills = 0, sgprSpills = 0;
  uint32_t occupancy = 0;  ///< waves a SIMD
  uint32_t workgroups = 0; ///< of `maxWorkgroupSize` lanes, a compute unit
  uint32_t waveSize = 64, maxWorkgroupSize = 1024, kernargBytes = 0;
};

/// One instance of a kernel on one architecture.
struct InstanceInfo {
  std::string symbol;                                         ///< in the HSACO: "vec_add", "vec_add__T_f16__VEC_8"
  std::vector<std::string> aliases;                           ///< further names of the same code
  std::string kernel;                                         ///< the kernel's name in the source
  std::string label;                                          ///< in messages: "vec_add[T=f16]"
  std::vector<std::pair<std::string, std::string>> constants; ///< Constexpr parameters, values in .fly spelling
  std::map<std::string, std::string> llvmOptions;             ///< that it was compiled with
  std::vector<ParameterInfo> parameters;
  /// The numbers in struct parameters, named `p.n`: expressions refer to them by indices that follow those of the
  /// parameters.
  std::vector<ParameterInfo> fields;
  std::array<host::ExprRef, 3> grid, block;
  std::array<uint32_t, 3> cluster{1, 1, 1};  ///< workgroups that are launched together; divides the grid
  host::ExprRef dynamicLds;                  ///< bytes
  std::vector<RequirementInfo> requirements; ///< checked in order
  ResourceInfo resources;
  bool exported = true; ///< false: only launch functions use it
  double compileMs = 0; ///< for the report line; never in an artifact
};

/// The value that a step of a launch function passes for one parameter of a kernel.
struct ArgumentInfo {
  enum Kind { Value, Parameter, Workspace, Struct } kind = Value;
  host::ExprRef value; ///< Value: over the launch function's parameters; of a pointer or tensor: null
  /// Parameter: its index (fields follow the parameters), passed on unchanged; Workspace: which part.
  unsigned index = 0;
  host::ExprRef offset = nullptr; ///< of memory: in bytes from its beginning; null: none
  std::optional<uint32_t> member =
      {}; ///< of memory that a pointer in a struct parameter points to: where in the struct
  std::vector<ArgumentInfo> fields = {}; ///< Struct: one each of its fields; of a vector one each of its lanes
};
/// Memory that a step fills: all bytes with one value.
struct FillInfo {
  ArgumentInfo memory;
  host::ExprRef bytes;
  uint8_t value = 0;
};

/// A launch, or the filling of memory. All expressions are over the launch function's
/// parameters.
struct StepInfo {
  host::ExprRef when;                        ///< null: always
  std::optional<FillInfo> fill;              ///< else a launch:
  std::string kernel;                        ///< symbol
  std::string name;                          ///< of the kernel, in the source
  std::vector<ArgumentInfo> arguments;       ///< one a parameter of the kernel
  std::vector<RequirementInfo> requirements; ///< of the kernel
  std::array<host::ExprRef, 3> grid, block;
  host::ExprRef dynamicLds;
};

/// One part of the workspace. Parts follow one another, each starting at a multiple of 256 bytes.
struct WorkspaceInfo {
  std::string name, type;
  host::ExprRef bytes;
};
constexpr int64_t workspaceAlignment = 256;

/// One instance of a `@launch` function: its plan. A launch first evaluates and checks everything, then begins.
struct LaunchInfo {
  std::string symbol;
  std::vector<std::string> aliases;
  std::string function; ///< its name in the source
  std::vector<std::pair<std::string, std::string>> constants;
  std::vector<ParameterInfo> parameters;     ///< offsets have no meaning
  std::vector<ParameterInfo> fields;         ///< as InstanceInfo::fields
  std::vector<RequirementInfo> requirements; ///< its own
  std::vector<WorkspaceInfo> workspace;
  std::vector<StepInfo> steps;
};

struct ArchInfo {
  std::string arch;  ///< "gfx942"
  std::string hsaco; ///< the code object's bytes
  std::vector<InstanceInfo> instances;
  std::vector<LaunchInfo> launches;
};

struct ModuleInfo {
  std::string name;   ///< file name without .fly, a C identifier
  std::string source; ///< display path
  std::string docstring;
  std::vector<ArchInfo> archs;
  std::vector<std::string> verifyOff; ///< rules that the machine code was not held against, because somebody asked
};

/// "schema_version" of the metadata.
constexpr int metadataVersion = 3;
/// FLY_ABI_VERSION of the runtime that the functions of a header call.
constexpr unsigned runtimeAbi = 3;
/// FLY_PLAN_VERSION of the runtime that reads the tables of plans.
constexpr unsigned planVersion = 1;
/// The JSON metadata, indented, ending in a newline. Schema: docs/schema/module.schema.json.
std::string toJson(const ModuleInfo &module);
/// The C99/C++17 header with the embedded code objects and one typed launch function an exported instance.
std::string toHeader(const ModuleInfo &module);
/// The C++17 header over it: spans whose sizes are compared with the tensors' shapes, errors that are thrown.
std::string toCxxHeader(const ModuleInfo &module);

/// Writes several files so that either all appear, complete, or none does (temporaries in the target directory, then
/// renames). Returns an error text, empty on success.
struct OutputFile {
  std::string path, content;
};
/// What is written to as it is, not replaced: /dev/null, /dev/stdout, a named pipe.
bool isStream(const std::string &path);
std::string writeAtomically(const std::vector<OutputFile> &files);

} // namespace fly::artifact
