#include "appliance/runtime/agent_user.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

#include "appliance/foundation/data_folder.h"
#include "sandbox/become_user.h"
#include "sandbox/users.h"

namespace runtime {
namespace {

namespace fs = std::filesystem;

constexpr uid_t ports = 65'536;

bool others_may_enter(const fs::path& path) {
  return (fs::status(path).permissions() & fs::perms::others_exec) != fs::perms::none;
}

// CAP_SYS_ADMIN: containers usually go without it.
bool may_mount() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("CapEff:")) return (std::stoull(line.substr(7), nullptr, 16) >> 21) & 1;
  return false;
}

// Of the data folder agents pass the folder with their own, and read the packages that the administrator has loaded.
void close_all_but(const fs::path& folder) {
  const auto packages = agentbox::DataFolder(folder.parent_path()).packages();
  const auto others = fs::perms::group_all | fs::perms::others_all;
  for (auto& entry : fs::directory_iterator(folder.parent_path()))
    if (!entry.is_symlink() && entry.path() != folder && entry.path() != packages)
      fs::permissions(entry.path(), others, fs::perm_options::remove);
  const auto passage = fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(folder.parent_path(), passage);
  fs::permissions(folder, passage);
  // Earlier versions have closed it.
  if (fs::is_directory(fs::symlink_status(packages))) fs::permissions(packages, fs::perms(0755));
}

void check(int result, const char* what) {
  if (result != 0) throw std::system_error(errno, std::system_category(), what);
}

}  // namespace

fs::path closed_on_the_way(const fs::path& path) {
  fs::path way;
  for (auto& part : path) {
    way /= part;
    if (!others_may_enter(way)) return way;
  }
  return {};
}

bool has_agent_users() { return sandbox::is_mapped(first_agent_user, ports); }

AgentUsers::AgentUsers(const fs::path& binary, const fs::path& folder) {
  if (::geteuid() != 0) return;
  if (!sandbox::may_change_user()) {
    shared_because_ = "root may not change users here";
    return;
  }
  close_all_but(folder);
  const auto to_folder = closed_on_the_way(folder), to_binary = closed_on_the_way(binary);
  hidden_ = to_folder.empty() ? to_binary : to_folder;
  const bool are_two = !to_folder.empty() && !to_binary.empty() && to_folder != to_binary;
  if (are_two || (!hidden_.empty() && (hidden_ == binary || !may_mount()))) {
    shared_because_ = "other users may not enter " + hidden_.string();
  } else if (has_agent_users()) {
    base_ = first_agent_user;
  } else if (sandbox::is_mapped(0, ports)) {
    base_ = 0;
  } else {
    shared_because_ = "this container has too few user ids";
  }
}

std::optional<uid_t> AgentUsers::of(std::uint16_t port) const {
  if (!base_) return {};
  return *base_ + port;
}

void give_workspace(const fs::path& workspace, uid_t user) {
  struct stat top {};
  check(::lstat(workspace.c_str(), &top), "workspace");
  if (top.st_uid == user) return;
  sandbox::give_folder(workspace, workspace, {.user = user, .group = user});
}

}  // namespace runtime
