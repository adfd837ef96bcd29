#include "web/server/connection.h"

#include <poll.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <random>

#include "web/admission/overload.h"
#include "web/protocol/chunk_check.h"
#include "web/protocol/request_head.h"
#include "web/routes/reply.h"
#include "web/server/arriving_body.h"
#include "web/server/listener.h"
#include "web/server/proxy.h"

namespace web {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto linger_time = 2s;
constexpr auto hang_up_check_time = 250ms;
constexpr auto drain_grace = 250ms;             // for a request that is on its way when the listener drains
constexpr auto health_grace = 500ms;            // for the request of a connection beyond the limit
constexpr std::size_t kept_output = 64 * 1024;  // a larger output buffer is freed after the response

// For clients that speak plain HTTP to a port with TLS.
constexpr std::string_view https_answer =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 95\r\nConnection: close\r\n\r\n"
    "{\"error\":\"This port takes HTTPS only: begin the address with https://\",\"code\":\"HTTPS_REQUIRED\"}";

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

}  // namespace

Connection::Connection(std::shared_ptr<ListenerShard> shard, Socket socket, asio::ip::address peer, Place place)
    : shard_(std::move(shard)),
      listener_(shard_->listener()),
      limits_(listener_.options.limits),
      wire_(std::move(socket), shard_->deadlines()),
      peer_(peer),
      peer_name_(peer.to_string()),
      peer_trusted_(!listener_.trusted.empty() && listener_.trusted.contains(peer)),
      place_(place) {
  shard_->add(*this);
  shard_->deadlines().add(hang_up_watch_);
}

Connection::~Connection() {
  if (place_ == Place::regular)
    listener_.admission.leave(peer_);
  else
    listener_.admission.leave_health_place();
}

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
    wire_.arm(idle_time());
  }
}

Clock::duration Connection::idle_time() const {
  Clock::duration time = limits_.idle_time;
  if (draining_ || shard_->draining()) time = std::min<Clock::duration>(time, drain_grace);
  if (place_ == Place::health_only) time = std::min<Clock::duration>(time, health_grace);
  return time;
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
    if (co_await wire_.begins_without_tls()) {
      wire_.disarm();
      wire_.try_write(https_answer);
      co_return co_await wire_.linger(linger_time);
    }
    const auto error = co_await wire_.handshake(*tls);
    wire_.disarm();
    if (error) co_return;
  }
  for (;;) {
    const auto head = co_await next_head();
    if (!head) co_return;
    if (!co_await exchange(*head)) break;
  }
  if (place_ == Place::regular) co_return co_await wire_.linger(linger_time);
  // The place is for the next client; the shard closes the socket, sooner if it is short of descriptors.
  co_await wire_.finish(linger_time);
  if (const auto socket = wire_.release()) shard_->linger(*socket);
}

Task<std::optional<RequestHead>> Connection::next_head() {
  const HeadLimits limits{.head_bytes = limits_.head_bytes, .fields = limits_.header_fields};
  if (paused_until_ > Clock::time_point()) co_await pause_after_shedding();
  if (buffers_ && !input().empty()) {
    wire_.arm(limits_.head_time);
  } else if (!co_await first_bytes()) {
    if (place_ == Place::health_only) wire_.try_write(full_answer);
    co_await wire_.finish(1s);
    co_return std::nullopt;
  }
  for (;;) {
    const auto checked = check_request_head(input().view(), limits);
    if (const auto* head = std::get_if<RequestHead>(&checked)) {
      wire_.disarm();
      co_return *head;
    }
    if (const auto* refusal = std::get_if<Refusal>(&checked)) {
      forget_request();
      co_await refuse(*refusal);
      co_return std::nullopt;
    }
    const auto [error, size] = co_await wire_.async_read_some(input().prepare(), use_tuple);
    if (error || wire_.expired()) {  // bytes may have arrived together with the deadline
      co_await wire_.finish(1s);
      co_return std::nullopt;
    }
    input().commit(size);
  }
}

Task<bool> Connection::first_bytes() {
  wire_.arm(idle_time());
  waiting_ = true;
  std::size_t size = 0;
  if (wire_.secure()) {  // received bytes may be in the TLS layer, so that the socket does not become readable
    if (!buffers_) buffers_ = shard_->spare_buffers().take();
    const auto [error, count] = co_await wire_.async_read_some(input().prepare(), use_tuple);
    if (!error && !wire_.expired()) size = count;
  } else {
    for (bool is_waiting = true; is_waiting && size == 0;) {
      shard_->spare_buffers().put(std::move(buffers_));
      const auto [error] = co_await wire_.async_readable(use_tuple);
      buffers_ = shard_->spare_buffers().take();
      // Also at the deadline: what the client has sent is answered.
      const auto state = wire_.try_read(input().prepare(), size);
      is_waiting = !error && state == Wire::State::open;
    }
  }
  waiting_ = false;
  if (size == 0) co_return false;
  input().commit(size);
  wire_.arm(limits_.head_time);
  co_return true;
}

