// From a decoded matrix instruction to its plan; see Matrix.h. All that can be wrong with one is found here, so that
// the engine needs no checks.
#include "runtime/emulator/ops/matrix/Matrix.h"

#include <algorithm>

namespace fly::emulator {

namespace {

/// Which bit of an operand's registers: word (register * 64 + lane) * 32 + bit.
uint16_t atBit(LanePosition p, unsigned bitsEach) {
  unsigned bit = p.position * bitsEach;
  return static_cast<uint16_t>(((bit / 32) * laneStride + p.lane) * 32 + bit % 32);
}

/// The panel index of every element, and the longest runs of lanes that are adjacent everywhere. `index` gives a lane's
/// place; the formulas may not leave places of the panel out unless a lane repeats another's.
template <class F> bool makeMap(PanelMap &map, unsigned elements, unsigned lanes, unsigned panel, F index) {
  std::vector<unsigned> all(elements * lanes);
  std::vector<bool> filled(panel);
  for (unsigned v = 0; v < elements; ++v)
    for (unsigned l = 0; l < lanes; ++l) {
      unsigned p = index(v, l);
      if (p >= panel) return false;
      filled[p] = true;
      all[v * lanes + l] = p;
    }
  if (std::find(filled.begin(), filled.end(), false) != filled.end()) return false;
  unsigned run = lanes;
  for (bool broken = true; broken && run > 1;) {
    broken = false;
    for (size_t n = 0; n < all.size() && !broken; ++n)
      if (n % run != 0 && all[n] != all[n - 1] + 1) broken = true;
    if (broken) run /= 2;
  }
  map.elements = elements;
  map.run = run;
  map.runs = lanes / run;
  for (size_t n = 0; n < all.size(); n += run) map.place.push_back(static_cast<uint16_t>(all[n]));
  return true;
}

unsigned registersFor(unsigned elements, Element e) { return (elements * bitsOf(e) + 31) / 32; }

/// Products that need no more than 24 bits and keep far from f32's ends.
bool exactProducts(Element a, Element b) {
  auto narrow = [](Element e) { return bitsOf(e) <= 16 && e != Element::Bf16; };
  return narrow(a) && narrow(b);
}

} // namespace

std::shared_ptr<const MatrixPlan> planMatrix(const Matrix &x, std::string &why) {
  auto plan = std::make_shared<MatrixPlan>();
  plan->matrix = x;
  auto refuse = [&](const char *text) {
    why = text;
    return std::shared_ptr<const MatrixPlan>();
  };
  const unsigned m = x.m, n = x.n, k = x.k, stored = x.storedK(), blocks = x.blocks;
  const unsigned panelA = m * stored * blocks, panelB = n * k * blocks, panelD = m * n * blocks;
  if (panelA > maxPanelA || panelB > maxPanelB || panelD > maxPanelD || x.lanes > laneStride || m % 4 || n % 4 ||
      (x.sparse && (n % 16 || blocks != 1 || k > 256)))
    return refuse("the matrices are too large");
  bool fits = makeMap(plan->a, x.elementsA(), x.lanesA(), panelA,
                      [&](unsigned v, unsigned l) {
                        Place p = x.mapA(x, v, l);
                        return (p.block * stored + p.column) * m + p.row;
                      }) &&
              makeMap(plan->b, x.elementsB(), x.lanesB(), panelB,
                      [&](unsigned v, unsigned l) {
                        Place p = x.mapB(x, v, l);
                        return (p.block * k + p.row) * n + p.column;
                      }) &&
              makeMap(plan->d, x.elementsD(), x.lanes, panelD, [&](unsigned v, unsigned l) {
                Place p = x.mapD(x, v, l);
                return (p.block * m + p.row) * n + p.column;
              });
  if (!fits) return refuse("the lanes do not fill the matrices");
  plan->registersA = registersFor(x.elementsA(), x.a);
  plan->registersB = registersFor(x.elementsB(), x.b);
  plan->registersC = registersFor(x.elementsD(), x.typeC());
  plan->registersD = registersFor(x.elementsD(), x.d);
  plan->exact = exactProducts(x.a, x.b);
  if (x.sparse) {
    plan->indexAt.resize(panelA);
    for (unsigned v = 0; v < x.elementsA(); ++v)
      for (unsigned l = 0; l < x.lanesA(); ++l) {
        Place p = x.mapA(x, v, l);
        LanePosition at = x.indexMap ? x.indexMap(x, v, l) : LanePosition{l, x.indexShift + 2 * v};
        plan->indexAt[p.column * m + p.row] = atBit(at, 1);
        plan->indexRegisters = std::max(plan->indexRegisters, at.position / 32 + 1);
      }
  }
  if (x.scaleBlock)
    for (unsigned side = 0; side < 2; ++side)
      for (unsigned kBlock = 0; kBlock < k / x.scaleBlock; ++kBlock)
        for (unsigned outer = 0; outer < (side ? n : m); ++outer) {
          LanePosition at = x.scaleMap(x, side != 0, outer, kBlock);
          plan->scaleAt[side].push_back(atBit(at, 8));
          plan->scaleRegisters[side] = std::max(plan->scaleRegisters[side], at.position / 4 + 1);
        }
  return plan;
}

bool prepareMatrix(Program &program, const isa::Instruction &from, Inst &inst, std::string &why) {
  std::optional<Matrix> matrix;
  if (from.form == isa::Form::MFMA) matrix = mfmaMatrix(from, program.arch, why);
  else if (from.form == isa::Form::WMMA) matrix = wmmaMatrix(from, program.arch, program.waveSize, why);
  else why = "the matrix instruction is not emulated";
  if (!matrix) return false;
  std::shared_ptr<const MatrixPlan> plan;
  for (const auto &known : program.matrixPlans)
    if (known->matrix == *matrix) plan = known;
  if (!plan) {
    plan = planMatrix(*matrix, why);
    if (!plan) return false;
    program.matrixPlans.push_back(plan);
  }
  // The decoder has checked that registers exist for the operands' widths; those must be what the matrices need.
  auto narrower = [](const Source &s, unsigned registers) { return s.kind == Source::Vector && s.width < registers; };
  if (narrower(inst.source[0], plan->registersA) || narrower(inst.source[1], plan->registersB) ||
      narrower(inst.source[2], plan->registersC) || inst.dstWidth < plan->registersD ||
      narrower(inst.source[3], plan->scaleRegisters[0]) || narrower(inst.source[4], plan->scaleRegisters[1])) {
    why = "an operand has fewer registers than the matrix instruction reads";
    return false;
  }
  inst.detail = plan.get();
  return true;
}

} // namespace fly::emulator
