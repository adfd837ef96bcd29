#include "appliance/hosting/chat/chat.h"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/chat/gateway_model.h"
#include "appliance/runtime/agent_profile.h"
#include "store/transact.h"
#include "web/client/fetch.h"
#include "web/utf8.h"

namespace chat {
namespace {

using web::Error;
using web::Result;
using web::Task;

constexpr std::size_t largest_answer = 4u << 20, time_digits = 13;
constexpr std::size_t max_earlier_bytes = 300'000;
constexpr auto cut_off = "The box was interrupted before the agent answered.";
constexpr auto cut_short = "The box was stopped while the agent answered.";
constexpr std::chrono::milliseconds poll_interval{20};

// A count that the gateway reports; 0 if it does not.
std::int64_t tokens_in(const boost::json::object& usage, std::string_view name) {
  const auto* count = usage.if_contains(name);
  const auto* number = count ? count->if_int64() : nullptr;
  return number ? std::max<std::int64_t>(*number, 0) : 0;
}

std::string new_id(const std::string& agent, store::Time at) {
  auto digits = std::to_string(at.time_since_epoch().count());
  digits.insert(0, digits.size() < time_digits ? time_digits - digits.size() : 0, '0');
  return agent + "." + digits + crypto::random_id(8);
}

Message new_message(store::UserId owner, const std::string& agent, Role role, std::string content, store::Time at) {
  return {.owner = owner,
          .id = new_id(agent, at),
          .agent = agent,
          .role = role,
          .content = std::move(content),
          .model = {},
          .delivery = role == Role::user ? Delivery::sent : Delivery::answered,
          .failure = {},
          .created_at = at,
          .conversation = {},
          .steps = {}};
}

// Names the attached files in the message.
std::string note_of(const std::vector<std::string>& files) {
  std::string note;
  for (const auto& path : files) note.append(note.empty() ? "\n\n[Attached files: " : ", ").append(path);
  return note.empty() ? note : note + "]";
}

// Always streamed, so that what has arrived of an answer can be kept when it is stopped.
web::FetchRequest completion_request(const agents::Agent& agent, const std::string& model, const Question& question,
                                     const spans::TraceContext& trace) {
  const auto& files = question.message.files;
  boost::json::array said;
  std::size_t bytes = 0;
  for (const auto& earlier : question.earlier) bytes += earlier.content.size();
  for (const auto& earlier : question.earlier) {
    // The oldest are left out where they are too many.
    const bool fits = bytes <= max_earlier_bytes;
    bytes -= earlier.content.size();
    if (!fits) continue;
    boost::json::object one;
    one["role"] = boost::describe::enum_to_string(earlier.role, "");
    one["content"] = earlier.content;
    said.push_back(std::move(one));
  }
  boost::json::object message;
  message["role"] = "user";
  message["content"] = question.message.content + note_of(files);
  said.push_back(std::move(message));
  boost::json::object body{{"model", model}};
  const auto& peer = question.conversation.peer;
  auto name = name_at_agent(question.conversation);
  // Other images tell conversations apart by it.
  auto user = peer.empty() ? std::to_string(agent.owner) : "peer:" + peer;
  if (!name.empty()) user += "/" + name;
  body["user"] = user;
  body["messages"] = std::move(said);
  if (!files.empty()) {
    boost::json::object extension;
    extension["files"] = boost::json::array(files.begin(), files.end());
    body["agentbox"] = std::move(extension);
  }
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  web::FetchRequest request{.method = "POST"};
  request.url = "http://127.0.0.1:" + std::to_string(*agent.port) + "/v1/chat/completions";
  request.headers = {{"Content-Type", "application/json"}, {"Authorization", "Bearer " + agent.gateway_token.clear}};
  if (!name.empty()) request.headers.emplace_back(runtime::conversation_header, std::move(name));
  request.headers.emplace_back(runtime::message_header, question.message.id);
  if (question.conversation.begins_from_messages && !question.earlier.empty())
    request.headers.emplace_back(runtime::begin_header, "1");
  request.headers.emplace_back(runtime::channel_header,
                               boost::describe::enum_to_string(question.conversation.channel, ""));
  if (!question.model.empty()) request.headers.emplace_back(runtime::model_header, question.model);
  if (!question.effort.empty()) request.headers.emplace_back(runtime::effort_header, question.effort);
  if (question.wants_title) request.headers.emplace_back(runtime::title_header, "1");
  if (question.is_unguarded) request.headers.emplace_back(runtime::unguarded_header, "1");
  if (!peer.empty()) {
    request.headers.emplace_back(runtime::audience_header,
                                 boost::describe::enum_to_string(question.conversation.audience, ""));
    request.headers.emplace_back(runtime::peer_header, peer_name_at_agent(peer));
  }
  request.headers.emplace_back(runtime::wait_class_header, wait_class_of(question.channel));
  if (!trace.is_empty()) request.headers.emplace_back(spans::traceparent, trace.header());
  request.body = boost::json::serialize(body);
  request.max_bytes = largest_answer;
  return request;
}

// Whether a gateway with this status may have refused the name of the model.
constexpr bool may_refuse_model(int status) { return status == 400 || status == 404; }

// What the exchange is called in its trace.
std::string headline(std::string_view text) { return web::headline(text, 100); }

// Lets those who follow an answer know that what it is in the end is stored, or that there is none.
class EndOfAnswer {
 public:
  explicit EndOfAnswer(LiveAnswer& answer) : answer_(answer) {}
  EndOfAnswer(const EndOfAnswer&) = delete;
  EndOfAnswer& operator=(const EndOfAnswer&) = delete;
  ~EndOfAnswer() { answer_.end(); }

