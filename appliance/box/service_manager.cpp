#include "appliance/box/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace agentbox {

namespace {

std::string taken(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  ::unsetenv(name);
  return text;
}

std::optional<std::int64_t> positive_number(const std::string& text) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [at, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc() && at == end && number > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

ServiceManager ServiceManager::take_from_environment() {
  ServiceManager manager;
  manager.socket_ = taken("NOTIFY_SOCKET");
  const auto pid = taken("WATCHDOG_PID");
  const auto limit = positive_number(taken("WATCHDOG_USEC"));
  if (limit && (pid.empty() || positive_number(pid) == ::getpid()))
    manager.watchdog_pause_ = std::chrono::microseconds(*limit) / 2;
  return manager;
}

void ServiceManager::notify(std::string_view state) const {
  sockaddr_un address{};
  if (socket_.size() < 2 || socket_.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const int file = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  // A manager that cannot be reached any more has nothing to do with the box's work.
  static_cast<void>(
      ::sendto(file, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), size));
  ::close(file);
}

}  // namespace agentbox
