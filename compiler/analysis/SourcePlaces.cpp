// See SourcePlaces.h. Files get their names when the first location is asked for: a kernel without diagnostics needs
// none.
#include "compiler/analysis/SourcePlaces.h"

namespace fly::analysis {

SourceRange SourcePlaces::of(mlir::Location location) const {
  mlir::FileLineColRange range = ir::rangeIn(location);
  if (!range)
    return {};
  for (; named < sources.fileCount(); ++named)
    files.try_emplace(nameOf(named + 1), named + 1);
  const FileId file = files.lookup(range.getFilename().getValue());
  if (!file)
    return {};
  return {file, sources.offset(file, {range.getStartLine(), range.getStartColumn()}),
          sources.offset(file, {range.getEndLine(), range.getEndColumn()})};
}

} // namespace fly::analysis
