// The options of every command that reads sources: what is defined, where modules are, what is told and how.
#pragma once

#include <string>
#include <vector>

namespace fly::driver {

struct Options {
  std::vector<std::string> defines; ///< NAME=VALUE
  std::vector<std::string> includeDirs;
  std::vector<std::string> llvm;     ///< NAME=VALUE: LLVM options of all kernels
  unsigned llvmTimeout = 600;        ///< seconds for a kernel with LLVM options
  std::vector<std::string> bitcode;  ///< files of LLVM bitcode with extern functions
  std::vector<std::string> without;  ///< passes of the code generator that do not run
  std::string plantFault;            ///< the pass after which a mistake is made on purpose; empty: none
  std::vector<std::string> warnings; ///< -W: perf, NAME, no-NAME, error, error=NAME, no-verify=RULE
  std::string prefixMap;             ///< OLD=NEW for file names in line tables
  std::string errorFormat = "text";  ///< text, json, sarif
  std::string color = "auto";        ///< auto, always, never
  bool cache = true;                 ///< objects of earlier runs may be used
};

} // namespace fly::driver
