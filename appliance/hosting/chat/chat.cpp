#include "appliance/hosting/chat/chat.h"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/chat/gateway_model.h"
#include "appliance/models/builtin/extract.h"
#include "web/client/fetch.h"

namespace chat {
namespace {

using web::Error;
using web::Result;
using web::Task;

constexpr std::size_t largest_answer = 4u << 20;
constexpr auto cut_off = "The box was interrupted before the agent answered.";

std::string new_id(const std::string& agent, store::Time at) {
  auto digits = std::to_string(at.time_since_epoch().count());
  digits.insert(0, digits.size() < 13 ? 13 - digits.size() : 0, '0');
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
          .created_at = at};
}

// Always streamed, so that what has arrived of an answer can be kept when it is stopped.
web::FetchRequest completion_request(const agents::Agent& agent, const std::string& model, const std::string& text,
                                     const spans::TraceContext& trace) {
  boost::json::object message;
  message["role"] = "user";
  message["content"] = text;
  boost::json::object body;
  body["model"] = model;
  body["user"] = std::to_string(agent.owner);
  body["messages"] = boost::json::array();
  body["messages"].as_array().push_back(std::move(message));
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  web::FetchRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(*agent.port) + "/v1/chat/completions";
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"}, {"Authorization", "Bearer " + agent.gateway_token.clear}};
  if (!trace.is_empty()) request.headers.emplace_back(spans::traceparent, trace.header());
  request.body = boost::json::serialize(body);
  request.max_bytes = largest_answer;
  return request;
}

// Whether a gateway with this status may have refused the name of the model.
constexpr bool may_refuse_model(int status) { return status == 400 || status == 404; }

// What the exchange is called in its trace.
std::string first_line(const std::string& text) {
  constexpr std::size_t longest = 100;
  const auto trimmed = models::trimmed(text);
  return std::string(models::cut(trimmed.substr(0, trimmed.find_first_of("\r\n")), longest));
}

bool can_take_messages(const agents::Agent& agent) {
  return agent.status == agents::Status::running || agent.status == agents::Status::provisioning;
}

Error not_running(const agents::Agent& agent) {
  if (agent.status == agents::Status::error && !agent.status_reason.empty())
    return web::conflict("This agent is not running: " + agent.status_reason);
  return web::conflict("This agent is not running: start it, then send the message again.");
}

}  // namespace

Chat::Chat(store::System system, const agents::AgentDirectory& agents, std::chrono::seconds gateway_timeout)
    : system_(std::move(system)), agents_(agents), gateway_timeout_(gateway_timeout) {}

Task<Result<Answer>> Chat::send(store::UserId user, std::string agent, std::string text) {
  auto question = co_await ask(user, std::move(agent), std::move(text));
  if (!question) co_return question.error();
  co_return co_await answer(std::move(*question));
}

Task<Result<Question>> Chat::ask(store::UserId user, std::string agent_id, std::string text) {
  const auto agent = agents_.find(user, agent_id);
  if (!agent) co_return web::not_found();
  if (!can_take_messages(*agent)) co_return not_running(*agent);
  Question question{.message = new_message(user, agent_id, Role::user, std::move(text), store::now()), .entry = {}};
  const web::Executor executor = co_await boost::asio::this_coro::executor;
  question.entry = std::make_shared<Pending::Entry>(pending_, question.message.id, executor);
  auto change = system_.tenant(user).change();
  change.insert(messages, question.message);
  co_await commit(change);
  co_return question;
}

Task<Result<Answer>> Chat::answer(Question pending, Listener listener) {
  const auto& question = pending.message;
  auto completion = co_await complete(pending, std::move(listener));
  const auto tenant = system_.tenant(question.owner);
  if (!completion) {
    auto mark = [reason = completion.error().message](Message& message) {
      message.delivery = Delivery::failed;
      message.failure = reason;
    };
    co_await tenant.modify(messages, question.id, std::move(mark));
    co_return completion.error();
  }

  // Sorts after the question even if the clock has been set back meanwhile.
  const auto at = std::max(store::now(), question.created_at + std::chrono::milliseconds(1));
  Answer found{
      .message = new_message(question.owner, question.agent, Role::assistant, std::move(completion->content), at),
      .model = std::move(completion->model),
      .usage = std::move(completion->usage)};
  found.message.model = found.model;
  found.message.is_stopped = completion->is_stopped;
  auto change = tenant.change();
  if (auto row = tenant.get(messages, question.id)) {
    row->value.delivery = Delivery::answered;
    change.update(messages, *row);
    change.insert(messages, found.message);
    co_await commit(change);
  }  // otherwise the agent was deleted with its history
  co_return found;
}

spans::Running Chat::begin_span(const Message& question) const {
  if (!spans_) return {};
  spans::Span span;
  span.owner = question.owner;
  span.name = first_line(question.content);
  span.agent = question.agent;
  return spans_->begin(std::move(span));
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
  auto model = agent->model;
  for (bool is_first = true;; is_first = false) {
    auto request = completion_request(*agent, model, question.content, trace);
    request.timeout = gateway_timeout_;
    const auto stream = std::make_shared<GatewayStream>(listener);
    request.on_head = [stream](int status, const web::FetchHeaders& headers) { return stream->head(status, headers); };
    request.sink = [stream](std::string_view bytes) { return stream->body(bytes); };
    if (stop.is_requested()) co_return stream->stop();
    auto fetching = web::fetch(std::move(request));
    auto stopping = stop.wait();
    const auto ended = co_await (std::move(fetching) || std::move(stopping));
    if (ended.index() == 1) co_return stream->stop();
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
  store::Page page;
  page.limit = slice.limit;
  page.newest_first = true;
  page.after = slice.before.empty() ? prefix + "~" : slice.before;  // '~' sorts after every digit
  auto found = tenant.list(messages, page);
  std::erase_if(found, [&](const Message& message) { return message.agent != slice.agent; });
  std::ranges::reverse(found);
  for (auto& message : found) message = with_current_delivery(tenant, std::move(message));
  return found;
}

Result<std::size_t> Chat::stop(store::UserId user, const std::string& agent) const {
  if (!agents_.find(user, agent)) return web::not_found();
  return pending_.stop(agent + ".");
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
