// Launches of a check that run at once, each on a device of its own: `with together():`.
//
// They share memory: an array that several of them get is one. The steps of `@launch` functions run one after the other,
// each on all devices.
//
// For benches, each array is on a device: a list with as many arrays as there are launches has one on each, in their order;
// another array is on the device of the first launch that gets it.
#pragma once

#include "compiler/launch/PlanRun.h"

namespace fly::driver {

class Together {
public:
  Together(CheckRunner &runner, SourceRange range) : runner(runner), range(range) {}
  /// The next device's launch: its arguments are checked, and put into memory.
  void add(const sema::KernelValue &kernel, sema::Arguments arguments, SourceRange range);
  /// All of them, once for each order of waves.
  void run();

private:
  using Lefts = std::vector<std::vector<CheckRunner::Run::Left>>; ///< by launch and buffer
  bool runSteps(const Order &order, bool isLast);
  Lefts contents();
  /// For `flyc bench`: what each has executed, and what moves between them.
  void count(const std::vector<emulator::DeviceLaunch> &now, const std::vector<const CheckRunner::Loaded *> &codes,
             std::vector<emulator::Profile> &profiles);
  /// Which device has which memory, by address.
  std::vector<emulator::OwnedMemory> owners() const;

  CheckRunner &runner;
  SourceRange range;
  struct Launch {
    sema::Arguments arguments; ///< which the run refers to
    CheckRunner::Run run;
    Launch(CheckRunner &runner, const CheckRunner::Plan &plan, const ast::DefStmt &def, sema::Arguments given,
           SourceRange range)
        : arguments(std::move(given)), run(runner, plan, def, arguments, range) {}
  };
  std::vector<std::unique_ptr<Launch>> launches; ///< by device
  std::vector<CheckRunner::Run::SharedArray> arrays;
};

} // namespace fly::driver
