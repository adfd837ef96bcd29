// Which addresses the box may be talked into connecting to.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace web {

// Deny by default: true only for globally routable unicast that no registry or cloud has given a local meaning.
// IPv6 that carries an IPv4 address (v4-mapped, NAT64, 6to4) is as public as the address it carries.
bool is_public_address(const boost::asio::ip::address&);

}  // namespace web
