#include "appliance/hosting/agents/provisioning/ports.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "appliance/foundation/descriptor.h"
#include "appliance/hosting/agents/records.h"

namespace agents {

web::Error no_free_port() {
  auto error = web::unavailable("Every port of AGENT_PORT_RANGE is taken: this box has room for no further agent.");
  error.code = "NO_FREE_PORT";
  return error;
}

Ports::Ports(store::System system, std::uint16_t first, std::uint16_t last)
    : system_(std::move(system)), first_(first), size_(last >= first ? std::uint32_t(last - first) + 1 : 0) {}

std::optional<std::uint16_t> Ports::find() {
  for (std::uint32_t tried = 0; tried < size_; ++tried) {
    const auto port = std::uint16_t(first_ + next_.fetch_add(1, std::memory_order_relaxed) % size_);
    if (!system_.find_unique(records, "port", std::int64_t(port)) && bindable(port)) return port;
  }
  return {};
}

bool Ports::bindable(std::uint16_t port) {
  files::Descriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!probe) return false;
  // Like the agent itself: ports in TIME_WAIT are free.
  const int yes = 1;
  ::setsockopt(probe.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace agents
