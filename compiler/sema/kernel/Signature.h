// Parameters and decorator of a kernel instance: its launch as expressions of the scalar parameters.
#pragma once

#include "compiler/sema/kernel/Kernels.h"
#include "compiler/sema/kernel/LaunchFacts.h"
#include "compiler/sema/kernel/LaunchShapes.h"

namespace fly::sema {

/// A parameter of a kernel, from its annotation.
struct Parameter {
  const ast::Parameter *node = nullptr;
  std::optional<TensorTypeValue> tensor;
  std::optional<PointerTypeValue> pointer;
  Value record; ///< a struct type, of one that is passed by value
  std::shared_ptr<const artifact::StructInfo> recordInfo;
  Type scalar;
  LaunchShape layout; ///< of a tensor
};

/// The parameters, and the decorator's arguments in terms of them. Throws Failed.
class Signature {
public:
  /// `constants` must live as long.
  Signature(Elaborator &e, const KernelValue &kernel, const std::map<std::string, Value> &constants);
  void readDecorator(artifact::InstanceInfo &info);

  std::vector<Parameter> parameters;
  std::vector<artifact::ParameterInfo> fields; ///< numbers of struct parameters (ParameterStructs.h)
  Facts facts;
  Value blockDim;
  unsigned fastmath = 0;
  bool flushesDenormals = false;
  std::optional<int32_t> vgprs;                     ///< the most that the kernel may use
  std::optional<int32_t> agprs;                     ///< the most that accumulators may be placed in
  std::map<std::string, SourceRange> llvmOptionsAt; ///< where the options of `llvm=` stand
  SourceRange instanceAt;                           ///< of what asks for the instance
  unsigned maxBlock;                                ///< threads, where `block=` is known at launch
  std::optional<std::array<int32_t, 3>> cluster;    ///< of several workgroups

private:
  /// Adds a precondition, which a launch checks.
  void require(artifact::InstanceInfo &info, host::ExprRef condition, std::string text, SourceRange at);
  /// Adds one of flyc's own.
  void imply(artifact::InstanceInfo &info, host::ExprRef condition, std::string text, SourceRange at);
  /// The hardware starts whole clusters: their extents divide those of the grid. The launch checks what the compiler
  /// cannot, so the code may rely on it.
  void requireWholeClusters(artifact::InstanceInfo &info);
  /// `resident=`: so many workgroups a compute unit hold all of the launch.
  void requireResidency(artifact::InstanceInfo &info, const ast::Expr &expr);
  /// A block that the launch decides has at most as many threads as the code was compiled for.
  void implyBlock(artifact::InstanceInfo &info, SourceRange at);
  void readSizes(const std::map<std::string, const ast::Expr *> &options, artifact::InstanceInfo &info);
  void readParameters();
  // None where the value is None.
  std::optional<int32_t> readVgprs(const ast::Expr &expr) const;
  std::optional<int32_t> readAgprs(const ast::Expr &expr) const;
  /// Those of the decorator, of the instance, of the command line; later ones win.
  void readLlvm(artifact::InstanceInfo &info);
  void readDynamicLds(const ast::Expr &expr, artifact::InstanceInfo &info);
  void readTensor(Parameter &p);
  void readDimensions(const ast::Expr &expr, const char *what, std::array<host::ExprRef, 3> &out);
  void readRequires(const ast::Expr &expr, artifact::InstanceInfo &info);
  /// Elements that share bytes have rows of whole bytes: the extent of the contiguous mode and all other strides. The
  /// launch checks what is not known, and the code relies on it.
  void implyBytes(artifact::InstanceInfo &info);
  /// Constants decide at once, one of 64 bits too. With 32-bit extents, offsets are computed in 32 bits, in bytes where
  /// an address is a uniform base and a lane's offset: the launch checks that the last element's are below 2^31
  /// elements and 2^32 bytes.
  void implyOffsets(artifact::InstanceInfo &info);

  Elaborator &e;
  const KernelValue &kernel;
  const std::map<std::string, Value> &constants;
  FrameScope scope;
};

/// What host code sees of the parameters: kinds, types, extents, places in the argument block.
void fillParameters(const Signature &signature, artifact::InstanceInfo &info, Elaborator &e);

} // namespace fly::sema
