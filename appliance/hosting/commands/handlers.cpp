#include "appliance/hosting/commands/handlers.h"

#include <algorithm>
#include <string_view>

#include "appliance/access/key_guards.h"
#include "appliance/hosting/rate_groups.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace commands {

namespace {

using web::Request;
using web::Result;

constexpr std::size_t max_variables = 100, max_variable_bytes = 32'000;

bool is_variable_name(std::string_view name) {
  const auto is_part = [](char c) { return web::is_alphanumeric(c) || c == '_'; };
  return !name.empty() && name.size() <= 100 && !(name.front() >= '0' && name.front() <= '9') &&
         std::ranges::all_of(name, is_part);
}

bool has_zero(std::string_view text) { return text.find('\0') != text.npos; }

Result<void> read_environment(const boost::json::object& given, Order& order) {
  if (given.size() > max_variables) return web::invalid("environment has more than 100 variables");
  for (const auto& [name, value] : given) {
    const auto field = "environment." + std::string(name);
    if (!is_variable_name(name)) return web::invalid(field + " is not a name of letters, digits and _");
    if (!value.is_string() || value.get_string().size() > max_variable_bytes || has_zero(value.get_string()))
      return web::invalid(field + " must be text of at most 32,000 bytes");
    order.environment.emplace_back(name, value.get_string());
  }
  return {};
}

Result<Order> order_of(StartRequest body) {
  Order order;
  if (body.arguments.has_value() == body.shell.has_value())
    return web::invalid("give either arguments (a program and its arguments) or shell (text of a shell)");
  if (body.arguments)
    for (auto& word : *body.arguments) {
      if (has_zero(word)) return web::invalid("arguments must not hold zero bytes");
      order.arguments.push_back(std::move(word));
    }
  if (body.arguments && order.arguments.front().empty()) return web::invalid("arguments[0] must name a program");
  if (body.shell) {
    if (has_zero(*body.shell)) return web::invalid("shell must not hold zero bytes");
    order.shell = std::move(*body.shell);
  }
  if (body.folder) order.folder = std::move(*body.folder);
  if (body.environment)
    if (const auto read = read_environment(*body.environment, order); !read) return read.error();
  if (body.input) order.input = std::move(*body.input);
  order.is_attended = !body.background.value_or(false);
  const auto longest = order.is_attended ? longest_attended_time : longest_time;
  const auto standard = order.is_attended ? order.time : longest;
  order.time = body.timeoutSeconds ? std::chrono::seconds(body.timeoutSeconds->value) : standard;
  if (order.time > longest)
    return web::invalid("timeoutSeconds must be at most " + std::to_string(longest.count()) +
                        (order.is_attended ? " unless the command runs in the background" : ""));
  return order;
}

OutputAnswer answer_of(Output piece) {
  OutputAnswer answer{.output = std::move(piece.text),
                      .next = piece.next,
                      .dropped = piece.dropped,
                      .running = piece.is_running,
                      .startedAt = web::iso8601(piece.started_at),
                      .durationMs = piece.duration.count()};
  if (piece.exit_code) answer.exitCode = *piece.exit_code;
  if (!piece.ended_because.empty()) answer.endedBecause = std::move(piece.ended_because);
  return answer;
}

web::Task<CommandList> list_of(const Services& services, std::string agent) {
  CommandList list;
  if (auto reason = services.why_not(); !reason.empty()) {
    list.available = false;
    list.reason = std::move(reason);
  }
  list.browser = services.has_browser();
  auto found = co_await services.commands.summaries(std::move(agent));
  for (auto& one : found) {
    CommandItem item{.id = std::move(one.id),
                     .title = std::move(one.title),
                     .startedAt = web::iso8601(one.started_at),
                     .running = one.is_running};
    if (one.exit_code) item.exitCode = *one.exit_code;
    list.commands.push_back(std::move(item));
  }
  co_return list;
}

web::Answer list_own(const Services& services, const Request& request) {
  const auto list = co_await list_of(services, request.caller.agent);
  co_return web::reply(list, 200);
}

// What the owner sees: the request as it came.
gate::Act act_of(const web::Caller& caller, const Order& order, boost::json::object request) {
  gate::Act act{.owner = caller.user_id, .agent = caller.agent, .kind = gate_kind, .effect = gate::Effect::code};
  const auto program = order.arguments.empty() ? std::string("shell") : order.arguments.front();
  act.target = std::string(web::utf8_prefix(program, 200));
  act.title = "Run: " + order.title();
  act.act = std::move(request);
  return act;
}

web::Answer start(const Services& services, const Request& request, StartRequest body) {
  const auto agents_reason = body.why.value_or("");
  auto order = order_of(std::move(body));
  if (!order) co_return order.error();
  if (auto reason = services.why_not(); !reason.empty())
    co_return web::conflict("Commands are off on this box: " + reason);
  const auto agent = services.agents.find(request.caller.user_id, request.caller.agent);
  if (!agent) co_return web::not_found("No such agent");
  auto as_sent = web::parse_json(request.body, "body");
  if (!as_sent) co_return as_sent.error();
  as_sent->as_object().erase("why");
  auto act = act_of(request.caller, *order, std::move(as_sent->as_object()));
  act.reason = agents_reason;
  const auto verdict = co_await services.gate.check(std::move(act));
  if (auto stopped = gate::answer_to_agent(verdict)) co_return std::move(*stopped);
  auto started = co_await services.commands.start(services.spec_of(*agent), std::move(*order));
  if (!started) co_return started.error();
  const StartAnswer answer{.id = std::move(*started)};
  co_return web::reply(answer, 201);
}

web::Answer read(const Services& services, const Request& request, OutputQuery query) {
  const auto from = query.from ? query.from->value : 0;
  const std::chrono::milliseconds patience(query.waitMs ? query.waitMs->value : 0);
  auto piece = co_await services.commands.read(request.caller.agent, request.param("command"), from, patience);
  if (!piece) co_return piece.error();
  co_return web::reply(answer_of(std::move(*piece)), 200);
}

web::Answer write(const Services& services, const Request& request, InputRequest body) {
  const bool is_last = body.end.value_or(false);
  const auto written =
      co_await services.commands.write(request.caller.agent, request.param("command"), std::move(body.text), is_last);
  if (!written) co_return written.error();
  co_return web::reply(web::Succeeded(), 200);
}

web::Answer stop(const Services& services, const Request& request) {
  auto piece = co_await services.commands.stop(request.caller.agent, request.param("command"));
  if (!piece) co_return piece.error();
  co_return web::reply(answer_of(std::move(*piece)), 200);
}

web::Answer list_for_owner(const Services& services, const Request& request) {
  const auto agent = services.agents.find(request.caller.user_id, request.param("id"));
  if (!agent) co_return web::not_found("No such agent");
  const auto list = co_await list_of(services, agent->id);
  co_return web::reply(list, 200);
}

web::Answer stop_for_owner(const Services& services, const Request& request) {
  const auto agent = services.agents.find(request.caller.user_id, request.param("id"));
  if (!agent) co_return web::not_found("No such agent");
  auto piece = co_await services.commands.stop(agent->id, request.param("command"));
  if (!piece) co_return piece.error();
  co_return web::reply(answer_of(std::move(*piece)), 200);
}

constexpr auto starting =
    "A program with its arguments, or the text of a shell, in the agent's workspace and with the agent's user: it sees "
    "the workspace, the machine's programs and a /tmp of its own, and has no network but the box's proxy. folder: in "
    "the workspace. timeoutSeconds: 60 unless it is given; 1,800 at most, or a day in the background. background: it "
    "runs on when nobody reads its output, and its input stays open. why: the agent's reason, which the owner sees if "
    "it has to be allowed first (202). 409 with "
    "the reason where commands are off.";

constexpr auto reading =
    "What it has written to standard output and error since the byte `from`; waits for more up to waitMs. running is "
    "false with the last piece, which has exitCode (128 and a signal's number), and endedBecause if the box ended it. "
    "dropped: bytes before the piece that are no longer kept (the newest megabyte is).";

web::Task<web::Result<boost::json::object>> run(Services services, gate::Ask ask) {
  constexpr std::size_t max_result_bytes = 24'000;
  auto body = web::parse_value<StartRequest>(ask.act);
  if (!body) co_return body.error();
  auto order = order_of(std::move(*body));
  if (!order) co_return order.error();
  if (auto reason = services.why_not(); !reason.empty()) co_return web::conflict("Commands are off: " + reason);
  const auto agent = services.agents.find(ask.owner, ask.agent);
  if (!agent) co_return web::not_found("No such agent");
  const bool is_attended = order->is_attended;
  const auto started = co_await services.commands.start(services.spec_of(*agent), std::move(*order));
  if (!started) co_return started.error();
  if (!is_attended) co_return boost::json::object{{"process", *started}};
  std::string output;
  for (std::int64_t from = 0;;) {
    auto piece = co_await services.commands.read(ask.agent, *started, from, std::chrono::seconds(20));
    if (!piece) co_return piece.error();
    from = piece->next;
    output += piece->text;
    if (output.size() > 2 * max_result_bytes) output.erase(0, output.size() - max_result_bytes);
    if (piece->is_running) continue;
    auto answer = answer_of(std::move(*piece));
    boost::json::object result{{"exitCode", nullptr}, {"durationMs", answer.durationMs}};
    if (answer.exitCode) result["exitCode"] = *answer.exitCode;
    if (answer.endedBecause) result["endedBecause"] = *answer.endedBecause;
    const auto begin = output.size() > max_result_bytes ? output.size() - max_result_bytes : 0;
    auto bytes = output.substr(begin);
    result["output"] = take_utf8(bytes, true);
    co_return result;
  }
}

}  // namespace

