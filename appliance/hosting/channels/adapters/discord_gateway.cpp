#include "appliance/hosting/channels/adapters/discord_gateway.h"

#include <algorithm>
#include <boost/json.hpp>
#include <random>

#include "appliance/hosting/channels/adapters/reading.h"
#include "web/json.h"

namespace channels {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto session_timeout = 20s;
enum class Op {
  dispatch = 0,
  heartbeat = 1,
  identify = 2,
  resume = 6,
  reconnect = 7,
  invalid_session = 9,
  hello = 10,
  ack = 11
};
// GUILD_MESSAGES and DIRECT_MESSAGES. The text of messages to the bot and of those that mention it needs no
// privileged intent.
constexpr int intents = (1 << 9) | (1 << 12);

// Between 0 and 1.
double random_part() {
  static thread_local std::minstd_rand random(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(random);
}

}  // namespace

DiscordGateway::DiscordGateway(std::string token, std::string user_agent, web::CallOrigin origin, web::Reach reach,
                               FindAddress find_address, const std::string& cursor)
    : token_(std::move(token)),
      user_agent_(std::move(user_agent)),
      origin_(std::move(origin)),
      reach_(reach),
      find_address_(std::move(find_address)) {
  boost::system::error_code failed;
  const auto kept = json::parse(cursor.empty() ? "{}" : cursor, failed);
  if (failed || !kept.is_object()) return;
  session_ = web::string_member(kept, "session");
  resume_url_ = web::string_member(kept, "url");
  sequence_ = integer_member(kept.get_object(), "sequence");
}

std::string DiscordGateway::cursor() const {
  if (session_.empty()) return {};
  return json::serialize(json::object{{"session", session_}, {"url", resume_url_}, {"sequence", sequence_}});
}

void DiscordGateway::forget_session() {
  session_.clear();
  resume_url_.clear();
  sequence_ = 0;
}

web::Task<web::Result<void>> DiscordGateway::write(int op, json::value data) {
  json::object message;
  message["op"] = op;
  message["d"] = std::move(data);
  auto text = json::serialize(message);
  co_return co_await socket_->write(std::move(text));
}

web::Task<web::Result<void>> DiscordGateway::beat() {
  is_acknowledged_ = false;
  json::value last;  // null before the first event
  if (sequence_ > 0) last = sequence_;
  co_return co_await write(int(Op::heartbeat), std::move(last));
}

// Which ends a new connection, a new session or other credentials are the cure for.
web::Error DiscordGateway::reason_of_end(const web::Error& error) {
  switch (socket_ ? socket_->close_code() : 0) {
    case 4004:
      return web::unauthenticated("Discord does not accept the bot's token.");
    case 4011:
      forget_session();
      return web::bad_gateway("The bot is in too many servers for one connection (4011).");
    case 4010:
    case 4012:
    case 4013:
    case 4014:
      forget_session();
      return web::bad_gateway("Discord refuses what the box asks for (" + std::to_string(socket_->close_code()) + ").");
    case 1000:
    case 1001:
    case 4007:
    case 4009:
      forget_session();
      return error;
    default:
      return error;
  }
}

web::Task<web::Result<void>> DiscordGateway::open() {
  socket_.reset();
  is_ready_ = false;
  is_acknowledged_ = true;
  interval_ = 0ms;  // no heartbeats before the greeting
  const bool is_resumed = !session_.empty() && !resume_url_.empty();
  auto address = resume_url_;
  if (!is_resumed) {
    auto found = co_await find_address_();
    if (!found) co_return found.error();
    address = std::move(*found);
  }
  while (address.ends_with('/')) address.pop_back();
  web::WebSocketRequest request{
      .url = address + "/?v=10&encoding=json", .user_agent = user_agent_, .origin = origin_, .reach = reach_};
  auto socket = co_await web::open_web_socket(std::move(request));
  if (!socket) {
    // The address of the session may be gone for good: the next attempt begins a new one.
    if (is_resumed && Clock::now() - opened_at_ < quick_end) forget_session();
    opened_at_ = Clock::now();
    co_return socket.error();
  }
  socket_ = std::move(*socket);
  opened_at_ = Clock::now();
  const auto deadline = Clock::now() + session_timeout;
  auto first = co_await read(deadline);
  if (!first) co_return first.error();
  if (!*first || integer_member(**first, "op") != int(Op::hello))
    co_return web::bad_gateway("Discord did not greet on the new connection.");
  const auto* data = web::object_member(**first, "d");
  interval_ =
      std::chrono::milliseconds(std::max<std::int64_t>(data ? integer_member(*data, "heartbeat_interval") : 0, 100));
  next_beat_ = Clock::now() + std::chrono::milliseconds(std::int64_t(double(interval_.count()) * random_part()));
  json::object answer{{"token", token_}};
  if (is_resumed) {
    answer["session_id"] = session_;
    answer["seq"] = sequence_;
  } else {
    answer["intents"] = intents;
    answer["properties"] = {{"os", "linux"}, {"browser", "agentbox"}, {"device", "agentbox"}};
  }
  const auto op = int(is_resumed ? Op::resume : Op::identify);
  const auto written = co_await write(op, std::move(answer));
  if (!written) co_return written.error();
  while (!is_ready_) {
    auto message = co_await read(deadline);
    if (!message) co_return message.error();
    if (!*message) co_return web::bad_gateway("Discord did not begin the session in time.");
    const auto step = co_await handle(std::move(**message));
    if (!step) co_return step.error();
    if (*step == Step::reconnect) {
      socket_.reset();
      co_return web::bad_gateway("Discord asks for another connection.");
    }
  }
  co_return web::Result<void>();
}

// The next message, with heartbeats meanwhile; nothing at the deadline.
web::Task<web::Result<std::optional<json::object>>> DiscordGateway::read(Clock::time_point deadline) {
  for (;;) {
    const auto until = interval_.count() > 0 ? std::min(deadline, next_beat_) : deadline;
    auto message = co_await socket_->read(until);
    if (!message) co_return reason_of_end(message.error());
    if (*message) {
      boost::system::error_code failed;
      auto value = json::parse(**message, failed);
      if (failed || !value.is_object()) co_return web::bad_gateway("Discord sent a message that is not JSON.");
      co_return std::optional<json::object>(std::move(value.get_object()));
    }
    const auto now = Clock::now();
    if (interval_.count() > 0 && now >= next_beat_) {
      if (!is_acknowledged_) co_return web::bad_gateway("Discord no longer answers on the connection.");
      next_beat_ = now + interval_;
      const auto beaten = co_await beat();
      if (!beaten) co_return beaten.error();
    }
    if (now >= deadline) co_return std::optional<json::object>();
  }
}

web::Task<web::Result<DiscordGateway::Step>> DiscordGateway::handle(json::object message) {
  switch (Op(integer_member(message, "op"))) {
    case Op::dispatch: {
      sequence_ = std::max(sequence_, integer_member(message, "s"));
      auto type = web::string_member(message, "t");
      const auto* data = web::object_member(message, "d");
      if (type == "READY" && data) {
        session_ = web::string_member(*data, "session_id");
        resume_url_ = web::string_member(*data, "resume_gateway_url");
        sequence_ = integer_member(message, "s");
      }
      if (type == "READY" || type == "RESUMED")
        is_ready_ = true;
      else if (data)
        events_.push_back({std::move(type), *data});
      co_return Step::proceed;
    }
    case Op::heartbeat: {
      const auto beaten = co_await beat();
      if (!beaten) co_return beaten.error();
      co_return Step::proceed;
    }
    case Op::ack:
      is_acknowledged_ = true;
      co_return Step::proceed;
    case Op::reconnect:
      co_return Step::reconnect;
    case Op::invalid_session: {
      const auto* can_resume = message.if_contains("d");
      if (!can_resume || !can_resume->is_bool() || !can_resume->get_bool()) forget_session();
      co_await web::sleep_for(1s + std::chrono::milliseconds(std::int64_t(4'000 * random_part())));
      co_return Step::reconnect;
    }
    default:
      co_return Step::proceed;
  }
}

web::Task<web::Result<std::vector<DiscordEvent>>> DiscordGateway::receive() {
  if (!socket_) {
    auto connected = co_await open();
    // An invalid session, or a request to reconnect, takes a second attempt.
    if (!connected && !socket_ && connected.error().kind != web::Kind::unauthenticated) connected = co_await open();
    if (!connected) co_return connected.error();
  }
  auto deadline = Clock::now() + event_wait;
  while (events_.empty() || (deadline == Clock::time_point() && events_.size() < max_events_at_once)) {
    auto message = co_await read(deadline);
    if (!message) {
      const bool was_quick = Clock::now() - opened_at_ < quick_end;
      socket_.reset();
      if (was_quick || message.error().kind == web::Kind::unauthenticated) co_return message.error();
      break;
    }
    if (!*message) break;
    const auto step = co_await handle(std::move(**message));
    if (!step || *step == Step::reconnect) {
      socket_.reset();
      break;
    }
    if (!events_.empty()) deadline = Clock::time_point();  // what is here already comes along
  }
  co_return std::exchange(events_, {});
}

}  // namespace channels
