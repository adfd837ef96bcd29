#include "web/server/listener.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cstring>

#include "web/admission/rate_limit.h"
#include "web/log.h"
#include "web/server/tls.h"

namespace web {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr int max_accepted_at_once = 64;  // then requests have their turn
constexpr auto pause_without_descriptors = 20ms;
constexpr auto handshake_time = 20ms;     // for handshakes in progress when the acceptor closes
constexpr std::size_t max_reserved = 32;  // descriptors for each listener

// Keeps descriptors free for the store, the agents and outgoing calls.
std::size_t within_descriptors(std::size_t connections) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return connections;
  auto files = static_cast<std::size_t>(limit.rlim_cur);
  return std::min(connections, files - std::min(files / 2, std::max<std::size_t>(files / 8, 64)));
}

// A quarter of the shortest limit, so that none is exceeded by much; at most four times a second.
Clock::duration sweep_period(const Limits& limits) {
  auto shortest = std::min({limits.head_time, limits.body_stall_time, limits.body_time, limits.write_time,
                            limits.idle_time, limits.proxy_connect_time, limits.proxy_answer_time});
  return std::clamp<Clock::duration>(shortest / 4, 5ms, 250ms);
}

bool is_out_of_resources(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

// Of one of several shards.
std::size_t reserved_descriptors(std::size_t shards) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  const auto of_listener = std::min<std::size_t>(max_reserved, static_cast<std::size_t>(limit.rlim_cur) / 64);
  return std::max<std::size_t>(1, of_listener / shards);
}

// The /48 that a site has; empty for IPv4, where rate_key is all there is.
std::string site_key(const asio::ip::address& address) {
  if (address.is_v4()) return {};
  const auto bytes = address.to_v6().to_bytes();
  return {bytes.begin(), bytes.begin() + 6};
}

using Counts = std::unordered_map<std::string, std::size_t>;

std::size_t count_in(const Counts& counts, const std::string& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

void leave_one(Counts& counts, const std::string& key) {
  const auto found = counts.find(key);
  if (found != counts.end() && --found->second == 0) counts.erase(found);
}

}  // namespace

const std::string_view full_answer =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 61\r\nRetry-After: 1\r\n"
    "Connection: close\r\n\r\n{\"error\":\"Too many connections for now.\",\"code\":\"OVERLOADED\"}";

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
  const auto client = rate_key(address.to_string()), site = site_key(address);
  const bool fits = of_clients_ < max_of_clients_ && count_in(by_client_, client) < max_per_client_ &&
                    (site.empty() || count_in(by_site_, site) < 2 * max_per_client_);
  if (!fits) {
    open_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  ++of_clients_;
  ++by_client_[client];
  if (!site.empty()) ++by_site_[site];
  return true;
}

void Admission::leave(const asio::ip::address& address) {
  if (is_one_client(address)) {
    const std::lock_guard lock(mutex_);
    --of_clients_;
    leave_one(by_client_, rate_key(address.to_string()));
    leave_one(by_site_, site_key(address));
  }
  open_.fetch_sub(1, std::memory_order_relaxed);
}

bool Admission::enter_health_place() {
  constexpr std::size_t most = 32;
  if (in_health_places_.fetch_add(1, std::memory_order_relaxed) < most) return true;
  leave_health_place();
  return false;
}

void Admission::leave_health_place() { in_health_places_.fetch_sub(1, std::memory_order_relaxed); }

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

ListenerShard::ListenerShard(std::shared_ptr<Listener> listener, asio::io_context& context, Acceptor acceptor,
                             std::size_t shards)
    : listener_(std::move(listener)),
      executor_(context.get_executor()),
      acceptor_(std::move(acceptor)),
      pause_(executor_),
      deadlines_(executor_, sweep_period(listener_->options.limits)),
      refused_(executor_),
      reserve_(reserved_descriptors(shards)) {}

void ListenerShard::start() {
  ++listener_->open_acceptors;
  asio::co_spawn(executor_, accept(shared_from_this()), asio::detached);
}

void ListenerShard::add(Connection& connection) { connections_.push_back(connection); }

