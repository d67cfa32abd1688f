// See Places.h. Calls enclose what is said of the range, because line tables look for them on the outside only.
#include "compiler/dialect/Places.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace fly::ir {

/// The location without the calls around it.
static Location inner(Location location) {
  while (auto call = dyn_cast<CallSiteLoc>(location))
    location = call.getCallee();
  return location;
}

/// Another one in the same calls.
static Location replaceInner(Location location, Location other) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return CallSiteLoc::get(replaceInner(call.getCallee(), other), call.getCaller());
  return other;
}

/// Without arguments; with its name, if it has one.
static Location withoutArguments(Location place) {
  auto fused = dyn_cast<FusedLoc>(place);
  return fused && !fused.getLocations().empty() ? fused.getLocations().front() : place;
}

Location named(Location range, StringRef name, ArrayRef<PlacedArgument> arguments) {
  MLIRContext *context = range.getContext();
  Location place = inner(range);
  if (!name.empty())
    place = NameLoc::get(StringAttr::get(context, name), place);
  SmallVector<NamedAttribute> places;
  for (auto &[argument, at] : arguments)
    places.emplace_back(StringAttr::get(context, argument), LocationAttr(inner(at)));
  if (!places.empty())
    place = FusedLoc::get(context, {place}, DictionaryAttr::get(context, places));
  return replaceInner(range, place);
}

StringRef nameIn(Location location) {
  auto name = dyn_cast<NameLoc>(withoutArguments(inner(location)));
  return name ? name.getName().getValue() : StringRef();
}

Location withoutNames(Location location) {
  Location place = withoutArguments(inner(location));
  if (auto name = dyn_cast<NameLoc>(place))
    place = name.getChildLoc();
  return replaceInner(location, place);
}

Location argumentIn(Location location, StringRef name) {
  if (auto fused = dyn_cast<FusedLoc>(inner(location)))
    if (auto places = dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()))
      if (auto at = places.getAs<LocationAttr>(name))
        return replaceInner(location, Location(at));
  return location;
}

FileLineColRange rangeIn(Location location) { return dyn_cast<FileLineColRange>(inner(withoutNames(location))); }

SmallVector<Location> callsIn(Location location) {
  SmallVector<Location> calls;
  for (auto call = dyn_cast<CallSiteLoc>(location); call; call = dyn_cast<CallSiteLoc>(call.getCallee()))
    calls.insert(calls.begin(), call.getCaller());
  return calls;
}

} // namespace fly::ir
