// Private: from LLVM's opcode names to our semantic names.
#pragma once

#include <string>
#include <string_view>

namespace fly::isa {

/// "V_ADD_F32_e64_gfx12" -> "V_ADD_F32"; see OpcodeNames.cpp.
std::string semanticName(std::string_view opcodeName);

/// Whether `token` is one of the parts of the name between underscores: hasToken("V_ADD_F32_dpp_vi", "dpp").
bool hasToken(std::string_view opcodeName, std::string_view token);

} // namespace fly::isa
