#include "web/connection.h"

#include <poll.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <random>

#include "web/arriving_body.h"
#include "web/chunk_check.h"
#include "web/listener.h"
#include "web/log.h"
#include "web/proxy.h"
#include "web/reply.h"
#include "web/request_head.h"
#include "web/stream_writer.h"
#include "web/websocket.h"

namespace web {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto linger_time = 2s;
constexpr std::string_view websocket_version = "13";
constexpr auto hang_up_check_time = 250ms;
constexpr std::size_t kept_output = 64 * 1024;  // a larger output buffer is freed after the response

// A random start and a counter: cheap, and ids do not collide between boxes.
std::string next_request_id() {
  static const std::uint64_t start = std::random_device{}() | std::uint64_t{std::random_device{}()} << 32;
  static std::atomic<std::uint64_t> count{0};
  constexpr char digits[] = "0123456789abcdef";
  auto number = start + count.fetch_add(1, std::memory_order_relaxed);
  std::string id(16, '0');
  for (auto at = id.rbegin(); at != id.rend(); ++at, number >>= 4) *at = digits[number & 15];
  return id;
}

bool has_no_body(int status) { return status == 204 || status == 304; }

// Calls `beat` at an interval until it is destroyed.
class Heartbeat {
 public:
  Heartbeat(Executor executor, std::chrono::milliseconds period, std::function<void()> beat)
      : timer_(executor), period_(period), beat_(std::make_shared<const std::function<void()>>(std::move(beat))) {
    next();
  }

 private:
  void next() {
    timer_.expires_after(period_);
    // A completed wait cannot be cancelled any more: its handler may run after this object is destroyed.
    timer_.async_wait([this, beat = std::weak_ptr(beat_)](error_code error) {
      const auto alive = beat.lock();
      if (error || !alive) return;
      next();
      (*alive)();  // may end this
    });
  }
  Timer timer_;
  const std::chrono::milliseconds period_;
  const std::shared_ptr<const std::function<void()>> beat_;
};

}  // namespace

Connection::Connection(std::shared_ptr<ListenerShard> shard, Socket socket, asio::ip::address peer)
    : shard_(std::move(shard)),
      listener_(shard_->listener()),
      limits_(listener_.options.limits),
      wire_(std::move(socket), shard_->deadlines()),
      peer_(peer),
      peer_name_(peer.to_string()),
      peer_trusted_(!listener_.trusted.empty() && listener_.trusted.contains(peer)) {
  shard_->add(*this);
  shard_->deadlines().add(hang_up_watch_);
}

Connection::~Connection() { listener_.admission.leave(peer_); }

void Connection::start(std::shared_ptr<Connection> connection) {
  auto& self = *connection;
  asio::co_spawn(self.shard_->executor(), self.run(),
                 asio::bind_cancellation_slot(self.cancel_.slot(), [connection](std::exception_ptr) {
                   // An exception because of a disconnected client or cut() ends only this connection.
                   connection->wire_.close();
                 }));
}

void Connection::drain() {
  draining_ = true;
  if (on_drain_) {
    on_drain_();
  } else if (waiting_) {
    error_code ignored;
    wire_.socket().cancel(ignored);
  }
}

void Connection::end_at_drain(std::function<void()> end) {
  on_drain_ = std::move(end);
  if (draining_ || shard_->draining()) on_drain_();
}

void Connection::cut() {
  draining_ = true;
  wire_.close();
  cancel_.emit(asio::cancellation_type::terminal);
}

Task<> Connection::run() {
  if (const auto tls = listener_.tls.load()) {
    wire_.arm(limits_.head_time);
    const auto error = co_await wire_.handshake(*tls);
    wire_.disarm();
    if (error) co_return;
  }
  while (!draining_) {
    auto head = co_await next_head();
    if (!head) co_return;
    if (!co_await exchange(*head)) break;
  }
  co_await wire_.linger(linger_time);
}

Task<std::optional<RequestHead>> Connection::next_head() {
  const HeadLimits limits{.head_bytes = limits_.head_bytes, .fields = limits_.header_fields};
  wire_.arm(input_.empty() ? limits_.idle_time : limits_.head_time);
  for (;;) {
    if (!input_.empty()) {
      const auto checked = check_request_head(input_.view(), limits);
      if (const auto* head = std::get_if<RequestHead>(&checked)) {
        wire_.disarm();
        co_return *head;
      }
      if (const auto* refusal = std::get_if<Refusal>(&checked)) {
        forget_request();
        co_await refuse(*refusal);
        co_return std::nullopt;
      }
    }
    const bool was_empty = input_.empty();
    waiting_ = was_empty;
    const auto [error, size] = co_await wire_.async_read_some(input_.prepare(), use_tuple);
    waiting_ = false;
    if (error || wire_.expired()) {  // bytes may have arrived together with the deadline
      co_await wire_.finish(1s);
      co_return std::nullopt;
    }
    input_.commit(size);
    if (was_empty) wire_.arm(limits_.head_time);
  }
}

