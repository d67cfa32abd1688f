// See Stream.h.
#include "compiler/sema/isa/Stream.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::sema {

using assembly::Place;
using assembly::Problem;

Place IsaStream::placeOf(SourceRange range) {
  auto same = [](SourceRange a, SourceRange b) { return a.file == b.file && a.begin == b.begin && a.end == b.end; };
  if (!places.empty() && same(places.back().range, range) && llvm::equal(places.back().calls, e.callSites, same))
    return Place(places.size() - 1);
  places.push_back({range, e.callSites});
  return Place(places.size() - 1);
}

void IsaStream::report(const Problem &problem, llvm::StringRef kernel) {
  using Kind = Problem::Kind;
  auto &a = problem.arguments;
  const bool isNowhere = problem.place >= places.size();
  const From from = isNowhere ? From{} : places[problem.place];
  auto finish = [&](DiagnosticBuilder &&builder, const std::string &help = "") {
    for (SourceRange call : llvm::reverse(from.calls))
      builder.note(call, "in this call");
    for (auto &[place, text] : problem.notes)
      if (place && *place < places.size())
        builder.note(places[*place].range, text);
      else
        builder.note(text);
    if (!help.empty())
      builder.help(help);
  };
  switch (problem.kind) {
  case Kind::NeverWritten: finish(e.report(from.range, diag::isa_unwritten{.name = a[0]})); break;
  case Kind::InputOverwritten:
    finish(e.report(from.range, diag::isa_input_overwritten{.name = a[0], .input = a[1]}),
           "copy `" + a[1] + "` first, or take registers that flyc chooses: `s()`, `v()`");
    break;
  case Kind::InputDisabled:
    finish(e.report(from.range, diag::isa_input_disabled{.field = a[0], .value = a[1], .input = a[2]}));
    break;
  case Kind::Unreached:
    finish(e.report(from.range, diag::isa_unreached{.name = a[0]}),
           "place a label here that a branch jumps to; in code that only a jump through a register reaches, name "
           "registers by number");
    break;
  case Kind::TooManyRegisters:
    finish(e.report(from.range, diag::isa_registers{.needed = a[1], .file = a[0], .limit = a[2]}));
    break;
  case Kind::OverLimit:
    finish(e.report(from.range, diag::isa_over_limit{.name = a[0], .needed = a[1], .file = a[2], .limit = a[3]}));
    break;
  case Kind::NoRoom:
    finish(e.report(from.range, diag::isa_no_room{.file = a[1], .name = a[0]}),
           a[2] + ", and other live ranges lie between them; fixed ranges such as `v[0:64]` place values by hand");
    break;
  case Kind::UndefinedLabel:
    finish(e.report(from.range, diag::label_unplaced{.name = a[0]}),
           "put `isa.place(" + a[0] + ")` before the instruction that it marks");
    break;
  case Kind::NoEnd: finish(e.report(from.range, diag::isa_no_end{.kernel = kernel.str()})); break;
  case Kind::BranchTooFar: finish(e.report(from.range, diag::isa_branch_reach{.words = a[0]})); break;
  case Kind::Refused: finish(e.report(from.range, diag::isa_refused{.text = a[0], .message = a[1]})); break;
  case Kind::NotProved: {
    auto builder = e.report(from.range, diag::isa_not_proved{.message = a[1]});
    builder.note("rule `" + a[0] + "`: " + a[2] + " (" + a[3] + ")");
    finish(std::move(builder),
           "`auto_wait=True` of `@kernel` inserts what is missing; `unchecked=True` on the instruction asserts that it "
           "is correct");
    break;
  }
  }
}

IsaStream &isaStream(Elaborator &e, SourceRange range, llvm::StringRef what) {
  if (!e.kernel.isaStream) {
    e.report(range, diag::isa_only{.name = what.str()});
    throw Failed{};
  }
  return *e.kernel.isaStream;
}

std::string assignedName(Elaborator &e) {
  if (!e.statement.valid())
    return "";
  auto [name, rest] = e.diags.sources.text(e.statement).split('=');
  name = name.trim();
  if (name.empty() || !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }) ||
      llvm::isDigit(name[0]))
    return "";
  // A list of registers is not a register.
  return rest.ltrim().starts_with("[") || rest.ltrim().starts_with("=") ? "" : name.str();
}

} // namespace fly::sema
