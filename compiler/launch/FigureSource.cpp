// See FigureSource.h.
#include "compiler/launch/FigureSource.h"

namespace fly::driver {

bool openGpu(Session &session, const target::Target &target, const std::string &device, const std::string &instead,
             std::shared_ptr<GpuDevice> &gpu) {
  std::string problem;
  gpu = GpuDevice::open(target, problem);
  if (gpu || device == "auto")
    return true;
  session.diags.report(diag::bad_option, {}).arg("--device " + device).arg(problem).help(instead);
  return false;
}

std::optional<FigureSource> figureSourceOf(Session &session, const target::Target &target, const std::string &device) {
  FigureSource source;
  if (device == "model")
    return source;
  if (!openGpu(session, target, device,
               "`--device model` takes the time model, `--device auto` a GPU only if there is one", source.gpu))
    return std::nullopt;
  if (source.gpu) {
    source.unit = "microseconds";
    source.how = source.gpu->name();
  }
  return source;
}

} // namespace fly::driver
