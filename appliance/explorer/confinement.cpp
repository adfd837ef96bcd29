#include "appliance/explorer/confinement.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>

#include "appliance/files/descriptor.h"

namespace explorer {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::system_category(), what); }

files::Descriptor open_folder(const fs::path& path) {
  files::Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) fail("open the folder");
  return folder;
}

// The calling thread's view of the file system becomes `folder`. The thread must end with its work.
void enclose(const files::Descriptor& folder) {
  if (::unshare(CLONE_FS) != 0 || ::fchdir(folder.get()) != 0 || ::chroot(".") != 0) fail("keep git to its folder");
}

// For the calling thread alone, which is why neither setuid nor glibc's setgroups will do: they change the whole
// process. The ids for signals stay root's, so that the owner cannot send this thread any.
void act_as(uid_t user, gid_t group) {
  if (::syscall(SYS_setgroups, 0, nullptr) != 0) fail("give up the box's groups");
  ::setfsgid(group);
  ::setfsuid(user);
  if (static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1))) != user) {
    errno = EPERM;
    fail("work as the folder's owner");
  }
}

}  // namespace

void confine(const Place& place, const std::function<void(const fs::path&)>& work) {
  const auto folder = open_folder(place.folder);
  struct stat info {};
  if (::fstat(folder.get(), &info) != 0) fail("look at the folder");
  if (::geteuid() != 0 || (!place.is_workspace && info.st_uid == 0)) return work(place.folder);

  std::exception_ptr failure;
  std::thread thread([&] {
    try {
      fs::path seen_as = place.folder;
      if (place.is_workspace) {
        enclose(open_folder(place.folder.parent_path()));
        seen_as = "/" / place.folder.filename();
      }
      act_as(info.st_uid, info.st_gid);
      work(seen_as);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace explorer
