// One side of the proxy: a TCP connection, with or without TLS.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "web/client/call_origin.h"
#include "web/client/outbound.h"
#include "web/result.h"
#include "web/server/input_buffer.h"
#include "web/task.h"

namespace egress_proxy {

using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, web::Executor>;
using ErrorCode = boost::system::error_code;

class Leg {
 public:
  explicit Leg(Socket socket) : socket_(std::move(socket)) {}

  Socket& socket() { return socket_; }
  bool is_secure() const { return tls_ != nullptr; }

  web::Task<ErrorCode> accept_tls(boost::asio::ssl::context&);
  // Checks the certificate for this host.
  web::Task<ErrorCode> start_tls(boost::asio::ssl::context&, const std::string& host);
  // Reads some more into `input`.
  web::Task<ErrorCode> read_more();
  web::Task<ErrorCode> write(std::string_view);
  // Ends this direction; the peer may still send.
  void finish();
  void close();

  web::InputBuffer input;
  std::int64_t bytes_read = 0, bytes_written = 0;

 private:
  Socket socket_;
  std::unique_ptr<boost::asio::ssl::stream<Socket&>> tls_;
};

struct Destination {
  std::string scheme;  // http, https
  std::string host;    // lower case
  std::uint16_t port = 0;
  bool operator==(const Destination&) const = default;
};

// Of "host:port" or "host"; nothing if it is neither.
std::optional<Destination> destination_of(std::string_view authority, std::string_view scheme);

// Connects to a destination, after asking the box's policy and for addresses
// that fetch() would connect to, too. `may_be_private`: any address and port.
struct Dialled {
  Dialled(Socket connected, web::Outbound::Passage admitted)
      : socket(std::move(connected)), passage(std::move(admitted)) {}

  Socket socket;
  web::Outbound::Passage passage;
};
web::Task<web::Result<Dialled>> dial(web::CallOrigin, Destination, bool may_be_private);

// Verifies servers with the machine's authorities.
std::shared_ptr<boost::asio::ssl::context> client_context(const Destination&);

}  // namespace egress_proxy
