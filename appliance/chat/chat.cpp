#include "appliance/chat/chat.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/crypto/random.h"
#include "web/fetch.h"

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

web::FetchRequest completion_request(const agents::Agent& agent, const std::string& text,
                                     std::chrono::seconds timeout) {
  boost::json::object message;
  message["role"] = "user";
  message["content"] = text;
  boost::json::object body;
  body["model"] = agent.model;
  body["user"] = std::to_string(agent.owner);
  body["messages"] = boost::json::array();
  body["messages"].as_array().push_back(std::move(message));
  web::FetchRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(*agent.port) + "/v1/chat/completions";
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"}, {"Authorization", "Bearer " + agent.gateway_token.clear}};
  request.body = boost::json::serialize(body);
  request.timeout = timeout;
  request.max_bytes = largest_answer;
  return request;
}

// `cause` may be a model server's own words, which need not end like a sentence.
Error gateway_failure(std::string cause, web::Kind kind = web::Kind::bad_gateway) {
  if (!cause.ends_with('.') && !cause.ends_with('!') && !cause.ends_with('?')) cause += '.';
  return {.kind = kind, .message = "The agent did not answer: " + std::move(cause)};
}

// Late is late, whether the agent's gateway noticed it or we did.
web::Kind kind_of(int status) { return status == 504 ? web::Kind::timeout : web::Kind::bad_gateway; }

// The sentence of an error answer, {error: {message}} or {error}; else its status.
std::string cause_of(const web::FetchResponse& answer) {
  boost::system::error_code failed;
  const auto body = boost::json::parse(answer.body, failed);
  if (!failed && body.is_object()) {
    auto* error = body.get_object().if_contains("error");
    if (error && error->is_object()) error = error->get_object().if_contains("message");
    if (error && error->is_string() && !error->get_string().empty()) return std::string(error->get_string());
  }
  return "its gateway answered with status " + std::to_string(answer.status) + ".";
}

struct Completion {
  std::string content, model;
  boost::json::object usage;
};

Result<Completion> read_completion(const Result<web::FetchResponse>& answer) {
  if (!answer) {
    const bool late = answer.error().kind == web::Kind::timeout;
    return gateway_failure(answer.error().message, late ? web::Kind::timeout : web::Kind::bad_gateway);
  }
  if (answer->status != 200) return gateway_failure(cause_of(*answer), kind_of(answer->status));
  boost::system::error_code failed;
  const auto body = boost::json::parse(answer->body, failed);
  if (failed) return gateway_failure("its answer is not JSON.");
  const auto content = body.find_pointer("/choices/0/message/content", failed);
  if (!content || !content->is_string()) return gateway_failure("its answer holds no message.");
  Completion found{.content = std::string(content->get_string()), .model = {}, .usage = {}};
  if (auto* model = body.get_object().if_contains("model"); model && model->is_string())
    found.model = model->get_string();
  if (auto* usage = body.get_object().if_contains("usage"); usage && usage->is_object())
    found.usage = usage->get_object();
  return found;
}

}  // namespace

Chat::Chat(store::System system, agents::Agents& agents, std::chrono::seconds gateway_timeout)
    : system_(std::move(system)), agents_(agents), gateway_timeout_(gateway_timeout) {}

Task<Result<Answer>> Chat::send(store::UserId user, std::string agent_id, std::string text) {
  const auto agent = agents_.find(user, agent_id);
  if (!agent) co_return web::not_found();
  if (agent->status != agents::Status::running)
    co_return web::conflict("This agent is not running: start it, then send the message again.");
  const auto tenant = system_.tenant(user);
  const auto question = new_message(user, agent_id, Role::user, text, store::now());
  const Pending::Place place(pending_, question.id);
  auto first = tenant.change();
  first.insert(messages, question);
  co_await commit(first);

  auto request = completion_request(*agent, text, gateway_timeout_);
  auto answer = co_await web::fetch(std::move(request));
  auto completion = read_completion(answer);
  if (!completion) {
    auto mark = [reason = completion.error().message](Message& message) {
      message.delivery = Delivery::failed;
      message.failure = reason;
    };
    co_await tenant.modify(messages, question.id, std::move(mark));
    co_return completion.error();
  }

  // After the question in the key order also when the clock has been set back meanwhile.
  const auto at = std::max(store::now(), question.created_at + std::chrono::milliseconds(1));
  Answer found{.message = new_message(user, agent_id, Role::assistant, std::move(completion->content), at),
               .model = std::move(completion->model),
               .usage = std::move(completion->usage)};
  found.message.model = found.model;
  auto second = tenant.change();
  if (auto asked = tenant.get(messages, question.id)) {
    asked->value.delivery = Delivery::answered;
    second.update(messages, *asked);
    second.insert(messages, found.message);
    co_await commit(second);
  }  // else the agent has been deleted meanwhile, and its history with it
  co_return found;
}

// Nobody else writes a fresh message: anything but success is a broken store.
Task<> Chat::commit(store::Change& change) {
  auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("a fresh chat message was refused by the store: " + outcome.index);
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
  for (auto& message : found) message = as_it_stands(tenant, std::move(message));
  return found;
}

Message Chat::as_it_stands(const store::Tenant& tenant, Message message) const {
  if (message.delivery != Delivery::sent || pending_.contains(message.id)) return message;
  // Its exchange may have ended since the message was read; how it ended was written before its place was given up.
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
    // One that was written meanwhile makes this stale: the next round reads it again.
    [[maybe_unused]] auto outcome = co_await change.commit();
  }
}

}  // namespace chat
