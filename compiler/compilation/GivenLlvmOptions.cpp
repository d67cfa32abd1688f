// See GivenLlvmOptions.h.
#include "compiler/compilation/GivenLlvmOptions.h"

#include "compiler/codegen/LlvmOptions.h"

namespace fly::driver {

namespace {

class LinkedLlvm final : public sema::LlvmOptionList {
public:
  bool has(const std::string &name) const override {
    return codegen::kindOfLlvmOption(name) != codegen::LlvmOptionKind::Unknown;
  }
  std::string problem(const std::string &name, const std::string &value) const override {
    return codegen::kindOfLlvmOption(name) == codegen::LlvmOptionKind::Attribute
               ? codegen::attributeProblem(name, value)
               : "";
  }
  const std::vector<std::string> &names() const override { return codegen::llvmOptionNames(); }
};

} // namespace

const sema::LlvmOptionList &llvmOptionList() {
  static const LinkedLlvm list;
  return list;
}

bool readGivenLlvmOptions(Session &session, sema::Elaborator &elaborator) {
  auto refuse = [&](const std::string &given, const std::string &why) {
    session.diags.report(diag::bad_option, {}).arg("--llvm " + given).arg(why);
    return false;
  };
  for (auto &given : session.options.llvm) {
    auto [name, value] = llvm::StringRef(given).split('=');
    if (name.size() == given.size())
      return refuse(given, "it takes NAME=VALUE");
    if (!llvmOptionList().has(name.str())) {
      auto guess = didYouMean(name, llvmOptionList().names());
      return refuse(given,
                    "LLVM has no option `" + name.str() + "`" + (guess ? "; did you mean `" + *guess + "`?" : ""));
    }
    if (auto problem = llvmOptionList().problem(name.str(), value.str()); !problem.empty())
      return refuse(given, problem);
    elaborator.givenLlvmOptions[name.str()] = value.str();
  }
  return true;
}

} // namespace fly::driver
