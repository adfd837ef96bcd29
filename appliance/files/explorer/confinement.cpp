#include "appliance/files/explorer/confinement.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>

#include "appliance/foundation/descriptor.h"
#include "sandbox/landlock.h"
#include "sandbox/users.h"

namespace explorer {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::system_category(), what); }

files::Descriptor open_folder(const fs::path& path) {
  files::Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) fail("open the folder");
  return folder;
}

// libgit2 writes objects next to their final folder and renames them, which needs version 2.
bool has_landlock() { return sandbox::landlock_version() >= 2; }

void restrict_files(const Confinement& confinement) {
  sandbox::LandlockRules rules;
  rules.allow_changing(confinement.folder);
  if (confinement.remote) rules.allow_changing(*confinement.remote);
  sandbox::forbid_new_privileges();
  rules.enforce();
}

// Makes `folder` the root directory of the calling thread. The thread must end after its work.
void enclose(const files::Descriptor& folder) {
  if (::unshare(CLONE_FS) != 0 || ::fchdir(folder.get()) != 0 || ::chroot(".") != 0) fail("keep git to its folder");
}

// Changes the calling thread only; setuid and glibc's setgroups would change the whole process. The ids for signals
// stay root's, so that the owner cannot signal this thread.
void act_as(uid_t user, gid_t group) {
  if (::syscall(SYS_setgroups, 0, nullptr) != 0) fail("give up the box's groups");
  ::setfsgid(group);
  ::setfsuid(user);
  if (static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1))) != user) {
    errno = EPERM;
    fail("work as the folder's owner");
  }
}

// Confines the calling thread and returns the path of the folder as the thread then sees it.
fs::path confine_thread(const Confinement& confinement, const files::Descriptor& folder, const struct stat& info) {
  const bool is_root = sandbox::may_change_user();
  if (has_landlock()) {
    restrict_files(confinement);
  } else if (confinement.remote) {
    errno = ENOSYS;
    fail("push to a folder without Landlock");
  }
  if (!is_root) return confinement.folder;
  if (!confinement.remote) enclose(folder);
  act_as(info.st_uid, info.st_gid);
  return confinement.remote ? confinement.folder : fs::path("/");
}

}  // namespace

void confine(const Confinement& confinement, const std::function<void(const fs::path&)>& work) {
  const auto folder = open_folder(confinement.folder);
  struct stat info {};
  if (::fstat(folder.get(), &info) != 0) fail("read the folder");

  std::exception_ptr failure;
  std::thread thread([&] {
    try {
      work(confine_thread(confinement, folder, info));
    } catch (...) {
      failure = std::current_exception();
    }
  });
  thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace explorer
