// A connection of providers that do not speak HTTP: TCP with or without TLS, read by lines or as it comes.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "appliance/hosting/egress_proxy/leg.h"
#include "web/client/call_origin.h"
#include "web/client/fetch.h"
#include "web/result.h"
#include "web/task.h"

namespace channels {

// How the connection is encrypted. `offered`: to a loopback address only, and only if the server offers it.
enum class Encryption { from_the_start, by_command, offered };

struct ServerAddress {
  std::string host;  // lower case, ASCII; IPv6 in brackets
  std::uint16_t port = 0;
  Encryption encryption = Encryption::from_the_start;
  std::string certified;  // the name that its certificate must have; empty: the host
};

// What a kind of server is reached at.
struct ServerPorts {
  std::uint16_t usual = 0;
  std::span<const std::uint16_t> secure, others;  // with TLS from the start; where TLS begins by a command
};

// Of "host" or "host:port", with "tls://" or "starttls://" before it where the port does not say which. invalid, naming
// the field: no such address, or one that this reach does not have.
web::Result<ServerAddress> server_address(std::string_view field, const std::string& text, const ServerPorts&,
                                          web::Reach);

// On one thread; one reader and any number of writers at a time. Errors are sentences.
class Stream {
 public:
  // With TLS if it is there from the start.
  static web::Task<web::Result<std::unique_ptr<Stream>>> open(web::CallOrigin, ServerAddress, web::Reach);
  Stream(egress_proxy::Dialled, ServerAddress);
  ~Stream();

  // bad_gateway also if the server has sent more before TLS, which could be anybody's.
  web::Task<web::Result<void>> start_tls();
  // Without its line end. timeout: nothing is lost, and the next call goes on.
  web::Task<web::Result<std::string>> read_line(std::chrono::milliseconds);
  web::Task<web::Result<std::string>> read_bytes(std::size_t count, std::chrono::milliseconds);
  // What there is; at least one byte.
  web::Task<web::Result<std::string>> read_some(std::chrono::milliseconds);
  // Writers take turns.
  web::Task<web::Result<void>> write(std::string);
  void close();

  bool is_secure() const { return leg_.is_secure(); }
  bool must_be_secure() const { return server_.encryption != Encryption::offered; }
  const ServerAddress& server() const { return server_; }

 private:
  web::Task<web::Result<void>> read_more(std::chrono::milliseconds);
  web::Error broken(const boost::system::error_code&) const;

  egress_proxy::Leg leg_;
  web::Outbound::Passage passage_;
  const ServerAddress server_;
  web::Timer turn_;  // woken when a writer is done
  bool is_writing_ = false;
};

}  // namespace channels
