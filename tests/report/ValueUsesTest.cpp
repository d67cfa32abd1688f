// Uses of values against a search of paths: from each instruction, walk the code until a register is overwritten.
#include "compiler/report/ValueUses.h"
#include "compiler/report/Liveness.h"
#include "tests/report/TestSupport.h"

#include <set>

namespace fly::report::test {

namespace {

/// (definition, use, register)
using Arrow = std::tuple<uint32_t, uint32_t, unsigned>;

std::set<Arrow> arrowsOf(const Code &code) {
  std::set<Arrow> out;
  for (const ValueUse &use : valueUses(code).all)
    for (unsigned k = use.unit; k < unsigned(use.unit) + use.count; ++k)
      EXPECT_TRUE(out.insert({use.definition, use.use, k}).second) << "twice";
  return out;
}

std::set<Arrow> arrowsByPaths(const Code &code) {
  std::set<Arrow> out;
  std::vector<RegisterEffects> effects;
  for (uint32_t i = 0; i < code.instructions.size(); ++i)
    effects.push_back(effectsOf(code, i));
  auto has = [](const auto &list, unsigned k) { return llvm::is_contained(list, k); };
  auto next = [&](uint32_t i) {
    llvm::SmallVector<uint32_t, 2> to;
    const isa::Block &block = code.flow.blocks()[code.flow.blockOf(i)];
    if (i + 1 < block.last)
      to.push_back(i + 1);
    else
      for (uint32_t s : block.successors)
        to.push_back(code.flow.blocks()[s].first);
    return to;
  };
  for (uint32_t i = 0; i < code.instructions.size(); ++i) {
    llvm::SmallVector<unsigned, 16> defined(effects[i].writes.begin(), effects[i].writes.end());
    defined.append(effects[i].partial.begin(), effects[i].partial.end());
    for (unsigned k : defined) {
      std::vector<uint32_t> work;
      std::vector<bool> seen(code.instructions.size());
      for (uint32_t n : next(i))
        work.push_back(n);
      while (!work.empty()) {
        const uint32_t at = work.back();
        work.pop_back();
        if (seen[at])
          continue;
        seen[at] = true;
        if (has(effects[at].reads, k))
          out.insert({i, at, k});
        if (!has(effects[at].writes, k))
          for (uint32_t n : next(at))
            work.push_back(n);
      }
    }
  }
  return out;
}

constexpr unsigned s0 = unit::firstSgpr;

} // namespace

TEST(ValueUses, OfALoop) {
  Code code = assemble("v_mov_b32 v1, 0\nv_mov_b32 v2, 1.0\n"
                       "v_add_f32 v1, v1, v2\ns_add_i32 s0, s0, -1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 0xfffc\n"
                       "global_store_dword v0, v1, s[2:3]\ns_endpgm\n",
                       "gfx942");
  const std::set<Arrow> expected = {{0, 2, 1}, {2, 2, 1}, {1, 2, 2}, {3, 3, s0}, {3, 4, s0}, {2, 6, 1}};
  EXPECT_EQ(arrowsOf(code), expected);
}

TEST(ValueUses, OfBothWaysToAUse) {
  Code code = assemble("s_cmp_lg_u32 s0, 0\nv_mov_b32 v1, 0\ns_cbranch_scc1 1\nv_mov_b32 v1, 1.0\n"
                       "v_add_f32 v2, v1, v1\ns_endpgm\n",
                       "gfx942");
  EXPECT_EQ(arrowsOf(code), (std::set<Arrow>{{1, 4, 1}, {3, 4, 1}}));
}

TEST(ValueUses, PartialWritesLeaveFormerValues) {
  Code half = assemble("v_mov_b32 v1, 0\nv_mov_b16 v1.l, v0.l\nglobal_store_b32 v0, v1, s[2:3]\ns_endpgm\n", "gfx1250");
  EXPECT_EQ(arrowsOf(half), (std::set<Arrow>{{0, 2, 1}, {1, 2, 1}}));
  // v_writelane reads the other lanes: its result is the next value.
  Code lane =
      assemble("v_mov_b32 v1, 0\nv_writelane_b32 v1, s1, 3\nglobal_store_dword v0, v1, s[2:3]\ns_endpgm\n", "gfx942");
  EXPECT_EQ(arrowsOf(lane), (std::set<Arrow>{{0, 1, 1}, {1, 2, 1}}));
}

TEST(ValueUses, NeighbouringRegistersAreOneEntry) {
  Code code =
      assemble("global_load_dwordx4 v[4:7], v0, s[2:3]\nglobal_store_dwordx4 v0, v[4:7], s[2:3]\ns_endpgm\n", "gfx942");
  const ValueUses uses = valueUses(code);
  ASSERT_EQ(uses.all.size(), 1u);
  EXPECT_EQ(uses.all[0], (ValueUse{0, 1, 4, 4}));
}

TEST(ValueUses, OfManyPartialWritesAreCut) {
  std::string text = "v_mov_b32 v1, 0\n";
  for (int i = 0; i < 100; ++i)
    text += "v_mov_b16 v1.l, v0.l\n";
  const ValueUses uses = valueUses(assemble(text + "global_store_b32 v0, v1, s[2:3]\ns_endpgm\n", "gfx1250"));
  EXPECT_TRUE(uses.isCut);
}

TEST(ValueUses, OfRealKernelsAsByPaths) {
  unsigned compared = 0;
  for (const std::string &path : codeObjectPaths()) {
    const std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    if (!object) {
      llvm::consumeError(object.takeError());
      continue;
    }
    auto codes = readCode(*object);
    ASSERT_TRUE(bool(codes)) << path;
    for (const Code &code : *codes) {
      if (code.calls || !code.kernel || code.instructions.size() > 400)
        continue;
      const ValueUses uses = valueUses(code);
      if (!uses.isCut) {
        EXPECT_EQ(arrowsOf(code), arrowsByPaths(code)) << path << " " << code.name;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 5u);
}

} // namespace fly::report::test
