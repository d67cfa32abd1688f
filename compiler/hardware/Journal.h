// What a long run has done so far, in a file: after a crash, a hang of the GPU or the user's Ctrl-C it goes on there.
//
// Lines of JSON, each appended at once. Every process of a run appends to the same file:
//
//     {"task":"gfx942 instructions","begin":"v_add_f32 ...","of":"V_ADD_F32"}
//     {"task":"gfx942 instructions","name":"v_add_f32 ...","outcome":"same","detail":"","ms":1.3,"of":"V_ADD_F32"}
//     {"task":"gfx942 instructions","done":true}
//
// A `begin` without a result is what was running when its process ended.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fly::hardware {

struct JournalResult {
  std::string name, outcome, detail;
  double milliseconds = 0;
  std::string subject = {}; ///< of a form the instruction, by isa::name; else empty
};

struct JournalTask {
  std::vector<JournalResult> results;  ///< in the order in which they came; one per name
  std::string running, runningSubject; ///< began, and has no result
  bool isDone = false;
  const JournalResult *find(const std::string &name) const;
};

/// Reads a journal that grows meanwhile. A line that is cut off at the end counts as not written yet.
class JournalReader {
public:
  explicit JournalReader(std::string path) : path(std::move(path)) {}
  /// What was appended since; false if nothing was. See `error`.
  bool update();
  std::map<std::string, JournalTask> tasks; ///< by their names
  std::string error;                        ///< which line is not of a journal; nothing behind it is read

private:
  std::string path;
  uint64_t offset = 0, lines = 0;
};

/// Appends for one task.
class Journal {
public:
  /// An empty path: nothing is written.
  Journal(std::string path, std::string task);
  bool writes() const { return !path.empty(); }
  /// What earlier processes have done of the task.
  bool has(const std::string &name) const { return earlier.find(name) != nullptr; }

  void begin(const std::string &name, const std::string &subject = {});
  void end(const JournalResult &result);
  void done();

private:
  void append(const std::string &line);

  std::string path, task;
  JournalTask earlier;
};

} // namespace fly::hardware
