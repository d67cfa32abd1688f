// See JobProcesses.h. One thread starts and polls all processes; they end at their own pace.
#include "compiler/search/JobProcesses.h"

#include "compiler/compilation/ChildProcess.h"

#include <list>
#include <thread>

namespace fly::driver {

void JobProcesses::run(const std::function<std::optional<Work>()> &next,
                       const std::function<void(unsigned, const ChildProcess &)> &done) const {
  struct Running {
    unsigned job;
    ChildProcess process;
    Running(const Work &work, unsigned timeout) : job(work.job), process(work.arguments, timeout) {}
  };
  std::list<Running> running;
  bool more = true;
  while (more || !running.empty()) {
    while (more && running.size() < most) {
      auto work = next();
      if (!work)
        more = false;
      else
        running.emplace_back(*work, timeout);
    }
    bool ended = false;
    for (auto one = running.begin(); one != running.end();) {
      if (!one->process.ended()) {
        ++one;
        continue;
      }
      done(one->job, one->process);
      one = running.erase(one);
      ended = true;
    }
    if (ended && isEnough && isEnough()) {
      for (Running &one : running)
        one.process.stop();
      return;
    }
    if (!ended && !running.empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

} // namespace fly::driver
