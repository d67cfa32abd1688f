// Text whose lines know their places in the source: Fly IR, LLVM IR.
//
//     place 0    norm.fly:12:5                    a kernel's own line
//     place 1    <stdlib>/fly/rows.fly:40:9       in a function that is called at place 0
//     ofLine     -1 0 0 1 ...                     line 4 of the text is from place 1
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace fly::artifact {

struct PlacedText {
  struct Place {
    std::string file;
    uint32_t line = 0, column = 0; ///< from 1; column 0: not known
    int32_t caller = -1;           ///< the place of the call around it; -1: none
    auto operator<=>(const Place &) const = default;
  };
  std::string text;
  std::vector<Place> places;   ///< each once; a caller before what it calls
  std::vector<int32_t> ofLine; ///< by line of the text from 0, its place; -1: none
};

/// Numbers places while a text is made.
class PlaceNumbers {
public:
  int32_t of(const PlacedText::Place &place) {
    auto [found, isNew] = known.try_emplace(place, static_cast<int32_t>(places.size()));
    if (isNew)
      places.push_back(place);
    return found->second;
  }
  std::vector<PlacedText::Place> places;

private:
  std::map<PlacedText::Place, int32_t> known;
};

} // namespace fly::artifact
