// How much a TCP connection has carried.
#pragma once

#include <cstdint>

namespace git {

struct Traffic {
  std::int64_t sent = 0, received = 0;  // as the kernel counts them: with what TLS or ssh add
};

// Zeros if the descriptor is not a TCP connection.
Traffic traffic_of(int socket);

}  // namespace git
