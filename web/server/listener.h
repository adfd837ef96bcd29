// One listener: the state its connections share, and its shard on each thread.
#pragma once

#include <atomic>
#include <boost/asio/ssl/context.hpp>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "web/admission/host_list.h"
#include "web/admission/overload.h"
#include "web/admission/trusted_proxies.h"
#include "web/metrics.h"
#include "web/server/connection.h"
#include "web/server/descriptor_reserve.h"
#include "web/server/dispatch.h"
#include "web/server/lingering_sockets.h"
#include "web/server/listening_socket.h"

namespace web {

using Endpoint4or6 = boost::asio::ip::tcp::endpoint;

// Counts open connections, in total and per client (rate_key); of IPv6 also per /48, which may have twice as many as
// one client. Connections of this machine and of trusted proxies, which represent many clients, count in the total
// only, an eighth of which is theirs alone. Beyond the limit there are a few places for connections that get answers to
// health requests only. Callable from every thread.
class Admission {
 public:
  Admission(std::size_t most, std::size_t max_per_client, const TrustedProxies& trusted)
      : most_(most), max_of_clients_(most - most / 8), max_per_client_(max_per_client), trusted_(trusted) {}
  bool enter(const boost::asio::ip::address&);
  void leave(const boost::asio::ip::address&);
  bool is_full() const { return open_.load(std::memory_order_relaxed) >= most_; }
  bool enter_health_place();
  void leave_health_place();
  // With those in health places.
  std::size_t open() const {
    return open_.load(std::memory_order_relaxed) + in_health_places_.load(std::memory_order_relaxed);
  }

 private:
  bool is_one_client(const boost::asio::ip::address&) const;

  const std::size_t most_, max_of_clients_, max_per_client_;
  const TrustedProxies& trusted_;
  std::atomic<std::size_t> open_{0}, in_health_places_{0};
  std::mutex mutex_;  // protects what follows
  std::size_t of_clients_ = 0;
  std::unordered_map<std::string, std::size_t> by_client_, by_site_;
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
  std::atomic<std::size_t> open_acceptors{0};
  Counter& accepted;
  Counter& refused;
};

// Sent to connections beyond the limit.
extern const std::string_view full_answer;

// The part of a listener that lives on one thread: its acceptor and the connections it accepted.
class ListenerShard : public std::enable_shared_from_this<ListenerShard> {
 public:
  // One of `shards` of this listener.
  ListenerShard(std::shared_ptr<Listener>, boost::asio::io_context&, Acceptor, std::size_t shards);

  void start();  // begins accepting
  // From its own thread only:
  // Accepts what clients have sent so far, then closes the acceptor; has the connections answer what has been sent and
  // close. An inherited socket's queue is left to its next user.
  void drain();
  void cut();   // ends every connection at once
  void stop();  // cuts and ends the shard's work, so that the io_context can run out of work

  Listener& listener() { return *listener_; }
  Deadlines& deadlines() { return deadlines_; }
  Executor executor() { return executor_; }
  BufferPool& spare_buffers() { return spare_buffers_; }
  LoadShedder& shedder() { return shedder_; }
  CostlyLimit& costly_limit() { return costly_limit_; }
  bool draining() const { return draining_; }
  void add(Connection&);
  // Takes over the socket of a connection whose answer has been sent.
  void linger(int socket) { refused_.add(socket, {}); }

 private:
  enum class Accepted { one, none, no_descriptors };
  static Task<> accept(std::shared_ptr<ListenerShard>);
  static Task<> close_acceptor_when_empty(std::shared_ptr<ListenerShard>);
  Accepted accept_one();
  void admit(int socket, const Endpoint4or6& peer, bool from_reserve);
  void close_acceptor();

  std::shared_ptr<Listener> listener_;
  Executor executor_;
  Acceptor acceptor_;
  Timer pause_;  // while no descriptor is free, and before the acceptor closes
  Deadlines deadlines_;
  BufferPool spare_buffers_;
  LoadShedder shedder_;
  CostlyLimit costly_limit_;
  LingeringSockets refused_;
  DescriptorReserve reserve_;
  boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>> connections_;
  Clock::time_point warned_at_{};  // that no descriptor is free
  bool draining_ = false;
};

}  // namespace web
