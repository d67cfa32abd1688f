// See Clusters.h. The IR only has clusters of several workgroups (`known_cluster`); this file expresses clusters of one
// in terms of the grid.
#include "compiler/sema/prelude/Clusters.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::sema {

std::array<int32_t, 3> readCluster(Elaborator &e, const ast::Expr &option) {
  Value value = e.eval(option);
  Values list = value.sequence() ? *value.sequence() : Values{value};
  if (list.empty() || list.size() > 3)
    e.fail(diag::bad_grid, option.range, {"`cluster=` takes 1 to 3 dimensions, got " + std::to_string(list.size())});
  std::array<int32_t, 3> cluster{1, 1, 1};
  int64_t workgroups = 1;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].is<HostValue>())
      e.fail(diag::bad_grid, option.range,
             {"`cluster=` must be a compile-time constant; `" + toText(list[i]) + "` is known only at launch"});
    int64_t extent = requireInt(e, list[i], option.range, "`cluster=`");
    if (extent < 1 || extent > INT32_MAX)
      e.fail(diag::bad_grid, option.range,
             {"`cluster=` must be positive and below 2^31, got " + std::to_string(extent)});
    cluster[i] = int32_t(extent);
    workgroups = std::min<int64_t>(workgroups * extent, INT32_MAX);
  }
  if (workgroups > 1 && e.target.maxClusterSize == 1) {
    std::string others;
    for (auto &each : target::all())
      if (each.maxClusterSize > 1)
        others += (others.empty() ? "" : ", ") + std::string(each.name);
    e.report(diag::not_on_target, option.range, {"a cluster of workgroups", std::string(e.target.name)})
        .note(others + (llvm::StringRef(others).contains(',') ? " have them" : " has them"))
        .help("`cluster=min(2, target.max_cluster)` uses clusters only where the target has them; or restrict the "
              "targets with `arch=`");
    throw Failed{};
  }
  if (workgroups > int64_t(e.target.maxClusterSize))
    e.fail(diag::bad_grid, option.range,
           {"a cluster of " + std::to_string(workgroups) + " workgroups; " + std::string(e.target.name) +
            " allows at most " + std::to_string(e.target.maxClusterSize)});
  return cluster;
}

std::string clusterText(const std::array<int32_t, 3> &cluster) {
  return std::to_string(cluster[0]) + " x " + std::to_string(cluster[1]) + " x " + std::to_string(cluster[2]);
}

/// Of the kernel being elaborated; none in a cluster of one.
static std::optional<llvm::ArrayRef<int32_t>> knownCluster(Elaborator &e) {
  return llvm::cast<ir::KernelOp>(e.kernel.entry->getParentOp()).getKnownCluster();
}

static Value number(mlir::Value value) { return Value(MachineValue{value, Type::scalar(host::Number::I32)}); }

static Value zero(mlir::OpBuilder &b, mlir::Location location) {
  return number(mlir::arith::ConstantOp::create(b, location, b.getI32IntegerAttr(0)));
}

Value clusterIndex(Elaborator &e, IndexKind kind, ir::Dimension dimension, SourceRange range) {
  auto known = knownCluster(e);
  if (kind == IndexKind::ClusterDim)
    return Value(int64_t(known ? (*known)[size_t(dimension)] : 1));
  auto &b = *e.kernel.builder;
  auto location = e.location(range);
  if (kind == IndexKind::ClusterId)
    return number(known ? mlir::Value(ir::ClusterIdOp::create(b, location, dimension))
                        : mlir::Value(ir::BlockIdOp::create(b, location, dimension)));
  return known ? number(ir::ClusterBlockIdOp::create(b, location, dimension)) : zero(b, location);
}

/// In a cluster that is a line, the place along it: a field of a register that is there. The flat index of another one
/// takes an `s_getreg`.
Value clusterRank(Elaborator &e, SourceRange range) {
  auto &b = e.ir(range, "cluster_rank");
  auto location = e.location(range);
  auto known = knownCluster(e);
  if (!known)
    return zero(b, location);
  if (llvm::count(*known, 1) < 2)
    return number(ir::ClusterRankOp::create(b, location));
  auto *along = llvm::find_if(*known, [](int32_t extent) { return extent > 1; });
  return number(ir::ClusterBlockIdOp::create(b, location, ir::Dimension(along - known->begin())));
}

Value makeClusterBarrier(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "cluster_barrier");
  auto location = e.location(call.range, call.builtin->name);
  if (knownCluster(e))
    ir::ClusterBarrierOp::create(b, location);
  else
    ir::BarrierOp::create(b, location);
  return Value();
}

} // namespace fly::sema
