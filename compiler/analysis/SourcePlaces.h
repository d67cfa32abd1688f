// From locations of operations back to ranges of the source (compiler/dialect/Places.h has the other direction).
#pragma once

#include "compiler/dialect/Places.h"
#include "compiler/diagnostics/Source.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

namespace fly::analysis {

class SourcePlaces {
public:
  /// `nameOf`: what locations call a file.
  SourcePlaces(const SourceManager &sources, std::function<std::string(FileId)> nameOf)
      : sources(sources), nameOf(std::move(nameOf)) {}

  /// The range of a location, not of the calls around it; nowhere if it has none, or if its file is not known.
  SourceRange of(mlir::Location location) const;

private:
  const SourceManager &sources;
  std::function<std::string(FileId)> nameOf;
  mutable llvm::StringMap<FileId> files; ///< those that have been named
  mutable FileId named = 0;              ///< up to here
};

} // namespace fly::analysis
