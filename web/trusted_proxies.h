// Who a request comes from when proxies stand in between.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "web/http.h"

namespace web {

// v4-mapped IPv6 becomes IPv4, so that one client has one name on every listener.
boost::asio::ip::address plain_address(const boost::asio::ip::address&);

class TrustedProxies {
 public:
  // Addresses or CIDRs; throws std::runtime_error naming the one that is neither.
  explicit TrustedProxies(const std::vector<std::string>& networks);
  // Whether that is an address or a CIDR.
  static bool is_network(const std::string&);

  bool empty() const { return v4_.empty() && v6_.empty(); }
  bool contains(const boost::asio::ip::address&) const;
  // The rightmost hop of X-Forwarded-For that is not itself trusted; `peer` when there is none. Only to be asked for a
  // trusted peer.
  std::string client_of(const Request&, const std::string& peer) const;
  // What the nearest proxy says in X-Forwarded-Proto.
  static bool secure(const Request&);

 private:
  bool add(const std::string& network);  // false: it is none

  std::vector<boost::asio::ip::network_v4> v4_;
  std::vector<boost::asio::ip::network_v6> v6_;
};

}  // namespace web
