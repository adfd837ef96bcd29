// Going back to before a message of the owner.
#include <algorithm>
#include <boost/json.hpp>

#include "appliance/agent/tools/names.h"
#include "appliance/billing/spans/records.h"
#include "appliance/hosting/chat/conversations.h"
#include "web/client/fetch.h"
#include "web/json.h"

namespace chat {
namespace {

using web::Result;
using web::Task;

constexpr std::size_t removed_at_once = 200, max_traces = 200, max_spans_of_trace = 200;
constexpr std::size_t max_effects = 100;
constexpr std::chrono::seconds rewind_timeout{120};

// Tools whose work reaches others.
constexpr std::string_view outward_tools[] = {"send_message", "notify_owner", "pay_usdc",        "make_video",
                                              "go_on_air",    "leave_air",    "schedule_prompt", "schedule_once",
                                              "use_skill",    "run_command",  "run_code",        "start_process"};

bool has_effect(std::string_view tool) {
  const bool is_own = std::ranges::find(agent_process::tool_names, tool) != std::end(agent_process::tool_names);
  // Those of MCP servers are unknown.
  return !is_own || std::ranges::find(outward_tools, tool) != std::end(outward_tools);
}

// Successful calls since then, oldest first, by the agent's traces.
std::vector<Effect> effects_since(const store::System& system, store::UserId owner, const std::string& agent,
                                  store::Time since) {
  std::vector<Effect> effects;
  const auto from = spans::newest_first(owner, agent, {});
  auto end = from;
  end.back() = '\x01';  // the separator is '\0'
  for (const auto& trace : system.find_range(spans::traces, "agent", from, end, max_traces)) {
    if (trace.ended_at < since) break;
    for (const auto& span : system.tenant(owner).find(spans::table, "trace", trace.trace_id, max_spans_of_trace))
      if (span.type == spans::Type::tool_call && span.status == spans::Status::success && span.started_at >= since &&
          span.agent == agent && has_effect(span.name))
        effects.push_back({.tool = span.name, .at = span.started_at});
  }
  std::ranges::sort(effects, {}, &Effect::at);
  if (effects.size() > max_effects) effects.resize(max_effects);
  return effects;
}

// What the agent's gateway says, or a conflict if it is a program that keeps no points.
Result<boost::json::object> answer_of(const Result<web::FetchResponse>& answer) {
  if (!answer)
    return web::Error{.kind = web::Kind::bad_gateway,
                      .message = "The agent cannot be reached: " + answer.error().message};
  boost::system::error_code failed;
  const auto body = boost::json::parse(answer->body, failed);
  const auto* object = failed ? nullptr : body.if_object();
  if (answer->status == 200 && object) return *object;
  const auto why = object ? web::string_at(body, "/error/message") : std::string();
  if (why.empty()) return web::conflict("This agent's program cannot go back.");
  return answer->status == 404 ? web::not_found(why) : web::conflict(why);
}

}  // namespace

Result<Message> Conversations::message_of_owner(store::UserId user, const std::string& agent,
                                                const std::string& id) const {
  if (!agents_.find(user, agent)) return web::not_found();
  const auto row = system_.tenant(user).get(messages, id);
  if (!row || row->value.agent != agent) return web::not_found("No such message");
  if (row->value.role != Role::user) return web::invalid("message must be one of the owner, not an answer");
  const auto conversation = find(user, agent, conversation_of(row->value));
  if (conversation && conversation->audience != Audience::owner)
    return web::conflict("This conversation is with another user: its owner can only read it.");
  return row->value;
}

// Of an agent that runs.
Task<Result<boost::json::object>> Conversations::ask_gateway(store::UserId user, std::string agent_id, std::string path,
                                                             boost::json::object body) const {
  co_await agents_.until_settled(user, agent_id);
  const auto agent = agents_.find(user, agent_id);
  if (!agent) co_return web::not_found();
  if (agent->status != agents::Status::running) co_return web::conflict("This agent is not running: start it first.");
  web::FetchRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(*agent->port) + path;
  request.method = "POST";
  request.headers = {{"Authorization", "Bearer " + agent->gateway_token.clear}, {"Content-Type", "application/json"}};
  request.body = boost::json::serialize(body);
  request.timeout = rewind_timeout;
  const auto fetched = co_await web::fetch(std::move(request));
  co_return answer_of(fetched);
}

Task<Result<Undone>> Conversations::rewind(store::UserId user, std::string agent_id, std::string id, bool preview) {
  const auto message = message_of_owner(user, agent_id, id);
  if (!message) co_return message.error();
  boost::json::object body{{"message", id}, {"preview", preview}};
  auto asking = ask_gateway(user, agent_id, "/v1/rewind", std::move(body));
  auto answer = co_await std::move(asking);
  if (!answer) co_return answer.error();
  Undone undone{
      .files = {}, .turns = 0, .messages = 0, .effects = effects_since(system_, user, agent_id, message->created_at)};
  if (const auto* files = web::array_member(*answer, "files"))
    for (const auto& path : *files)
      if (path.is_string()) undone.files.emplace_back(path.get_string());
  if (const auto* turns = answer->if_contains("turns"); turns && turns->is_int64()) undone.turns = turns->get_int64();
  auto removing = remove_messages_since(*message, preview);
  undone.messages = co_await std::move(removing);
  co_return undone;
}

// Of its conversation, from this message on. Returns their number.
Task<std::int64_t> Conversations::remove_messages_since(Message first, bool preview) {
  const auto tenant = system_.tenant(first.owner);
  const auto conversation = conversation_of(first);
  std::int64_t removed = 0;
  // The newest come first.
  const auto from = conversation + "/", end = message_key(conversation, first.id) + '\x01';
  auto next = from;
  for (;;) {
    const auto found = system_.find_range(messages, "conversation", next, end, removed_at_once);
    if (preview) {
      removed += std::int64_t(found.size());
      if (found.size() < removed_at_once) co_return removed;
      next = message_key(conversation, found.back().id) + '\0';
      continue;
    }
    if (found.empty()) co_return removed;
    auto change = tenant.change();
    for (const auto& message : found)
      if (auto row = tenant.get(messages, message.id)) change.erase(messages, *row);
    // A concurrent write makes this fail; the next iteration reads the messages again.
    const auto outcome = co_await change.commit();
    if (outcome.ok()) removed += std::int64_t(found.size());
  }
}

}  // namespace chat
