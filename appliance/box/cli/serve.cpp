#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "appliance/box/box.h"
#include "appliance/box/cli/commands.h"
#include "appliance/box/summarizer_child.h"
#include "appliance/foundation/settings/settings_table.h"
#include "summarizer/summarizer.h"
#include "web/log.h"

namespace agentbox::cli {

namespace {

// Memory contains secrets, which must not reach the disk in a core file.
void forbid_core_dumps() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifndef AGENTBOX_SANITIZED  // the leak checker traces this process
  prctl(PR_SET_DUMPABLE, 0);
#endif
}

void allow_many_files() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

// The settings hold them now; they need not stay in /proc/PID/environ or reach children.
void clear_secrets_in_environment() {
  for (const auto& setting : settings_table()) {
    char* value = setting.secret ? std::getenv(setting.name.c_str()) : nullptr;
    if (value == nullptr) continue;
    explicit_bzero(value, std::strlen(value));
    unsetenv(setting.name.c_str());
  }
}

void set_log_level(const Settings& settings) {
  using web::log::Level;
  const auto& name = settings.log_level;
  web::log::set_level(name == "debug"     ? Level::debug
                      : name == "warning" ? Level::warning
                      : name == "error"   ? Level::error
                                          : Level::info);
}

// Has the kernel send SIGKILL when the box ends.
void end_with(pid_t box) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != box) raise(SIGKILL);
}

void print_ready(const std::string& url) {
  std::cout << boost::json::serialize(boost::json::object{{"event", "ready"}, {"summarizer", url}}) << std::endl;
}

}  // namespace

int serve(const Settings& settings) {
  const auto sockets = take_activated_sockets();
  auto manager = ServiceManager::take_from_environment();
  clear_secrets_in_environment();
  forbid_core_dumps();
  allow_many_files();
  signal(SIGPIPE, SIG_IGN);
  set_log_level(settings);
  Box box(settings, sockets, std::move(manager));
  return box.serve();
}

int summarizer(const Settings& settings, std::optional<pid_t> box) {
  if (box) end_with(*box);
  signal(SIGPIPE, SIG_IGN);
  set_log_level(settings);
  try {
    ::summarizer::run({.listen = settings.summarizer_listen,
                       .inherited_socket = box ? std::optional(inherited_socket) : std::nullopt,
                       .allow_private = settings.summarizer_allow_private,
                       .cache_bytes = std::size_t{settings.summarizer_cache_mb} << 20,
                       .user_agent = settings.summarizer_user_agent,
                       .on_ready = print_ready,
                       .pay_to = settings.payment_receiver});
  } catch (const std::exception& error) {
    throw UsageError(error.what());
  }
  return 0;
}

}  // namespace agentbox::cli
