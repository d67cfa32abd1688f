// See FigureSource.h.
#include "compiler/launch/FigureSource.h"

namespace fly::driver {

std::optional<FigureSource> figureSourceOf(Session &session, const target::Target &target, const std::string &device) {
  FigureSource source;
  if (device == "model")
    return source;
  std::string problem;
  source.gpu = GpuDevice::open(target, problem);
  if (source.gpu) {
    source.unit = "microseconds";
    source.how = source.gpu->name();
    return source;
  }
  if (device == "auto")
    return source;
  session.diags.report(diag::bad_option, {})
      .arg("--device gpu")
      .arg(problem)
      .help("`--device model` takes the time model, `--device auto` a GPU only if there is one");
  return std::nullopt;
}

} // namespace fly::driver
