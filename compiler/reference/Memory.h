// Memory of the reference interpreter: areas at addresses, each byte with what is known of its bits.
#pragma once

#include "compiler/reference/Cell.h"

#include <map>
#include <string>

namespace fly::reference {

struct Area {
  std::string name;
  std::vector<uint8_t> bytes, known;
};

class Memory {
public:
  /// The bytes, all of them known; none: as many that are not.
  void add(uint64_t address, std::string name, std::vector<uint8_t> bytes);
  void addUnknown(uint64_t address, std::string name, uint64_t bytes);

  /// `count` numbers of `bits` each, packed; false outside of every area. A number of one bit takes a byte.
  bool load(uint64_t address, unsigned bits, unsigned count, Cell *out) const;
  bool store(uint64_t address, unsigned bits, unsigned count, const Cell *in);

  const std::map<uint64_t, Area> &areas() const { return byAddress; }
  /// Known bytes.
  void fill(uint64_t address, uint8_t value, uint64_t bytes);
  /// Nothing is known any more of these bytes.
  void forget(uint64_t address, uint64_t bytes);

private:
  const Area *find(uint64_t address, uint64_t bytes, uint64_t &offset) const;
  std::map<uint64_t, Area> byAddress;
};

/// Reads and writes `count` numbers of `bits` in a row of bytes.
void readPacked(const uint8_t *bytes, const uint8_t *known, uint64_t firstBit, unsigned bits, unsigned count,
                Cell *out);
void writePacked(uint8_t *bytes, uint8_t *known, uint64_t firstBit, unsigned bits, unsigned count, const Cell *in);

} // namespace fly::reference
