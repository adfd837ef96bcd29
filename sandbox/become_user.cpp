#include "sandbox/become_user.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sandbox/landlock.h"
#include "sandbox/system_error.h"

namespace sandbox {

namespace {

class Opened {
 public:
  explicit Opened(int fd) : fd_(fd) {}
  Opened(Opened&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

class Giver {
 public:
  Giver(std::filesystem::path shared, Account account) : shared_(std::move(shared)), account_(account) {}

  // Of an object that is opened: its name may lead elsewhere by now.
  void give(const Opened& object, const std::filesystem::path& path, bool is_shared) const {
    struct stat about {};
    if (::fstat(object.get(), &about) != 0) throw_errno(path.string().c_str());
    const bool is_owner = about.st_uid == account_.user && about.st_gid == account_.group;
    const bool has_other_names = !S_ISDIR(about.st_mode) && about.st_nlink > 1;
    if (!is_owner && !(is_shared && has_other_names) &&
        ::fchownat(object.get(), "", account_.user, account_.group, AT_EMPTY_PATH) != 0)
      throw_errno(path.string().c_str());
    if (S_ISDIR(about.st_mode)) give_content(object, path, is_shared || path == shared_);
  }

 private:
  void give_content(const Opened& folder, const std::filesystem::path& path, bool is_shared) const {
    for (const auto& name : names_in(folder, path)) {
      const Opened object(::openat(folder.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      if (object.get() < 0) {
        if (errno == ENOENT) continue;  // removed meanwhile
        throw_errno((path / name).string().c_str());
      }
      give(object, path / name, is_shared);
    }
  }

  static std::vector<std::string> names_in(const Opened& folder, const std::filesystem::path& path) {
    const int fd = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, int (*)(DIR*)> list(fd < 0 ? nullptr : ::fdopendir(fd), ::closedir);
    if (!list) throw_errno(path.string().c_str());
    std::vector<std::string> names;
    while (const auto* entry = ::readdir(list.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    return names;
  }

  const std::filesystem::path shared_;
  const Account account_;
};

void drop_bounding_set() {
  for (unsigned long one = 0; ::prctl(PR_CAPBSET_READ, one, 0, 0, 0) >= 0; ++one)
    if (::prctl(PR_CAPBSET_DROP, one, 0, 0, 0) != 0) throw_errno("give up capabilities");
}

void drop_capabilities() {
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) throw_errno("give up capabilities");
  __user_cap_header_struct head{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct none[2] = {};
  if (::syscall(SYS_capset, &head, none) != 0) throw_errno("give up capabilities");
}

}  // namespace

std::optional<Account> account_named(const std::string& name) {
  std::vector<char> buffer(16'384);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return std::nullopt;
  return Account{.user = entry.pw_uid, .group = entry.pw_gid};
}

void give_folder(const std::filesystem::path& folder, const std::filesystem::path& shared, Account account) {
  const Opened top(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (top.get() < 0) throw_errno(folder.string().c_str());
  Giver(shared, account).give(top, folder, false);
}

void become_user(Account account) {
  drop_bounding_set();
  if (::setgroups(0, nullptr) != 0 || ::setresgid(account.group, account.group, account.group) != 0 ||
      ::setresuid(account.user, account.user, account.user) != 0)
    throw_errno("become another user");
  drop_capabilities();
  forbid_new_privileges();
  if (account.user != 0 && ::setuid(0) == 0) throw std::system_error(EPERM, std::system_category(), "give up root");
}

}  // namespace sandbox
