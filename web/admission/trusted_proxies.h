// The client of a request that passed through reverse proxies.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "web/protocol/http.h"

namespace web {

// Turns v4-mapped IPv6 into IPv4, so that one client has one address on every listener.
boost::asio::ip::address plain_address(const boost::asio::ip::address&);

class TrustedProxies {
 public:
  // Addresses or CIDRs; throws std::runtime_error that names an invalid one.
  explicit TrustedProxies(const std::vector<std::string>& networks);
  // Whether the text is an address or a CIDR.
  static bool is_network(const std::string&);

  bool empty() const { return v4_.empty() && v6_.empty(); }
  bool contains(const boost::asio::ip::address&) const;
  // The rightmost hop of X-Forwarded-For that is not itself trusted; `peer` if there is none. Only for a trusted peer.
  std::string client_of(const Request&, const std::string& peer) const;
  // Whether X-Forwarded-Proto of the nearest proxy is https.
  static bool secure(const Request&);

 private:
  bool add(const std::string& network);  // false: invalid

  std::vector<boost::asio::ip::network_v4> v4_;
  std::vector<boost::asio::ip::network_v6> v6_;
};

}  // namespace web
