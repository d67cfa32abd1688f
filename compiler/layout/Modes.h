// Rearranging modes: of integer tuples, and alike of layouts, whose shape and stride are rearranged together.
#pragma once

#include "compiler/layout/Layout.h"

namespace fly::layout {

using Places = std::vector<std::int64_t>;

/// The mode at a path: modeAt((4,(2,8)), {1,0}) is 2.
Result<IntTuple> modeAt(const IntTuple &tuple, const Places &path);
Result<Layout> modeAt(const Layout &layout, const Places &path);
/// The modes with these numbers, in this order.
Result<IntTuple> select(const IntTuple &tuple, const Places &modes);
Result<Layout> select(const Layout &layout, const Places &modes);
/// Modes begin ... end-1; a single one is that mode itself.
Result<IntTuple> take(const IntTuple &tuple, std::int64_t begin, std::int64_t end);
Result<Layout> take(const Layout &layout, std::int64_t begin, std::int64_t end);
/// Modes begin ... end-1 as one mode.
Result<IntTuple> group(const IntTuple &tuple, std::int64_t begin, std::int64_t end);
Result<Layout> group(const Layout &layout, std::int64_t begin, std::int64_t end);
/// With a mode more, or with as many as make `rank` of them.
IntTuple append(const IntTuple &tuple, const IntTuple &element);
Layout append(const Layout &layout, const Layout &element);
IntTuple prepend(const IntTuple &tuple, const IntTuple &element);
Layout prepend(const Layout &layout, const Layout &element);
Result<Layout> appendTo(const Layout &layout, const Layout &element, std::size_t rank);
Result<Layout> prependTo(const Layout &layout, const Layout &element, std::size_t rank);
/// All leaves in one level.
Layout flatten(const Layout &layout);
/// ((a0,b0),(a1,b1),...): the modes of two layouts of one rank in pairs.
Result<Layout> zip(const Layout &left, const Layout &right);
/// ((a,c),(b,d)) of ((a,b),(c,d)): modes of modes, the other way round.
Result<Layout> zip(const Layout &layout);

} // namespace fly::layout