void Connection::forget_request() {
  request_.headers.clear();
  request_.params.clear();
  request_.path.clear();
  request_.id = next_request_id();
  request_.client_address = peer_name_;
  request_.secure = wire_.secure() || listener_.options.is_https_outside;
  request_.target = request_.query = request_.body = request_.host = request_.route = {};
  request_.caller = {};
}

std::optional<Refusal> Connection::parse(Exchange& exchange, std::string_view bytes) {
  forget_request();
  if (auto refusal =
          parse_request(bytes, exchange.head, limits_.header_fields, request_, listener_.dispatcher.deep_paths()))
    return refusal;
  if (peer_trusted_) {
    request_.client_address = listener_.trusted.client_of(request_, peer_name_);
    request_.secure = request_.secure || TrustedProxies::secure(request_);
  }
  return {};
}

void Connection::keep_head(Exchange& exchange) {
  exchange.head_bytes.assign(input_.view().substr(0, exchange.head.size));
  input_.consume(exchange.head.size);
  const HeadLimits limits{.head_bytes = limits_.head_bytes, .fields = limits_.header_fields};
  exchange.head = std::get<RequestHead>(check_request_head(exchange.head_bytes, limits));  // views into the copy
}

bool Connection::is_known_host() {
  if (listener_.hosts.empty()) return true;
  error_code error;
  const auto local = wire_.socket().local_endpoint(error);
  return error || listener_.hosts.knows(request_.host, local.address());
}

std::optional<Result<ProxyTarget>> Connection::other_host() const {
  if (!listener_.options.host_router) return {};
  try {
    return listener_.options.host_router(request_);
  } catch (...) {
    return listener_.dispatcher.explain(std::current_exception());
  }
}

Task<bool> Connection::exchange(RequestHead head) {
  Exchange exchange{.head = head};
  if (auto refusal = parse(exchange, input_.view().substr(0, head.size))) {
    co_await refuse(*refusal);
    co_return false;
  }
  if (!is_known_host()) {
    co_await refuse({421, "This host name is not one of the box's: BASE_URL and ALLOWED_HOSTS name them."});
    co_return false;
  }
  if (auto target = other_host()) {
    keep_head(exchange);
    parse(exchange, exchange.head_bytes);
    request_.route = "proxied";
    if (target->has_value() && !(*target)->answer) co_return co_await relay(exchange, std::move(**target));
    Response response = target->has_value() ? listener_.dispatcher.complete(request_, std::move(*(*target)->answer))
                                            : listener_.dispatcher.refuse(request_, target->error());
    if (head.body != Framing::none) exchange.head.keep_alive = false;  // its body is not read
    co_return co_await send(exchange, response);
  }
  const bool inline_body =
      head.body == Framing::none || (head.body == Framing::sized && head.content_length <= limits_.body_bytes &&
                                     input_.view().size() - head.size >= head.content_length);
  if (inline_body) {
    const auto length = static_cast<std::size_t>(head.content_length);
    request_.body = input_.view().substr(head.size, length);
    const bool going_on = co_await serve(exchange);
    input_.consume(head.size + length);
    co_return going_on;
  }
  keep_head(exchange);
  parse(exchange, exchange.head_bytes);
  const auto room = listener_.dispatcher.room_for_body(request_);
  if (room.is_streamed) co_return co_await serve_stream(exchange, room);
  if (auto refusal = co_await receive_body(exchange, room)) {
    if (refusal->status != 0) co_await refuse(*refusal, room.bytes);
    co_return false;
  }
  request_.body = exchange.body;
  co_return co_await serve(exchange);
}

Task<std::optional<Refusal>> Connection::receive_body(Exchange& exchange, const BodyRoom& room) {
  const auto& head = exchange.head;
  constexpr Refusal too_large{413, body_too_large};
  if (head.body == Framing::sized && head.content_length > room.bytes) co_return too_large;
  if (head.expects_continue && input_.empty()) {
    if (co_await wire_.write("HTTP/1.1 100 Continue\r\n\r\n", {}, limits_.write_time)) co_return Refusal{0, {}};
  }
  BodyReader reader(wire_, input_, head.body, head.content_length, room.bytes);
  co_return co_await reader.read_all(exchange.body, room.time);
}

