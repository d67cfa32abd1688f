// The services that every room uses: reporting, where emitted operations go, and which location they carry.
#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

Elaborator::Elaborator(DiagnosticEngine &diags, const target::Target &target, ModuleLoader &loader,
                       mlir::MLIRContext &context)
    : diags(diags), target(target), loader(loader), context(context), frame(std::make_shared<Frame>()) {}

DiagnosticBuilder Elaborator::report(diag::Kind kind, SourceRange range, std::initializer_list<std::string> args) {
  failures += info(kind).severity == Severity::Error;
  auto builder = diags.report(kind, range);
  for (auto &arg : args)
    builder.arg(arg);
  return builder;
}

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
  if (!builder) {
    auto [first, rest] = diags.sources.text(range).split('\n');
    fail(diag::not_in_kernel, range, {!what.empty() ? what.str() : first.str() + (rest.empty() ? "" : " ...")});
  }
  return *builder;
}

mlir::Location Elaborator::location(SourceRange range) {
  auto one = [&](SourceRange r) -> mlir::Location {
    if (!r.valid())
      return mlir::UnknownLoc::get(&context);
    auto at = diags.sources.lineColumn(r.file, r.begin);
    auto name = locationNames ? locationNames(r.file) : diags.sources.name(r.file).str();
    return mlir::FileLineColLoc::get(&context, name, at.line, at.column);
  };
  if (cachedRange.file == range.file && cachedRange.begin == range.begin && cachedDepth == callSites.size() &&
      cachedLocation)
    return mlir::Location(cachedLocation);
  mlir::Location loc = one(range);
  for (size_t i = callSites.size(); i-- > 0;)
    loc = mlir::CallSiteLoc::get(loc, one(callSites[i]));
  cachedRange = range, cachedDepth = callSites.size(), cachedLocation = loc;
  return loc;
}

} // namespace fly::sema
