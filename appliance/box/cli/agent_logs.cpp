#include "appliance/box/cli/subcommands.h"

#include <iostream>
#include <memory>

#include "appliance/box/cli/admin_command.h"
#include "appliance/models/providers/sse.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

struct LogArguments {
  std::string agent;
  unsigned tail = 50;
  bool follows = false, as_json = false;
};

// One line of the log, as an object or as text.
void print_log_line(const json::value& line, bool as_json) {
  if (as_json) {
    std::cout << json::serialize(line) << '\n';
    return;
  }
  const auto& at = line.at("at");
  std::cout << (at.is_string() ? std::string(at.get_string()) + "  " : std::string())
            << line.at("text").as_string().c_str() << '\n';
}

int show_log(const BoxClient& box, const LogArguments& given) {
  const auto answer =
      box.call("GET", "/api/logs/" + escaped(given.agent) + "/history?limit=" + std::to_string(given.tail)).as_object();
  for (const auto& line : answer.at("lines").as_array()) print_log_line(line, given.as_json);
  return 0;
}

int follow_log(const BoxClient& box, const LogArguments& given) {
  models::EventReader reader([&](std::string_view event, std::string_view data) {
    boost::system::error_code malformed;
    const auto value = json::parse(data, malformed);
    if (event == "log" && !malformed) print_log_line(value, given.as_json);
    std::cout << std::flush;
    return event != "end";
  });
  box.stream("/api/logs/" + escaped(given.agent) + "/stream?tail=" + std::to_string(given.tail),
             [&](std::string_view bytes) { return reader.feed(bytes); });
  return 0;
}

}  // namespace

void add_logs(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("logs", "Print what an agent writes");
  const auto given = std::make_shared<LogArguments>();
  command->add_option("agent", given->agent, "its id")->required();
  command->add_option("-n,--tail", given->tail, "the newest lines to begin with [50]")->check(CLI::Range(1, 1'000));
  command->add_flag("-f,--follow", given->follows, "go on with new lines until interrupted");
  command->add_flag("--json", given->as_json, "print each line as JSON, for programs");
  connect(*command, run,
          [given](const BoxClient& box) { return given->follows ? follow_log(box, *given) : show_log(box, *given); });
}

}  // namespace agentbox::cli
