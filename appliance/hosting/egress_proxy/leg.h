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

#include "web/client/dial.h"
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
  web::Task<ErrorCode> read_more(std::size_t block = 64u << 10);
  web::Task<ErrorCode> write(std::string_view);
  // Whether the peer has ended its direction, as servers do with idle connections.
  bool has_ended();
  // Ends this direction; the peer may still send.
  void finish();
  void close();

  web::InputBuffer input;
  std::int64_t bytes_read = 0, bytes_written = 0;

 private:
  Socket socket_;
  std::unique_ptr<boost::asio::ssl::stream<Socket&>> tls_;
};

using web::client_context;
using web::Destination;
using web::dial;
using web::Dialled;

// Of "host:port" or "host"; nothing if it is neither.
std::optional<Destination> destination_of(std::string_view authority, std::string_view scheme);

}  // namespace egress_proxy
