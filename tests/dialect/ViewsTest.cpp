// From a view back to its tensor, through every operation that makes a view, and where the way ends.
#include "KernelText.h"
#include "compiler/dialect/Views.h"

namespace fly::ir {
namespace {

const char *const tensor =
    "%l = fly.make_layout() : !fly.layout<(8,4):(1,8)>\n"
    "%t = fly.make_tensor %p, %l : !fly.ptr<global, align=16>, !fly.layout<(8,4):(1,8)> -> f32\n";
const char *const slice = "%s = fly.slice %t[_, %i] : !fly.tensor<f32, global, align=16, (8,4):(1,8)>\n";

std::vector<std::string> namesTo(mlir::Value view) {
  std::vector<std::string> names;
  for (mlir::Operation *step : stepsTo(view))
    names.push_back(step->getName().stripDialect().str());
  return names;
}

TEST(Views, LeadToTheirTensor) {
  KernelText kernel(std::string(tensor) + R"(
    %f = fly.buffer far %t, %bytes widest 8 : !fly.tensor<f32, global, align=16, (8,4):(1,8)>
    %n = fly.rebase %f : !fly.tensor<f32, buffer, align=16, (8,4):(1,8)>
    %s = fly.slice %n[_, %i] : !fly.tensor<f32, buffer, align=16, (8,4):(1,8)>
    %r = fly.rearrange "coalesce 1" of %s : !fly.tensor<f32, buffer, align=16, (8):(1)>
    %h = fly.recast %r : !fly.tensor<f32, buffer, align=16, 8:1> -> f16
    %a = fly.at_offsets %h[%i, %i, 0] : !fly.tensor<f16, buffer, align=16, 16:1> -> !fly.tensor<f32, buffer, align=16, 4:1>
    %v = fly.load_vector %a : !fly.tensor<f32, buffer, align=16, 4:1>)");
  auto at = kernel.the<AtOffsetsOp>();
  EXPECT_EQ(namesTo(at), (std::vector<std::string>{"at_offsets", "recast", "rearrange", "slice", "rebase", "buffer",
                                                   "make_tensor"}));
  EXPECT_EQ(viewedBy(kernel.the<SliceOp>()), kernel.the<RebaseOp>().getResult());
  EXPECT_EQ(originOf(at), kernel.the<MakeTensorOp>().getResult());
  EXPECT_EQ(bufferOf(at), kernel.the<BufferOp>());
  EXPECT_EQ(bufferOf(kernel.the<MakeTensorOp>()), BufferOp());
  EXPECT_EQ(viewedBy(kernel.the<LoadVectorOp>()), mlir::Value());
}

TEST(Views, AreFarUntilRebased) {
  KernelText kernel(std::string(tensor) + R"(
    %f = fly.buffer far %t, %bytes widest 8 : !fly.tensor<f32, global, align=16, (8,4):(1,8)>
    %s = fly.slice %f[_, %i] : !fly.tensor<f32, buffer, align=16, (8,4):(1,8)>
    %n = fly.rebase %s : !fly.tensor<f32, buffer, align=16, (8):(1)>)");
  EXPECT_EQ(BufferOp::farOrigin(kernel.the<SliceOp>()), kernel.the<BufferOp>());
  EXPECT_EQ(BufferOp::farOrigin(kernel.the<RebaseOp>()), BufferOp());
  EXPECT_EQ(BufferOp::farOrigin(kernel.the<MakeTensorOp>()), BufferOp());
}

TEST(Views, NearBuffersAreNotFar) {
  KernelText kernel(std::string(tensor) +
                    "%b = fly.buffer %t, %bytes widest 8 : !fly.tensor<f32, global, align=16, (8,4):(1,8)>");
  EXPECT_EQ(BufferOp::farOrigin(kernel.the<BufferOp>()), BufferOp());
}

TEST(Views, OfRearrangedLayoutsAreNone) {
  KernelText kernel("%l = fly.make_layout() : !fly.layout<(8,4):(1,8)>\n%r = fly.rearrange \"coalesce 1\" of %l : "
                    "!fly.layout<(8,4):(1,8)>");
  EXPECT_EQ(viewedBy(kernel.the<RearrangeOp>()), mlir::Value());
}

TEST(Views, FromABlockArgumentHaveNoOrigin) {
  KernelText kernel(std::string(tensor) + slice + R"(cf.br ^next(%s : !fly.tensor<f32, global, align=16, (8):(1)>)
    ^next(%x : !fly.tensor<f32, global, align=16, (8):(1)>):
    %b = fly.buffer %x, %bytes widest 8 : !fly.tensor<f32, global, align=16, (8):(1)>)");
  auto buffer = kernel.the<BufferOp>();
  EXPECT_EQ(namesTo(buffer), std::vector<std::string>{"buffer"});
  EXPECT_EQ(originOf(buffer), mlir::Value());
  EXPECT_EQ(bufferOf(buffer), buffer);
  EXPECT_EQ(originOf(buffer.getTensor()), mlir::Value());
}

TEST(Views, FromASelectionHaveNoOrigin) {
  KernelText kernel(std::string(tensor) + slice + R"(
    %x = arith.select %on, %s, %s : !fly.tensor<f32, global, align=16, (8):(1)>
    %b = fly.buffer %x, %bytes widest 8 : !fly.tensor<f32, global, align=16, (8):(1)>)");
  EXPECT_EQ(originOf(kernel.the<BufferOp>()), mlir::Value());
}

TEST(Views, ThatReachMemoryOtherwise) {
  KernelText kernel(std::string(tensor) + slice + R"(
    %r = fly.rearrange "coalesce 1" of %s : !fly.tensor<f32, global, align=16, (8):(1)>
    %h = fly.recast %r : !fly.tensor<f32, global, align=16, 8:1> -> f16
    %f = fly.buffer far %h, %bytes widest 8 : !fly.tensor<f16, global, align=16, 16:1>
    %n = fly.rebase %f : !fly.tensor<f16, buffer, align=16, 16:1>
    %a = fly.at_offsets %n[%i, %i, 0] : !fly.tensor<f16, buffer, align=16, 16:1> -> !fly.tensor<f16, buffer, align=16, 16:1>)");
  auto isReachedAsSource = [](mlir::Operation *op) { return llvm::cast<ViewOpInterface>(op).isReachedAsSource(); };
  EXPECT_TRUE(isReachedAsSource(kernel.the<SliceOp>()));
  EXPECT_TRUE(isReachedAsSource(kernel.the<RearrangeOp>()));
  EXPECT_TRUE(isReachedAsSource(kernel.the<RecastOp>()));
  EXPECT_FALSE(isReachedAsSource(kernel.the<BufferOp>()));
  EXPECT_FALSE(isReachedAsSource(kernel.the<RebaseOp>()));
  EXPECT_FALSE(isReachedAsSource(kernel.the<AtOffsetsOp>()));
}

} // namespace
} // namespace fly::ir
