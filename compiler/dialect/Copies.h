// What the accesses of a `fly.copy` are: the front end checks them one by one, the lowering emits them.
#pragma once

#include "compiler/dialect/FlyOps.h"

#include "llvm/ADT/iterator.h"

namespace fly::ir {

/// The step to ((values of an access, accesses), rest...).
layout::Rearrangement intoAccesses(int64_t values);

/// The accesses of a view after that step, as a range of their coordinates: first mode fastest, and `_` for the values of
/// an access.
///
///     ((4,3),2)  ->  ((_,0),0)  ((_,1),0)  ((_,2),0)  ((_,0),1)  ((_,1),1)  ((_,2),1)
class Accesses {
public:
  /// Of a view with the domain `divided`; an error if a count is not known.
  static layout::Result<Accesses> of(const layout::Layout &divided);
  int64_t size() const { return count; }
  layout::IntTuple operator[](int64_t i) const;
  class iterator : public llvm::iterator_facade_base<iterator, std::random_access_iterator_tag, layout::IntTuple,
                                                     int64_t, layout::IntTuple *, layout::IntTuple> {
  public:
    iterator(const Accesses &all, int64_t at) : all(&all), at(at) {}
    layout::IntTuple operator*() const { return (*all)[at]; }
    bool operator==(const iterator &other) const { return at == other.at; }
    bool operator<(const iterator &other) const { return at < other.at; }
    int64_t operator-(const iterator &other) const { return at - other.at; }
    iterator &operator+=(int64_t n) { return at += n, *this; }
    iterator &operator-=(int64_t n) { return at -= n, *this; }

  private:
    const Accesses *all;
    int64_t at;
  };
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, count}; }

private:
  Accesses(layout::IntTuple shape, int64_t count) : shape(std::move(shape)), count(count) {}
  layout::IntTuple shape; ///< accesses in each mode
  int64_t count;
};

/// The places of the part of a fragment that a coordinate leaves open, counted in its slots.
layout::Result<std::vector<int64_t>> placesAt(const layout::AnyLayout &layout, const layout::IntTuple &coordinate,
                                              int64_t start);

} // namespace fly::ir
