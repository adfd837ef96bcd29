#include "appliance/box/run_as.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "appliance/foundation/data_folder.h"
#include "appliance/runtime/agent_user.h"
#include "appliance/runtime/commands.h"
#include "appliance/runtime/proc.h"
#include "sandbox/become_user.h"
#include "sandbox/cgroup.h"
#include "sandbox/spawn_helper.h"
#include "web/log.h"
#include "web/server/listening_socket.h"

namespace agentbox {

namespace {

namespace fs = std::filesystem;

constexpr unsigned first_free_port = 1024;

bool needs_root(const std::string& listen) {
  const auto digits = std::string_view(listen).substr(listen.rfind(':') + 1);
  unsigned port = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return read.ec == std::errc() && port > 0 && port < first_free_port;
}

void open_early(const std::string& listen, std::optional<int>& socket) {
  if (socket || !needs_root(listen)) return;
  try {
    web::ListeningSocket opened(listen);
    socket = ::fcntl(opened.descriptor(), F_DUPFD_CLOEXEC, 0);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

// Of a box that stayed root: this one could neither signal them nor share their files.
void end_agents_of_other_users(const fs::path& agents, uid_t user) {
  std::error_code none;
  for (const auto& agent : fs::directory_iterator(agents, none)) {
    struct stat about {};
    const auto workspace = agent.path() / "workspace";
    if (::lstat(workspace.c_str(), &about) == 0 && about.st_uid != user) runtime::proc::kill_user(about.st_uid);
  }
}

sandbox::Account account_of(const Settings& settings) {
  const auto account = sandbox::account_named(settings.run_as);
  if (!account) throw UsageError("RUN_AS: there is no user " + settings.run_as);
  if (account->user == 0) throw UsageError("RUN_AS must not be root: leave it out, and the box stays root");
  if (settings.agent_runtime == "docker")
    throw UsageError("RUN_AS and AGENT_RUNTIME=docker exclude each other: access to the Docker Engine is root access");
  return *account;
}

// What agents are to see nothing of but their own files: all from the first folder that others may not enter, and the
// data folder at least.
fs::path hidden_from_agents(const fs::path& data, const fs::path& agents) {
  const auto closed = runtime::closed_on_the_way(agents);
  return closed.empty() ? data : closed;
}

// Empty, or why agents cannot have users of their own.
std::string why_no_helper(const fs::path& binary) {
  if (!runtime::has_agent_users()) return "this container has too few user ids";
  const auto closed = runtime::closed_on_the_way(binary);
  return closed.empty() ? std::string() : "other users may not enter " + closed.string();
}

// Before this process becomes a user, which takes its control group along: only root can divide that.
void start_helper(const Settings& settings, sandbox::Account account) {
  const fs::path data = settings.data;
  auto& own = sandbox::helper_of_this_process();
  const auto binary = fs::read_symlink("/proc/self/exe"), agents = DataFolder(data).agents();
  own.why_not = why_no_helper(binary);
  try {
    if (own.why_not.empty()) {
      sandbox::Cgroups::take();
      own.helper = sandbox::start_spawn_helper({.binary = binary,
                                                .agents = agents,
                                                .hidden = hidden_from_agents(data, agents),
                                                .box = account,
                                                .first_user = runtime::first_agent_user,
                                                .tools = runtime::tools_folder(settings.agent_tools),
                                                .packages = DataFolder(data).packages()});
    }
  } catch (const std::system_error& error) {
    own.why_not = std::string("the helper could not ") + error.what();
  }
  if (!own.helper) web::log::warning("no_helper", {{"reason", own.why_not}});
}

void check_reach(const std::string& user, const fs::path& path, int mode) {
  if (::access(path.c_str(), mode) != 0)
    throw UsageError("RUN_AS: the user " + user + " may not use " + path.string() + ": " +
                     std::system_category().message(errno));
}

}  // namespace

void run_as_user(const Settings& settings, ActivatedSockets& sockets) {
  if (settings.run_as.empty() || ::geteuid() != 0) return;
  const auto account = account_of(settings);
  open_early(settings.web_listen, sockets.web);
  open_early(settings.backend_listen, sockets.backend);
  open_early(settings.summarizer_listen, sockets.summarizer);
  open_early(settings.http_redirect_listen, sockets.redirect);
  DataFolder(settings.data).prepare();
  const auto data = fs::canonical(settings.data);
  const auto agents = DataFolder(data).agents();
  end_agents_of_other_users(agents, account.user);
  try {
    for (const auto& folder : {agents, DataFolder(data).packages()})
      fs::create_directories(folder);  // before they are given away with the rest
    sandbox::give_folder(data, agents, account);
    start_helper(settings, account);
    sandbox::become_user(account);
  } catch (const std::system_error& error) {
    throw UsageError("RUN_AS: " + std::string(error.what()));
  }
  check_reach(settings.run_as, data, R_OK | W_OK | X_OK);
  check_reach(settings.run_as, fs::read_symlink("/proc/self/exe"), R_OK | X_OK);
  web::log::info("became_user", {{"user", settings.run_as}});
}

}  // namespace agentbox
