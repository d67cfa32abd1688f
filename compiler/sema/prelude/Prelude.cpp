// Names of the prelude that are not functions.
#include "compiler/sema/prelude/Prelude.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/prelude/Clusters.h"
#include "compiler/sema/value/LayoutObject.h"

#include <limits>

namespace fly::sema {

namespace {
struct Named {
  const char *name, *doc;
  Value value;
};
const std::vector<Named> &constants() {
  static const std::vector<Named> table = {
      {"In", "a tensor parameter that a kernel reads: `In[T, shape]`", Value(GenericValue{Generic::In})},
      {"Out", "a tensor parameter that a kernel writes", Value(GenericValue{Generic::Out})},
      {"InOut", "a tensor parameter that a kernel reads and writes", Value(GenericValue{Generic::InOut})},
      {"Constexpr", "a parameter known at compile time: `Constexpr[int]`", Value(GenericValue{Generic::Constexpr})},
      {"vec", "a vector type: `vec[f32, 4]`", Value(GenericValue{Generic::Vec})},
      {"Vector", "the same as `vec`", Value(GenericValue{Generic::Vec})},
      {"Pointer", "an address: `Pointer[f32, global]`", Value(GenericValue{Generic::Pointer})},
      {"layout",
       "a layout: `layout[(8, 16):(1, 8)]`, or read from CuTe's text: `layout(\"S<3,3,3> o 0 o ((8),64):((64),1)\")`",
       Value(GenericValue{Generic::Layout})},
      {"_", "in coordinates and tiles, keeps a whole mode, like `None` and `:`", keepValue()},
      {"LayoutLeft", "the order of `make_layout` in which the first mode is contiguous", Value("LayoutLeft")},
      {"LayoutRight", "the order in which the last mode is contiguous", Value("LayoutRight")},
      {"thread_id", "the thread's index in its workgroup: `.x .y .z`", Value(IndexValue{IndexKind::ThreadId})},
      {"block_id", "the workgroup's index in the grid: `.x .y .z`", Value(IndexValue{IndexKind::BlockId})},
      {"block_dim", "the number of threads in a workgroup: `.x .y .z`", Value(IndexValue{IndexKind::BlockDim})},
      {"grid_dim", "the number of workgroups in the grid: `.x .y .z`", Value(IndexValue{IndexKind::GridDim})},
      {"cluster_id", "the cluster's index in the grid of clusters: `.x .y .z`; without `cluster=`, `block_id`",
       Value(IndexValue{IndexKind::ClusterId})},
      {"cluster_dim", "the number of workgroups in a cluster, known at compile time: `.x .y .z`; without `cluster=`, 1",
       Value(IndexValue{IndexKind::ClusterDim})},
      {"cluster_block_id", "the workgroup's index in its cluster: `.x .y .z`; without `cluster=`, 0",
       Value(IndexValue{IndexKind::ClusterBlockId})},
      {"target", "the architecture that the code is compiled for: `.arch .wave .lds_bytes .has(feature)`",
       Value(TargetValue{})},
      {"device", "the device that a `@launch` function launches on: `.compute_units`", Value(DeviceValue{})},
      {"inf", "infinity", Value(std::numeric_limits<double>::infinity())},
      {"nan", "not a number", Value(std::numeric_limits<double>::quiet_NaN())},
  };
  return table;
}
} // namespace

std::vector<std::pair<std::string, std::string>> preludeConstants() {
  std::vector<std::pair<std::string, std::string>> all;
  for (auto &named : constants())
    all.push_back({named.name, named.doc});
  all.push_back({"cluster_rank", "the workgroup's linear index in its cluster, x first"});
  all.push_back({"lane_id", "the thread's index in its wave"});
  all.push_back({"wave_id", "the wave's index in its workgroup"});
  all.push_back({"wave_size", "the number of lanes in a wave: 32 or 64, known at compile time"});
  return all;
}

std::optional<Value> preludeValue(Elaborator &e, llvm::StringRef name, SourceRange range) {
  if (auto number = host::numberByName(name))
    return Value(Type::scalar(*number));
  for (auto &named : constants())
    if (name == named.name)
      return named.value;
  if (name == "lane_id") {
    auto &b = e.ir(range, "lane_id");
    return Value(MachineValue{ir::LaneIdOp::create(b, e.location(range)), Type::scalar(host::Number::I32)});
  }
  if (name == "cluster_rank")
    return clusterRank(e, range);
  if (name == "wave_size")
    return Value(int64_t(e.target.waveSize));
  if (name == "wave_id") {
    auto &b = e.ir(range, "wave_id");
    mlir::OpBuilder::InsertionGuard guard(b); // found once, for all loops
    b.setInsertionPointToStart(e.kernel.entry);
    mlir::Value wave =
        ir::WaveIdOp::create(b, e.location(range), b.getI32Type(), e.target.waveSize, e.target.has("wave_id_register"));
    return Value(MachineValue{wave, Type::scalar(host::Number::I32)});
  }
  return std::nullopt;
}

std::vector<std::string> preludeNames(const BuiltinTable &builtins) {
  std::vector<std::string> out;
  for (auto *builtin : builtins.all())
    out.push_back(builtin->name);
  for (auto &named : constants())
    out.push_back(named.name);
  for (auto &format : host::allFormats())
    out.push_back(format.name);
  out.insert(out.end(), {"i1", "cluster_rank", "lane_id", "wave_id", "wave_size", "type", "expect_refused",
                         "expect_error", "expect_fault", "only_workgroups", "together", "any_order", "fastmath",
                         "denormals", "kernel", "launch", "check", "bench", "extern"});
  return out;
}

} // namespace fly::sema
