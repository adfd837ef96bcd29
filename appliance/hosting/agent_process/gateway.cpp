#include "appliance/hosting/agent_process/gateway.h"

#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agent_process/gateway_events.h"
#include "appliance/models/builtin/extract.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/routes/endpoint.h"

namespace agent_process {

namespace json = boost::json;

namespace {

std::string_view query_token(const web::Request& request) {
  constexpr std::string_view name = "token=";
  for (auto rest = request.query; !rest.empty();) {
    const auto pair = rest.substr(0, rest.find('&'));
    if (pair.starts_with(name)) return pair.substr(name.size());
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  }
  return {};
}

// The user's messages after the last one of the assistant. The agent stores the conversation itself and ignores earlier
// messages.
web::Result<std::string> newest_words(const models::ChatRequest& request) {
  std::string words;
  auto first = request.messages.size();
  while (first > 0 && request.messages[first - 1].role == models::Role::user) --first;
  for (auto i = first; i < request.messages.size(); ++i) {
    words.append(words.empty() ? "" : "\n\n").append(request.messages[i].content);
  }
  if (models::trimmed(words).empty()) return web::invalid("messages must end with a user's message that is not empty");
  if (words.size() > Gateway::most_message_bytes) return web::invalid("the message must be at most 100,000 bytes");
  return words;
}

models::ChatAnswer to_answer(Reply reply) {
  return {.id = new_answer_id(),
          .model = std::move(reply.model),
          .provider = "agentbox",
          .message = {.role = models::Role::assistant, .content = std::move(reply.text)},
          .finish = models::Finish::stop,
          .usage = reply.usage};
}

json::object usage_of(const models::TokenUsage& usage) {
  return {{"prompt_tokens", usage.input}, {"completion_tokens", usage.output}, {"total_tokens", usage.total()}};
}

std::string error_event(std::string_view message) {
  return json::serialize(json::object{{"type", "error"}, {"error", message}});
}

}  // namespace

Gateway::Gateway(Loop& loop, const Workspace& workspace, std::string token)
    : loop_(loop), workspace_(workspace), token_digest_(crypto::sha256(token)) {
  const auto admit = [this](std::string_view presented) -> web::Result<web::Caller> {
    if (presented.empty() || !knows(presented)) return web::unauthenticated();
    return web::Caller{.credential = "gateway"};
  };
  open_ = {.name = "none", .scheme = "", .admit = [](const web::Request&) -> web::Result<web::Caller> {
             return web::Caller{};
           }};
  bearer_ = {.name = "gateway token", .scheme = "bearer", .admit = [admit](const web::Request& request) {
               return admit(request.bearer().value_or(std::string_view()));
             }};
  bearer_or_query_ = {
      .name = "gateway token or ?token=", .scheme = "bearer", .admit = [admit](const web::Request& request) {
        return admit(request.bearer().value_or(query_token(request)));
      }};
}

bool Gateway::knows(std::string_view token) const {
  return crypto::constant_time_equal(crypto::sha256(token), token_digest_);
}

web::Response Gateway::readiness() const {
  json::array failing;
  if (!workspace_.is_writable()) failing.emplace_back("workspace");
  const bool ready = failing.empty();
  const auto uptime =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started_);
  return web::json(json::object{{"ready", ready}, {"failing", std::move(failing)}, {"uptimeMs", uptime.count()}},
                   ready ? 200 : 503);
}

web::Task<web::Result<web::Response>> Gateway::complete(web::Request& request) {
  const auto body = web::parse_json(request.body);
  if (!body) co_return body.error();
  const auto parsed = models::openai::parse_request(*body);
  if (!parsed) co_return parsed.error();
  auto words = newest_words(*parsed);
  if (!words) co_return words.error();
  auto trace = spans::TraceContext::parse(request.header(spans::traceparent));
  if (parsed->stream) {
    auto response = web::server_sent_events(
        [this, said = std::move(*words), include_usage = parsed->include_usage, trace](web::StreamWriter& writer) {
          return send_turn(loop_, said, include_usage, trace, writer);
        });
    response.set("X-Accel-Buffering", "no");
    co_return response;
  }
  TurnObserver nobody;
  auto reply = co_await loop_.turn(std::move(*words), std::move(nobody), std::move(trace));
  if (!reply) co_return reply.error();
  co_return web::json(models::openai::to_wire(to_answer(std::move(*reply))));
}

