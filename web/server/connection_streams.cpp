// The responses of a connection that have no length of their own: streams, WebSockets, relayed requests.
#include "web/log.h"
#include "web/server/connection.h"
#include "web/server/listener.h"
#include "web/server/proxy.h"
#include "web/server/stream_writer.h"
#include "web/server/websocket.h"

namespace web {

namespace {

constexpr std::string_view websocket_version = "13";

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

Task<bool> Connection::send_stream(Exchange& exchange, const Response& response, const Stream& stream) {
  const auto length = response.stream_length;
  const bool chunked = !length && !exchange.head.http_1_0;
  const auto persists = chunked || length ? persistence(exchange) : Persistence::close;
  output().clear();
  append_response_head(output(), response, length, chunked, persists);
  if (co_await wire_.write(output(), {}, limits_.write_time)) co_return false;
  if (request().method == Method::head) co_return persists != Persistence::close;

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
      if (!listener_.dispatcher.is_admitted(request())) cut();
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
    log::info("stream_cut", {{"request", request().id}, {"route", std::string(request().route)}, {"reason", failure}});
  co_return complete&& persists != Persistence::close;
}

Task<bool> Connection::upgrade(Exchange& exchange, Response& response, const Upgrade& handler) {
  const bool is_upgrade =
      exchange.head.websocket && request().method == Method::get && input().view().substr(exchange.head.size).empty();
  if (!is_upgrade || request().header("Sec-WebSocket-Version") != websocket_version) {
    Response answer = listener_.dispatcher.refuse(
        request(), invalid("This address speaks WebSocket, version 13: send an upgrade request"));
    answer.status = exchange.status = 426;
    answer.set("Upgrade", "websocket");
    answer.set("Sec-WebSocket-Version", std::string(websocket_version));  // RFC 6455, 4.4
    exchange.head.keep_alive = false;
    co_return co_await send_text(exchange, answer, std::get<std::string>(answer.body));
  }
  auto socket = open_websocket(wire_, request(), response, limits_.websocket_idle_time);
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
  if (!failure.empty()) log::info("websocket_cut", {{"request", request().id}, {"reason", failure}});
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
  RelayedRequest relayed{.request = request(),
                         .head = exchange.head,
                         .client = wire_,
                         .input = input(),
                         .limits = limits_,
                         .persistence = persistence(exchange),
                         .deadlines = shard_->deadlines(),
                         .on_flow = on_flow};
  auto outcome = co_await relay_request(relayed, target);
  on_drain_ = nullptr;
  admission.reset();
  exchange.bytes = outcome.bytes;
  if (outcome.answer) {  // nothing was sent yet
    const Response answer = listener_.dispatcher.complete(request(), std::move(*outcome.answer));
    exchange.status = answer.status;
    if (exchange.head.body != Framing::none) exchange.head.keep_alive = false;
    outcome.going_on = co_await send_text(exchange, answer, std::get<std::string>(answer.body));
  } else {
    exchange.status = outcome.status;
  }
  listener_.dispatcher.finished(request(), "proxied", exchange.status, exchange.bytes, Clock::now() - exchange.started);
  co_return outcome.going_on;
}

}  // namespace web
