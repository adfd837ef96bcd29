// The sockets of libgit2: they connect to the addresses that were judged beforehand and to nothing else, and give up
// when patience is over, which libgit2's own never do.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "appliance/explorer/git/patience.h"

namespace git {

// Where the calling thread's connections may go.
struct Route {
  std::string host;  // as libgit2 will name it: lower case, IPv6 without brackets
  std::uint16_t port = 0;
  std::vector<boost::asio::ip::address> addresses;  // tried in this order
};

// While it lives, and what it was given, this thread's connections go this way; without one, every connection is
// refused.
class OnRoute {
 public:
  OnRoute(const Route&, const Patience&);
  OnRoute(const OnRoute&) = delete;
  ~OnRoute();
};

// Once, by start_library().
void register_remote_stream();

}  // namespace git
