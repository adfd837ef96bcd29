// Takes the place of `agentbox agent` and tries what an agent must not be able to do. It is started with the same
// command line and boot file; the boot file's `model` is a JSON object of what to attack. Writes a line for each
// attempt to its log: "refused NAME" or "SUCCEEDED NAME: how", and "end" after the last one.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

struct Targets {
  std::string secret, neighbour, socket, workspace;
  pid_t box = 0;
  std::uint16_t closed_port = 0, open_port = 0, own_port = 0;
};

json::object parsed_file(const char* path) {
  std::ifstream file(path);
  return json::parse(std::string{std::istreambuf_iterator<char>(file), {}}).as_object();
}

Targets targets_of(const json::object& boot) {
  const auto text = [](const json::value& value) { return std::string(value.as_string()); };
  const auto given = json::parse(text(boot.at("model")));
  return {.secret = text(given.at("secret")),
          .neighbour = text(given.at("neighbour")),
          .socket = text(given.at("socket")),
          .workspace = text(boot.at("workspace")),
          .box = pid_t(given.at("box").as_int64()),
          .closed_port = std::uint16_t(given.at("closed_port").as_int64()),
          .open_port = std::uint16_t(given.at("open_port").as_int64()),
          .own_port = std::uint16_t(given.at("own_port").as_int64())};
}

// How an attempt succeeded; empty when it was refused.
using Attempt = std::function<std::string()>;

std::string readable(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return {};
  char byte = 0;
  const auto got = ::pread(file, &byte, 1, 0);
  ::close(file);
  return got > 0 ? "read " + path : std::string();
}

std::string writable(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0600);
  if (file < 0) return {};
  ::close(file);
  return "opened " + path + " for writing";
}

std::string did(long result, const char* what) { return result < 0 ? std::string() : std::string(what); }

std::string reads_the_secret(const Targets& at) {
  const auto box = "/proc/" + std::to_string(at.box);
  for (const auto& path :
       {at.secret, "/proc/self/root" + at.secret, "/proc/1/root" + at.secret, box + "/root" + at.secret})
    if (auto how = readable(path); !how.empty()) return how;
  const auto link = at.workspace + "/link", name = at.workspace + "/name";
  ::unlink(link.c_str());
  if (::symlink(at.secret.c_str(), link.c_str()) == 0)
    if (auto how = readable(link); !how.empty()) return how;
  if (::link(at.secret.c_str(), name.c_str()) == 0) return readable(name);
  return {};
}

std::string reads_a_neighbour(const Targets& at) {
  if (auto how = readable(at.neighbour + "/notes"); !how.empty()) return how;
  if (auto how = writable(at.neighbour + "/new", O_CREAT); !how.empty()) return how;
  std::error_code refused;
  for (fs::directory_iterator entry(at.neighbour, refused), end; !refused && entry != end;) return "listed it";
  return {};
}

std::string writes_elsewhere(const Targets& at) {
  for (const auto& path : {at.secret + ".new", std::string("/tmp/agentbox-hostile"),
                           std::string("/dev/shm/agentbox-hostile"), std::string("/var/tmp/agentbox-hostile")})
    if (auto how = writable(path, O_CREAT); !how.empty()) return ::unlink(path.c_str()), how;
  return {};
}

std::string reads_the_box(const Targets& at) {
  const auto box = "/proc/" + std::to_string(at.box);
  for (const char* file : {"/mem", "/maps", "/environ", "/auxv", "/stack"})
    if (auto how = readable(box + file); !how.empty()) return how;
  char link[256];
  if (::readlink((box + "/fd/0").c_str(), link, sizeof link) > 0) return "read its descriptors";
  char here[8], there[8];
  const iovec local{here, sizeof here}, remote{there, sizeof there};
  return did(::process_vm_readv(at.box, &local, 1, &remote, 1, 0), "process_vm_readv");
}

std::string traces_the_box(const Targets& at) {
  return did(::ptrace(PTRACE_SEIZE, at.box, nullptr, nullptr), "ptrace");
}

std::string signals_the_box(const Targets& at) {
  if (::kill(at.box, SIGURG) == 0) return "kill";
  if (::syscall(SYS_tgkill, at.box, at.box, SIGURG) == 0) return "tgkill";
  const int handle = int(::syscall(SYS_pidfd_open, at.box, 0));
  return handle < 0 ? std::string() : did(::syscall(SYS_pidfd_send_signal, handle, SIGURG, nullptr, 0), "pidfd");
}

std::string opens_local_sockets(const Targets& at) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return {};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, at.socket.c_str(), sizeof address.sun_path - 1);
  return did(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), "connected");
}

std::string opens_raw_sockets(const Targets&) {
  for (const auto& [family, type] :
       {std::pair(AF_INET, SOCK_RAW), std::pair(AF_PACKET, SOCK_RAW), std::pair(AF_NETLINK, SOCK_RAW),
        std::pair(AF_INET, SOCK_DGRAM), std::pair(AF_VSOCK, SOCK_STREAM)})
    if (::socket(family, type | SOCK_CLOEXEC, 0) >= 0)
      return "family " + std::to_string(family) + " type " + std::to_string(type);
  return {};
}

