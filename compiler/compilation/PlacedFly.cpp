// See PlacedFly.h. MLIR's printer says on which line each operation begins.
#include "compiler/compilation/PlacedFly.h"

#include "compiler/dialect/Places.h"

#include "mlir/IR/AsmState.h"

#include "llvm/Support/raw_ostream.h"

namespace fly::driver {

static int32_t placeOf(mlir::Location location, artifact::PlaceNumbers &places) {
  int32_t caller = -1;
  auto add = [&](mlir::Location at) {
    if (mlir::FileLineColRange range = ir::rangeIn(at))
      caller = places.of({range.getFilename().str(), range.getStartLine(), range.getStartColumn(), caller});
  };
  auto calls = ir::callsIn(location);
  for (mlir::Location call : llvm::reverse(calls))
    add(call);
  add(location);
  return caller;
}

artifact::PlacedText placedFly(mlir::ModuleOp module) {
  artifact::PlacedText out;
  mlir::AsmState::LocationMap lines;
  {
    llvm::raw_string_ostream os(out.text);
    mlir::AsmState state(module, mlir::OpPrintingFlags(), &lines);
    module->print(os, state);
    os << '\n';
  }
  artifact::PlaceNumbers places;
  out.ofLine.assign(size_t(llvm::count(out.text, '\n')), -1);
  module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    auto found = lines.find(op);
    if (found == lines.end() || found->second.first == 0 || found->second.first > out.ofLine.size())
      return;
    int32_t &line = out.ofLine[found->second.first - 1];
    if (line < 0)
      line = placeOf(op->getLoc(), places);
  });
  out.places = std::move(places.places);
  return out;
}

} // namespace fly::driver
