// Structs as kernel parameters, in their three forms: the C struct that a caller fills in, the values that launch-time
// expressions name (`grid=ceil_div(p.n, 256)`), and the values that the body reads.
//
// A number field of a struct parameter is a separate launch-time value. Its index continues after those of the
// parameters, in the order of the fields, with nested fields in place (InstanceInfo::fields).
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/sema/memory/Pointers.h"

namespace fly::sema {

std::shared_ptr<const artifact::StructInfo> structInfo(Elaborator &e, const Value &type, SourceRange range);

/// The struct of launch-time values: numbers as HostValues, pointers and vectors as None. Adds its numbers to `fields`;
/// the first one has the index `first + fields.size()`.
Value launchStruct(const artifact::StructInfo &info, const Value &type, const std::string &path, unsigned first,
                   uint32_t offset, std::vector<artifact::ParameterInfo> &fields);

/// The numbers of a struct in the order of `launchStruct`.
void numbersOf(const artifact::StructInfo &info, const Value &record, Values &out);

} // namespace fly::sema
