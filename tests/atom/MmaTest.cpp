// The rows of MMA atoms: dimensions, cycles, registers and element maps of gfx942 and gfx1201 against AMD's matrix
// instruction calculator (facts/mma_facts.json), element maps of gfx950 and gfx1250 against formulas that stand here,
// and the list of rows against LLVM's list of instructions.
//
// The order of k is a convention that A and B share. So A and B may differ from a fact by one permutation of k; D must
// agree exactly.
#include "compiler/atom/Mma.h"

#include "compiler/isa/OpcodeList.h"
#include "compiler/layout/Algebra.h"
#include "compiler/target/Target.h"

#include "llvm/Support/Error.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>

namespace fly::atom {
namespace {

struct Place {
  int64_t row, column, block;
  auto operator<=>(const Place &) const = default;
};

/// An operand as a map from (lane, value) to a place of its (rows, columns, blocks).
struct Map {
  layout::Layout layout;
  int64_t rows, columns, blocks, lanes;

  int64_t values() const {
    layout::InferringArithmetic arithmetic;
    return layout::size(layout.mode(1), arithmetic)->value;
  }
  Place operator()(int64_t lane, int64_t value) const {
    layout::InferringArithmetic arithmetic;
    const layout::IntTuple at(std::vector<layout::IntTuple>{lane, value});
    const int64_t place = layout::crd2idx(at, layout, arithmetic)->value;
    return {place % rows, place / rows % columns, place / rows / columns};
  }
};

struct Maps {
  Map a, b, c;
};
Maps mapsOf(const MmaRow &row, std::string_view a, std::string_view b) {
  const MmaLayouts l = mmaLayouts(row, a, b);
  return {{l.a, row.m, row.k, row.blocks, row.threads()},
          {l.b, row.n, row.k, row.blocks, row.threads()},
          {l.c, row.m, row.n, row.blocks, row.threads()}};
}

void forEach(const Map &map, const std::function<void(int64_t lane, int64_t value, Place)> &visit) {
  for (int64_t lane = 0; lane < map.lanes; ++lane)
    for (int64_t value = 0; value < map.values(); ++value)
      visit(lane, value, map(lane, value));
}

/// Each with all its pairs of types.
void forEachAtom(const std::function<void(const MmaRow &, std::string_view a, std::string_view b)> &visit) {
  for (const MmaRow &row : mmaRows())
    if (row.call != MmaCall::Fma)
      for (std::string_view a : typesOf(row.a))
        for (std::string_view b : typesOf(row.b)) {
          SCOPED_TRACE(std::string(row.name) + " " + std::string(a) + " " + std::string(b));
          visit(row, a, b);
        }
}

const nlohmann::json &facts() {
  static const nlohmann::json all = nlohmann::json::parse(std::ifstream(FLY_TEST_FACTS "/mma_facts.json"));
  return all;
}

/// Calls for each fact about a dense instruction.
void forEachFact(const std::function<void(const nlohmann::json &, const MmaRow &, const MmaTarget &)> &visit) {
  for (auto &[key, fact] : facts().items()) {
    const std::string name = fact["instruction"], arch = fact["arch"];
    const bool isSparse = name.find("smfmac") != name.npos || name.find("swmmac") != name.npos;
    if (arch == "gfx1100" || isSparse)
      continue;
    SCOPED_TRACE(key);
    const MmaRow *row = findMma(name);
    ASSERT_TRUE(row && row->on(arch));
    visit(fact, *row, *row->on(arch));
  }
}

/// The calculator's name of a type of the table.
std::string factType(std::string_view type) {
  static const std::map<std::string_view, std::string> names = {
      {"f16", "FP16"}, {"bf16", "BF16"}, {"f32", "FP32"}, {"tf32", "FP32"}, {"f64", "FP64"}, {"i8", "int8"},
      {"fp8", "FP8"},  {"bf8", "BF8"},   {"iu8", "IU8"},  {"iu4", "IU4"},   {"i32", "int32"}};
  auto found = names.find(type);
  return found == names.end() ? "?" : found->second;
}

TEST(Mma, DimensionsTypesAndCyclesAreTheCalculators) {
  unsigned checked = 0;
  forEachFact([&](const nlohmann::json &fact, const MmaRow &row, const MmaTarget &on) {
    EXPECT_EQ(row.m, fact["M"]);
    EXPECT_EQ(row.n, fact["N"]);
    EXPECT_EQ(row.k, fact["K"]);
    EXPECT_EQ(row.blocks, fact["blocks"]);
    EXPECT_EQ(std::to_string(on.cycles), fact["cycles"].get<std::string>());
    EXPECT_EQ(factType(row.a), fact["types"]["Src0"].get<std::string>());
    EXPECT_EQ(factType(row.b), fact["types"]["Src1"].get<std::string>());
    EXPECT_EQ(factType(row.c), fact["types"]["Src2"].get<std::string>());
    EXPECT_EQ(factType(row.typeOfD()), fact["types"]["Vdst"].get<std::string>());
    ++checked;
  });
  EXPECT_EQ(checked, 43u); // 32 of gfx942, 11 of gfx1201
}

TEST(Mma, RegistersAreTheCalculators) {
  forEachFact([&](const nlohmann::json &fact, const MmaRow &row, const MmaTarget &) {
    const std::string_view a = typesOf(row.a)[0], b = typesOf(row.b)[0];
    const MmaLayouts l = mmaLayouts(row, a, b);
    auto check = [&](const char *operand, int64_t values, int64_t bits) {
      const int64_t registers = std::stoi(fact["registers"][operand].get<std::string>());         // of 64 lanes
      EXPECT_EQ((values * bits * row.threads() + 32 * 64 - 1) / (32 * 64), registers) << operand; // whole ones
    };
    check("A", l.valuesOfA(), bitsOf(a));
    check("B", l.valuesOfB(), bitsOf(b));
    check("C", l.valuesOfC(), bitsOf(row.c));
    check("D", l.valuesOfC(), bitsOf(row.typeOfD()));
  });
}

TEST(Mma, ElementMapsAreTheCalculators) {
  unsigned checked = 0;
  forEachFact([&](const nlohmann::json &fact, const MmaRow &row, const MmaTarget &) {
    if (!fact.contains("A"))
      return;
    const Maps maps = mapsOf(row, typesOf(row.a)[0], typesOf(row.b)[0]);
    // A has [i, k], B has [k, j], D has [i, j], each with a block if there are several.
    auto check = [&](const char *operand, const Map &map, std::map<int64_t, int64_t> *orderOfK, bool isSwapped) {
      ASSERT_EQ(fact[operand].size(), size_t(map.lanes));
      ASSERT_EQ(fact[operand][0].size(), size_t(map.values()));
      forEach(map, [&](int64_t lane, int64_t value, Place mine) {
        const auto &at = fact[operand][size_t(lane)][size_t(value)];
        Place theirs = {at[0], at[1], at.size() > 2 ? at[2].get<int64_t>() : 0};
        if (isSwapped)
          std::swap(theirs.row, theirs.column);
        if (orderOfK)
          theirs.column = orderOfK->try_emplace(theirs.column, mine.column).first->second;
        EXPECT_EQ(mine, theirs) << operand << " in lane " << lane << ", value " << value;
      });
    };
    std::map<int64_t, int64_t> orderOfK; // the calculator's k to ours
    check("A", maps.a, &orderOfK, false);
    check("B", maps.b, &orderOfK, true);
    check("D", maps.c, nullptr, false);
    std::set<int64_t> reached;
    for (auto [theirs, mine] : orderOfK)
      reached.insert(mine);
    EXPECT_EQ(reached.size(), size_t(row.k)); // a permutation
    ++checked;
  });
  EXPECT_EQ(checked, 21u);
}

TEST(Mma, EachElementIsHeldOnce) {
  forEachAtom([](const MmaRow &row, std::string_view a, std::string_view b) {
    const Maps maps = mapsOf(row, a, b);
    for (const Map *map : {&maps.a, &maps.b, &maps.c}) {
      std::set<Place> places;
      forEach(*map, [&](int64_t, int64_t, Place place) {
        EXPECT_TRUE(place.block < map->blocks);
        places.insert(place);
      });
      EXPECT_EQ(int64_t(places.size()), map->rows * map->columns * map->blocks);
      EXPECT_EQ(int64_t(places.size()), map->lanes * map->values());
    }
  });
}

/// What a lane's values are multiplied with must have the same k in both operands. Of operands of one width, the
/// hardware multiplies what stands at the same value of lanes of the same group.
TEST(Mma, OperandsOfOneWidthHaveTheSameOrderOfK) {
  forEachAtom([](const MmaRow &row, std::string_view a, std::string_view b) {
    if (bitsOf(a) != bitsOf(b) || row.m != row.n)
      return;
    const Maps maps = mapsOf(row, a, b);
    forEach(maps.a, [&](int64_t lane, int64_t value, Place place) { EXPECT_EQ(place, maps.b(lane, value)); });
  });
}

// gfx950 and gfx1250: l is a lane, v a value.

/// k of f8f6f4, where the scales make it more than a convention.
int64_t kOfFormats(const MmaRow &row, int64_t bits, int64_t l, int64_t v) {
  if (!row.isMfma())
    return bits == 8 ? 32 * (v / 16) + 16 * (l / 16) + v % 16 : 64 * (v / 32) + 32 * (l / 16) + v % 32;
  if (row.m == 16)
    return bits == 8 ? 64 * (v / 16) + 16 * (l / 16) + v % 16 : 32 * (l / 16) + v;
  return bits == 8 ? 32 * (v / 16) + 16 * (l / 32) + v % 16 : 32 * (l / 32) + v;
}

TEST(Mma, ElementMapsOfFormats) {
  unsigned checked = 0;
  forEachAtom([&](const MmaRow &row, std::string_view a, std::string_view b) {
    if (formatOf(a) < 0 || formatOf(b) < 0 || std::string_view(row.a).ends_with("p8") ||
        std::string_view(row.a) == "bf8")
      return;
    const Maps maps = mapsOf(row, a, b);
    forEach(maps.a, [&](int64_t l, int64_t v, Place place) {
      if (row.m == 32 && !row.isMfma())
        EXPECT_EQ(place, (Place{l % 16 + 16 * (v / 64), kOfFormats(row, 4, l, v % 64), 0}));
      else
        EXPECT_EQ(place, (Place{l % row.m, kOfFormats(row, bitsOf(a), l, v), 0}));
    });
    forEach(maps.b, [&](int64_t l, int64_t v, Place place) {
      EXPECT_EQ(place, (Place{l % row.n, kOfFormats(row, bitsOf(b), l, v), 0}));
    });
    ++checked;
  });
  EXPECT_EQ(checked, 7u * 25 + 3); // pairs of f8f6f4; pairs of 4 bits in 32 x 16 x 128
}

TEST(Mma, RowsAreLanesAndResultsRunsOfRows) {
  unsigned checked = 0;
  forEachAtom([&](const MmaRow &row, std::string_view a, std::string_view b) {
    if (row.on("gfx942") || row.on("gfx1201"))
      return;
    const Maps maps = mapsOf(row, a, b);
    const int64_t lanes = row.isMfma() ? row.m : 16;
    forEach(maps.a, [&](int64_t l, int64_t v, Place place) {
      EXPECT_EQ(place.row, l % lanes + (row.m > lanes ? 16 * (v / 64) : 0));
    });
    forEach(maps.b, [&](int64_t l, int64_t, Place place) { EXPECT_EQ(place.row, l % lanes); });
    forEach(maps.c, [&](int64_t l, int64_t v, Place place) {
      const int64_t i = !row.isMfma() ? 16 * (v / 8) + 8 * (l / 16) + v % 8
                        : row.m == 16 ? 4 * (l / 16) + v
                                      : 8 * (v / 4) + 4 * (l / 32) + v % 4;
      EXPECT_EQ(place, (Place{i, l % lanes, 0}));
    });
    ++checked;
  });
  EXPECT_GT(checked, 100u);
}

// ---- LLVM's list of instructions

/// LLVM's opcodes and the assembler write the same instruction in several ways: V_MFMA_F32_32X32X4BF16_1K is
/// v_mfma_f32_32x32x4_2b_bf16.
std::string plain(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  name = std::regex_replace(name, std::regex("_[0-9]+b_|_1k$"), "_");
  name.erase(std::remove(name.begin(), name.end(), '_'), name.end());
  return name;
}

TEST(Mma, RowsAreLLVMsDenseMatrixInstructions) {
  for (const target::Target &target : target::all()) {
    SCOPED_TRACE(std::string(target.name));
    std::set<std::string> rows, known;
    for (const MmaRow &row : mmaRows())
      if (row.on(target.name))
        EXPECT_TRUE(rows.insert(plain(row.name)).second) << row.name;
    auto list = isa::listOpcodes(std::string(target.name));
    ASSERT_TRUE(bool(list)) << llvm::toString(list.takeError());
    for (const isa::OpcodeEntry &entry : list->entries) {
      const std::string name(isa::name(entry.op));
      if (!name.starts_with("V_MFMA_") && !name.starts_with("V_WMMA_"))
        continue;
      if (name.find("_LD_SCALE") != name.npos) // a half of a scaled one
        continue;
      if (entry.assembles) // else LLVM only decodes it
        known.insert(plain(name));
    }
    EXPECT_EQ(rows, known);
    EXPECT_GE(known.size(), 9u);
    // On gfx1250 the assembler takes RDNA 4's, too. The manual's table (CDNA5 ISA, table 43) does not have them.
    for (const MmaRow &row : mmaRows())
      if (const MmaTarget *on = row.on(target.name)) {
        const std::string_view name = row.name;
        const bool isRdna4 = name.find("_16x16x16_") != name.npos || name.ends_with("_iu4");
        EXPECT_EQ(on->inManual, target.name != "gfx1250" || !isRdna4) << name;
      }
  }
}

TEST(Mma, ModifiersFitTheirFields) {
  forEachAtom([](const MmaRow &row, std::string_view, std::string_view) {
    std::set<std::string_view> names;
    for (const MmaModifier &modifier : modifiersOf(row)) {
      EXPECT_TRUE(names.insert(modifier.name).second);
      EXPECT_GE(modifier.limit, 1);
    }
    EXPECT_EQ(names.contains("opsel_a"), row.isScaled());
  });
}

} // namespace
} // namespace fly::atom