Task<bool> Connection::serve(Exchange& exchange) {
  hang_up_watch_.arm(hang_up_check_time);
  Response response = co_await listener_.dispatcher.handle(request_);
  const bool going_on = co_await send(exchange, response);
  hang_up_watch_.disarm();
  co_return going_on;
}

Task<bool> Connection::serve_stream(Exchange& exchange, const BodyRoom& room) {
  ArrivingBody body(wire_, input_, exchange.head, room, limits_);
  hang_up_watch_.arm(hang_up_check_time);
  Response response = co_await listener_.dispatcher.handle(request_, &body);
  bool going_on = false;
  if (const auto& refusal = body.refusal()) {
    if (refusal->status != 0) co_await refuse(*refusal, room.bytes);
  } else {
    if (!body.done()) exchange.head.keep_alive = false;
    going_on = co_await send(exchange, response);
  }
  hang_up_watch_.disarm();
  co_return going_on;
}

void Connection::HangUpWatch::expire() {
  // Reading would not detect it: bytes sent before the close, such as the end of TLS, come before the end.
  pollfd client{.fd = connection_.wire_.socket().native_handle(), .events = POLLRDHUP, .revents = 0};
  const bool gone = ::poll(&client, 1, 0) == 1;
  if (gone && connection_.sends_endless_) return connection_.cut();
  arm(hang_up_check_time);  // also after that: the handler may not be waiting at this moment
  if (gone) connection_.cancel_.emit(asio::cancellation_type::total);
}

Persistence Connection::persistence(const Exchange& exchange) const {
  if (!exchange.head.keep_alive || draining_ || shard_->draining()) return Persistence::close;
  return exchange.head.http_1_0 ? Persistence::keep_alive_1_0 : Persistence::keep_alive;
}

Task<bool> Connection::send(Exchange& exchange, Response& response) {
  exchange.status = response.status;
  bool going_on = false;
  if (const auto* text = std::get_if<std::string>(&response.body)) {
    going_on = co_await send_text(exchange, response, *text);
  } else if (const auto* stream = std::get_if<Stream>(&response.body)) {
    going_on = co_await send_stream(exchange, response, *stream);
  } else {
    going_on = co_await upgrade(exchange, response, std::get<Upgrade>(response.body));
  }
  listener_.dispatcher.finished(request_, request_.route, exchange.status, exchange.bytes,
                                Clock::now() - exchange.started);
  co_return going_on;
}

Task<bool> Connection::send_text(Exchange& exchange, const Response& response, const std::string& body) {
  const auto persists = persistence(exchange);
  const bool empty = has_no_body(response.status);
  const bool with_body = !empty && request_.method != Method::head;
  output_.clear();
  append_response_head(output_, response, empty ? std::nullopt : std::optional(body.size()), false, persists);
  std::string_view rest;
  if (with_body) {
    exchange.bytes = body.size();
    if (body.size() <= kept_output / 2)
      output_ += body;  // one buffer, one call
    else
      rest = body;
  }
  const auto sent = wire_.try_write(output_);
  error_code error;
  if (sent < output_.size() || !rest.empty())
    error = co_await wire_.write(std::string_view(output_).substr(sent), rest, limits_.write_time);
  if (output_.capacity() > kept_output) output_ = std::string();
  co_return !error && persists != Persistence::close;
}

Task<bool> Connection::send_stream(Exchange& exchange, const Response& response, const Stream& stream) {
  const auto length = response.stream_length;
  const bool chunked = !length && !exchange.head.http_1_0;
  const auto persists = chunked || length ? persistence(exchange) : Persistence::close;
  output_.clear();
  append_response_head(output_, response, length, chunked, persists);
  if (co_await wire_.write(output_, {}, limits_.write_time)) co_return false;
  if (request_.method == Method::head) co_return persists != Persistence::close;

  // Shared with a heartbeat whose write may still be in progress when the stream ends.
  const auto writer = std::make_shared<BodyWriter>(wire_, chunked, limits_.write_time);
  const auto both =
      std::make_shared<std::pair<std::shared_ptr<Connection>, std::shared_ptr<BodyWriter>>>(shared_from_this(), writer);
  std::optional<Heartbeat> heartbeat;
  const bool is_events = response.content_type.starts_with("text/event-stream");
  if (is_events)
    heartbeat.emplace(shard_->executor(), limits_.heartbeat_time,
                      [this, both] { both->second->heartbeat(both, [this] { cut(); }); });
  bool complete = false;
  std::string failure;
  sends_endless_ = response.endless;
  std::optional<Heartbeat> admission;
  if (response.endless) end_at_drain([this] { cut(); });
  if (response.endless || is_events) {
    admission.emplace(shard_->executor(), limits_.tunnel_check_time, [this, both] {
      if (!listener_.dispatcher.is_admitted(request_)) cut();
    });
  }
  try {
    co_await stream(*writer);
    co_await writer->finish();
    complete = !length || writer->written() == *length;
    if (!complete) failure = "another length than announced";
  } catch (const std::exception& error) {
    failure = error.what();
  }
  on_drain_ = nullptr;
  sends_endless_ = false;
  heartbeat.reset();
  admission.reset();
  exchange.bytes = writer->written();
  // The head has been sent: only an end without the last chunk can still signal the failure.
  if (!complete)
    log::info("stream_cut", {{"request", request_.id}, {"route", std::string(request_.route)}, {"reason", failure}});
  co_return complete&& persists != Persistence::close;
}