void ListenerShard::drain() {
  if (std::exchange(draining_, true)) return;
  for (auto at = connections_.begin(); at != connections_.end();) (at++)->drain();
  if (listener_->options.inherited_socket) return close_acceptor();
  error_code ignored;
  acceptor_.cancel(ignored);
  pause_.cancel();
  asio::co_spawn(executor_, close_acceptor_when_empty(shared_from_this()), asio::detached);
}

void ListenerShard::cut() {
  for (auto at = connections_.begin(); at != connections_.end();) (at++)->cut();
}

void ListenerShard::stop() {
  draining_ = true;
  pause_.cancel();
  close_acceptor();
  cut();
  refused_.stop();
  deadlines_.stop();
}

void ListenerShard::close_acceptor() {
  if (!acceptor_.is_open()) return;
  error_code ignored;
  acceptor_.close(ignored);
  --listener_->open_acceptors;
}

Task<> ListenerShard::accept(std::shared_ptr<ListenerShard> shard) {
  while (!shard->draining_) {
    auto last = Accepted::one;
    for (int count = 0; last == Accepted::one && count < max_accepted_at_once; ++count) last = shard->accept_one();
    if (last == Accepted::no_descriptors) {
      shard->pause_.expires_after(pause_without_descriptors);
      co_await shard->pause_.async_wait(use_tuple);
    } else {
      co_await shard->acceptor_.async_wait(Acceptor::wait_read, use_tuple);
    }
  }
}

// A connection is lost if its client believes it is open and the acceptor closes. Therefore new clients are kept
// waiting, which try again within a second, while handshakes in progress end.
Task<> ListenerShard::close_acceptor_when_empty(std::shared_ptr<ListenerShard> shard) {
  if (shard->acceptor_.is_open() && ignore_new_clients(shard->acceptor_)) {
    shard->pause_.expires_after(handshake_time);
    co_await shard->pause_.async_wait(use_tuple);
  }
  for (int count = 0; count < 2 * longest_queue && shard->accept_one() == Accepted::one; ++count) {
  }
  shard->close_acceptor();
}

ListenerShard::Accepted ListenerShard::accept_one() {
  if (!acceptor_.is_open()) return Accepted::none;
  Endpoint4or6 peer;
  const auto take = [this, &peer] {
    auto size = static_cast<socklen_t>(peer.capacity());
    return ::accept4(acceptor_.native_handle(), peer.data(), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  };
  reserve_.refill();
  int socket = take();
  int reason = errno;
  bool from_reserve = false;
  if (socket < 0 && is_out_of_resources(reason)) {
    if (const auto now = Clock::now(); now - warned_at_ >= 1s) {
      log::warning("accept_failed", {{"listener", listener_->options.name}, {"reason", std::strerror(reason)}});
      warned_at_ = now;
    }
    // Clients that were refused and do not close would hold up the next ones for as long as their sockets linger.
    from_reserve = reserve_.release() || refused_.close_oldest();
    if (!from_reserve) return Accepted::no_descriptors;
    socket = take();
    reason = errno;
    if (socket < 0) reserve_.refill();  // nobody was waiting, or another thread was faster
  }
  if (socket < 0) {
    if (reason == EAGAIN) return Accepted::none;
    return is_out_of_resources(reason) || reason == EBADF || reason == EINVAL ? Accepted::no_descriptors
                                                                              : Accepted::one;
  }
  admit(socket, peer, from_reserve);
  return Accepted::one;
}

void ListenerShard::admit(int handle, const Endpoint4or6& peer, bool from_reserve) {
  listener_->accepted.add();
  auto& admission = listener_->admission;
  const auto address = plain_address(peer.address());
  auto place = Connection::Place::regular;
  if (from_reserve || !admission.enter(address)) {
    listener_->refused.add();
    const bool may_ask_for_health = (from_reserve || admission.is_full()) && admission.enter_health_place();
    if (!may_ask_for_health) return refused_.add(handle, listener_->options.tls ? std::string_view() : full_answer);
    place = Connection::Place::health_only;
  }
  Socket socket(executor_);
  error_code error;
  socket.assign(peer.protocol(), handle, error);
  if (error) {
    ::close(handle);
    if (place == Connection::Place::regular)
      admission.leave(address);
    else
      admission.leave_health_place();
    return;
  }
  Connection::start(std::make_shared<Connection>(shared_from_this(), std::move(socket), address, place));
}

}  // namespace web
