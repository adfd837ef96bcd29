#include "web/server/server.h"

#include <boost/asio/co_spawn.hpp>
#include <future>

#include "web/log.h"
#include "web/server/listener.h"
#include "web/server/listening_socket.h"
#include "web/server/tls.h"

namespace web {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct Server::Impl {
  struct Open {
    std::shared_ptr<Listener> listener;
    std::vector<std::shared_ptr<ListenerShard>> shards;  // one per thread of the pool
    std::string url;
  };

  using Pending = std::shared_ptr<std::atomic<std::size_t>>;

  // Runs `action` for every shard on its own thread; returns at once. `pending` reaches 0 when all have run.
  static void on_shards_of(const Open& open, void (ListenerShard::*action)(), const Pending& pending) {
    for (auto& shard : open.shards) {
      ++*pending;
      asio::post(shard->executor(), [shard, action, pending] {
        ((*shard).*action)();
        --*pending;
      });
    }
  }
  Pending on_every_shard(void (ListenerShard::*action)()) {
    auto pending = std::make_shared<std::atomic<std::size_t>>(0);
    for (auto& open : listeners) on_shards_of(open, action, pending);
    return pending;
  }
  // Waits for `done`. If the pool is stopped, the last steps of its coroutines run here, so that none refers to objects
  // that are destroyed next.
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
  const auto stopped = impl_->on_every_shard(&ListenerShard::stop);
  impl_->run_until(until, [&] { return *stopped == 0 && impl_->connections() == 0; });
  // A connection leaves the count before its coroutine is destroyed, which takes one more turn of its thread.
  const auto passed = impl_->on_every_shard(&ListenerShard::stop);
  impl_->run_until(until, [&] { return *passed == 0; });
}

void Server::listen(ListenerOptions options) {
  auto& pool = impl_->pool;
  const auto inherited = options.inherited_socket;
  auto endpoint = inherited ? asio::ip::tcp::endpoint() : resolve_listen(options.listen, pool.at(0));
  if (!inherited && endpoint.port() != 0) probe(endpoint, pool.at(0));
  Impl::Open open{.listener = std::make_shared<Listener>(std::move(options)), .shards = {}, .url = {}};
  for (std::size_t i = 0; i < pool.size(); ++i) {
    auto acceptor = inherited ? borrow_acceptor(*inherited, pool.at(i)) : open_shared_acceptor(endpoint, pool.at(i));
    endpoint = acceptor.local_endpoint();
    open.shards.push_back(std::make_shared<ListenerShard>(open.listener, pool.at(i), std::move(acceptor), pool.size()));
  }
  open.url = url_of(endpoint, open.listener->options.tls.has_value());
  for (auto& shard : open.shards) shard->start();
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
  auto settle = [&pause](const Listener& listener, Clock::time_point until) -> Task<> {
    const auto is_done = [&listener] { return listener.admission.open() == 0 && listener.open_acceptors == 0; };
    while (!is_done() && Clock::now() < until) {
      pause.expires_after(5ms);
      co_await pause.async_wait(use_tuple);
    }
  };
  const auto until = Clock::now() + deadline;
  const auto pending = std::make_shared<std::atomic<std::size_t>>(0);
  for (std::size_t i = 0; i < impl_->listeners.size(); ++i) {  // more may be added meanwhile
    const auto open = impl_->listeners[i];
    Impl::on_shards_of(open, &ListenerShard::drain, pending);
    co_await settle(*open.listener, until);
    Impl::on_shards_of(open, &ListenerShard::cut, pending);
    co_await settle(*open.listener, Clock::now() + 2s);
  }
}

}  // namespace web