int connect_to(const char* host, std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, host, &address.sin_addr);
  const int error = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  ::close(fd);
  return error;
}

// Refused by the kernel, rather than unreachable.
std::string connects(const char* host, std::uint16_t port) {
  const int error = connect_to(host, port);
  return error == EACCES || error == EPERM
             ? std::string()
             : std::string(host) + ":" + std::to_string(port) + ": " + std::strerror(error);
}

std::string reaches_the_network(const Targets& at) {
  for (const auto& [host, port] :
       {std::pair("127.0.0.1", at.closed_port), std::pair("169.254.169.254", std::uint16_t(80)),
        std::pair("192.168.0.1", std::uint16_t(80)), std::pair("10.0.0.1", std::uint16_t(22)),
        std::pair("1.1.1.1", std::uint16_t(443))})
    if (auto how = connects(host, port); !how.empty()) return how;
  return {};
}

// Past Landlock, which sees connect() and TCP.
std::string reaches_past_the_rules(const Targets& at) {
  constexpr int mptcp = 262;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(at.closed_port);
  ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  if (const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, mptcp); fd >= 0) {
    const bool is_connected = ::connect(fd, where, sizeof address) == 0;
    ::close(fd);
    if (is_connected) return "MPTCP";
  }
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const char byte = 'x';
  iovec part{const_cast<char*>(&byte), 1};
  msghdr message{};
  message.msg_name = &address;
  message.msg_namelen = sizeof address;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const bool is_sent =
      ::sendto(fd, &byte, 1, MSG_FASTOPEN, where, sizeof address) >= 0 || ::sendmsg(fd, &message, MSG_FASTOPEN) >= 0;
  ::close(fd);
  return is_sent ? "TCP Fast Open" : "";
}

std::string changes_the_box(const Targets& at) {
  rlimit limit{};
  if (::prlimit(at.box, RLIMIT_CPU, nullptr, &limit) == 0) return "prlimit";
  if (::setpriority(PRIO_PROCESS, id_t(at.box), 19) == 0) return "setpriority";
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(0, &processors);
  if (::sched_setaffinity(at.box, sizeof processors, &processors) == 0) return "sched_setaffinity";
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "pipe";
  const bool is_signalled = ::fcntl(ends[0], F_SETOWN, at.box) == 0 || ::fcntl(ends[0], F_SETSIG, SIGKILL) == 0;
  ::close(ends[0]), ::close(ends[1]);
  return is_signalled ? "F_SETOWN" : "";
}

std::string cannot_reach_the_box(const Targets& at) {
  const int error = connect_to("127.0.0.1", at.open_port);
  return error == 0 || error == EINPROGRESS ? std::string() : std::string(std::strerror(error));
}

