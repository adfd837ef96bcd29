#include "appliance/files/explorer/git/traffic.h"

#include <linux/tcp.h>  // not with <netinet/tcp.h>, whose tcp_info ends before these figures
#include <netinet/in.h>
#include <sys/socket.h>

namespace git {

Traffic traffic_of(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  return {.sent = static_cast<std::int64_t>(info.tcpi_bytes_sent),
          .received = static_cast<std::int64_t>(info.tcpi_bytes_received)};
}

}  // namespace git
