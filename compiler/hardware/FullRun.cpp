// See FullRun.h.
#include "compiler/hardware/FullRun.h"

#include "compiler/compilation/ChildProcess.h"

#include <chrono>
#include <thread>

namespace fly::hardware {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

bool isSuspect(const std::string &outcome) {
  for (const char *suspect : {"different", "failed", "hung", "aborted"})
    if (outcome == suspect)
      return true;
  return false;
}

namespace {

constexpr unsigned noLimit = 7 * 24 * 3600; ///< seconds: the run itself watches its processes

constexpr size_t lastWords = 6; ///< lines of what a process said

class FullRun {
public:
  FullRun(const std::string &journal, const FullLimits &limits, const std::function<void(const FullProgress &)> &tell)
      : path(journal), limits(limits), tell(tell), reader(journal) {
    reader.update();
  }

  std::string run(const std::vector<Task> &tasks) {
    if (!reader.error.empty())
      return path + ": " + reader.error + ": remove it, or name another file with `-o`";
    for (size_t n = 0; n < tasks.size(); ++n) {
      FullProgress progress{&tasks[n], n + 1, tasks.size(), &reader.tasks[tasks[n].name]};
      if (progress.state->isDone)
        continue;
      if (std::string stopped = run(tasks[n], progress); !stopped.empty())
        return stopped;
      progress.isDone = true;
      tell(progress);
    }
    return "";
  }

private:
  std::string run(const Task &task, const FullProgress &progress) {
    const JournalTask &state = *progress.state;
    for (unsigned losses = 0; !state.isDone;) {
      if (std::string stopped = attempt(task, progress); !stopped.empty())
        return stopped;
      if (state.isDone)
        break;
      if (++losses > limits.mostLosses || !goesOn) {
        Journal(path, task.name).done();
        reader.update();
      }
      if (!waitForGpu(task.architecture))
        return "the GPU of " + task.architecture + " does not answer after " +
               (state.results.empty() ? task.name : "`" + state.results.back().name + "`") +
               ": reset it or restart the machine, then give the same command again, which goes on from there";
    }
    return "";
  }

  /// One process. Afterwards the task is done, or what ended the process is in the journal.
  std::string attempt(const Task &task, const FullProgress &progress) {
    std::vector<std::string> arguments = task.arguments;
    arguments.insert(arguments.end(), {"--journal", path, "--task", task.name});
    driver::ChildProcess child(arguments, noLimit);
    auto lastNews = Clock::now();
    bool stalls = false;
    const size_t before = progress.state->results.size();
    while (!child.ended()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (reader.update())
        lastNews = Clock::now();
      tell(progress);
      if (limits.minutes && Clock::now() - start > std::chrono::minutes(limits.minutes)) {
        child.stop();
        return "the time is over: give the same command again to go on";
      }
      if (Clock::now() - lastNews > seconds(limits.stallSeconds)) {
        stalls = true;
        child.stop();
      }
    }
    reader.update();
    const JournalTask &state = *progress.state;
    goesOn = true;
    if (state.isDone)
      return "";
    const std::string words = child.lastErrors(lastWords);
    if (!state.running.empty()) {
      Journal(path, task.name)
          .end({state.running, stalls ? "hung" : "aborted",
                stalls ? "nothing came for " + std::to_string(limits.stallSeconds) + " s" : words, 0,
                state.runningSubject});
    } else if (state.results.size() == before || state.results.back().outcome != "hung") {
      Journal(path, task.name).end({task.name, "failed", words.empty() ? "its process has ended" : words});
      goesOn = false; // nothing would change
    }
    reader.update();
    return "";
  }

  /// A launch that must work, until it does.
  bool waitForGpu(const std::string &architecture) {
    const auto end = Clock::now() + seconds(limits.recoverySeconds);
    do {
      driver::ChildProcess probe({"doctor", "--work", "probe", "--arch", architecture, "--gpu-limit", "5"},
                                 std::max(5u, limits.recoverySeconds / 2));
      probe.wait();
      if (probe.status() == 0)
        return true;
      std::this_thread::sleep_for(seconds(1));
    } while (Clock::now() < end);
    return false;
  }

  const std::string path;
  const FullLimits limits;
  const std::function<void(const FullProgress &)> &tell;
  JournalReader reader;
  const Clock::time_point start = Clock::now();
  bool goesOn = true; ///< another attempt may come further
};

} // namespace

std::string doTasks(const std::vector<Task> &tasks, const std::string &journal, const FullLimits &limits,
                    const std::function<void(const FullProgress &)> &tell) {
  return FullRun(journal, limits, tell).run(tasks);
}

} // namespace fly::hardware
