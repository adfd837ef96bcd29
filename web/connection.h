// One client connection: reads requests, has them answered, writes the answers, in order.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <string>

#include "web/head_check.h"
#include "web/http.h"
#include "web/input_buffer.h"
#include "web/response_head.h"
#include "web/server.h"
#include "web/wire.h"

namespace web {

class ListenerShard;
struct BodyRoom;
struct Listener;

// Lives on its shard's thread, as long as its coroutine.
class Connection final
    : public std::enable_shared_from_this<Connection>,
      public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  Connection(std::shared_ptr<ListenerShard>, Socket, boost::asio::ip::address peer);
  ~Connection();
  static void start(std::shared_ptr<Connection>);

  // Ends after the running request, at once when there is none.
  void drain();
  // Closes the socket and cancels whatever the handler waits for.
  void cut();

 private:
  // One request and what has become of it.
  struct Exchange {
    RequestHead head;
    std::string head_bytes;  // a copy, when the body does not lie in the input behind it
    std::string body;        // likewise
    Clock::time_point started = Clock::now();
    int status = 0;
    std::size_t bytes = 0;  // of the answer's body
  };

  Task<> run();
  // Waits for a head; nothing when the connection has to end.
  Task<std::optional<RequestHead>> next_head();
  // Serves the checked request at the front of the input; false when the connection has to end.
  Task<bool> exchange(RequestHead);
  Task<bool> serve(Exchange&);
  void forget_request();
  std::optional<Refusal> parse(Exchange&, std::string_view bytes);
  // What the listener's host router says of the request; an error when it throws.
  std::optional<Result<ProxyTarget>> other_host() const;
  // Takes the head out of the input, so that the body can be read behind it.
  void keep_head(Exchange&);
  // The whole body. A status of 0 says that there is nobody to answer.
  Task<std::optional<Refusal>> receive_body(Exchange&, const BodyRoom&);
  Persistence persistence(const Exchange&) const;

  // Each sends a complete answer; false when the connection has to end.
  Task<bool> send(Exchange&, Response&);
  Task<bool> send_text(Exchange&, const Response&, const std::string& body);
  Task<bool> send_stream(Exchange&, const Response&, const Stream&);
  Task<bool> upgrade(Exchange&, Response&, const Upgrade&);
  Task<bool> relay(Exchange&, ProxyTarget);
  // Has `end` called when the listener drains; at once when it does already.
  void end_at_drain(std::function<void()> end);
  // While a request is served: looks from time to time whether its client is still there. When it has closed, what the
  // handler waits for is cancelled with cancellation_type::total, which reaches only coroutines that have enabled it:
  // those whose work is for the client alone. An endless stream is cut: it may have nothing to write for hours.
  class HangUpWatch final : public Deadline {
   public:
    explicit HangUpWatch(Connection& connection) : connection_(connection) {}

   private:
    void expire() override;
    Connection& connection_;
  };

  // Answers what cannot be served; the connection ends after it. One that is too large learns how much is taken.
  Task<> refuse(Refusal, std::size_t most_body_bytes = 0);

  std::shared_ptr<ListenerShard> shard_;
  Listener& listener_;
  const Limits& limits_;
  Wire wire_;
  const boost::asio::ip::address peer_;
  const std::string peer_name_;
  const bool peer_trusted_;
  InputBuffer input_;
  std::string output_;
  Request request_;
  boost::asio::cancellation_signal cancel_;
  HangUpWatch hang_up_watch_{*this};
  std::function<void()> on_drain_;  // set while what is sent has no end, or is no longer HTTP
  bool waiting_ = false;            // between requests
  bool draining_ = false;
  bool sends_endless_ = false;  // Response::endless
};

}  // namespace web
