// The sockets of libgit2, for http and https: they connect to the addresses that were judged beforehand and to nothing
// else, and give up when deadline is over, which libgit2's own never do.
#pragma once

#include "appliance/files/explorer/git/connection.h"

namespace git {

// While it lives, and what it was given, this thread's connections go this way; without one, every connection is
// refused.
class OnRoute {
 public:
  OnRoute(const Route&, const Deadline&);
  OnRoute(const OnRoute&) = delete;
  ~OnRoute();
};

// Once, by start_library().
void register_remote_stream();

}  // namespace git
