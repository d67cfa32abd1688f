// Clusters: workgroups that run at the same time, close to each other, and can wait for each other.
//
//     @kernel(block=64, grid=n, cluster=(2, 2))
//
// What a kernel knows of its cluster is there on every target. A kernel without `cluster=` is a cluster of one
// workgroup, so that a function of a library need not know how its kernel is launched.
#pragma once

#include "compiler/sema/elaborator/Builtins.h"

#include "compiler/dialect/FlyDialect.h"

#include <array>

namespace fly::sema {

/// `cluster=`: one to three compile-time integers. Throws Failed, also if the target has no clusters.
std::array<int32_t, 3> readCluster(Elaborator &e, const ast::Expr &option);
/// "2 x 2 x 1"
std::string clusterText(const std::array<int32_t, 3> &cluster);

/// `cluster_id.x`, `cluster_dim.x`, `cluster_block_id.x`; in a kernel.
Value clusterIndex(Elaborator &e, IndexKind kind, ir::Dimension dimension, SourceRange range);
Value clusterRank(Elaborator &e, SourceRange range);
Value makeClusterBarrier(Elaborator &e, BoundCall &call);

} // namespace fly::sema
