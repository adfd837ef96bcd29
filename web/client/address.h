// Which addresses requests of users may make the box connect to.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace web {

// Deny by default: true only for globally routable unicast without a local meaning in a registry or cloud. IPv6 that
// carries an IPv4 address (v4-mapped, NAT64, 6to4) is as public as the address it carries.
bool is_public_address(const boost::asio::ip::address&);

}  // namespace web
