#include "sandbox/tree.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

#include "sandbox/child.h"

namespace sandbox {

namespace {

namespace fs = std::filesystem;

// Of /etc, what programs need to run and to check certificates. The resolver's files are left out: there are no names
// to look up in a network of its own.
constexpr const char* taken[] = {"/usr",
                                 "/bin",
                                 "/sbin",
                                 "/lib",
                                 "/lib32",
                                 "/lib64",
                                 "/etc/ssl",
                                 "/etc/alternatives",
                                 "/etc/pki",
                                 "/etc/ca-certificates",
                                 "/etc/fonts",
                                 "/etc/ld.so.cache",
                                 "/etc/localtime",
                                 "/etc/timezone",
                                 "/etc/mime.types",
                                 "/etc/python3"};
constexpr const char* devices[] = {"null", "zero", "full", "random", "urandom"};

std::string staged(const std::string& path) { return staging + path; }

}  // namespace

Tree system_tree(const std::string& top, uid_t user) {
  Tree tree;
  const auto base = top == "/" ? std::string() : top;
  for (const std::string path : taken) {
    std::error_code failed;
    const auto source = base + path;
    const auto status = fs::symlink_status(source, failed);
    if (failed || !fs::exists(status)) continue;
    if (fs::is_symlink(status))
      tree.links.emplace_back(path, fs::read_symlink(source, failed).string());
    else
      tree.parts.push_back({.path = path, .source = source, .is_folder = fs::is_directory(status)});
  }
  for (const std::string name : devices)
    tree.parts.push_back({.path = "/dev/" + name, .source = "/dev/" + name, .is_folder = false, .is_writable = true});
  // The terminal of the program's own session, if it has one. Containers may be without the name.
  if (std::error_code missing; fs::is_character_file("/dev/tty", missing))
    tree.parts.push_back({.path = "/dev/tty", .source = "/dev/tty", .is_folder = false, .is_writable = true});
  for (const auto& [name, target] :
       {std::pair("fd", "/proc/self/fd"), std::pair("stdin", "/proc/self/fd/0"), std::pair("stdout", "/proc/self/fd/1"),
        std::pair("stderr", "/proc/self/fd/2"), std::pair("shm", "/tmp")})
    tree.links.emplace_back(std::string("/dev/") + name, target);
  const auto id = std::to_string(user);
  tree.texts = {{"/etc/passwd", "agent:x:" + id + ":" + id + ":agent:/tmp:/bin/sh\n"},
                {"/etc/group", "agent:x:" + id + ":\n"},
                {"/etc/hosts", "127.0.0.1 localhost\n"},
                {"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"}};
  return tree;
}

PreparedTree prepared(const Tree& tree, int first_mount) {
  if (tree.parts.size() > max_parts) throw std::system_error(E2BIG, std::system_category(), "lay out its files");
  PreparedTree plan;
  std::set<std::string> made;
  const auto make_folder = [&](const fs::path& path) {
    fs::path way = staging;
    for (const auto& part : path.relative_path())
      if (made.insert((way /= part).string()).second) plan.folders.push_back(way.string());
  };
  for (const char* path : {"/proc", "/tmp"}) make_folder(path);
  for (const auto& part : tree.parts) {
    make_folder(part.is_folder ? fs::path(part.path) : fs::path(part.path).parent_path());
    if (!part.is_folder) plan.files.push_back(staged(part.path));
    plan.parts.push_back({.source = part.source.empty() ? nullptr : part.source.c_str(),
                          .mount = part.source.empty() ? first_mount++ : -1,
                          .target = staged(part.path),
                          .is_writable = part.is_writable});
    if (part.is_writable && part.is_folder && plan.writable.empty()) plan.writable = part.path;
  }
  for (const auto& [path, target] : tree.links) {
    make_folder(fs::path(path).parent_path());
    plan.links.emplace_back(staged(path), target);
  }
  for (const auto& [path, content] : tree.texts) {
    make_folder(fs::path(path).parent_path());
    plan.texts.emplace_back(staged(path), content);
  }
  plan.hidden = tree.hidden;
  plan.protected_names = tree.protected_names;
  plan.proc = staged("/proc");
  plan.temporary = staged("/tmp");
  plan.temporary_options = "mode=1777,nr_inodes=64k,size=" + std::to_string(tree.temporary_bytes);
  return plan;
}

namespace {

IN_THE_CHILD bool write_text(const std::string& path, const std::string& content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  const auto size = static_cast<ssize_t>(content.size());
  const bool is_written = file >= 0 && ::write(file, content.c_str(), content.size()) == size;
  ::close(file);
  return is_written;
}

constexpr unsigned plain_attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

IN_THE_CHILD bool restrict_mount(int mount, unsigned attributes) {
  mount_attr wanted{.attr_set = attributes, .attr_clr = 0, .propagation = MS_PRIVATE, .userns_fd = 0};
  return ::mount_setattr(mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &wanted, sizeof wanted) == 0;
}

IN_THE_CHILD int copy_of(int folder, const char* path, unsigned flags) {
  return ::open_tree(folder, path, flags | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

IN_THE_CHILD bool attach_parts(const PreparedTree& plan, const int* mounts) {
  for (std::size_t at = 0; at < plan.parts.size(); ++at) {
    if (::move_mount(mounts[at], "", AT_FDCWD, plan.parts[at].target.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0)
      return false;
    ::close(mounts[at]);
  }
  return true;
}

// Devices keep being devices; nothing else is one.
IN_THE_CHILD bool open_parts(const PreparedTree& plan, int* mounts) {
  for (std::size_t at = 0; at < plan.parts.size(); ++at) {
    const auto& part = plan.parts[at];
    mounts[at] = part.source ? copy_of(AT_FDCWD, part.source, 0) : part.mount;
    const bool is_device = part.source && ::strncmp(part.source, "/dev/", 5) == 0;
    const unsigned attributes = is_device          ? unsigned(MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)
                                : part.is_writable ? plain_attributes
                                                   : plain_attributes | MOUNT_ATTR_RDONLY;
    if (mounts[at] < 0 || !restrict_mount(mounts[at], attributes)) return false;
  }
  return true;
}

// Only the name itself, over no link: the workspace is the program's own.
IN_THE_CHILD int open_name(int folder, const char* name) {
  const open_how how{.flags = O_PATH | O_CLOEXEC, .mode = 0, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
  return static_cast<int>(::syscall(SYS_openat2, folder, name, &how, sizeof how));
}

IN_THE_CHILD bool protect(int folder, const char* name) {
  const int opened = open_name(folder, name);
  if (opened < 0) return true;
  const int copy = copy_of(opened, "", AT_EMPTY_PATH);
  const bool is_done = copy >= 0 && restrict_mount(copy, plain_attributes | MOUNT_ATTR_RDONLY) &&
                       ::move_mount(copy, "", opened, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
  const int error = errno;
  ::close(copy);
  ::close(opened);
  errno = error;
  return is_done;
}

IN_THE_CHILD bool hide(int folder, const char* name) {
  const int opened = open_name(folder, name);
  if (opened < 0) return true;
  const int system = ::fsopen("tmpfs", FSOPEN_CLOEXEC);
  const bool is_made = system >= 0 && ::fsconfig(system, FSCONFIG_SET_STRING, "mode", "0555", 0) == 0 &&
                       ::fsconfig(system, FSCONFIG_SET_STRING, "size", "4k", 0) == 0 &&
                       ::fsconfig(system, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0;
  const int mount = is_made ? ::fsmount(system, FSMOUNT_CLOEXEC, plain_attributes | MOUNT_ATTR_RDONLY) : -1;
  const bool is_done =
      mount >= 0 && ::move_mount(mount, "", opened, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
  const int error = errno;
  ::close(mount);
  ::close(system);
  ::close(opened);
  errno = error;
  return is_done;
}

IN_THE_CHILD bool restrict_names(const PreparedTree& plan) {
  if (plan.writable.empty()) return true;
  const int folder = ::open(plan.writable.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  bool is_done = folder >= 0;
  for (const auto& name : plan.hidden) is_done = is_done && hide(folder, name.c_str());
  for (const auto& name : plan.protected_names) is_done = is_done && protect(folder, name.c_str());
  const int error = errno;
  ::close(folder);
  errno = error;
  return is_done;
}

}  // namespace

IN_THE_CHILD const char* make_tree(const PreparedTree& plan) {
  constexpr auto step = "lay out its files";
  constexpr auto plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  int mounts[max_parts];
  ::umask(0);
  if (!open_parts(plan, mounts)) return "get its files";
  if (::mount("tmpfs", staging, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=256k,nr_inodes=512") != 0) return step;
  for (const auto& folder : plan.folders)
    if (::mkdir(folder.c_str(), 0755) != 0) return step;
  for (const auto& file : plan.files)
    if (::mknod(file.c_str(), S_IFREG | 0444, 0) != 0) return step;
  for (const auto& [path, target] : plan.links)
    if (::symlink(target.c_str(), path.c_str()) != 0) return step;
  for (const auto& [path, content] : plan.texts)
    if (!write_text(path, content)) return step;
  if (!attach_parts(plan, mounts)) return step;
  if (::mount("proc", plan.proc.c_str(), "proc", plain, nullptr) != 0) return "see its own processes";
  if (::mount("tmpfs", plan.temporary.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, plan.temporary_options.c_str()) != 0)
    return step;
  if (::chdir(staging) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0 || ::umount2(".", MNT_DETACH) != 0 ||
      ::chdir("/") != 0)
    return "leave the machine's files";
  mount_attr wanted{.attr_set = MOUNT_ATTR_RDONLY, .attr_clr = 0, .propagation = 0, .userns_fd = 0};
  if (::mount_setattr(AT_FDCWD, "/", 0, &wanted, sizeof wanted) != 0) return step;
  return restrict_names(plan) ? nullptr : step;
}

IN_THE_CHILD const char* make_network(std::uint16_t port, int channel) {
  constexpr auto step = "get its own network";
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ifreq loopback{};
  loopback.ifr_name[0] = 'l';
  loopback.ifr_name[1] = 'o';
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (listening < 0 || ::ioctl(listening, SIOCSIFFLAGS, &loopback) != 0 ||
      ::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(listening, 64) != 0)
    return step;
  char byte = 0;
  iovec part{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr head{};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = control;
  head.msg_controllen = sizeof control;
  cmsghdr* const rights = CMSG_FIRSTHDR(&head);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  ::memcpy(CMSG_DATA(rights), &listening, sizeof listening);
  if (::sendmsg(channel, &head, MSG_NOSIGNAL) != 1) return step;
  ::close(listening);
  return nullptr;
}

}  // namespace sandbox
