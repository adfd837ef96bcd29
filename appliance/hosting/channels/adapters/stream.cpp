#include "appliance/hosting/channels/adapters/stream.h"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/system/system_error.hpp>

#include "web/ascii.h"
#include "web/client/fetch_url.h"

namespace channels {

namespace {

constexpr std::size_t longest_line = 256u << 10, read_at_once = 8u << 10;
constexpr std::chrono::seconds handshake_time{15}, write_time{60};

bool has_port(std::span<const std::uint16_t> ports, std::uint16_t port) { return std::ranges::count(ports, port) > 0; }

std::string port_names(const ServerPorts& ports) {
  std::string names;
  for (const auto list : {ports.secure, ports.others})
    for (const auto port : list) names += (names.empty() ? "" : ", ") + std::to_string(port);
  return names;
}

// Closes the connection unless the work is done in time.
class Deadline {
 public:
  Deadline(egress_proxy::Leg& leg, const web::Executor& executor, std::chrono::milliseconds time)
      : timer_(executor, time) {
    timer_.async_wait([&leg](boost::system::error_code cancelled) {
      if (!cancelled) leg.close();
    });
  }

 private:
  web::Timer timer_;
};

}  // namespace

web::Result<ServerAddress> server_address(std::string_view field, const std::string& text, const ServerPorts& ports,
                                          web::Reach reach) {
  const auto name = std::string(field);
  std::string_view rest = web::trim(text);
  ServerAddress server;
  const bool is_tls = rest.starts_with("tls://"), is_command = rest.starts_with("starttls://");
  if (is_tls || is_command) rest.remove_prefix(rest.find("//") + 2);
  if (rest.empty()) return web::invalid(name + " is required: the server's name, such as mail.example.org");
  const auto address = "https://" + std::string(rest);
  const bool is_only_host = rest.find_first_of("/?#@ ") == rest.npos;
  const auto parsed = web::parse_fetch_url(address);
  if (!is_only_host || !parsed)
    return web::invalid(name + " must be a server's name, with :port if it is not the usual");
  server.host = parsed->host;
  const auto bracket = rest.rfind(']');
  const auto colon = rest.rfind(':');
  const bool gives_port = colon != rest.npos && (bracket == rest.npos || colon > bracket);
  server.port = gives_port ? parsed->port_number() : ports.usual;
  const bool is_private = web::is_private_host(*parsed);
  if (reach == web::Reach::public_only) {
    if (is_private)
      return web::invalid(name + " must not be a loopback or private address: this box does not connect to those");
    if (!has_port(ports.secure, server.port) && !has_port(ports.others, server.port))
      return web::invalid(name + " must have one of the ports " + port_names(ports));
  }
  if (is_tls || (!is_command && has_port(ports.secure, server.port)))
    server.encryption = Encryption::from_the_start;
  else if (is_command || !web::is_inside(server.host))
    server.encryption = Encryption::by_command;
  else
    server.encryption = Encryption::offered;
  return server;
}

Stream::Stream(egress_proxy::Dialled dialled, ServerAddress server)
    : leg_(std::move(dialled.socket)),
      passage_(std::move(dialled.passage)),
      server_(std::move(server)),
      turn_(leg_.socket().get_executor(), web::Timer::time_point::max()) {}

Stream::~Stream() {
  passage_.add_bytes(leg_.bytes_written, leg_.bytes_read);
  leg_.close();
}

web::Task<web::Result<std::unique_ptr<Stream>>> Stream::open(web::CallOrigin origin, ServerAddress server,
                                                             web::Reach reach) {
  egress_proxy::Destination to{.scheme = "tcp", .host = server.host, .port = server.port};
  // server_address() has held the port against those of the kind.
  const std::uint16_t ports[] = {server.port};
  const bool may_be_private = reach != web::Reach::public_only;
  auto dialled = co_await egress_proxy::dial(std::move(origin), std::move(to), may_be_private, ports);
  if (!dialled) co_return dialled.error();
  auto stream = std::make_unique<Stream>(std::move(*dialled), std::move(server));
  if (stream->server_.encryption == Encryption::from_the_start) {
    const auto secured = co_await stream->start_tls();
    if (!secured) co_return secured.error();
  }
  co_return stream;
}

web::Task<web::Result<void>> Stream::start_tls() {
  if (!leg_.input.empty()) co_return web::bad_gateway(server_.host + " sent more before the connection was encrypted.");
  const auto context = egress_proxy::client_context({.scheme = "tcp", .host = server_.host, .port = server_.port});
  auto name = server_.certified.empty() ? server_.host : server_.certified;
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  boost::system::error_code failed;
  {
    const Deadline deadline(leg_, leg_.socket().get_executor(), handshake_time);
    failed = co_await leg_.start_tls(*context, name);
  }
  if (failed)
    co_return web::bad_gateway("No secure connection to " + server_.host + " could be made: " + failed.message() + ".");
  co_return web::Result<void>();
}

web::Error Stream::broken(const boost::system::error_code& failed) const {
  if (failed == boost::asio::error::eof) return web::bad_gateway(server_.host + " closed the connection.");
  return web::bad_gateway("The connection to " + server_.host + " broke: " + failed.message() + ".");
}

web::Task<web::Result<void>> Stream::read_more(std::chrono::milliseconds time) {
  using namespace boost::asio::experimental::awaitable_operators;
  auto reading = leg_.read_more(read_at_once);
  auto waiting = web::sleep_for(time);
  const auto first = co_await (std::move(reading) || std::move(waiting));
  if (first.index() == 1)
    co_return web::Error{.kind = web::Kind::timeout, .message = server_.host + " gave no answer in time."};
  const auto failed = std::get<0>(first);
  if (failed) co_return broken(failed);
  co_return web::Result<void>();
}

web::Task<web::Result<std::string>> Stream::read_line(std::chrono::milliseconds time) {
  std::size_t searched = 0;
  for (;;) {
    const auto there = leg_.input.view();
    const auto end = there.find('\n', searched);
    if (end != there.npos) {
      std::string line(there.substr(0, end));
      if (line.ends_with('\r')) line.pop_back();
      leg_.input.consume(end + 1);
      co_return line;
    }
    if (there.size() > longest_line) co_return web::bad_gateway(server_.host + " sent a line that is too long.");
    searched = there.size();
    const auto more = co_await read_more(time);
    if (!more) co_return more.error();
  }
}

web::Task<web::Result<std::string>> Stream::read_bytes(std::size_t count, std::chrono::milliseconds time) {
  std::string bytes;
  while (bytes.size() < count) {
    if (leg_.input.empty()) {
      const auto more = co_await read_more(time);
      if (!more) co_return more.error();
    }
    const auto piece = leg_.input.view().substr(0, count - bytes.size());
    bytes.append(piece);
    leg_.input.consume(piece.size());
  }
  co_return bytes;
}

web::Task<web::Result<std::string>> Stream::read_some(std::chrono::milliseconds time) {
  if (leg_.input.empty()) {
    const auto more = co_await read_more(time);
    if (!more) co_return more.error();
  }
  std::string bytes(leg_.input.view());
  leg_.input.consume(bytes.size());
  co_return bytes;
}

web::Task<web::Result<void>> Stream::write(std::string bytes) {
  while (is_writing_) {
    boost::system::error_code woken;
    co_await turn_.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
  is_writing_ = true;
  boost::system::error_code failed;
  {
    const Deadline deadline(leg_, leg_.socket().get_executor(), write_time);
    failed = co_await leg_.write(bytes);
  }
  is_writing_ = false;
  turn_.cancel();
  if (failed) co_return broken(failed);
  co_return web::Result<void>();
}

void Stream::close() { leg_.close(); }

}  // namespace channels
