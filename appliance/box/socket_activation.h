// Listening sockets that the program that starts the box has opened (systemd's LISTEN_FDS protocol). Connections wait
// in their queues while the box restarts, so that none is lost.
#pragma once

#include <optional>
#include <string_view>

namespace agentbox {

// Descriptors, open as long as the process runs. A listener without one opens its own socket.
struct ActivatedSockets {
  std::optional<int> web, backend, summarizer;
  std::optional<int> redirect;  // used with HTTP_REDIRECT_LISTEN only
};

// The sockets that LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES describe, closed on exec; none if they are meant for
// another process. Removes these variables from the environment. Throws UsageError if a descriptor is not a listening
// TCP socket or the names do not fit. Call it before there are threads.
ActivatedSockets take_activated_sockets();

// `count` descriptors from `first` on. `names`: web, backend, summarizer or redirect for each, separated by colons; if
// none of them is known, as with systemd's default, the descriptors are for the first three of these in this order.
ActivatedSockets named_sockets(int first, int count, std::string_view names);

}  // namespace agentbox
