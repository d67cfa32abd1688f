// How wide an access may be: against the table of atoms, brute force over addresses, and examples for each space.
#include "KernelText.h"
#include "compiler/atom/Copy.h"
#include "compiler/dialect/AccessWidth.h"
#include "compiler/layout/Algebra.h"

namespace fly::ir {
namespace {

layout::AnyLayout layoutOf(const std::string &text) { return *layout::parseAnyLayout(text); }

class AccessWidth : public ::testing::Test {
protected:
  AccessWidth() { context.loadDialect<FlyDialect>(); }
  TensorType tensor(unsigned bits, AddressSpace space, unsigned alignment, const std::string &layout) {
    return TensorType::get(&context, mlir::IntegerType::get(&context, bits), space, alignment, layoutOf(layout));
  }
  /// Bits of each access of `load_vector`.
  std::vector<int64_t> accesses(TensorType type, int64_t bits = widestBits) {
    std::vector<int64_t> out;
    auto runs = accessesOf(type, bits);
    for (const layout::Run &run : runs->runs)
      out.push_back(run.count * type.getElementBits());
    return out;
  }
  mlir::MLIRContext context;
};

using Widths = std::vector<int64_t>;

TEST_F(AccessWidth, IsThatOfTheWidestAtom) {
  int64_t widest = 0;
  for (const atom::CopyRow &row : atom::copyRows())
    for (int64_t bits : row.bits) {
      widest = std::max(widest, bits);
      EXPECT_EQ(neededAlignment(bits), bits == 96 ? 4 : bits / 8);
      EXPECT_EQ(isOneAccess(bits, neededAlignment(bits)), bits != 96) << "only an atom asks for three dwords";
      EXPECT_FALSE(isOneAccess(bits, neededAlignment(bits) / 2));
    }
  EXPECT_EQ(widestBits, widest);
  EXPECT_FALSE(isOneAccess(2 * widest, 2 * widest / 8));
}

TEST_F(AccessWidth, HoldsAPowerOfTwoOfElements) {
  for (auto [bits, most] : {std::pair(4u, 32), {6u, 16}, {8u, 16}, {16u, 8}, {32u, 4}, {64u, 2}})
    EXPECT_EQ(mostElements(bits), most) << bits;
  EXPECT_EQ(mostElements(6, 48), 8);
  EXPECT_EQ(mostElements(64, 32), 1);
}

// Of elements that lie packed, an alignment in bytes holds as many as fill them.
TEST_F(AccessWidth, OfAnAlignment) {
  EXPECT_EQ(elementsAligned(32, 16), 4);
  EXPECT_EQ(elementsAligned(32, 2), 1);
  EXPECT_EQ(elementsAligned(4, 1), 2);
  EXPECT_EQ(elementsAligned(6, 1), 4);
  EXPECT_EQ(elementsAligned(6, 4), 16);
}

TEST_F(AccessWidth, ObstaclesAreThoseOfTheAddresses) {
  layout::InferringArithmetic arithmetic;
  for (unsigned elementBits : {4u, 6u, 8u, 16u, 32u, 64u})
    for (const char *text : {"1:1", "2:1", "2:2", "2:0", "3:1", "4:1", "4:2", "(2,2):(1,2)", "(2,2):(2,1)",
                             "(2,2):(1,4)", "6:1", "8:1", "12:1", "16:1", "32:1", "S<1,1,2> o 0 o 4:1",
                             "S<1,2,2> o 0 o 4:1", "S<1,2,2> o ?{div=4} o 4:1", "S<1,2,2> o ? o 4:1"}) {
      const layout::AnyLayout layout = layoutOf(text);
      const int64_t count = layout::size(layout::domainOf(layout), arithmetic)->value, bits = count * elementBits;
      if (bits % 8 || bits > widestBits)
        continue;
      bool areNeighbours = llvm::isPowerOf2_64(uint64_t(count)) || bits == 96;
      if (layout::isStatic(layout))
        for (int64_t i = 0; i < count; ++i)
          areNeighbours &= layout::evaluate(i, layout, arithmetic)->leaf().value == i;
      else
        areNeighbours &= llvm::StringRef(text).contains("div=4");
      for (unsigned alignment : {1u, 2u, 4u, 8u, 16u, 32u}) {
        auto obstacle = obstacleTo(tensor(elementBits, AddressSpace::Global, alignment, text));
        std::optional<AccessObstacle> expected;
        if (!areNeighbours)
          expected = AccessObstacle::Apart;
        else if (count > 1 && alignment < neededAlignment(bits))
          expected = AccessObstacle::Misaligned;
        EXPECT_EQ(obstacle, expected) << elementBits << " bits, " << text << ", align=" << alignment;
      }
    }
}

TEST_F(AccessWidth, OfVectorsDependsOnTheSpace) {
  const char *const rows = "(4,2):(1,8)";
  using S = AddressSpace;
  for (S space : {S::Global, S::Buffer, S::Shared, S::Private, S::Constant, S::Generic}) {
    EXPECT_EQ(accesses(tensor(32, space, 16, rows)), Widths(2, 128));
    const bool takesAny = space == S::Global || space == S::Buffer;
    EXPECT_EQ(takesAnyAddress(space), takesAny);
    EXPECT_EQ(accesses(tensor(32, space, 4, rows)), takesAny ? Widths(2, 128) : Widths(8, 32));
  }
  EXPECT_EQ(accesses(tensor(32, S::Buffer, 16, rows), 64), Widths(4, 64)) << "none across the buffer's end";
  EXPECT_EQ(accesses(tensor(6, AddressSpace::Global, 1, "16:1")), Widths{96});
  EXPECT_EQ(accesses(tensor(16, AddressSpace::Global, 16, "(4,2):(2,1)")), Widths(8, 16));
}

TEST_F(AccessWidth, InABufferEndsWithIt) {
  struct {
    const char *layout;
    unsigned bits;
    int64_t each, byDwords;
  } const rows[] = {
      {"16:1", 32, 16, 16},      {"6:1", 32, 8, 16},
      {"5:1", 32, 4, 16},        {"5:1", 16, 2, 2},
      {"6:1", 16, 4, 16},        {"(?,64):(64,1)", 16, 16, 16},
      {"(4,?):(?,1)", 16, 2, 2}, {"(4,?{div=2}):(?{div=2},1)", 16, 4, 16},
      {"8:2", 32, 4, 16},        {"32:1", 6, 12, 16},
      {"8:1", 6, 6, 6},          {"S<2,3,3> o 0 o 64:1", 16, 16, 16},
  };
  for (auto &row : rows) {
    SCOPED_TRACE(std::string(row.layout) + " of " + std::to_string(row.bits) + " bits");
    EXPECT_EQ(widestInBuffer(layoutOf(row.layout), row.bits, false), row.each);
    EXPECT_EQ(widestInBuffer(layoutOf(row.layout), row.bits, true), row.byDwords);
  }
}

/// The widest access of each thread's part, of a tensor of f32 by ((threads, values), rest), and through a buffer.
int64_t widestOf(const std::string &layout, unsigned alignment, unsigned widest = 0) {
  const std::string memory = "global, align=" + std::to_string(alignment), pointer = "!fly.ptr<" + memory + ">";
  std::string text = "%l = fly.make_layout() : !fly.layout<" + layout +
                     ">\n"
                     "%q = fly.ptr_cast %p : !fly.ptr<global, align=16> -> " +
                     pointer +
                     "\n"
                     "%t = fly.make_tensor %q, %l : " +
                     pointer + ", !fly.layout<" + layout + "> -> f32\n";
  if (widest)
    text += "%b = fly.buffer %t, %bytes widest " + std::to_string(widest) + " : !fly.tensor<f32, " + memory + ", " +
            layout + ">";
  KernelText kernel(text);
  return widest ? widestOfThread(kernel.the<BufferOp>()) : widestOfThread(kernel.the<MakeTensorOp>());
}

TEST_F(AccessWidth, OfAThreadIsLegalWhereverThreadsAndTilesLead) {
  EXPECT_EQ(widestOf("((64,4),8):((4,1),256)", 16), 128);
  EXPECT_EQ(widestOf("((64,8),8):((8,1),512)", 16), 128);
  EXPECT_EQ(widestOf("((64,4),8):((4,1),256)", 8), 64) << "the tensor begins at a multiple of 8 bytes";
  EXPECT_EQ(widestOf("((64,4),8):((2,1),256)", 16), 64) << "threads are 8 bytes apart";
  EXPECT_EQ(widestOf("((64,4),8):((4,1),257)", 16), 32) << "tiles are an odd number of elements apart";
  EXPECT_EQ(widestOf("((64,4),1):((4,1),257)", 16), 128) << "there is one tile";
  EXPECT_EQ(widestOf("((64,4),8):((1,64),256)", 16), 32) << "values are apart";
}

TEST_F(AccessWidth, OfAThreadStaysInsideOfItsBuffer) {
  EXPECT_EQ(widestOf("((64,4),8):((4,1),256)", 16, 16), 128);
  EXPECT_EQ(widestOf("((64,4),8):((4,1),256)", 16, 8), 64);
}

} // namespace
} // namespace fly::ir