 private:
  LiveAnswer& answer_;
};

bool can_take_messages(const agents::Agent& agent) {
  return agent.status == agents::Status::running || agent.status == agents::Status::provisioning;
}

Error not_running(const agents::Agent& agent) {
  if (agent.status == agents::Status::error && !agent.status_reason.empty())
    return web::conflict("This agent is not running: " + agent.status_reason);
  return web::conflict("This agent is not running: start it, then send the message again.");
}

}  // namespace

Chat::Chat(store::System system, const agents::AgentDirectory& agents, ExchangeHooks hooks, bool writes_titles,
           std::chrono::seconds timeout)
    : system_(std::move(system)),
      agents_(agents),
      gateway_timeout_(timeout),
      hooks_(std::move(hooks)),
      writes_titles_(writes_titles) {}

Task<Result<Answer>> Chat::send(store::UserId user, std::string agent, std::string text, Sender sender) {
  auto question = co_await ask(user, std::move(agent), std::move(text), std::move(sender));
  if (!question) co_return question.error();
  co_return co_await answer(std::move(*question));
}

Task<Result<Question>> Chat::ask(store::UserId user, std::string agent_id, std::string text, Sender sender) {
  const auto agent = agents_.find(user, agent_id);
  if (!agent) co_return web::not_found();
  if (!can_take_messages(*agent)) co_return not_running(*agent);
  Question question{.message = new_message(user, agent_id, Role::user, std::move(text), store::now()),
                    .entry = {},
                    .conversation = {},
                    .channel = sender.channel,
                    .model = {},
                    .effort = {}};
  question.message.files = std::move(sender.files);
  const web::Executor executor = co_await boost::asio::this_coro::executor;
  question.entry = std::make_shared<Pending::Entry>(pending_, question.message.id, executor);
  auto stored = co_await store_message(question.message, sender);
  if (!stored) co_return stored.error();
  question.conversation = std::move(*stored);
  question.model = sender.model.empty() ? question.conversation.model : sender.model;
  question.effort = sender.effort.empty() ? question.conversation.effort : sender.effort;
  question.is_unguarded = sender.is_unguarded;
  if (question.conversation.begins_from_messages || (hooks_.wants_history && hooks_.wants_history(*agent)))
    question.earlier = messages_before(question);
  // Only the message that the title is of so far asks for one.
  const auto& one = question.conversation;
  question.wants_title = one.awaits_title && one.title == headline(question.message.content);
  co_return question;
}

// A new one if there is none yet.
Result<Conversation> Chat::conversation_for(const Message& message, const Sender& sender) const {
  const auto tenant = system_.tenant(message.owner);
  if (!sender.conversation.empty()) {
    auto row = tenant.get(conversations, sender.conversation);
    if (row && row->value.agent == message.agent) {
      if (row->value.audience != Audience::owner && !sender.is_continuation)
        return web::conflict("This conversation is with another user: its owner can only read it.");
      return std::move(row->value);
    }
    if (sender.conversation != first_conversation_id(message.agent)) return web::not_found("No such conversation");
  }
  if (!sender.is_peer() && sender.topic.empty() && sender.conversation.empty())
    return current_conversation(system_, message.owner, message.agent);
  const bool is_first = !sender.is_peer() && sender.topic.empty();
  Conversation one{.owner = message.owner,
                   .id = is_first ? first_conversation_id(message.agent)
                                  : conversation_id(message.agent, sender.channel, sender.peer, sender.topic),
                   .agent = message.agent,
                   .channel = is_first ? Channel::console : sender.channel,
                   .audience = sender.audience(),
                   .peer = sender.peer,
                   .peer_user = sender.user,
                   .title = {},
                   .created_at = message.created_at,
                   .last_at = message.created_at,
                   .folder = {}};
  if (auto row = tenant.get(conversations, one.id)) return std::move(row->value);
  if (sender.is_peer()) {
    const auto all = conversations_of(system_, message.agent, Conversations::max_listed);
    if (std::size_t(std::ranges::count(all, sender.peer, &Conversation::peer)) >= Sender::max_conversations_of_peer)
      return Error{.kind = web::Kind::too_many,
                   .message = "There are " + std::to_string(Sender::max_conversations_of_peer) +
                              " conversations with this agent already: continue one of them."};
  }
  return one;
}

Task<Result<Conversation>> Chat::store_message(Message& message, const Sender& sender) {
  const auto tenant = system_.tenant(message.owner);
  const auto step = [&](store::Change& change) -> Result<Conversation> {
    auto one = conversation_for(message, sender);
    if (!one) return one;
    one->last_at = std::max(one->last_at, message.created_at);
    if (one->title.empty()) {
      one->title = headline(sender.title.empty() ? message.content : sender.title);
      one->awaits_title = sender.title.empty() && awaits_title(message, *one);
    }
    if (auto row = tenant.get(conversations, one->id)) {
      row->value = *one;
      change.update(conversations, *row);
    } else {
      change.insert_new(conversations, *one);
    }
    message.conversation = one->id;
    change.insert(messages, message);
    return one;
  };
  co_return co_await store::transact(tenant, step);
}

std::shared_ptr<const LiveAnswer> Chat::live_answer(store::UserId user, const std::string& agent,
                                                    const std::string& question) const {
  if (!question.starts_with(agent + ".") || !agents_.find(user, agent)) return nullptr;
  return live_answers_.find(question);
}

Task<> Chat::store_partial(const Question& pending, const LiveAnswer& live, std::string reason) {
  const auto& question = pending.message;
  auto text = live.text();
  auto steps = live.steps();
  if (text.empty() && steps.empty()) co_return;
  const auto at = std::max(store::now(), question.created_at + std::chrono::milliseconds(1));
  auto partial = new_message(question.owner, question.agent, Role::assistant, std::move(text), at);
  partial.conversation = question.conversation;
  partial.is_stopped = true;
  partial.failure = std::move(reason);
  partial.steps = std::move(steps);
  const auto tenant = system_.tenant(question.owner);
  if (!tenant.get(messages, question.id)) co_return;  // the agent was deleted with its history
  auto change = tenant.change();
  change.insert(messages, partial);
  co_await commit(change);
}

Task<Result<Answer>> Chat::answer(Question pending, Listener listener) {
  const auto& question = pending.message;
  const auto live = live_answers_.open(question.id);
  const EndOfAnswer end(*live);
  Listener both = [live, listener = std::move(listener)](Piece piece) {
    live->add(piece);
    if (listener) listener(std::move(piece));
  };
  auto completion = co_await complete(pending, std::move(both));
  const auto tenant = system_.tenant(question.owner);
  if (!completion) {
    auto mark = [reason = completion.error().message](Message& message) {
      message.delivery = Delivery::failed;
      message.failure = reason;
    };
    co_await tenant.modify(messages, question.id, std::move(mark));
    co_await store_partial(pending, *live, completion.error().message);
    co_return completion.error();
  }

  if (pending.conversation.begins_from_messages) co_await end_beginning(pending.conversation);
  // Sorts after the question even if the clock has been set back meanwhile.
  const auto at = std::max(store::now(), question.created_at + std::chrono::milliseconds(1));
  Answer found{
      .message = new_message(question.owner, question.agent, Role::assistant, std::move(completion->content), at),
      .model = std::move(completion->model),
      .usage = std::move(completion->usage)};
  found.message.model = found.model;
  found.message.input_tokens = tokens_in(found.usage, "prompt_tokens");
  found.message.output_tokens = tokens_in(found.usage, "completion_tokens");
  found.message.conversation = question.conversation;
  found.message.is_stopped = completion->is_stopped;
  found.message.guard = std::move(completion->guard);
  found.message.failure = std::move(completion->stop_reason);
  found.message.steps = live->steps();
  auto change = tenant.change();
  if (auto row = tenant.get(messages, question.id)) {
    row->value.delivery = Delivery::answered;
    change.update(messages, *row);
    change.insert(messages, found.message);
    co_await commit(change);
  }  // otherwise the agent was deleted with its history
  co_return found;
}

Task<Result<Message>> Chat::post(store::UserId user, std::string agent, std::string text) {
  if (!agents_.find(user, agent)) co_return web::not_found();
  auto message = new_message(user, agent, Role::assistant, std::move(text), store::now());
  const Sender current;
  const auto stored = co_await store_message(message, current);
  if (!stored) co_return stored.error();
  co_return message;
}

spans::Running Chat::begin_span(const Message& question) const {
  if (!hooks_.spans) return {};
  spans::Span span;
  span.owner = question.owner;
  span.name = headline(question.content);
  span.agent = question.agent;
  return hooks_.spans->begin(std::move(span));
}

Task<Result<Completion>> Chat::complete(const Question& question, Listener listener) {
  auto span = begin_span(question.message);
  auto completion = co_await complete_within(question, std::move(listener), span.context());
  if (!completion)
    span.end({.status = spans::Status::error, .error = completion.error().message});
  else
    span.end({.status = completion->is_stopped ? spans::Status::idle : spans::Status::success});
  co_return completion;
}

// Waits for an agent that is starting. A gateway that does not know the agent's model is asked again by its own name.
Task<Result<Completion>> Chat::complete_within(const Question& pending, Listener listener, spans::TraceContext trace) {
  using namespace boost::asio::experimental::awaitable_operators;
  const auto& question = pending.message;
  auto& stop = pending.entry->stop_signal();
  co_await agents_.until_settled(question.owner, question.agent);
  const auto agent = agents_.find(question.owner, question.agent);
  if (!agent) co_return web::not_found();
  if (agent->status != agents::Status::running) co_return not_running(*agent);
  const auto turn = hooks_.begin_turn ? hooks_.begin_turn(pending.conversation) : nullptr;
  auto model = agent->model;
  for (bool is_first = true;; is_first = false) {
    auto request = completion_request(*agent, model, pending, trace);
    request.timeout = gateway_timeout_;
    const auto stream = std::make_shared<GatewayStream>(listener);
    request.on_head = [stream](int status, const web::FetchHeaders& headers) { return stream->head(status, headers); };
    request.sink = [stream](std::string_view bytes) { return stream->body(bytes); };
    if (stop.is_requested()) co_return stopped(*stream);
    auto fetching = web::fetch(std::move(request));
    auto stopping = stop.wait();
    const auto ended = co_await (std::move(fetching) || std::move(stopping));
    if (ended.index() == 1) co_return stopped(*stream);
    const auto& answer = std::get<0>(ended);
    if (is_first && answer && may_refuse_model(answer->status)) {
      auto other = co_await model_named_by_gateway(*agent);
      if (other) {
        model = std::move(*other);
        continue;
      }
    }
    co_return stream->finish(answer);
  }
}

// New messages have no other writer, so a conflict is a bug.
Task<> Chat::commit(store::Change& change) {
  auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("the store refused a new chat message: " + outcome.index);
}

Result<std::vector<Message>> Chat::history(store::UserId user, const Slice& slice) const {
  if (!agents_.find(user, slice.agent)) return web::not_found();
  const auto tenant = system_.tenant(user);
  const auto prefix = slice.agent + ".";
  if (!slice.before.empty() && !slice.before.starts_with(prefix))
    return web::invalid("before must be a message of this agent");
  if (!slice.conversation.empty() && slice.conversation != first_conversation_id(slice.agent)) {
    const auto one = tenant.get(conversations, slice.conversation);
    if (!one || one->value.agent != slice.agent) return web::not_found("No such conversation");
  }
  auto found = slice.conversation.empty() ? read_messages(tenant, slice) : read_conversation(tenant, slice);
  std::ranges::reverse(found);
  for (auto& message : found) message = with_current_delivery(tenant, std::move(message));
  return found;
}

// Newest first.
std::vector<Message> Chat::read_messages(const store::Tenant& tenant, const Slice& slice) const {
  store::Page page;
  page.limit = slice.limit;
  page.newest_first = true;
  page.after = slice.before.empty() ? slice.agent + ".~" : slice.before;  // '~' sorts after every digit
  auto found = tenant.list(messages, page);
  std::erase_if(found, [&](const Message& message) { return message.agent != slice.agent; });
  return found;
}

// Newest first. Messages of earlier versions, which name no conversation, come before all others.
std::vector<Message> Chat::read_conversation(const store::Tenant& tenant, const Slice& slice) const {
  const auto all = slice.conversation + "/";
  auto end = all;
  ++end.back();
  const auto from = slice.before.empty() ? all : message_key(slice.conversation, slice.before) + '\0';
  auto found = system_.find_range(messages, "conversation", from, end, slice.limit);
  if (found.size() == slice.limit || slice.conversation != first_conversation_id(slice.agent)) return found;
  const auto record = tenant.get(conversations, slice.conversation);
  // Those before the first one that names a conversation.
  auto digits = record ? std::to_string(record->value.created_at.time_since_epoch().count()) : std::string("~");
  if (record && digits.size() < time_digits) digits.insert(0, time_digits - digits.size(), '0');
  Slice old{.agent = slice.agent, .limit = slice.limit, .before = slice.agent + "." + digits};
  if (!slice.before.empty()) old.before = std::min(old.before, slice.before);
  while (found.size() < slice.limit) {
    const auto page = read_messages(tenant, old);
    for (const auto& message : page)
      if (message.conversation.empty() && found.size() < slice.limit) found.push_back(message);
    if (page.size() < old.limit) break;
    old.before = page.back().id;
  }
  return found;
}

Result<std::size_t> Chat::stop(store::UserId user, const std::string& agent) const {
  if (!agents_.find(user, agent)) return web::not_found();
  return pending_.stop(agent + ".");
}

Result<Completion> Chat::stopped(GatewayStream& stream) const {
  auto completion = stream.stop();
  if (!is_shutting_down_) return completion;
  if (!completion) return web::unavailable(cut_off);
  completion->stop_reason = cut_short;
  return completion;
}

Task<> Chat::stop_all(std::chrono::milliseconds grace) {
  const auto deadline = std::chrono::steady_clock::now() + grace;
  while (!pending_.is_empty() && std::chrono::steady_clock::now() < deadline) co_await web::sleep_for(poll_interval);
  is_shutting_down_ = true;
  pending_.stop("");
}

Message Chat::with_current_delivery(const store::Tenant& tenant, Message message) const {
  if (message.delivery != Delivery::sent || pending_.contains(message.id)) return message;
  // Its exchange may have ended since the message was read; the result is stored before the pending entry is removed.
  if (auto row = tenant.get(messages, message.id)) message = std::move(row->value);
  if (message.delivery != Delivery::sent) return message;
  message.delivery = Delivery::failed;
  message.failure = cut_off;
  return message;
}

Task<> Chat::forget(store::UserId owner, std::string agent) {
  const auto tenant = system_.tenant(owner);
  store::Page page;
  page.after = agent + ".";
  for (;;) {
    auto found = tenant.list(messages, page);
    std::erase_if(found, [&](const Message& message) { return message.agent != agent; });
    if (found.empty()) co_return;
    auto change = tenant.change();
    for (auto& message : found)
      if (auto row = tenant.get(messages, message.id)) change.erase(messages, *row);
    // A concurrent write makes this fail; the next iteration reads the messages again.
    [[maybe_unused]] auto outcome = co_await change.commit();
  }
}

}  // namespace chat
