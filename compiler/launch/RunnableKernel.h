// Which kernel `flyc run` runs: a code object from a file, or one compiled from a .fly source, and what its parameters
// are. The metadata of a code object has sizes and says whether a parameter is a buffer. A .fly kernel also has element
// types, shapes and strides, and its launch expressions determine grid and block.
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/launch/ElementType.h"
#include "compiler/compilation/Session.h"
#include "compiler/isa/CodeObject.h"

namespace fly::driver {

struct KernelParameter {
  enum Kind { Buffer, Value, Lds };
  Kind kind = Value;
  std::string name;                              ///< may be empty
  uint32_t offset = 0, size = 0;                 ///< in the argument block
  const ElementType *type = nullptr;             ///< of elements or value; null: not known
  const artifact::ParameterInfo *info = nullptr; ///< .fly only
  bool isPlace = false;                          ///< not a parameter: bytes of the block, named "@16"
  uint64_t end() const { return uint64_t(offset) + size; }
};

struct RunnableKernel {
  std::string bytes;  ///< the code object, which `object` refers to
  std::string folder; ///< of the file given, where sources are looked for
  isa::CodeObject object;
  const isa::Kernel *kernel = nullptr;
  std::vector<KernelParameter> parameters;    ///< explicit ones, in order
  uint32_t argumentBytes = 0;                 ///< of the whole block, with hidden arguments
  std::optional<artifact::InstanceInfo> info; ///< .fly only
};

/// Reads or compiles, and picks the kernel. 0, or the exit status after diagnostics: 1 when a source does not compile,
/// 2 when there is no such file or kernel. `arch`: empty: gfx942 for
/// sources, whatever there is for code objects.
int openKernel(Session &session, const std::string &path, const std::string &name, const std::string &arch,
               RunnableKernel &out);

/// "a: buffer, n: 4-byte value"
std::string describe(const std::vector<KernelParameter> &parameters);
/// Whether the parameter only fills a gap, by its name: `pad`, `_pad3`, `padding...`, `reserved...`. Needs no value.
bool isPadding(const KernelParameter &parameter);
/// "`n`", or "parameter 2" when it has no name.
std::string nameOf(const KernelParameter &parameter, size_t position);

} // namespace fly::driver
