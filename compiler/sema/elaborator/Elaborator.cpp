// The services that every room uses: reporting, where emitted operations go, and which location they carry.
#include "compiler/sema/elaborator/Elaborator.h"

#include "compiler/dialect/Places.h"
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/elaborator/LlvmOptions.h"
#include "compiler/sema/elaborator/Tuning.h"

namespace fly::sema {

Elaborator::Elaborator(DiagnosticEngine &diags, const target::Target &target, ModuleLoader &loader,
                       mlir::MLIRContext &context)
    : Reporter(diags), target(target), loader(loader), context(context), printTo(&llvm::errs()),
      locationNames([&diags](FileId file) { return diags.sources.name(file).str(); }) {
  static Tuning defaults;
  static const LlvmOptionList any;
  tuning = &defaults;
  llvmOptions = &any;
  frame = std::make_shared<Frame>();
}

Elaborator::~Elaborator() = default;

void Elaborator::fail(diag::Kind kind, SourceRange range, std::initializer_list<std::string> args) {
  report(kind, range, args);
  throw Failed{};
}

void Elaborator::checkSize(const Value &value, SourceRange range) {
  constexpr uint64_t most = uint64_t(1) << 24;
  if (value.weight() > most)
    fail(diag::literal_out_of_range, range,
         {"this " + std::string(value.is<TupleValue>() ? "tuple" : "list"), "a compile-time value",
          "at most 2^24 elements, counting nested ones"});
}

mlir::OpBuilder &Elaborator::ir(SourceRange range, llvm::StringRef what) {
  if (kernel.isaStream) {
    auto [first, rest] = diags.sources.text(range).split('\n');
    report(range, diag::not_in_isa{.name = !what.empty() ? what.str() : first.str() + (rest.empty() ? "" : " ...")})
        .help("write the instructions: `isa.v_add_f32(x, y, z)`, and `abi` for the inputs of a wave");
    throw Failed{};
  }
  if (!kernel.builder) {
    auto [first, rest] = diags.sources.text(range).split('\n');
    fail(range, diag::not_in_kernel{.what = !what.empty() ? what.str() : first.str() + (rest.empty() ? "" : " ...")});
  }
  return *kernel.builder;
}

// ---------------------------------------------------------------------------------------------------------
// Locations

static bool areEqual(SourceRange a, SourceRange b) { return a.file == b.file && a.begin == b.begin && a.end == b.end; }

mlir::Location Elaborator::rangeLocation(SourceRange range) {
  if (!range.valid())
    return mlir::UnknownLoc::get(&context);
  if (fileNames.size() <= range.file)
    fileNames.resize(range.file + 1);
  mlir::StringAttr &name = fileNames[range.file];
  if (!name)
    name = mlir::StringAttr::get(&context, locationName(range.file));
  const LineColumn begin = diags.sources.lineColumn(range.file, range.begin),
                   end = diags.sources.lineColumn(range.file, range.end);
  return mlir::FileLineColRange::get(name, begin.line, begin.column, end.line, end.column);
}

/// Brings `calls` up to date; after another call the last answer is of no use.
void Elaborator::locateCalls() {
  size_t same = 0;
  while (same < calls.size() && same < callSites.size() && areEqual(calls[same].first, callSites[same]))
    ++same;
  if (same == calls.size() && same == callSites.size())
    return;
  calls.resize(same);
  for (size_t i = same; i < callSites.size(); ++i)
    calls.push_back({callSites[i], rangeLocation(callSites[i])});
  cachedLocation = {};
}

void Elaborator::countExpectation() {
  if (frame->module && !frame->module->imported)
    role->countExpectation();
}

mlir::Location Elaborator::inCalls(mlir::Location location) const {
  for (auto &[range, call] : llvm::reverse(calls))
    location = mlir::CallSiteLoc::get(location, mlir::Location(call));
  return location;
}

mlir::Location Elaborator::location(SourceRange range) {
  locateCalls();
  if (!cachedLocation || !areEqual(cachedRange, range))
    cachedRange = range, cachedLocation = inCalls(rangeLocation(range));
  return mlir::Location(cachedLocation);
}

mlir::Location Elaborator::location(SourceRange range, llvm::StringRef name, llvm::ArrayRef<RangedArgument> arguments) {
  locateCalls();
  llvm::SmallVector<ir::PlacedArgument> placed;
  for (auto &[argument, at, tensor] : arguments)
    if (at.valid())
      placed.push_back({argument, ir::named(rangeLocation(at), tensor)});
  return inCalls(ir::named(rangeLocation(range), name, placed));
}

} // namespace fly::sema
