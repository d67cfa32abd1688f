// What is drawn of a value: a layout, a swizzle, a copy atom, a tiled copy, an MMA atom, a tiled MMA. `flyc layout` draws
// it, and the language server shows it in small.
#pragma once

#include "compiler/picture/Picture.h"
#include "compiler/sema/value/Value.h"

#include <vector>

namespace fly::driver {

/// One table of a picture; with a label if there are several.
struct PicturePart {
  std::string label;
  picture::Request request;
};

struct PictureParts {
  std::vector<PicturePart> parts; ///< empty: the value is none of these, or `failure` says why it has no picture
  std::string what, failure;      ///< "tiled_copy", and what is wrong with it

  bool hasFailed() const { return !what.empty(); }
};

/// `elementBits`, `banks`: of a swizzle, as requestOf has them.
PictureParts picturePartsOf(const sema::Value &value, int64_t elementBits, int64_t banks);

/// The tables as one picture: those of the parts, each drawn, with the remarks that they share.
picture::Picture joinPictures(const std::vector<PicturePart> &parts, std::vector<picture::Picture> drawn,
                              const std::string &title);

} // namespace fly::driver
