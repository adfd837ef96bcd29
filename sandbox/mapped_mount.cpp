#include "sandbox/mapped_mount.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace sandbox {

namespace {

constexpr mode_t passage = 0711;

void check(long result, const char* step) {
  if (result < 0) throw std::system_error(errno, std::system_category(), step);
}

// A process that does nothing but have a user namespace, until this ends.
class Holder {
 public:
  Holder()
      : pid_(static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr))) {
    check(pid_, "get a user namespace");
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  ~Holder() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  Descriptor open(const char* file, int flags) const {
    Descriptor opened(::open(("/proc/" + std::to_string(pid_) + "/" + file).c_str(), flags | O_CLOEXEC));
    check(opened.get(), "get a user namespace");
    return opened;
  }
  void map(const char* file, unsigned from, unsigned to) const {
    const auto line = std::to_string(from) + " " + std::to_string(to) + " 1";
    check(::write(open(file, O_WRONLY).get(), line.data(), line.size()), "map its user");
  }

 private:
  const pid_t pid_;
};

Descriptor user_namespace(Account owner, uid_t user) {
  // Children that start() let become other users shared this memory, and have left it marked as not to be dumped; of a
  // process with such memory the namespace cannot be opened. There are no secrets in it.
  ::prctl(PR_SET_DUMPABLE, 1);
  const Holder holder;
  holder.map("uid_map", owner.user, user);
  holder.map("gid_map", owner.group, user);
  return holder.open("ns/user", O_RDONLY);
}

}  // namespace

Descriptor mapped_mount(int opened, Account owner, uid_t user, bool is_read_only, bool may_execute) {
  const auto map = user_namespace(owner, user);
  Descriptor mount(::open_tree(opened, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  check(mount.get(), "get its files");
  constexpr auto plain = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_IDMAP;
  mount_attr wanted{.attr_set = static_cast<unsigned>(plain | (may_execute ? 0 : MOUNT_ATTR_NOEXEC) |
                                                      (is_read_only ? MOUNT_ATTR_RDONLY : 0)),
                    .attr_clr = 0,
                    .propagation = MS_PRIVATE,
                    .userns_fd = static_cast<unsigned>(map.get())};
  check(::mount_setattr(mount.get(), "", AT_EMPTY_PATH, &wanted, sizeof wanted), "get its files as its own");
  return mount;
}

Descriptor empty_mount(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& file) {
  constexpr auto step = "get its own view of the files";
  const Descriptor system(::fsopen("tmpfs", FSOPEN_CLOEXEC));
  check(system.get(), step);
  for (const auto& [name, value] : {std::pair("mode", "0711"), std::pair("size", "1m"), std::pair("nr_inodes", "1k")})
    check(::fsconfig(system.get(), FSCONFIG_SET_STRING, name, value, 0), step);
  check(::fsconfig(system.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0), step);
  Descriptor mount(::fsmount(system.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  check(mount.get(), step);
  const auto before = ::umask(0);
  bool is_made = true;
  for (const auto& folder : folders) {
    std::filesystem::path way;
    for (const auto& part : folder)
      is_made = is_made && (::mkdirat(mount.get(), (way /= part).c_str(), passage) == 0 || errno == EEXIST);
  }
  is_made = is_made && ::mknodat(mount.get(), file.c_str(), S_IFREG | 0600, 0) == 0;
  ::umask(before);
  check(is_made ? 0 : -1, step);
  return mount;
}

}  // namespace sandbox