Task<bool> Connection::upgrade(Exchange& exchange, Response& response, const Upgrade& handler) {
  const bool is_upgrade =
      exchange.head.websocket && request_.method == Method::get && input_.view().substr(exchange.head.size).empty();
  if (!is_upgrade || request_.header("Sec-WebSocket-Version") != websocket_version) {
    Response answer = listener_.dispatcher.refuse(
        request_, invalid("This address speaks WebSocket, version 13: send an upgrade request"));
    answer.status = exchange.status = 426;
    answer.set("Upgrade", "websocket");
    answer.set("Sec-WebSocket-Version", std::string(websocket_version));  // RFC 6455, 4.4
    exchange.head.keep_alive = false;
    co_return co_await send_text(exchange, answer, std::get<std::string>(answer.body));
  }
  auto socket = open_websocket(wire_, request_, response, limits_.websocket_idle_time);
  exchange.status = 101;
  if (!co_await socket->accept()) co_return false;
  end_at_drain([this, socket] { socket->close_soon(shard_->executor(), shared_from_this()); });
  std::string failure;
  try {
    co_await handler(*socket);
    co_await socket->close(1000, "");
  } catch (const std::exception& error) {
    failure = error.what();
  }
  on_drain_ = nullptr;
  if (!failure.empty()) log::info("websocket_cut", {{"request", request_.id}, {"reason", failure}});
  wire_.close();
  co_return false;
}

Task<bool> Connection::relay(Exchange& exchange, ProxyTarget target) {
  std::optional<Heartbeat> admission;
  auto on_flow = [this, &admission](bool is_endless) {
    if (is_endless) end_at_drain([this] { cut(); });
    admission.emplace(shard_->executor(), limits_.tunnel_check_time, [this] {
      const auto again = other_host();
      if (!again || !again->has_value() || (*again)->answer) cut();
    });
  };
  RelayedRequest relayed{.request = request_,
                         .head = exchange.head,
                         .client = wire_,
                         .input = input_,
                         .limits = limits_,
                         .persistence = persistence(exchange),
                         .deadlines = shard_->deadlines(),
                         .on_flow = on_flow};
  auto outcome = co_await relay_request(relayed, target);
  on_drain_ = nullptr;
  admission.reset();
  exchange.bytes = outcome.bytes;
  if (outcome.answer) {  // nothing was sent yet
    const Response answer = listener_.dispatcher.complete(request_, std::move(*outcome.answer));
    exchange.status = answer.status;
    if (exchange.head.body != Framing::none) exchange.head.keep_alive = false;
    outcome.going_on = co_await send_text(exchange, answer, std::get<std::string>(answer.body));
  } else {
    exchange.status = outcome.status;
  }
  listener_.dispatcher.finished(request_, "proxied", exchange.status, exchange.bytes, Clock::now() - exchange.started);
  co_return outcome.going_on;
}

Task<> Connection::refuse(Refusal refusal, std::size_t most_body_bytes) {
  Error error = invalid(std::string(refusal.reason));
  if (refusal.status == 413) {
    error.kind = Kind::too_large;
    error.extra["limit"] = most_body_bytes;
  }
  auto response = listener_.dispatcher.refuse(request_, error);
  response.status = refusal.status;  // 408, 431 and 501 have no kind
  const auto& body = std::get<std::string>(response.body);
  output_.clear();
  append_response_head(output_, response, body.size(), false, Persistence::close);
  output_ += body;
  request_.route = "malformed";
  listener_.dispatcher.finished(request_, "malformed", refusal.status, body.size(), {});
  if (wire_.expired()) {
    wire_.try_write(output_);
    co_return;
  }
  if (!co_await wire_.write(output_, {}, limits_.write_time)) co_await wire_.linger(linger_time);
}

}  // namespace web
