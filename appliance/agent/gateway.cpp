#include "appliance/agent/gateway.h"

#include <boost/json.hpp>

#include "appliance/agent/forget.h"
#include "appliance/agent/gateway_events.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/routes/endpoint.h"

namespace agent_process {

namespace json = boost::json;

namespace {

// `name` ends with '='. Not decoded: names and tokens need no encoding.
std::string_view query_member(const web::Request& request, std::string_view name) {
  for (auto rest = request.query; !rest.empty();) {
    const auto pair = rest.substr(0, rest.find('&'));
    if (pair.starts_with(name)) return pair.substr(name.size());
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  }
  return {};
}

// The user's messages after the last one of the assistant.
web::Result<std::string> newest_words(const models::ChatRequest& request) {
  std::string words;
  auto first = request.messages.size();
  while (first > 0 && request.messages[first - 1].role == models::Role::user) --first;
  for (auto i = first; i < request.messages.size(); ++i) {
    words.append(words.empty() ? "" : "\n\n").append(request.messages[i].content);
  }
  if (web::trim(words, web::white_space).empty())
    return web::invalid("messages must end with a user's message that is not empty");
  if (words.size() > Gateway::max_message_bytes) return web::invalid("the message must be at most 100,000 bytes");
  return words;
}

// Values of later boxes are peers, too.
Audience audience_of(const web::Request& request) {
  const auto given = request.header(runtime::audience_header);
  if (given.empty() || given == runtime::audience_owner) return Audience::owner;
  return given == runtime::audience_public ? Audience::anyone : Audience::peer;
}

// What was said before the newest words, without tools and without instructions.
std::vector<models::Message> earlier_messages(const models::ChatRequest& request) {
  auto end = request.messages.size();
  while (end > 0 && request.messages[end - 1].role == models::Role::user) --end;
  std::vector<models::Message> earlier;
  for (std::size_t i = 0; i < end; ++i) {
    const auto& message = request.messages[i];
    const bool is_speech = message.role == models::Role::user || message.role == models::Role::assistant;
    if (!is_speech || message.content.empty() || (earlier.empty() && message.role != models::Role::user)) continue;
    if (!earlier.empty() && earlier.back().role == message.role)
      earlier.back().content += "\n\n" + message.content;
    else
      earlier.push_back({.role = message.role, .content = message.content});
  }
  if (!earlier.empty() && earlier.back().role == models::Role::user) earlier.clear();
  return earlier;
}

// The same client names its conversation by how it began.
std::string name_of(const std::vector<models::Message>& earlier) {
  constexpr std::size_t characters = 32;
  return "own-" + crypto::sha256_hex(earlier.front().content).substr(0, characters);
}

// Pictures of the newest words: files that `agentbox` names, and those that the messages have.
void add_pictures(Prompt& prompt, const models::ChatRequest& body) {
  const auto* extension = body.unknown.if_contains("agentbox");
  const auto* named = extension && extension->is_object() ? extension->get_object().if_contains("files") : nullptr;
  if (named && named->is_array())
    for (const auto& path : named->get_array())
      if (path.is_string() && is_picture(path.get_string()) && prompt.pictures.size() < max_pictures)
        prompt.pictures.emplace_back(path.get_string());
  for (auto at = body.messages.rbegin(); at != body.messages.rend() && at->role == models::Role::user; ++at)
    for (const auto& part : at->parts)
      if (part.is_image() && prompt.inlined.size() < max_pictures) prompt.inlined.push_back(part.url);
}

// The prompt's text, audience and conversation.
web::Result<Prompt> read_prompt(const web::Request& request, const models::ChatRequest& body) {
  auto words = newest_words(body);
  if (!words) return words.error();
  Prompt prompt{.text = std::move(*words),
                .audience = audience_of(request),
                .conversation = std::string(request.header(runtime::conversation_header)),
                .peer = std::string(request.header(runtime::peer_header)),
                .earlier = {},
                .wait_class = models::wait_class_named(request.header(runtime::wait_class_header)),
                .channel = std::string(request.header(runtime::channel_header)),
                .model = std::string(request.header(runtime::model_header)),
                .effort = std::string(request.header(runtime::effort_header)),
                .message = std::string(request.header(runtime::message_header)),
                .begins = !request.header(runtime::begin_header).empty(),
                .wants_title = !request.header(runtime::title_header).empty(),
                .is_unguarded = !request.header(runtime::unguarded_header).empty()};
  for (const auto* name : {&prompt.conversation, &prompt.peer})
    if (!name->empty() && !is_conversation_name(*name))
      return web::invalid("names of conversations and peers are 1 to 64 letters, digits, '-' and '_'");
  if (prompt.audience == Audience::owner) add_pictures(prompt, body);
  if (prompt.begins && prompt.audience == Audience::owner && !prompt.conversation.empty()) {
    prompt.earlier = earlier_messages(body);
    return prompt;
  }
  if (!prompt.conversation.empty() || prompt.audience != Audience::owner) return prompt;
  prompt.earlier = earlier_messages(body);
  if (!prompt.earlier.empty()) prompt.conversation = name_of(prompt.earlier);
  return prompt;
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

Gateway::Gateway(Loop& loop, const Workspace& workspace, Conversations& conversations, boost::asio::thread_pool& files,
                 std::string token)
    : loop_(loop),
      workspace_(workspace),
      conversations_(conversations),
      files_(files),
      token_digest_(crypto::sha256(token)) {
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
        return admit(request.bearer().value_or(query_member(request, "token=")));
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
  auto read = read_prompt(request, *parsed);
  if (!read) co_return read.error();
  auto prompt = std::move(*read);
  auto trace = spans::TraceContext::parse(request.header(spans::traceparent));
  if (parsed->stream) {
    auto response = web::server_sent_events(
        [this, prompt = std::move(prompt), include_usage = parsed->include_usage, trace](web::StreamWriter& writer) {
          return send_turn(loop_, prompt, include_usage, trace, writer);
        });
    response.set("X-Accel-Buffering", "no");
    co_return response;
  }
  TurnObserver nobody;
  auto reply = co_await loop_.turn(std::move(prompt), std::move(nobody), std::move(trace));
  if (!reply) co_return reply.error();
  co_return web::json(models::openai::to_wire(to_answer(std::move(*reply))));
}

// An empty name: all conversations of the peer.
web::Task<web::Result<web::Response>> Gateway::forget(std::string name, std::string peer) {
  const auto remove = [&]() -> web::Result<void> {
    conversations_.close(name, peer);
    return peer.empty() ? forget_conversation(workspace_.root(), name) : forget_peer(workspace_.root(), peer, name);
  };
  const auto removed = co_await web::offload(files_, remove);
  if (!removed) co_return removed.error();
  co_return web::json(json::object{{"success", true}});
}

web::Task<web::Result<web::Response>> Gateway::rewind(web::Request& request) {
  const auto body = web::parse_json(request.body);
  if (!body) co_return body.error();
  const auto* object = body->if_object();
  auto message = object ? web::string_member(*object, "message") : std::string();
  if (message.empty()) co_return web::invalid("message must be the id of a message");
  const auto* preview = object->if_contains("preview");
  auto rewound = co_await loop_.rewind(std::move(message), preview && preview->is_bool() && preview->get_bool());
  if (!rewound) co_return rewound.error();
  json::array files(rewound->files.begin(), rewound->files.end());
  json::object answer{{"turns", rewound->turns}};
  answer["files"] = std::move(files);
  co_return web::json(std::move(answer));
}

web::Task<web::Result<web::Response>> Gateway::fork(web::Request& request) {
  const auto body = web::parse_json(request.body);
  if (!body) co_return body.error();
  const auto* object = body->if_object();
  auto message = object ? web::string_member(*object, "message") : std::string();
  auto name = object ? web::string_member(*object, "name") : std::string();
  if (message.empty() || name.empty()) co_return web::invalid("message and name must be texts");
  const auto done = co_await loop_.fork(std::move(message), std::move(name));
  if (!done) co_return done.error();
  co_return web::json(json::object{{"success", true}});
}

web::Task<std::string> Gateway::answer(std::string text, web::WebSocket& socket) {
  const auto value = web::parse_json(text, "message");
  if (!value) co_return error_event(value.error().message);
  const auto* object = value->if_object();
  const auto* type = object ? object->if_contains("type") : nullptr;
  const auto* content = object ? object->if_contains("content") : nullptr;
  if (!type || !type->is_string() || type->get_string() != "message") co_return error_event("type must be message");
  if (!content || !content->is_string() || web::trim(content->get_string(), web::white_space).empty()) {
    co_return error_event("content must be a string that is not empty");
  }
  if (content->get_string().size() > max_message_bytes) co_return error_event("content must be at most 100,000 bytes");

  spans::TraceContext no_trace;
  Prompt prompt{.text = std::string(content->get_string())};
  auto turn = co_await TurnStream::start(loop_, std::move(prompt), std::move(no_trace));
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
  const auto forget_one = [this](web::Request& request) {
    return forget(request.param("name"), std::string(query_member(request, "peer=")));
  };
  const auto forget_all = [this](web::Request& request) { return forget({}, request.param("peer")); };
  const auto go_back = [this](web::Request& request) { return rewind(request); };
  const auto fork_off = [this](web::Request& request) { return fork(request); };
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
      {web::POST, "/v1/rewind", bearer_, nullptr, web::plain(go_back), "Go back to before a turn"},
      {web::POST, "/v1/fork", bearer_, nullptr, web::plain(fork_off), "Write down a point for a clone"},
      {web::DELETE, "/v1/conversations/:name", bearer_, nullptr, web::plain(forget_one), "Remove a conversation"},
      {web::DELETE, "/v1/peers/:peer", bearer_, nullptr, web::plain(forget_all), "Remove all of a peer"},
      {web::GET, "/ws", bearer_or_query_, nullptr, web::plain(open_socket), "Talk to the agent over a WebSocket"},
  };
}

}  // namespace agent_process
