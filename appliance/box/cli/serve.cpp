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
#include "appliance/box/cli/setup/own_authority.h"
#include "appliance/box/crash_record.h"
#include "appliance/box/rollback.h"
#include "appliance/box/run_as.h"
#include "appliance/box/start_banner.h"
#include "appliance/box/summarizer_child.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/outbound_policy.h"
#include "appliance/foundation/settings/settings_table.h"
#include "store/engine.h"
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

void set_up_log(const Settings& settings) {
  using web::log::Level;
  web::log::set_format(log_format(settings));
  const auto& name = settings.log_level;
  web::log::set_level(name == "debug"     ? Level::debug
                      : name == "warning" ? Level::warning
                      : name == "error"   ? Level::error
                                          : Level::info);
}

// A certificate of the box's own authority that ends soon. A box that cannot renew it serves all the same.
void renew_own_certificate(const Settings& settings) {
  const OwnAuthority authority(DataFolder(settings.data));
  try {
    if (!authority.needs_renewal(settings)) return;
    authority.renew();
    web::log::info("certificate_renewed", {{"file", authority.server.string()}});
  } catch (const UsageError& error) {
    web::log::warning("certificate_not_renewed", {{"reason", error.what()}});
  }
}

// Has the kernel send SIGKILL when the box ends.
void end_with(pid_t box) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != box) raise(SIGKILL);
}

DataFolder prepared_folder(const Settings& settings) {
  DataFolder folder(std::filesystem::absolute(settings.data).lexically_normal());
  folder.prepare();
  return folder;
}

void print_ready(const std::string& url) {
  std::cout << boost::json::serialize(boost::json::object{{"event", "ready"}, {"summarizer", url}}) << std::endl;
}

}  // namespace

bool set_up(const Settings& settings, const SetUpOptions& options) {
  const DataFolder folder(std::filesystem::absolute(settings.data).lexically_normal());
  if (std::filesystem::exists(folder.config_file()) || std::filesystem::exists(folder.store())) return false;
  const auto& path = folder.path().string();
  if (!options.is_wanted)
    throw UsageError("there is no box in " + path + ": check --data, or run agentbox init --data " + path +
                     " --email EMAIL first (agentbox serve --init does both)");
  InitOptions admin = options.admin;
  if (admin.email.empty() && !settings.admin_emails.empty()) admin.email = settings.admin_emails.front();
  if (admin.email.empty()) throw UsageError("--init needs --email, the address of the admin");
  init(settings, admin, std::cerr);
  return true;
}

int serve(const Settings& settings, const SettingSources& sources) {
  auto sockets = take_activated_sockets();
  auto manager = ServiceManager::take_from_environment();
  clear_secrets_in_environment();
  allow_many_files();
  signal(SIGPIPE, SIG_IGN);
  set_up_log(settings);
  run_as_user(settings, sockets);
  forbid_core_dumps();  // a change of user undoes it
  web::outbound().set_policy(outbound_policy(settings));
  renew_own_certificate(settings);
  const CrashRecord record(prepared_folder(settings));
  try {
    Box box(settings, sockets, sources, std::move(manager));
    return box.serve();
  } catch (const store::Unavailable& error) {
    const auto advice = rollback_advice(DataFolder(settings.data));
    throw UsageError(advice.empty() ? error.what() : std::string(error.what()) + "; " + advice);
  }
}

int summarizer(const Settings& settings, std::optional<pid_t> box) {
  if (box) end_with(*box);
  signal(SIGPIPE, SIG_IGN);
  set_up_log(settings);
  web::outbound().set_policy(outbound_policy(settings));
  try {
    ::summarizer::run({.listen = settings.summarizer_listen,
                       .inherited_socket = box ? std::optional(inherited_socket) : std::nullopt,
                       .report = box ? std::optional(inherited_report) : std::nullopt,
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

int spawn(const sandbox::SpawnOptions& options, const SpawnNames& names) {
  int socket = sandbox::spawn_socket;
  try {
    if (!names.connect.empty()) socket = sandbox::connect_spawn_socket(names.connect);
  } catch (const std::system_error& error) {
    throw UsageError("could not " + std::string(error.what()));
  }
  if (::geteuid() != 0 || !sandbox::is_spawn_socket(socket))
    throw UsageError(
        "spawn is for a box that root starts with RUN_AS, or with agents in containers, which runs it by itself, and "
        "for agentbox-commands.socket");
  auto served = options;
  if (!names.account.empty()) {
    const auto account = sandbox::account_named(names.account);
    if (!account || account->user == 0) throw UsageError("spawn: there is no user " + names.account + " but root");
    served.box = *account;
  }
  served.binary = std::filesystem::read_symlink("/proc/self/exe");
  sandbox::serve_spawn(served, socket);
  ::_exit(0);  // there is nothing to unwind, and its system calls are filtered
}

}  // namespace agentbox::cli
