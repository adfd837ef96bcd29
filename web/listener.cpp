#include "web/listener.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "web/log.h"
#include "web/rate_limit.h"
#include "web/tls.h"

namespace web {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view full_answer =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 41\r\nRetry-After: 1\r\n"
    "Connection: close\r\n\r\n{\"error\":\"Too many connections for now.\"}";
static_assert(full_answer.size() - full_answer.find('{') == 41);

// Keeps descriptors free for the store, the agents and outgoing calls.
std::size_t within_descriptors(std::size_t connections) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return connections;
  auto files = static_cast<std::size_t>(limit.rlim_cur);
  return std::min(connections, files - std::min(files / 2, std::max<std::size_t>(files / 8, 64)));
}

// A quarter of the shortest limit, so that none is exceeded by much; at most four times a second.
Clock::duration sweep_period(const Limits& limits) {
  auto shortest = std::min({limits.head_time, limits.body_time, limits.write_time, limits.idle_time,
                            limits.proxy_connect_time, limits.proxy_answer_time});
  return std::clamp<Clock::duration>(shortest / 4, 5ms, 250ms);
}

int open_spare() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

bool out_of_resources(const error_code& error) {
  return error == asio::error::no_descriptors || error == boost::system::errc::too_many_files_open_in_system ||
         error == asio::error::no_buffer_space || error == asio::error::no_memory;
}

}  // namespace

bool Admission::is_one_client(const asio::ip::address& address) const {
  return !address.is_loopback() && !trusted_.contains(address);
}

bool Admission::enter(const asio::ip::address& address) {
  if (open_.fetch_add(1, std::memory_order_relaxed) >= most_) {
    open_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  if (!is_one_client(address)) return true;
  const std::lock_guard lock(mutex_);
  auto& count = by_client_[rate_key(address.to_string())];
  if (count >= most_per_client_) {
    open_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  ++count;
  return true;
}

void Admission::leave(const asio::ip::address& address) {
  if (is_one_client(address)) {
    const std::lock_guard lock(mutex_);
    const auto found = by_client_.find(rate_key(address.to_string()));
    if (found != by_client_.end() && --found->second == 0) by_client_.erase(found);
  }
  open_.fetch_sub(1, std::memory_order_relaxed);
}

Listener::Listener(ListenerOptions given)
    : options(std::move(given)),
      dispatcher(options),
      trusted(options.trusted_proxies),
      hosts(options.hosts),
      tls(options.tls ? load_tls(*options.tls) : nullptr),
      admission(within_descriptors(options.limits.connections),
                std::min(options.limits.connections_per_address, within_descriptors(options.limits.connections) / 4),
                trusted),
      accepted(
          metrics().counter("agentbox_http_connections_total", "Connections accepted.", {{"listener", options.name}})),
      refused(metrics().counter("agentbox_http_connections_refused_total", "Connections turned away at the cap.",
                                {{"listener", options.name}})) {}

ListenerShard::ListenerShard(std::shared_ptr<Listener> listener, asio::io_context& context, Acceptor acceptor)
    : listener_(std::move(listener)),
      executor_(context.get_executor()),
      acceptor_(std::move(acceptor)),
      deadlines_(executor_, sweep_period(listener_->options.limits)),
      spare_(open_spare()) {}

ListenerShard::~ListenerShard() {
  if (spare_ >= 0) ::close(spare_);
}

void ListenerShard::start() { asio::co_spawn(executor_, accept(shared_from_this()), asio::detached); }

void ListenerShard::add(Connection& connection) { connections_.push_back(connection); }

void ListenerShard::drain() {
  draining_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  for (auto at = connections_.begin(); at != connections_.end();) (at++)->drain();
}

void ListenerShard::cut() {
  for (auto at = connections_.begin(); at != connections_.end();) (at++)->cut();
}

void ListenerShard::stop() {
  drain();
  cut();
  deadlines_.stop();
}

void ListenerShard::shed_one() {
  if (spare_ >= 0) ::close(spare_);
  int taken = ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (taken >= 0) ::close(taken);
  spare_ = open_spare();
}

Task<> ListenerShard::accept(std::shared_ptr<ListenerShard> shard) {
  Timer pause(shard->executor_);
  Endpoint4or6 peer;
  while (!shard->draining_) {
    auto [error, socket] = co_await shard->acceptor_.async_accept(peer, use_tuple);
    if (shard->draining_) break;
    if (error) {
      if (!out_of_resources(error)) continue;  // only this client was gone already
      log::warning("accept_failed", {{"listener", shard->listener_->options.name}, {"reason", error.message()}});
      shard->shed_one();
      pause.expires_after(50ms);
      co_await pause.async_wait(use_tuple);
      continue;
    }
    shard->listener_->accepted.add();
    auto address = plain_address(peer.address());
    if (!shard->listener_->admission.enter(address)) {
      shard->listener_->refused.add();
      // Too many are being refused with a response already: this one is closed without.
      if (shard->turning_away_ < 64)
        asio::co_spawn(shard->executor_, turn_away(shard, std::move(socket)), asio::detached);
      continue;
    }
    Connection::start(std::make_shared<Connection>(shard, std::move(socket), address));
  }
}

Task<> ListenerShard::turn_away(std::shared_ptr<ListenerShard> shard, Socket socket) {
  ++shard->turning_away_;
  if (!shard->listener_->options.tls) {
    Wire wire(std::move(socket), shard->deadlines_);
    wire.try_write(full_answer);
    co_await wire.linger(1s);
  }
  --shard->turning_away_;
}

}  // namespace web
