#include "appliance/box/socket_activation.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "appliance/foundation/settings/settings.h"

namespace agentbox {

namespace {

constexpr int first_descriptor = 3;  // SD_LISTEN_FDS_START
constexpr std::array<std::string_view, 4> listener_names{"web", "backend", "summarizer", "redirect"};
constexpr int unnamed_listeners = 3;  // the first of them
constexpr auto activation_variables = {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"};

std::string read_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::vector<std::string_view> split_names(std::string_view names) {
  std::vector<std::string_view> parts;
  while (!names.empty()) {
    const auto colon = std::min(names.find(':'), names.size());
    parts.push_back(names.substr(0, colon));
    names.remove_prefix(std::min(colon + 1, names.size()));
  }
  return parts;
}

bool is_listening(int descriptor) {
  int listens = 0, domain = 0, type = 0;
  socklen_t size = sizeof listens;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0 &&
         ::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
         (domain == AF_INET || domain == AF_INET6) &&
         ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

}  // namespace

ActivatedSockets named_sockets(int first, int count, std::string_view names) {
  auto given = split_names(names);
  const auto is_known = [](std::string_view name) {
    return std::ranges::find(listener_names, name) != listener_names.end();
  };
  if (std::ranges::none_of(given, is_known)) {
    if (count > unnamed_listeners)
      throw UsageError("LISTEN_FDS is " + std::to_string(count) +
                       ": name each socket web, backend, summarizer or redirect in LISTEN_FDNAMES");
    given.assign(listener_names.begin(), listener_names.begin() + count);
  }
  if (given.size() != static_cast<std::size_t>(count))
    throw UsageError("LISTEN_FDNAMES has " + std::to_string(given.size()) + " names for " + std::to_string(count) +
                     " sockets: name each of them web, backend, summarizer or redirect");
  ActivatedSockets sockets;
  const std::array places{&sockets.web, &sockets.backend, &sockets.summarizer, &sockets.redirect};
  for (std::size_t at = 0; at < given.size(); ++at) {
    const auto known = std::ranges::find(listener_names, given[at]);
    if (known == listener_names.end() || *places[static_cast<std::size_t>(known - listener_names.begin())])
      throw UsageError("LISTEN_FDNAMES has \"" + std::string(given[at]) +
                       "\" unexpectedly: it names web, backend, summarizer and redirect, each at most once");
    const int descriptor = first + static_cast<int>(at);
    if (!is_listening(descriptor))
      throw UsageError("LISTEN_FDS: descriptor " + std::to_string(descriptor) + " is not a listening TCP socket");
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    *places[static_cast<std::size_t>(known - listener_names.begin())] = descriptor;
  }
  return sockets;
}

ActivatedSockets take_activated_sockets() {
  const auto meant_for = whole_number(read_variable("LISTEN_PID"));
  const auto count = read_variable("LISTEN_FDS"), names = read_variable("LISTEN_FDNAMES");
  for (const auto* name : activation_variables) ::unsetenv(name);
  if (meant_for != ::getpid() || count.empty()) return {};
  const auto number = whole_number(count);
  if (!number) throw UsageError("LISTEN_FDS must be a number");
  return named_sockets(first_descriptor, *number, names);
}

}  // namespace agentbox
