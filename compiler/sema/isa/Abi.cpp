// `abi`: what a wave is given when it starts. The use of one is what enables it in the kernel descriptor.
//
//     abi.kernarg             the address of the argument block, two SGPRs
//     abi.offset_of(p)        where a parameter lies in it
//     abi.workgroup_id.x      an SGPR, or from gfx12 on a trap register, where y and z share one
//     abi.workitem_id.x       a VGPR; .packed has x, y and z in 10 bits each
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/isa/Registers.h"
#include "compiler/sema/isa/Stream.h"

namespace fly::sema {

using assembly::Input;

namespace {

Value inputRegister(Elaborator &e, Input input, SourceRange range) {
  IsaStream &stream = isaStream(e, range, assembly::name(input));
  const uint32_t variable = stream.program.input(input, stream.placeOf(range));
  Register made;
  made.variable = variable;
  made.serial = stream.serial;
  made.file = stream.program.variables[variable].file;
  made.width = stream.program.variables[variable].width;
  made.name = assembly::name(input);
  return makeRegister(std::move(made));
}

Value trapRegister(unsigned number, const char *name) {
  Register made;
  made.file = isa::RegisterFile::Special;
  made.symbol = "ttmp" + std::to_string(number);
  made.name = name;
  return makeRegister(std::move(made));
}

class IdsObject final : public Object {
public:
  explicit IdsObject(bool ofWorkgroup) : ofWorkgroup(ofWorkgroup) {}
  std::string description() const override { return "`" + text() + "`"; }
  std::string text() const override { return ofWorkgroup ? "abi.workgroup_id" : "abi.workitem_id"; }
  Value attribute(Elaborator &e, const Value &, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override {
    const std::vector<std::string> known =
        ofWorkgroup ? std::vector<std::string>{"x", "y", "z", "yz"} : std::vector<std::string>{"x", "y", "z", "packed"};
    if (!llvm::is_contained(known, name))
      failUnknown(e, diag::unknown_attribute, nameRange, description(), name, known);
    IsaStream &stream = isaStream(e, range, text());
    return ofWorkgroup ? workgroup(e, stream, name, range) : workitem(e, stream, name, range);
  }

private:
  const bool ofWorkgroup;

  [[noreturn]] void packed(Elaborator &e, llvm::StringRef name, SourceRange range, const std::string &help) const {
    e.report(range, diag::isa_packed_input{.name = text() + "." + name.str(), .arch = std::string(e.target.name)})
        .help(help);
    throw Failed{};
  }

  /// In trap registers x is in ttmp9, y and z in the halves of ttmp7 (LLVM's AMDGPUUsage, "Initial Kernel Execution State").
  Value workgroup(Elaborator &e, IsaStream &stream, llvm::StringRef name, SourceRange range) const {
    if (!e.target.generation.idsInTtmp) {
      if (name == "yz")
        failUnknown(e, diag::unknown_attribute, range, description(), name, {"x", "y", "z"});
      return inputRegister(e,
                           name == "x"   ? Input::WorkgroupIdX
                           : name == "y" ? Input::WorkgroupIdY
                                         : Input::WorkgroupIdZ,
                           range);
    }
    if (name == "x")
      return trapRegister(9, "abi.workgroup_id.x");
    if (name == "yz")
      return trapRegister(7, "abi.workgroup_id.yz");
    packed(e, name, range,
           name == "y" ? "y is the low half of `abi.workgroup_id.yz`: `isa.s_and_b32(y, abi.workgroup_id.yz, 0xffff)`"
                       : "z is the high half of `abi.workgroup_id.yz`: `isa.s_lshr_b32(z, abi.workgroup_id.yz, 16)`");
  }

  /// All targets of flyc pack the three into v0 if more than x is asked for; x alone is the whole of v0.
  Value workitem(Elaborator &e, IsaStream &stream, llvm::StringRef name, SourceRange range) const {
    auto extract = [](llvm::StringRef id) {
      return "take it out of `abi.workitem_id.packed`: `isa.v_bfe_u32(" + id.str() + ", abi.workitem_id.packed, " +
             (id == "x"   ? "0"
              : id == "y" ? "10"
                          : "20") +
             ", 10)`";
    };
    if (name == "packed")
      stream.usesPackedWorkitem = true;
    else if (name == "x")
      stream.usesWorkitemX = true;
    else
      packed(e, name, range, extract(name));
    if (stream.usesPackedWorkitem && stream.usesWorkitemX)
      packed(e, "x", range, "this kernel also uses `abi.workitem_id.packed`; " + extract("x"));
    return inputRegister(e, Input::WorkitemIds, range);
  }
};

class AbiObject final : public Object {
public:
  std::string description() const override { return "`abi`"; }
  std::string text() const override { return "abi"; }
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override {
    if (name == "kernarg")
      return inputRegister(e, Input::KernargPointer, range);
    if (name == "workgroup_id" || name == "workitem_id")
      return makeObject<IdsObject>(name == "workgroup_id");
    if (name == "offset_of")
      return Value(MethodValue{std::make_shared<const Value>(self), name.str()});
    failUnknown(e, diag::unknown_attribute, nameRange, description(), name,
                {"kernarg", "workgroup_id", "workitem_id", "offset_of"});
  }
  Value method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const override {
    if (arguments.size() != 1 || !arguments[0].keyword.empty())
      e.fail(diag::wrong_argument_count, range,
             {"abi.offset_of", "1 parameter of the kernel", std::to_string(arguments.size())});
    isaStream(e, range, "abi.offset_of");
    if (auto *parameter = objectAs<IsaParameterObject>(arguments[0].value))
      return Value(int64_t(parameter->offset));
    e.fail(arguments[0].range, diag::isa_operand{.number = 1,
                                                 .name = "abi.offset_of",
                                                 .wanted = "a parameter of the kernel",
                                                 .found = describe(arguments[0].value)});
  }
};

} // namespace

Value abiValue() { return makeObject<AbiObject>(); }

} // namespace fly::sema
