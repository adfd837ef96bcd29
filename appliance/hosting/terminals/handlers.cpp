#include "appliance/hosting/terminals/handlers.h"

#include <boost/json.hpp>
#include <boost/mp11.hpp>
#include <charconv>

#include "appliance/hosting/rate_groups.h"
#include "web/protocol/event_text.h"
#include "web/routes/precondition.h"
#include "web/routes/reply.h"

namespace terminals {

namespace {

using web::Request;
using web::Result;
using web::Task;

// A stream that nothing is written to finds out within this time that its client is gone.
constexpr std::chrono::seconds output_patience{2};

const web::RateLimit typing_rate{.group = "terminal-input", .limit = 3'000};

constexpr auto not_included = "The agent's plan does not include terminals. The administrator can add them to it.";

TerminalKey key_of(const Request& request) {
  return {.owner = request.caller.user_id, .agent = request.param("id"), .id = request.param("terminal")};
}

runtime::TerminalSize size_of(const SizeRequest& body) {
  return {.columns = std::uint16_t(body.columns.value), .rows = std::uint16_t(body.rows.value)};
}

Result<agents::Agent> agent_of(const Services& services, const Request& request) {
  auto agent = services.agents.find(request.caller.user_id, request.param("id"));
  if (!agent) return web::not_found("Agent not found");
  return std::move(*agent);
}

Result<void> require_agent(const Services& services, const Request& request) {
  if (const auto agent = agent_of(services, request); !agent) return agent.error();
  return {};
}

web::Answer show(const Services& services, const Request& request) {
  const auto agent = agent_of(services, request);
  if (!agent) co_return agent.error();
  TerminalList list{.included = is_included(services.system, *agent), .reason = {}, .terminals = {}};
  auto reason = list.included ? services.why_not() : std::string(not_included);
  list.available = reason.empty();
  if (!reason.empty()) list.reason = std::move(reason);
  auto open = co_await services.terminals.list(agent->owner, agent->id);
  for (auto& one : open) list.terminals.push_back({.id = std::move(one.id), .startedAt = web::iso8601(one.started_at)});
  co_return web::reply(list, 200);
}

web::Answer open(const Services& services, const Request& request, SizeRequest body) {
  const auto agent = agent_of(services, request);
  if (!agent) co_return agent.error();
  if (!is_included(services.system, *agent)) co_return web::forbidden(not_included);
  auto opened = co_await services.terminals.open(audit::actor_of(request), agent->id, size_of(body));
  if (!opened) co_return opened.error();
  const OpenAnswer answer{.id = std::move(*opened)};
  co_return web::reply(answer, 201);
}

Task<> send_output(Terminals& terminals, TerminalKey key, std::int64_t from, web::StreamWriter& writer) {
  for (;;) {
    const auto piece = co_await terminals.read(key, from, output_patience);
    if (!piece) co_return;
    from = piece->next;
    std::string text;
    const auto id = std::to_string(from);
    if (!piece->text.empty())
      web::append_event(text, boost::json::serialize(boost::json::object{{"text", piece->text}}), "output", id);
    if (!piece->is_running) {
      boost::json::object end{{"exitCode", nullptr}, {"reason", nullptr}};
      if (piece->exit_code) end["exitCode"] = *piece->exit_code;
      if (!piece->ended_because.empty()) end["reason"] = piece->ended_because;
      web::append_event(text, boost::json::serialize(end), "end", id);
    }
    if (text.empty()) text = ": nothing new\n\n";
    co_await writer.write(std::move(text));
    if (!piece->is_running) co_return;
  }
}

// Of the last event that the client got. Anything else begins with what is kept.
std::int64_t position_in(std::string_view last_event) {
  std::int64_t position = 0;
  std::from_chars(last_event.data(), last_event.data() + last_event.size(), position);
  return position;
}

web::Answer follow(const Services& services, const Request& request) {
  const auto agent = agent_of(services, request);
  if (!agent) co_return agent.error();
  auto key = key_of(request);
  const auto from = position_in(request.header("Last-Event-ID"));
  const auto found = co_await services.terminals.read(key, from, std::chrono::milliseconds(0));
  if (!found) co_return found.error();
  auto response =
      web::server_sent_events([&terminals = services.terminals, key = std::move(key), from](web::StreamWriter& writer) {
        return send_output(terminals, key, from, writer);
      });
  response.endless = true;
  co_return response;
}

web::Answer type(const Services& services, const Request& request, TypeRequest body) {
  const auto typed = co_await services.terminals.type(key_of(request), std::move(body.text));
  if (!typed) co_return typed.error();
  co_return web::reply(web::Succeeded(), 200);
}

web::Answer resize(const Services& services, const Request& request, SizeRequest body) {
  const auto resized = co_await services.terminals.resize(key_of(request), size_of(body));
  if (!resized) co_return resized.error();
  co_return web::reply(web::Succeeded(), 200);
}

web::Answer end(const Services& services, const Request& request) {
  const auto ended = co_await services.terminals.end(key_of(request));
  if (!ended) co_return ended.error();
  co_return web::reply(web::Succeeded(), 200);
}

web::Answer show_plans(const Services& services, const Request&) {
  PlanList answer;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<billing::Plan>>([&](auto one) {
    const bool included = is_included(services.system, one.value);
    answer.plans.push_back({.plan = std::string(billing::to_string(one.value)), .included = included});
  });
  co_return web::reply(answer, 200);
}

web::Answer change_plan(const Services& services, const Request& request, PlanChange body) {
  const auto plan = billing::plan_named(request.param("plan"));
  if (!plan) co_return web::not_found("No such plan: there are " + billing::plan_names());
  co_await set_included(services.system, *plan, body.included);
  const PlanItem answer{.plan = std::string(billing::to_string(*plan)), .included = body.included};
  auto entry = audit::of_request(request, "terminals of a plan changed",
                                 answer.plan + ": " + (body.included ? "included" : "not included"));
  co_await services.audit.note(std::move(entry));
  co_return web::reply(answer, 200);
}

constexpr auto listing =
    "included: whether the agent's plan includes terminals. available: and whether one can be opened on this box; "
    "reason: why not. terminals: those of the caller that run.";

constexpr auto opening =
    "A shell in the agent's workspace, in the sandbox of the agent's commands, with a terminal of this size. The agent "
    "has to run. 403 unless the agent's plan includes terminals; 409 with the reason where commands are off; 429 with "
    "two terminals of the agent, or four of the caller. It ends when its output is not read for 15 seconds, after "
    "TERMINAL_IDLE_TIME without input, and with its agent. Its opening and its end are audited; what is typed is not.";

constexpr auto following =
    "Server-sent events: `output` {text}, and at the end `end` {exitCode, reason}; reason is a sentence if the box "
    "ended it. A stream continues after Last-Event-ID; the last 64 KB are kept.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& owner = guards.session;
  return {
      {web::GET, "/api/agents/:id/terminals", owner, &hosting::agents_rate,
       web::plain(on(show)).returns<TerminalList>().describe(listing), "List your terminals in an agent's workspace"},
      {web::POST, "/api/agents/:id/terminals", owner, &hosting::agents_rate,
       web::check_before(on(require_agent), web::body<SizeRequest>(on(open)))
           .returns<OpenAnswer>(201)
           .describe(opening)
           .fails({web::Kind::forbidden, web::Kind::conflict, web::Kind::too_many, web::Kind::unavailable}),
       "Open a terminal in an agent's workspace"},
      {web::GET, "/api/agents/:id/terminals/:terminal", owner, &hosting::agents_rate,
       web::plain(on(follow)).describe(following), "Follow the output of a terminal"},
      {web::POST, "/api/agents/:id/terminals/:terminal/input", owner, &typing_rate,
       web::check_before(on(require_agent), web::body<TypeRequest>(on(type))).returns<web::Succeeded>(),
       "Type into a terminal"},
      {web::PUT, "/api/agents/:id/terminals/:terminal/size", owner, &typing_rate,
       web::check_before(on(require_agent), web::body<SizeRequest>(on(resize))).returns<web::Succeeded>(),
       "Resize a terminal"},
      {web::DELETE, "/api/agents/:id/terminals/:terminal", owner, &hosting::agents_rate,
       web::plain(on(end)).returns<web::Succeeded>(), "End a terminal"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.internal;
  return {
      {web::GET, "/api/admin/plans/terminals", key, nullptr, web::plain(on(show_plans)).returns<PlanList>(),
       "The plans whose agents have terminals"},
      {web::PUT, "/api/admin/plans/:plan/terminals", key, nullptr,
       web::body<PlanChange>(on(change_plan))
           .returns<PlanItem>()
           .describe("Whether owners of the plan's agents may open terminals in their workspaces. By default no plan "
                     "includes them. Without it terminals that are open end."),
       "Add terminals to a plan, or remove them"},
  };
}

}  // namespace terminals
