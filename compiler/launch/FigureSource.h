// `--device`: whether figures come from the time model or from a GPU.
#pragma once

#include "compiler/launch/GpuDevice.h"
#include "compiler/compilation/Session.h"
#include "compiler/target/Target.h"

namespace fly::driver {

struct FigureSource {
  std::shared_ptr<GpuDevice> gpu; ///< null: the time model
  std::string unit = "cycles";    ///< or microseconds
  std::string how = "time model"; ///< or the name of the GPU: for tables and reports
};

/// The GPU that `--device` asks for; null where there is none and `device` is auto. False after a diagnostic, whose
/// help is `instead`.
bool openGpu(Session &session, const target::Target &target, const std::string &device, const std::string &instead,
             std::shared_ptr<GpuDevice> &gpu);

/// `device`: model, gpu, or auto: a GPU of the architecture if there is one, else the model. None after a diagnostic.
std::optional<FigureSource> figureSourceOf(Session &session, const target::Target &target, const std::string &device);

} // namespace fly::driver
