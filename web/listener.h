// One listener: the state its connections share, and its shard on each thread.
#pragma once

#include <atomic>
#include <boost/asio/ssl/context.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "web/connection.h"
#include "web/dispatch.h"
#include "web/host_list.h"
#include "web/listening_socket.h"
#include "web/metrics.h"
#include "web/trusted_proxies.h"

namespace web {

using Endpoint4or6 = boost::asio::ip::tcp::endpoint;

// Counts open connections, in total and per client (rate_key). Connections of this machine and of trusted proxies,
// which represent many clients, count in the total only. Callable from every thread.
class Admission {
 public:
  Admission(std::size_t most, std::size_t most_per_client, const TrustedProxies& trusted)
      : most_(most), most_per_client_(most_per_client), trusted_(trusted) {}
  bool enter(const boost::asio::ip::address&);
  void leave(const boost::asio::ip::address&);
  std::size_t open() const { return open_.load(std::memory_order_relaxed); }

 private:
  bool is_one_client(const boost::asio::ip::address&) const;

  const std::size_t most_, most_per_client_;
  const TrustedProxies& trusted_;
  std::atomic<std::size_t> open_{0};
  std::mutex mutex_;  // protects by_client_
  std::unordered_map<std::string, std::size_t> by_client_;
};

// The state all threads share.
struct Listener {
  explicit Listener(ListenerOptions);

  const ListenerOptions options;
  Dispatcher dispatcher;
  const TrustedProxies trusted;
  const HostList hosts;
  std::atomic<std::shared_ptr<boost::asio::ssl::context>> tls;  // null: no TLS
  Admission admission;
  Counter& accepted;
  Counter& refused;
};

// The part of a listener that lives on one thread: its acceptor and the connections it accepted.
class ListenerShard : public std::enable_shared_from_this<ListenerShard> {
 public:
  ListenerShard(std::shared_ptr<Listener>, boost::asio::io_context&, Acceptor);

  void start();  // begins accepting
  // From its own thread only:
  void drain();  // stops accepting, closes idle connections, lets the rest finish
  void cut();    // ends every connection at once
  void stop();   // cuts and ends the shard's work, so that the io_context can run out of work

  Listener& listener() { return *listener_; }
  Deadlines& deadlines() { return deadlines_; }
  Executor executor() { return executor_; }
  bool draining() const { return draining_; }
  void add(Connection&);

 private:
  static Task<> accept(std::shared_ptr<ListenerShard>);
  static Task<> turn_away(std::shared_ptr<ListenerShard>, Socket);
  // Closes one pending connection although no descriptor is free.
  void shed_one();

  std::shared_ptr<Listener> listener_;
  Executor executor_;
  Acceptor acceptor_;
  Deadlines deadlines_;
  boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>> connections_;
  bool draining_ = false;
  int turning_away_ = 0;
  int spare_;  // a spare descriptor, for shed_one
 public:
  ~ListenerShard();
};

}  // namespace web
