// Commands, which the box runs in a sandbox of their own: this process starts none. What they write is shown while they
// run.
#include <algorithm>
#include <boost/json.hpp>
#include <boost/system/system_error.hpp>
#include <memory>

#include "appliance/agent/tools/box_client.h"
#include "appliance/agent/tools/toolbox.h"
#include "web/json.h"
#include "web/utf8.h"

namespace agent_process {

namespace json = boost::json;

namespace {

using web::Result;
using web::Task;

constexpr std::chrono::seconds command_call_time{40};  // the box waits 25 s for output
constexpr std::size_t max_output_for_model = 24'000;   // of output, for the model: its beginning and its end
constexpr int output_wait_ms = 20'000;

struct CommandArguments {
  std::optional<web::List<web::Verbatim<0, 100'000>, 1, 1'000>> arguments;
  std::optional<web::Verbatim<1, 100'000>> shell;
  std::optional<web::Text<1, 1'000>> folder;
  std::optional<boost::json::object> environment;
  std::optional<web::Verbatim<0, 200'000>> input;
  std::optional<web::Integer<1, 86'400>> timeoutSeconds;
  Reason why;
};
BOOST_DESCRIBE_STRUCT(CommandArguments, (), (arguments, shell, folder, environment, input, timeoutSeconds, why))

BOOST_DEFINE_ENUM_CLASS(Language, python, javascript)

struct CodeArguments {
  Language language = Language::python;
  web::Verbatim<1, 100'000> code;
  std::optional<web::Verbatim<0, 200'000>> input;
  std::optional<web::Integer<1, 1'800>> timeoutSeconds;
  Reason why;
};
BOOST_DESCRIBE_STRUCT(CodeArguments, (), (language, code, input, timeoutSeconds, why))

struct OutputArguments {
  web::Id process;
  std::optional<web::Integer<0, std::int64_t(1) << 50>> from;
  std::optional<web::Integer<0, 20>> waitSeconds;
};
BOOST_DESCRIBE_STRUCT(OutputArguments, (), (process, from, waitSeconds))

struct ProcessInput {
  web::Id process;
  web::Verbatim<0, 900'000> text;
  std::optional<bool> end;
};
BOOST_DESCRIBE_STRUCT(ProcessInput, (), (process, text, end))

struct ProcessName {
  web::Id process;
};
BOOST_DESCRIBE_STRUCT(ProcessName, (), (process))

// The beginning and the end of a text that is too long.
class Shortened {
 public:
  void append(std::string_view piece) {
    const auto part = web::utf8_prefix(piece, is_full_ ? 0 : half - head_.size());
    head_.append(part);
    is_full_ = is_full_ || part.size() < piece.size();
    tail_.append(piece.substr(part.size()));
    if (tail_.size() > 2 * half) {
      left_out_ += tail_.size() - half;
      tail_.erase(0, tail_.size() - half);
    }
  }
  std::string text() const {
    auto tail = tail_;
    auto left_out = left_out_;
    if (tail.size() > half) {
      left_out += tail.size() - half;
      tail.erase(0, tail.size() - half);
    }
    if (left_out == 0) return head_ + tail;
    const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    const auto end = std::find_if_not(tail.begin(), tail.end(), is_inside);
    tail.erase(tail.begin(), end);
    return head_ + "\n[" + std::to_string(left_out) + " bytes left out]\n" + tail;
  }

 private:
  static constexpr std::size_t half = max_output_for_model / 2;
  std::string head_, tail_;
  bool is_full_ = false;  // the head
  std::size_t left_out_ = 0;
};

class CommandRunner {
 public:
  CommandRunner(const std::string& backend_url, const std::string& box_token, const Workspace& workspace,
                boost::asio::thread_pool& files)
      : box_{backend_url + "/api/agent-commands", box_token, command_call_time}, workspace_(workspace), files_(files) {}

  const BoxClient& box() const { return box_; }