gate::Executor gate_executor(Services services) {
  gate::Executor executor;
  executor.run = [services](gate::Ask ask) { return run(services, std::move(ask)); };
  return executor;
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/agents/:id/commands", agentbox::session_or_key(guards, key_scopes::Scope::agents_read),
       &hosting::agents_rate,
       web::plain(on(list_for_owner))
           .returns<CommandList>()
           .describe("Those that run, and those that ended in the last minutes. available: whether agents can run "
                     "commands on this box; reason: why not. browser: whether they can have one."),
       "List an agent's commands"},
      {web::DELETE, "/api/agents/:id/commands/:command",
       agentbox::session_or_key(guards, key_scopes::Scope::agents_write), &hosting::agents_rate,
       web::plain(on(stop_for_owner)).returns<OutputAnswer>(), "Stop a command of an agent"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& token = guards.agent_token;
  return {
      {web::GET, "/api/agent-commands", token, nullptr, web::plain(on(list_own)).returns<CommandList>(),
       "List the commands of the calling agent"},
      {web::POST, "/api/agent-commands", token, nullptr,
       web::body<StartRequest>(on(start)).returns<StartAnswer>(201).describe(starting).fails(
           {web::Kind::too_many, web::Kind::unavailable}),
       "Run a command for the calling agent"},
      {web::GET, "/api/agent-commands/:command/output", token, nullptr,
       web::query<OutputQuery>(on(read)).returns<OutputAnswer>().describe(reading),
       "Read the output of a command of the calling agent"},
      {web::POST, "/api/agent-commands/:command/input", token, nullptr,
       web::body<InputRequest>(on(write))
           .returns<web::Succeeded>()
           .describe("end: its input ends after the text.")
           .fails({web::Kind::too_many}),
       "Write to the input of a command of the calling agent"},
      {web::DELETE, "/api/agent-commands/:command", token, nullptr,
       web::plain(on(stop)).returns<OutputAnswer>().describe(
           "It is asked to end (SIGTERM), and killed after two seconds."),
       "Stop a command of the calling agent"},
  };
}

}  // namespace commands
