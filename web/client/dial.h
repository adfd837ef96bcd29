// TCP connections to where callers say, under the box's policy: for protocols that libcurl does not speak.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "web/client/call_origin.h"
#include "web/client/outbound.h"
#include "web/result.h"
#include "web/task.h"

namespace web {

struct Destination {
  std::string scheme;  // http, https; tcp: TLS without HTTP in it
  std::string host;    // lower case; IPv6 in brackets
  std::uint16_t port = 0;
  bool operator==(const Destination&) const = default;
};

struct Dialled {
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
  Dialled(Socket connected, Outbound::Passage admitted) : socket(std::move(connected)), passage(std::move(admitted)) {}

  Socket socket;
  Outbound::Passage passage;
};

// Of fetch() with Reach::public_only.
inline constexpr std::uint16_t web_ports[] = {80, 443, 8080, 8443};

// Connects to a destination, after asking the box's policy, within five seconds for each of its addresses.
// `may_be_private`: any address and port; otherwise public addresses, and the given ports, which outlive the call.
Task<Result<Dialled>> dial(CallOrigin, Destination, bool may_be_private,
                           std::span<const std::uint16_t> ports = web_ports);

// Verifies servers with the authorities that fetch() trusts.
std::shared_ptr<boost::asio::ssl::context> client_context(const Destination&);

}  // namespace web