  // From its start to its end. A turn that is stopped stops the command.
  Task<Result<json::value>> run(json::object body, ToolOutput output) const {
    const auto began = store::now();
    auto started = co_await box_.call("POST", "", std::move(body));
    if (!started) co_return started.error();
    const auto id = web::string_member(started->get_object(), "id");
    if (id.empty()) co_return started;  // it waits for the owner
    std::exception_ptr thrown;
    try {
      co_return co_await follow(id, began, std::move(output));
    } catch (const boost::system::system_error&) {
      thrown = std::current_exception();
    }
    co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
    json::object nothing;
    [[maybe_unused]] const auto stopped = co_await box_.call("DELETE", "/" + id, std::move(nothing));
    std::rethrow_exception(thrown);
  }

 private:
  Task<Result<json::value>> follow(std::string id, store::Time began, ToolOutput output) const {
    Shortened text;
    std::int64_t from = 0;
    for (;;) {
      json::object nothing;
      auto path = "/" + id + "/output?from=" + std::to_string(from) + "&waitMs=" + std::to_string(output_wait_ms);
      auto piece = co_await box_.call("GET", std::move(path), std::move(nothing));
      if (!piece) co_return piece.error();
      const auto& answer = piece->get_object();
      const auto written = web::string_member(answer, "output");
      text.append(written);
      if (output && !written.empty()) output(written);
      from = answer.at("next").to_number<std::int64_t>();
      if (!answer.at("running").as_bool()) co_return co_await summary(answer, began, text.text());
    }
  }

  Task<Result<json::value>> summary(json::object answer, store::Time began, std::string text) const {
    json::object result{{"exitCode", answer["exitCode"]}, {"durationMs", answer["durationMs"]}};
    if (!answer["endedBecause"].is_null()) result["endedBecause"] = answer["endedBecause"];
    const auto look = [this, began] { return workspace_.changed_since(began); };
    const auto changed = co_await web::offload(files_, look);
    json::array names(changed.begin(), changed.end());
    result["changedFiles"] = std::move(names);
    result["output"] = text;
    co_return json::value(std::move(result));
  }