std::string listens_elsewhere(const Targets& at) {
  for (const auto port : {std::uint16_t(34'567), std::uint16_t(0), at.own_port}) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    const int result = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::close(fd);
    if (result == 0) return "bound " + std::to_string(port);
  }
  const int unbound = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);  // the kernel would choose a port
  const int result = ::listen(unbound, 8);
  ::close(unbound);
  return did(result, "listened without a port");
}

// So that a program that opens its files, such as a backup, waits or fails.
std::string holds_up_readers(const Targets& at) {
  ::signal(SIGIO, SIG_IGN);
  const int file = ::open((at.workspace + "/leased").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return {};
  const bool is_leased = ::fcntl(file, F_SETLEASE, F_WRLCK) == 0;
  ::close(file);
  if (is_leased) return "F_SETLEASE";
  const int folder = ::open(at.workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_notified = folder >= 0 && ::fcntl(folder, F_NOTIFY, DN_CREATE) == 0;
  ::close(folder);
  return is_notified ? "F_NOTIFY" : "";
}

// The system has few for each user, which may be the box's, too.
std::string watches_files(const Targets&) { return did(::inotify_init1(IN_CLOEXEC), "inotify_init1"); }

std::string gets_more_rights(const Targets& at) {
  if (::setuid(0) == 0 && ::geteuid() == 0) return "setuid";
  if (::unshare(CLONE_NEWUSER) == 0) return "unshare";
  if (::mount("tmpfs", at.workspace.c_str(), "tmpfs", 0, nullptr) == 0) return "mount";
  if (::umount2("/proc", MNT_DETACH) == 0) return "umount";
  if (::chroot(at.workspace.c_str()) == 0) return "chroot";
  if (::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1) >= 0) return "keyctl";
  if (::syscall(SYS_bpf, 0, nullptr, 0) >= 0 || errno == EINVAL || errno == EFAULT) return "bpf";
  if (::syscall(SYS_io_uring_setup, 1, nullptr) >= 0 || errno == EFAULT) return "io_uring";
  if (::syscall(SYS_userfaultfd, 0) >= 0) return "userfaultfd";
  if (::syscall(SYS_perf_event_open, nullptr, 0, 0, 0, 0) >= 0 || errno == EFAULT) return "perf";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if ((line.starts_with("CapEff:") || line.starts_with("CapPrm:")) && line.substr(8) != "0000000000000000")
      return line;
  return {};
}

// Whether the program can be executed at all: in place of this one, which is missed then.
bool runs(const std::string& program) {
  ::execl(program.c_str(), program.c_str(), "-c", "exit 0", nullptr);
  return errno != EACCES && errno != EPERM;
}

std::string runs_programs(const Targets& at) {
  const auto script = at.workspace + "/script";
  std::ofstream(script) << "#!/bin/sh\nexit 0\n";
  ::chmod(script.c_str(), 0700);
  for (const auto& program : {script, std::string("/bin/sh"), std::string("/usr/bin/env")})
    if (runs(program)) return program;
  return {};
}

std::string forks_without_end(const Targets&) {
  std::vector<pid_t> children;
  while (children.size() < 200) {
    const pid_t child = ::fork();
    if (child < 0) break;
    if (child == 0)
      for (;;) ::pause();
    children.push_back(child);
  }
  for (const pid_t child : children) ::kill(child, SIGKILL), ::waitpid(child, nullptr, 0);
  return children.empty() ? std::string() : std::to_string(children.size()) + " processes";
}

std::string opens_without_end(const Targets&) {
  std::vector<int> opened;
  while (opened.size() < 5'000) {
    const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0) break;
    opened.push_back(fd);
  }
  for (const int fd : opened) ::close(fd);
  return opened.size() < 200 ? std::string() : std::to_string(opened.size()) + " files";
}

std::string writes_without_end(const Targets& at) {
  ::signal(SIGXFSZ, SIG_IGN);
  const int fd = ::open((at.workspace + "/large").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return {};
  const auto written = ::pwrite(fd, "x", 1, 64 << 20);
  ::close(fd);
  return did(written, "a file of 64 MB");
}

std::string takes_memory_without_end(const Targets&) {
#ifdef AGENTBOX_SANITIZED
  return {};  // without a limit of address space: sanitizers map terabytes
#else
  return ::mmap(nullptr, 16ull << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
             ? std::string()
             : "16 GB";
#endif
}

// Past the limit of its address space.
std::string takes_uncounted_memory(const Targets&) {
  if (::syscall(SYS_memfd_create, "memory", MFD_CLOEXEC) >= 0) return "memfd_create";
  constexpr long memfd_secret = 447;
  if (::syscall(memfd_secret, 0) >= 0) return "memfd_secret";
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) return "buffers of local sockets";
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const bool is_larger = ::fcntl(ends[0], F_SETPIPE_SZ, 1 << 20) > 0;
  ::close(ends[0]), ::close(ends[1]);
  if (is_larger) return "a pipe of 1 MB";
  for (const auto& path : {"/dev/shm", "/tmp", "/var/tmp", "/run"})
    if (auto how = writable(path, O_TMPFILE); !how.empty()) return how;
  return {};
}

// Beats once in a while, in another session, until it is killed.
void leaves_a_child_behind(const Targets& at) {
  if (::fork() != 0) return;
  ::setsid();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_IGN);
  for (int beat = 0;; ++beat) {
    std::ofstream(at.workspace + "/heartbeat") << beat << std::flush;
    ::usleep(5'000);
  }
}

void attempt(const char* name, const std::string& how) {
  if (how.empty())
    std::cout << "refused " << name << std::endl;
  else
    std::cout << "SUCCEEDED " << name << ": " << how << std::endl;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const auto boot = parsed_file(arguments[3]);
  const auto at = targets_of(boot);
  using Act = std::string (*)(const Targets&);
  const std::pair<const char*, Act> acts[] = {{"to read the master key", reads_the_secret},
                                              {"to reach a neighbour's files", reads_a_neighbour},
                                              {"to write elsewhere", writes_elsewhere},
                                              {"to read the box's memory", reads_the_box},
                                              {"to trace the box", traces_the_box},
                                              {"to signal the box", signals_the_box},
                                              {"to open local sockets", opens_local_sockets},
                                              {"to open raw and datagram sockets", opens_raw_sockets},
                                              {"to reach the network", reaches_the_network},
                                              {"to get past the network's rules", reaches_past_the_rules},
                                              {"to change the box's limits", changes_the_box},
                                              {"to be kept from the box", cannot_reach_the_box},
                                              {"to listen elsewhere", listens_elsewhere},
                                              {"to get more rights", gets_more_rights},
                                              {"to run programs", runs_programs},
                                              {"to fork without end", forks_without_end},
                                              {"to open files without end", opens_without_end},
                                              {"to write without end", writes_without_end},
                                              {"to take memory without end", takes_memory_without_end},
                                              {"to take memory that no limit counts", takes_uncounted_memory},
                                              {"to hold up readers of its files", holds_up_readers},
                                              {"to watch files", watches_files}};
  for (const auto& [name, act] : acts) attempt(name, act(at));
  leaves_a_child_behind(at);
  std::cout << "end" << std::endl;
  ::signal(SIGTERM, SIG_IGN);
  for (;;) ::pause();
}
