#include "web/server.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <charconv>
#include <future>

#include "web/listener.h"
#include "web/log.h"
#include "web/tls.h"

namespace web {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};

HostPort split(const std::string& listen) {
  auto bad = [&] {
    return std::runtime_error("cannot listen on \"" + listen +
                              "\": give host and port, for example 127.0.0.1:3000 or [::1]:3000");
  };
  auto colon = listen.rfind(':');
  if (colon == std::string::npos || colon == 0) throw bad();
  HostPort result{.host = listen.substr(0, colon)};
  auto* end = listen.data() + listen.size();
  auto parsed = std::from_chars(listen.data() + colon + 1, end, result.port);
  if (parsed.ec != std::errc() || parsed.ptr != end) throw bad();
  if (result.host.starts_with('[') && result.host.ends_with(']')) {
    result.host = result.host.substr(1, result.host.size() - 2);
  } else if (result.host.find(':') != std::string::npos) {
    throw bad();
  }
  return result;
}

tcp::endpoint resolve(const std::string& listen, asio::io_context& context) {
  auto [host, port] = split(listen);
  error_code error;
  auto address = asio::ip::make_address(host, error);
  if (!error) return {address, port};
  tcp::resolver resolver(context);
  auto found = resolver.resolve(host, std::to_string(port), error);
  if (error || found.empty()) throw std::runtime_error("cannot listen on \"" + listen + "\": unknown host " + host);
  return found.begin()->endpoint();
}

std::runtime_error bind_error(const tcp::endpoint& endpoint, const error_code& error) {
  auto port = std::to_string(endpoint.port());
  auto address = endpoint.address().to_string();
  if (error == asio::error::address_in_use) {
    return std::runtime_error("port " + port + " is in use: stop the program that listens on " + address +
                              ", or choose another port (0 picks a free one)");
  }
  if (error == asio::error::access_denied) {
    return std::runtime_error("port " + port + " may not be opened: ports below 1024 need more rights, choose another");
  }
  return std::runtime_error("cannot listen on " + address + " port " + port + ": " + error.message());
}

void check(const tcp::endpoint& endpoint, const error_code& error) {
  if (error) throw bind_error(endpoint, error);
}

// SO_REUSEPORT would let a second box of the same user share the port silently, so it is probed without first.
void probe(const tcp::endpoint& endpoint, asio::io_context& context) {
  error_code error;
  Acceptor acceptor(context.get_executor());
  acceptor.open(endpoint.protocol(), error);
  check(endpoint, error);
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(1, error);
  check(endpoint, error);
}

Acceptor open_acceptor(const tcp::endpoint& endpoint, asio::io_context& context) {
  error_code error;
  Acceptor acceptor(context.get_executor());
  acceptor.open(endpoint.protocol(), error);
  check(endpoint, error);
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  acceptor.set_option(ReusePort(true), error);
  acceptor.set_option(tcp::no_delay(true), error);  // accepted sockets inherit it
  if (endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(false), error);
  acceptor.bind(endpoint, error);
  check(endpoint, error);
  acceptor.listen(4096, error);
  check(endpoint, error);
  return acceptor;
}

// An address that can be connected to from this machine.
std::string url_of(const tcp::endpoint& endpoint, bool tls) {
  auto address = endpoint.address();
  bool any = address.is_unspecified();
  auto host = address.is_v4() ? (any ? "127.0.0.1" : address.to_string())
                              : "[" + (any ? std::string("::1") : address.to_string()) + "]";
  return (tls ? "https://" : "http://") + host + ":" + std::to_string(endpoint.port());
}

}  // namespace

struct Server::Impl {
  struct Open {
    std::shared_ptr<Listener> listener;
    std::vector<std::shared_ptr<Lane>> lanes;  // one for each of the pool's threads
    std::string url;
  };

  // Runs `action` for every lane on its own thread; returns at once. The count reaches 0 when all have run.
  std::shared_ptr<std::atomic<std::size_t>> on_every_lane(void (Lane::*action)()) {
    auto pending = std::make_shared<std::atomic<std::size_t>>(0);
    for (auto& open : listeners) {
      for (auto& lane : open.lanes) {
        ++*pending;
        asio::post(lane->executor(), [lane, action, pending] {
          ((*lane).*action)();
          --*pending;
        });
      }
    }
    return pending;
  }
  // Waits for `done`. A stopped pool runs the last steps of its coroutines here, so that none is left that refers to
  // what dies next.
  void run_until(Clock::time_point until, const std::function<bool()>& done) {
    while (!done() && Clock::now() < until) {
      std::size_t ran = 0;
      for (std::size_t i = 0; !pool.running() && i < pool.size(); ++i) {
        pool.at(i).restart();
        ran += pool.at(i).poll();
      }
      if (ran == 0) std::this_thread::sleep_for(1ms);
    }
  }
  std::size_t connections() const {
    std::size_t sum = 0;
    for (auto& open : listeners) sum += open.listener->admission.open();
    return sum;
  }

  IoPool& pool;
  std::vector<Open> listeners;
};

Server::Server(IoPool& pool) : impl_(new Impl{.pool = pool, .listeners = {}}) {}

Server::~Server() {
  const auto until = Clock::now() + 2s;
  const auto stopped = impl_->on_every_lane(&Lane::stop);
  impl_->run_until(until, [&] { return *stopped == 0 && impl_->connections() == 0; });
  // A connection is counted out before the last of it is gone: its thread has to come round once more.
  const auto passed = impl_->on_every_lane(&Lane::stop);
  impl_->run_until(until, [&] { return *passed == 0; });
}

void Server::listen(ListenerOptions options) {
  auto& pool = impl_->pool;
  auto endpoint = resolve(options.listen, pool.at(0));
  if (endpoint.port() != 0) probe(endpoint, pool.at(0));
  Impl::Open open{.listener = std::make_shared<Listener>(std::move(options)), .lanes = {}, .url = {}};
  for (std::size_t i = 0; i < pool.size(); ++i) {
    auto acceptor = open_acceptor(endpoint, pool.at(i));
    endpoint = acceptor.local_endpoint();
    open.lanes.push_back(std::make_shared<Lane>(open.listener, pool.at(i), std::move(acceptor)));
  }
  open.url = url_of(endpoint, open.listener->options.tls.has_value());
  for (auto& lane : open.lanes) lane->start();
  impl_->listeners.push_back(std::move(open));
}

std::string Server::url(std::string_view listener) const {
  for (auto& open : impl_->listeners) {
    if (open.listener->options.name == listener) return open.url;
  }
  throw std::logic_error("there is no listener " + std::string(listener));
}

void Server::reload_tls() {
  for (auto& open : impl_->listeners) {
    if (!open.listener->options.tls) continue;
    try {
      open.listener->tls = load_tls(*open.listener->options.tls);
      log::info("tls_reloaded", {{"listener", open.listener->options.name}});
    } catch (const std::runtime_error& error) {
      log::error("tls_reload_failed",
                 {{"listener", open.listener->options.name}, {"reason", std::string(error.what())}});
    }
  }
}

Task<> Server::drain(std::chrono::seconds deadline) {
  Timer pause(co_await asio::this_coro::executor);
  auto settle = [&](Clock::duration limit) -> Task<> {
    for (auto until = Clock::now() + limit; impl_->connections() > 0 && Clock::now() < until;) {
      pause.expires_after(5ms);
      co_await pause.async_wait(use_tuple);
    }
  };
  impl_->on_every_lane(&Lane::drain);
  co_await settle(deadline);
  impl_->on_every_lane(&Lane::cut);
  co_await settle(2s);
}

}  // namespace web
