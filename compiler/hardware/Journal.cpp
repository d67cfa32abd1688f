// See Journal.h.
#include "compiler/hardware/Journal.h"

#include "llvm/ADT/STLExtras.h"

#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace fly::hardware {

using Json = nlohmann::ordered_json;

const JournalResult *JournalTask::find(const std::string &name) const {
  auto found = llvm::find_if(results, [&](const JournalResult &result) { return result.name == name; });
  return found == results.end() ? nullptr : &*found;
}

static void enter(std::map<std::string, JournalTask> &tasks, const Json &json) {
  JournalTask &task = tasks[json.at("task")];
  if (json.contains("begin")) {
    task.running = json.at("begin");
    task.runningSubject = json.at("of");
  } else if (json.contains("name")) {
    task.running.clear();
    task.results.push_back({json.at("name"), json.at("outcome"), json.at("detail"), json.at("ms"), json.at("of")});
  } else {
    task.isDone = json.at("done");
  }
}

bool JournalReader::update() {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  bool isNew = false;
  for (std::string line; error.empty() && std::getline(file, line);) {
    if (file.eof())
      break; // it is being written
    ++lines;
    offset += line.size() + 1;
    isNew = true;
    try {
      enter(tasks, Json::parse(line));
    } catch (const Json::exception &) {
      error = "line " + std::to_string(lines) + " is not of a journal";
    }
  }
  return isNew;
}

Journal::Journal(std::string path, std::string task) : path(std::move(path)), task(std::move(task)) {
  if (!writes())
    return;
  JournalReader reader(this->path);
  reader.update();
  earlier = reader.tasks[this->task];
}

void Journal::append(const std::string &line) {
  if (!writes())
    return;
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0)
    return;
  const std::string text = line + "\n";
  (void)!::write(file, text.data(), text.size()); // at once: processes append side by side
  ::close(file);
}

void Journal::begin(const std::string &name, const std::string &subject) {
  append(Json({{"task", task}, {"begin", name}, {"of", subject}}).dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Journal::end(const JournalResult &result) {
  append(Json({{"task", task},
               {"name", result.name},
               {"outcome", result.outcome},
               {"detail", result.detail},
               {"ms", result.milliseconds},
               {"of", result.subject}})
             .dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Journal::done() { append(Json({{"task", task}, {"done", true}}).dump()); }

} // namespace fly::hardware