void Connection::forget_request() {
  request().headers.clear();
  request().params.clear();
  request().path.clear();
  request().id = next_request_id();
  request().client_address = peer_name_;
  request().secure = wire_.secure() || listener_.options.is_https_outside;
  request().target = request().query = request().body = request().host = request().route = {};
  request().caller = {};
}

std::optional<Refusal> Connection::parse(Exchange& exchange, std::string_view bytes) {
  forget_request();
  if (auto refusal =
          parse_request(bytes, exchange.head, limits_.header_fields, request(), listener_.dispatcher.deep_paths()))
    return refusal;
  if (peer_trusted_) {
    request().client_address = listener_.trusted.client_of(request(), peer_name_);
    request().secure = request().secure || TrustedProxies::secure(request());
  }
  return {};
}

void Connection::keep_head(Exchange& exchange) {
  exchange.head_bytes.assign(input().view().substr(0, exchange.head.size));
  input().consume(exchange.head.size);
  const HeadLimits limits{.head_bytes = limits_.head_bytes, .fields = limits_.header_fields};
  exchange.head = std::get<RequestHead>(check_request_head(exchange.head_bytes, limits));  // views into the copy
}

bool Connection::is_known_host() {
  if (listener_.hosts.empty()) return true;
  error_code error;
  const auto local = wire_.socket().local_endpoint(error);
  return error || listener_.hosts.knows(request().host, local.address());
}

std::optional<Result<ProxyTarget>> Connection::other_host() const {
  if (!listener_.options.host_router) return {};
  try {
    return listener_.options.host_router(request());
  } catch (...) {
    return listener_.dispatcher.explain(std::current_exception());
  }
}

Task<bool> Connection::exchange(RequestHead head) {
  Exchange exchange{.head = head};
  if (auto refusal = parse(exchange, input().view().substr(0, head.size))) {
    co_await refuse(*refusal);
    co_return false;
  }
  if (!is_known_host()) {
    co_await refuse({421, "This host name is not one of the box's: BASE_URL and ALLOWED_HOSTS name them."});
    co_return false;
  }
  const bool inline_body =
      head.body == Framing::none || (head.body == Framing::sized && head.content_length <= limits_.body_bytes &&
                                     input().view().size() - head.size >= head.content_length);
  const auto length = static_cast<std::size_t>(head.content_length);
  if (is_shed(exchange.started)) {
    request().route = "shed";
    Response response = listener_.dispatcher.refuse(request(), overloaded());
    if (!inline_body) exchange.head.keep_alive = false;  // its body is not read
    const bool going_on = co_await send(exchange, response);
    if (going_on) input().consume(head.size + length);
    co_return going_on;
  }
  if (auto target = other_host()) {
    keep_head(exchange);
    parse(exchange, exchange.head_bytes);
    request().route = "proxied";
    if (target->has_value() && !(*target)->answer) co_return co_await relay(exchange, std::move(**target));
    Response response = target->has_value() ? listener_.dispatcher.complete(request(), std::move(*(*target)->answer))
                                            : listener_.dispatcher.refuse(request(), target->error());
    if (head.body != Framing::none) exchange.head.keep_alive = false;  // its body is not read
    co_return co_await send(exchange, response);
  }
  if (inline_body) {
    request().body = input().view().substr(head.size, length);
    const bool going_on = co_await serve(exchange);
    input().consume(head.size + length);
    co_return going_on;
  }
  keep_head(exchange);
  parse(exchange, exchange.head_bytes);
  const auto room = listener_.dispatcher.room_for_body(request());
  if (room.is_streamed) co_return co_await serve_stream(exchange, room);
  if (auto refusal = co_await receive_body(exchange, room)) {
    if (refusal->status != 0) co_await refuse(*refusal, room.bytes);
    co_return false;
  }
  request().body = exchange.body;
  co_return co_await serve(exchange);
}