  const BoxClient box_;
  const Workspace& workspace_;
  boost::asio::thread_pool& files_;
};

json::object body_of(CommandArguments arguments) {
  json::object body;
  if (arguments.arguments) {
    json::array words;
    for (auto& word : *arguments.arguments) words.emplace_back(std::string(word));
    body["arguments"] = std::move(words);
  }
  if (arguments.shell) body["shell"] = *arguments.shell;
  if (arguments.folder) body["folder"] = *arguments.folder;
  if (arguments.environment) body["environment"] = *arguments.environment;
  if (arguments.why) body["why"] = *arguments.why;
  if (arguments.input) body["input"] = *arguments.input;
  if (arguments.timeoutSeconds) body["timeoutSeconds"] = arguments.timeoutSeconds->value;
  return body;
}

json::object body_of(CodeArguments arguments) {
  json::object body;
  json::array words;
  if (arguments.language == Language::python)
    words = {"python3", "-c", std::string(arguments.code)};
  else
    words = {"node", "-e", std::string(arguments.code)};
  body["arguments"] = std::move(words);
  if (arguments.why) body["why"] = *arguments.why;
  if (arguments.input) body["input"] = *arguments.input;
  if (arguments.timeoutSeconds) body["timeoutSeconds"] = arguments.timeoutSeconds->value;
  return body;
}

// The box's answer, with the names that tools use.
json::object process_of(const json::object& answer) {
  json::object result{{"output", answer.at("output")}, {"next", answer.at("next")}, {"running", answer.at("running")}};
  for (const char* name : {"exitCode", "endedBecause"})
    if (const auto* value = answer.if_contains(name); value && !value->is_null()) result[name] = *value;
  if (answer.at("dropped").to_number<std::int64_t>() > 0) result["dropped"] = answer.at("dropped");
  return result;
}

std::vector<Tool> command_tools_of(std::shared_ptr<const CommandRunner> runner) {
  return {
      streaming_tool<CommandArguments>(
          "run_command",
          "Run a program or a shell script in your workspace (/workspace) and wait for its end. Give arguments "
          "(program "
          "and arguments) or shell (bash). It runs in a sandbox: programs of the system, the workspace, a /tmp of its "
          "own, and no network but the box's proxy. folder: in the workspace; input: its standard input; "
          "timeoutSeconds: 60 unless given, at most 1800; why: a sentence for your owner, who may have to allow it. "
          "For "
          "what runs longer use start_process.",
          [runner](CommandArguments arguments, ToolOutput output) -> Task<Result<json::value>> {
            auto body = body_of(std::move(arguments));
            co_return co_await runner->run(std::move(body), std::move(output));
          }),
      streaming_tool<CodeArguments>(
          "run_code",
          "Run Python or JavaScript (Node.js) in the same sandbox as run_command. Print what you want to see.",
          [runner](CodeArguments arguments, ToolOutput output) -> Task<Result<json::value>> {
            auto body = body_of(std::move(arguments));
            co_return co_await runner->run(std::move(body), std::move(output));
          }),
      tool<CommandArguments>(
          "start_process",
          "Start a program or a shell script that runs on after this turn, as run_command otherwise. The result names "
          "the process for read_output, send_input and stop_process. It ends with the box, or after a day.",
          [runner](CommandArguments arguments) -> Task<Result<json::value>> {
            auto body = body_of(std::move(arguments));
            body["background"] = true;
            auto started = co_await runner->box().call("POST", "", std::move(body));
            if (!started) co_return started.error();
            const auto id = web::string_member(started->get_object(), "id");
            if (id.empty()) co_return started;  // it waits for the owner
            co_return json::value{{"process", id}};
          }),
      tool<OutputArguments>(
          "read_output",
          "Read what a process of start_process has written. from: `next` of the last call; waitSeconds: how long to "
          "wait for more, at most 20.",
          [runner](OutputArguments arguments) -> Task<Result<json::value>> {
            json::object nothing;
            const auto from = arguments.from ? arguments.from->value : 0;
            const auto wait = arguments.waitSeconds ? arguments.waitSeconds->value : 0;
            auto path = "/" + arguments.process + "/output?from=" + std::to_string(from) +
                        "&waitMs=" + std::to_string(wait * 1'000);
            auto answer = co_await runner->box().call("GET", std::move(path), std::move(nothing));
            if (!answer) co_return answer.error();
            co_return json::value(process_of(answer->get_object()));
          }),
      tool<ProcessInput>("send_input",
                         "Write to the standard input of a process of start_process. end: its input ends after that.",
                         [runner](ProcessInput arguments) -> Task<Result<json::value>> {
                           json::object body{{"text", arguments.text}, {"end", arguments.end.value_or(false)}};
                           auto path = "/" + arguments.process + "/input";
                           co_return co_await runner->box().call("POST", std::move(path), std::move(body));
                         }),
      tool<ProcessName>("stop_process", "Stop a process of start_process.",
                        [runner](ProcessName arguments) -> Task<Result<json::value>> {
                          json::object nothing;
                          auto answer =
                              co_await runner->box().call("DELETE", "/" + arguments.process, std::move(nothing));
                          if (!answer) co_return answer.error();
                          co_return json::value(process_of(answer->get_object()));
                        }),
  };
}

Task<std::vector<Tool>> available_commands(std::shared_ptr<const CommandRunner> runner) {
  json::object nothing;
  const auto answer = co_await runner->box().call("GET", "", std::move(nothing));
  const auto* is_available = answer ? answer->get_object().if_contains("available") : nullptr;
  if (!is_available || !is_available->is_bool() || !is_available->get_bool()) co_return std::vector<Tool>();
  co_return command_tools_of(std::move(runner));
}

}  // namespace

ToolSource command_tools(const std::string& backend_url, const std::string& box_token, const Workspace& workspace,
                         boost::asio::thread_pool& files) {
  return [runner = std::make_shared<const CommandRunner>(backend_url, box_token, workspace, files)] {
    return available_commands(runner);
  };
}

}  // namespace agent_process