web::Task<std::string> Gateway::answer(std::string text, web::WebSocket& socket) {
  const auto value = web::parse_json(text, "message");
  if (!value) co_return error_event(value.error().message);
  const auto* object = value->if_object();
  const auto* type = object ? object->if_contains("type") : nullptr;
  const auto* content = object ? object->if_contains("content") : nullptr;
  if (!type || !type->is_string() || type->get_string() != "message") co_return error_event("type must be message");
  if (!content || !content->is_string() || models::trimmed(content->get_string()).empty()) {
    co_return error_event("content must be a string that is not empty");
  }
  if (content->get_string().size() > most_message_bytes) co_return error_event("content must be at most 100,000 bytes");

  spans::TraceContext no_trace;
  auto turn = co_await TurnStream::start(loop_, std::string(content->get_string()), std::move(no_trace));
  for (;;) {
    const auto events = co_await turn.next();
    if (events.empty()) break;
    for (const auto& event : events) {
      web::WebSocket::Message message{.data = socket_message(event)};
      co_await socket.write(std::move(message));
    }
  }
  const auto reply = turn.reply();
  if (!reply) co_return error_event(reply.error().message);
  co_return json::serialize(json::object{
      {"type", "message"}, {"content", reply->text}, {"model", reply->model}, {"usage", usage_of(reply->usage)}});
}

web::Task<> Gateway::serve(web::WebSocket& socket) {
  while (auto message = co_await socket.read()) {
    web::WebSocket::Message out{.data = error_event("messages must be text")};
    if (message->text) out.data = co_await answer(std::move(message->data), socket);
    co_await socket.write(std::move(out));
  }
}

std::vector<web::Route> Gateway::routes() {
  const auto live = [](web::Request&) -> web::Task<web::Result<web::Response>> {
    co_return web::json(json::object{{"ok", true}, {"status", "live"}});
  };
  const auto ready = [this](web::Request&) -> web::Task<web::Result<web::Response>> { co_return readiness(); };
  const auto models = [](web::Request&) -> web::Task<web::Result<web::Response>> {
    json::array data;
    data.push_back(json::object{{"id", "agent"}, {"object", "model"}, {"created", 0}, {"owned_by", "agentbox"}});
    co_return web::json(json::object{{"object", "list"}, {"data", std::move(data)}});
  };
  const auto complete_turn = [this](web::Request& request) { return complete(request); };
  const auto open_socket = [this](web::Request&) -> web::Task<web::Result<web::Response>> {
    web::Response response;
    response.status = 101;
    response.body = web::Upgrade([this](web::WebSocket& socket) { return serve(socket); });
    co_return response;
  };
  return {
      {web::GET, "/healthz", open_, nullptr, web::plain(live), "Check whether the agent is alive"},
      {web::GET, "/health", open_, nullptr, web::plain(live), "Check whether the agent is alive"},
      {web::GET, "/readyz", open_, nullptr, web::plain(ready), "Check whether the agent can take messages"},
      {web::GET, "/ready", open_, nullptr, web::plain(ready), "Check whether the agent can take messages"},
      {web::GET, "/v1/models", bearer_, nullptr, web::plain(models), "List the agent as a model"},
      {web::POST, "/v1/chat/completions", bearer_, nullptr, web::plain(complete_turn), "Send a message to the agent"},
      {web::GET, "/ws", bearer_or_query_, nullptr, web::plain(open_socket), "Talk to the agent over a WebSocket"},
  };
}

}  // namespace agent_process
