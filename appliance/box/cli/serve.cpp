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
#include "summarizer/summarizer.h"
#include "web/log.h"

namespace agentbox::cli {

namespace {

// Secrets are in memory: they must not reach a disk in a core file.
void forbid_core_dumps() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifndef AGENTBOX_SANITIZED  // the leak checker reads this process as a debugger would
  prctl(PR_SET_DUMPABLE, 0);
#endif
}

void allow_many_files() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

// The settings hold them now: neither /proc/PID/environ nor a child has to.
void forget_secrets_of_the_environment() {
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

// SIGKILL when the box has ended, however it ended.
void end_with(pid_t box) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != box) raise(SIGKILL);
}

void say_ready(const std::string& url) {
  std::cout << boost::json::serialize(boost::json::object{{"event", "ready"}, {"summarizer", url}}) << std::endl;
}

}  // namespace

int serve(const Settings& settings) {
  forget_secrets_of_the_environment();
  forbid_core_dumps();
  allow_many_files();
  signal(SIGPIPE, SIG_IGN);
  set_log_level(settings);
  Box box(settings);
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
                       .on_ready = say_ready});
  } catch (const std::exception& error) {
    throw UsageError(error.what());
  }
  return 0;
}

}  // namespace agentbox::cli
