// See Pipeline.h. The order, and why:
//
//   checkTakenParts     first, with checkTilesInside: both look at the program as it was written
//   checkTilesInside
//   placeBuffers        a rewrite: which values all lanes share is known only now. What it cannot place it reports, so that
//                       checkWaveOperands finds no start of a buffer that differs between lanes
//   checkBarriers
//   checkWaveOperands
//   settleNonNegative   a rewrite: what loops carry is known only now
//   checkAccesses       last: a settled condition keeps no lane out
#include "compiler/analysis/Pipeline.h"

#include "compiler/analysis/AccessPatterns.h"
#include "compiler/analysis/BufferPlaces.h"
#include "compiler/analysis/Divergence.h"
#include "compiler/analysis/Signs.h"
#include "compiler/analysis/TakenParts.h"
#include "compiler/analysis/TilesOutside.h"

namespace fly::analysis {

std::vector<NeighbouringAccesses> analyse(Context &context, const LaunchFacts &launch) {
  checkTakenParts(context);
  checkTilesInside(context, launch.grid);
  placeBuffers(context);
  checkBarriers(context, launch.divisors);
  checkWaveOperands(context);
  settleNonNegative(context.kernel);
  checkAccesses(context);
  return neighbouringAccesses(context);
}

} // namespace fly::analysis