bool Connection::is_shed(Clock::time_point now) {
  if (is_health(request())) return false;
  if (place_ == Place::health_only) return true;
  if (shard_->draining()) return false;
  auto& shedder = shard_->shedder();
  auto& costly = shard_->costly_limit();
  const auto work = work_of(request());
  const bool is_costly = work == Work::costly;
  // What came while the connection was paused waited for that.
  const auto paused_until = std::exchange(paused_until_, {});
  const bool was_paused = paused_until > Clock::time_point();
  bool sheds = false;
  if (shedder.needs_measure(now) && (!is_costly || !was_paused)) {
    const auto waited = std::min<Clock::duration>(wire_.time_since_data(), now - paused_until);
    if (!was_paused) costly.measured(waited, now);
    sheds = shedder.refuses(waited, work, now);
  }
  sheds = sheds || (is_costly && costly.is_full());
  if (sheds) paused_until_ = shedder.next_turn(now);
  return sheds;
}

Task<> Connection::pause_after_shedding() {
  if (paused_until_ <= Clock::now()) co_return;
  Timer pause(shard_->executor(), paused_until_);
  co_await pause.async_wait(use_tuple);
}

Task<std::optional<Refusal>> Connection::receive_body(Exchange& exchange, const BodyRoom& room) {
  const auto& head = exchange.head;
  constexpr Refusal too_large{413, body_too_large};
  if (head.body == Framing::sized && head.content_length > room.bytes) co_return too_large;
  if (head.expects_continue && input().empty()) {
    if (co_await wire_.write("HTTP/1.1 100 Continue\r\n\r\n", {}, limits_.write_time)) co_return Refusal{0, {}};
  }
  BodyReader reader(wire_, input(), head.body, head.content_length, room.bytes);
  co_return co_await reader.read_all(exchange.body, room.time, limits_.body_stall_time);
}

std::optional<CostlyLimit::Place> Connection::place_of_request() {
  std::optional<CostlyLimit::Place> place;
  if (!is_cheap(request().method)) place.emplace(shard_->costly_limit());
  return place;
}

void Connection::pace(const Exchange& exchange) {
  if (exchange.status != 503 || is_health(request())) return;
  const auto now = Clock::now();
  paused_until_ = shard_->shedder().next_turn(now, now - exchange.started);
}

Task<bool> Connection::serve(Exchange& exchange) {
  const auto place = place_of_request();
  hang_up_watch_.arm(hang_up_check_time);
  Response response = co_await listener_.dispatcher.handle(request());
  const bool going_on = co_await send(exchange, response);
  hang_up_watch_.disarm();
  pace(exchange);
  co_return going_on;
}

Task<bool> Connection::serve_stream(Exchange& exchange, const BodyRoom& room) {
  const auto place = place_of_request();
  ArrivingBody body(wire_, input(), exchange.head, room, limits_);
  hang_up_watch_.arm(hang_up_check_time);
  Response response = co_await listener_.dispatcher.handle(request(), &body);
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
  if (!exchange.head.keep_alive || draining_ || shard_->draining() || place_ == Place::health_only)
    return Persistence::close;
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
  listener_.dispatcher.finished(request(), request().route, exchange.status, exchange.bytes,
                                Clock::now() - exchange.started, !std::holds_alternative<std::string>(response.body));
  co_return going_on;
}

Task<bool> Connection::send_text(Exchange& exchange, const Response& response, const std::string& body) {
  const auto persists = persistence(exchange);
  const bool empty = has_no_body(response.status);
  const bool with_body = !empty && request().method != Method::head;
  output().clear();
  append_response_head(output(), response, empty ? std::nullopt : std::optional(body.size()), false, persists);
  std::string_view rest;
  if (with_body) {
    exchange.bytes = body.size();
    if (body.size() <= kept_output / 2)
      output() += body;  // one buffer, one call
    else
      rest = body;
  }
  const auto sent = wire_.try_write(output());
  error_code error;
  if (sent < output().size() || !rest.empty())
    error = co_await wire_.write(std::string_view(output()).substr(sent), rest, limits_.write_time);
  if (output().capacity() > kept_output) output() = std::string();
  co_return !error && persists != Persistence::close;
}

Task<> Connection::refuse(Refusal refusal, std::size_t max_body_bytes) {
  Error error = invalid(std::string(refusal.reason));
  if (refusal.status == 413) {
    error.kind = Kind::too_large;
    error.extra["limit"] = max_body_bytes;
  }
  auto response = listener_.dispatcher.refuse(request(), error);
  response.status = refusal.status;  // 408, 431 and 501 have no kind
  const auto& body = std::get<std::string>(response.body);
  output().clear();
  append_response_head(output(), response, body.size(), false, Persistence::close);
  output() += body;
  request().route = "malformed";
  listener_.dispatcher.finished(request(), "malformed", refusal.status, body.size(), {});
  if (wire_.expired()) {
    wire_.try_write(output());
    co_return;
  }
  if (!co_await wire_.write(output(), {}, limits_.write_time)) co_await wire_.linger(linger_time);
}

}  // namespace web
