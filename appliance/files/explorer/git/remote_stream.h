// The sockets of libgit2 for http and https. They connect only to the addresses of a route, which were checked
// beforehand, and observe a deadline, which libgit2's own sockets do not.
#pragma once

#include "appliance/files/explorer/git/connection.h"

namespace git {

// While it exists, connections of the calling thread use this route and deadline; without one, connections are refused.
// Both arguments must outlive it.
class OnRoute {
 public:
  OnRoute(const Route&, const Deadline&);
  OnRoute(const OnRoute&) = delete;
  ~OnRoute();
};

// Called once, by start_library().
void register_remote_stream();

}  // namespace git
