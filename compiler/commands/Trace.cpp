// `flyc trace`: what FLY_TRACE wrote, added up by kernel: launches, time, share, bytes per second.
//
// The file is an array of events in Chrome's format, one on each line (docs/trace.md). A program that was killed may have
// left the last line incomplete; what is before it is read.
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/Session.h"
#include "compiler/text/Words.h"

#include "llvm/Support/Format.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace fly::driver {

namespace {

using Json = nlohmann::ordered_json;

class TraceCommand final : public Command {
public:
  TraceCommand() : Command("trace", "Add up a trace that FLY_TRACE wrote") { needsLargeStack = false; }
  void declare(OptionTable &table) override {
    table.add("file", path, "What a program with FLY_TRACE=FILE has written").required();
    table.add("--by", by, "What a row of the table is: `kernel` or `function`")
        .choices({"kernel", "function"})
        .showDefault();
    messageOptions(table, options);
  }
  int run() override;

  std::string path, by = "kernel";
};

struct TraceRow {
  uint64_t launches = 0;
  double microseconds = 0, shortest = 0, longest = 0;
  double bytes = 0, bytesTime = 0; ///< of the launches that tell bytes
};

struct TracedDevice {
  std::string name = "a device without a name", times;
  std::map<std::string, TraceRow> rows;
  double begin = 0, end = 0, total = 0;
  uint64_t launches = 0, lost = 0;
};

/// The events; what follows the last whole line of a file that breaks off is left out.
Json readEvents(std::string text) {
  Json events = Json::parse(text, nullptr, false);
  if (!events.is_discarded())
    return events.is_object() ? events.at("traceEvents") : events;
  const size_t line = text.rfind('\n');
  if (line == text.npos || line < 3)
    return Json::parse(text); // for its error
  text.resize(line);
  if (text.back() == ',')
    text.pop_back();
  return Json::parse(text + "]");
}

/// Bytes that the execution read and wrote; none if that is not known.
std::optional<double> bytesOf(const Json &arguments) {
  if (arguments.contains("bytes"))
    return arguments.at("bytes").get<double>();
  if (arguments.contains("read_bytes"))
    return arguments.at("read_bytes").get<double>() + arguments.at("written_bytes").get<double>();
  return std::nullopt;
}

std::string nameOf(const Json &event, bool byFunction) {
  const Json &arguments = event.at("args");
  const std::string name = event.at("name").get<std::string>();
  if (!arguments.contains("module"))
    return name;
  const std::string module = arguments.at("module").get<std::string>() + ".";
  return module + (byFunction && arguments.contains("function") ? arguments.at("function").get<std::string>() : name);
}

using TracedDevices = std::map<int64_t, TracedDevice>;

void addEvent(TracedDevices &devices, const Json &event, const std::set<std::pair<int64_t, int64_t>> &graphs,
              bool byFunction) {
  const std::string &phase = event.at("ph").get_ref<const std::string &>();
  const int64_t process = event.at("pid").get<int64_t>();
  if (phase == "M" && event.at("name") == "process_name" && event.at("args").contains("times")) {
    devices[process].name = event.at("args").at("name").get<std::string>();
    devices[process].times = event.at("args").at("times").get<std::string>();
    return;
  }
  if (phase == "i" && event.at("args").contains("no_time"))
    ++devices[process].lost;
  if (phase != "X")
    return;
  const std::string &category = event.at("cat").get_ref<const std::string &>();
  if (category != "kernel" && category != "fill" && category != "copy" && category != "graph")
    return; // calls of the host
  if (category == "graph" && graphs.count({process, event.at("args").at("call").get<int64_t>()}))
    return; // its nodes have times of their own
  TracedDevice &device = devices[process];
  const double begin = event.at("ts").get<double>(), took = event.at("dur").get<double>();
  device.begin = device.launches ? std::min(device.begin, begin) : begin;
  device.end = std::max(device.end, begin + took);
  device.total += took;
  ++device.launches;
  TraceRow &row = device.rows[nameOf(event, byFunction)];
  row.shortest = row.launches ? std::min(row.shortest, took) : took;
  row.longest = std::max(row.longest, took);
  row.microseconds += took;
  ++row.launches;
  if (auto bytes = bytesOf(event.at("args"))) {
    row.bytes += *bytes;
    row.bytesTime += took;
  }
}

void print(const TracedDevice &device, bool byFunction) {
  std::vector<std::pair<std::string, TraceRow>> rows(device.rows.begin(), device.rows.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto &a, const auto &b) { return a.second.microseconds > b.second.microseconds; });
  size_t width = 8;
  for (const auto &[name, row] : rows)
    width = std::max(width, name.size());
  llvm::outs() << device.name << ": " << counted(device.launches, "execution") << ", "
               << llvm::format("%.4g us in all, %.4g us from the first to the last\n\n", device.total,
                               device.end - device.begin);
  llvm::outs() << llvm::left_justify(byFunction ? "function" : "kernel", width)
               << "    calls          us       %     us/call     shortest      longest        GB/s\n";
  for (const auto &[name, row] : rows) {
    llvm::outs() << llvm::left_justify(name, width)
                 << llvm::format(" %8llu %11.4g %7.1f %11.4g %12.4g %12.4g",
                                 static_cast<unsigned long long>(row.launches), row.microseconds,
                                 device.total > 0 ? 100 * row.microseconds / device.total : 0.0,
                                 row.microseconds / double(row.launches), row.shortest, row.longest);
    if (row.bytesTime > 0)
      llvm::outs() << llvm::format(" %11.4g\n", row.bytes / row.bytesTime / 1e3);
    else
      llvm::outs() << "           -\n";
  }
  if (device.lost)
    llvm::outs() << counted(device.lost, "execution") << " without a time\n";
}

int printTrace(Session &session, const TraceCommand &command) {
  auto file = session.read(command.path);
  if (!file)
    return 1;
  const Json events = readEvents(std::string(session.sources.text(*file)));
  if (!events.is_array())
    throw std::runtime_error("it is not an array of events");
  std::set<std::pair<int64_t, int64_t>> graphs; ///< launches of graphs whose nodes are told
  for (const Json &event : events)
    if (event.at("ph") == "X" && event.contains("args") && event.at("args").contains("node"))
      graphs.insert({event.at("pid").get<int64_t>(), event.at("args").at("call").get<int64_t>()});
  TracedDevices devices;
  for (const Json &event : events)
    addEvent(devices, event, graphs, command.by == "function");
  bool isFirst = true;
  for (const auto &[process, device] : devices) {
    if (!device.launches && !device.lost)
      continue;
    llvm::outs() << (isFirst ? "" : "\n");
    isFirst = false;
    print(device, command.by == "function");
  }
  if (isFirst)
    llvm::outs() << "nothing was executed\n";
  return 0;
}

} // namespace

int TraceCommand::run() {
  Session session(options);
  int status = 1;
  try {
    status = printTrace(session, *this);
  } catch (const Json::exception &error) {
    std::string why = error.what();
    why = why.substr(why.find("] ") == why.npos ? 0 : why.find("] ") + 2);
    session.diags.report(diag::cannot_read, {}).arg(path).arg("it is not a trace that FLY_TRACE wrote: " + why);
  } catch (const std::runtime_error &error) {
    session.diags.report(diag::cannot_read, {}).arg(path).arg(error.what());
  }
  llvm::outs().flush();
  session.finish();
  return status;
}

std::unique_ptr<Command> traceCommand() { return std::make_unique<TraceCommand>(); }

} // namespace fly::driver
