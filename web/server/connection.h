// One client connection: reads requests, dispatches them and writes the responses, in order.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <string>

#include "web/admission/overload.h"
#include "web/protocol/head_check.h"
#include "web/protocol/http.h"
#include "web/protocol/response_head.h"
#include "web/server/request_buffers.h"
#include "web/server/server.h"
#include "web/server/wire.h"

namespace web {

class ListenerShard;
struct BodyRoom;
struct Listener;

// Lives on its shard's thread, for as long as its coroutine runs.
class Connection final
    : public std::enable_shared_from_this<Connection>,
      public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  // A connection beyond the limit that has one of the places for health requests; other requests get 503.
  enum class Place { regular, health_only };
  Connection(std::shared_ptr<ListenerShard>, Socket, boost::asio::ip::address peer, Place = Place::regular);
  ~Connection();
  static void start(std::shared_ptr<Connection>);

  // Closes the connection after the request in progress. One that waits for a request still gets an answer to what it
  // has sent, or sends within a moment.
  void drain();
  // Closes the socket and cancels the handler.
  void cut();

 private:
  // One request and its result.
  struct Exchange {
    RequestHead head;
    std::string head_bytes;  // a copy, if the body does not follow it in the input
    std::string body;        // likewise
    Clock::time_point started = Clock::now();
    int status = 0;
    std::size_t bytes = 0;  // of the response body
  };

  Task<> run();
  // Waits for a head. Returns nothing if the connection must close.
  Task<std::optional<RequestHead>> next_head();
  // Waits for the first bytes of a request. Without TLS it holds no buffers meanwhile.
  Task<bool> first_bytes();
  Clock::duration idle_time() const;
  Request& request() const { return buffers_->request; }
  InputBuffer& input() const { return buffers_->input; }
  std::string& output() const { return buffers_->output; }
  // Serves the checked request at the front of the input. Returns false if the connection must close.
  Task<bool> exchange(RequestHead);
  Task<bool> serve(Exchange&);
  // The same for a row that streams its body.
  Task<bool> serve_stream(Exchange&, const BodyRoom&);
  void forget_request();
  std::optional<Refusal> parse(Exchange&, std::string_view bytes);
  // The result of the listener's host router; an error if it throws.
  bool is_known_host();
  std::optional<Result<ProxyTarget>> other_host() const;
  // Moves the head out of the input, so that the body can be read after it.
  void keep_head(Exchange&);
  // Reads the whole body. A status of 0 means that the client is gone.
  Task<std::optional<Refusal>> receive_body(Exchange&, const BodyRoom&);
  Persistence persistence(const Exchange&) const;

  // Each sends a complete response. Returns false if the connection must close.
  Task<bool> send(Exchange&, Response&);
  Task<bool> send_text(Exchange&, const Response&, const std::string& body);
  Task<bool> send_stream(Exchange&, const Response&, const Stream&);
  Task<bool> upgrade(Exchange&, Response&, const Upgrade&);
  Task<bool> relay(Exchange&, ProxyTarget);
  // Calls `end` when the listener drains, or at once if it already does.
  void end_at_drain(std::function<void()> end);
  // Checks regularly, while a request is served, whether its client is still connected. If it has disconnected, the
  // handler is cancelled with cancellation_type::total, which reaches only coroutines that have enabled it: those whose
  // work is for the client alone. An endless stream is cut, since it may have nothing to write for hours.
  class HangUpWatch final : public Deadline {
   public:
    explicit HangUpWatch(Connection& connection) : connection_(connection) {}

   private:
    void expire() override;
    Connection& connection_;
  };

  // Whether to refuse the parsed request, so that others are answered in time.
  bool is_shed(Clock::time_point now);
  Task<> pause_after_shedding();
  // Held while a costly request is served; empty for others.
  std::optional<CostlyLimit::Place> place_of_request();
  // After a handler has refused for load (503): the client's next request waits for its turn.
  void pace(const Exchange&);

  // Refuses an invalid request; the connection closes after it. `max_body_bytes` is the limit to report for a body
  // that is too large.
  Task<> refuse(Refusal, std::size_t max_body_bytes = 0);

  std::shared_ptr<ListenerShard> shard_;
  Listener& listener_;
  const Limits& limits_;
  Wire wire_;
  const boost::asio::ip::address peer_;
  const std::string peer_name_;
  const bool peer_trusted_;
  const Place place_;
  std::unique_ptr<RequestBuffers> buffers_;  // null between requests
  boost::asio::cancellation_signal cancel_;
  HangUpWatch hang_up_watch_{*this};
  std::function<void()> on_drain_;    // set while the response is endless or no longer HTTP
  Clock::time_point paused_until_{};  // after a request was shed
  bool waiting_ = false;              // between requests
  bool draining_ = false;
  bool sends_endless_ = false;  // Response::endless
};

}  // namespace web
