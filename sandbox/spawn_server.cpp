#include "sandbox/spawn_server.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>
#include <system_error>

#include "sandbox/cgroup.h"
#include "sandbox/command.h"
#include "sandbox/landlock.h"
#include "sandbox/mapped_mount.h"
#include "sandbox/spawn_messages.h"
#include "sandbox/start.h"

namespace sandbox {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_agents = 8'192;
constexpr int least_score = 0, max_score = 1'000, max_niceness = 19;

[[noreturn]] void fail(int error, const std::string& step) {
  throw std::system_error(error, std::system_category(), step);
}
void must(bool holds, const char* step) {
  if (!holds) fail(errno, step);
}
// What an honest box never asks.
void admit(bool is_admitted, const char* reason) {
  if (!is_admitted) fail(EPERM, std::string("be admitted: ") + reason);
}

// One name, so that it cannot lead anywhere: no slash, no dot.
std::string checked_name(const char (&text)[64]) {
  const auto* end = std::find(std::begin(text), std::end(text), '\0');
  std::string name(std::begin(text), end);
  const auto is_plain = [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') || one == '_' ||
           one == '-';
  };
  admit(end != std::end(text) && !name.empty() && std::ranges::all_of(name, is_plain), "not the id of an agent");
  return name;
}

int option_of(int socket, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

// A TCP socket that listens on this machine's own address and this port, and nothing else: an agent with the box's end
// of ours would keep this process after the box.
bool is_gateway(int socket, std::uint16_t port) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  return option_of(socket, SO_ACCEPTCONN) == 1 && option_of(socket, SO_DOMAIN) == AF_INET &&
         option_of(socket, SO_PROTOCOL) == IPPROTO_TCP &&
         ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
         address.sin_addr.s_addr == htonl(INADDR_LOOPBACK) && address.sin_port == htons(port);
}

// To become agents' users (SETUID, SETGID), to give them mounts and namespaces (SYS_ADMIN), to empty their bounding
// sets (SETPCAP), to signal them (KILL), to pass through the box's closed folders (DAC_READ_SEARCH), and, for commands,
// to bring up the loopback interface of their own networks (NET_ADMIN).
void keep_needed_capabilities(bool has_commands) {
  std::vector<unsigned> needed{CAP_SETUID, CAP_SETGID, CAP_SYS_ADMIN, CAP_SETPCAP, CAP_KILL, CAP_DAC_READ_SEARCH};
  if (has_commands) needed.push_back(CAP_NET_ADMIN);
  constexpr auto step = "give up capabilities";
  unsigned kept = 0;
  for (const auto one : needed) kept |= 1u << one;
  for (unsigned one = 0; ::prctl(PR_CAPBSET_READ, one, 0, 0, 0) >= 0; ++one)
    if (std::ranges::find(needed, one) == needed.end()) must(::prctl(PR_CAPBSET_DROP, one, 0, 0, 0) == 0, step);
  __user_cap_header_struct head{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct data[2] = {{.effective = kept, .permitted = kept, .inheritable = 0}, {}};
  must(::syscall(SYS_capset, &head, data) == 0, step);
}

class SpawnServer {
 public:
  SpawnServer(const SpawnOptions& options, int socket) : options_(options), socket_(socket) {
    if (!is_of_one_agent()) {
      agents_ = Descriptor(::open(options_.agents.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      must(agents_.get() >= 0, "open the agents' folder");
      if (!options_.packages.empty()) packages_ = packages_of_box();
    }
    if (!kernel().namespaces) fail(EPERM, "get namespaces");
    has_commands_ =
        !options_.tools.empty() && why_no_commands().empty() && ::prctl(PR_CAPBSET_READ, CAP_NET_ADMIN) == 1;
    keep_needed_capabilities(has_commands_);
    forbid_new_privileges();
    // What agents and commands may call, since they inherit the filter, and what prepares them.
    const auto sockets = has_commands_ ? Sockets::local : Sockets::tcp;
    SystemCallFilter({.sockets = sockets, .listens = has_commands_, .prepares_others = true}).enforce();
    // Whether the file system can.
    if (!is_of_one_agent()) mapped_mount(agents_.get(), options_.box, options_.first_user, true);
  }

  void serve() {
    SpawnAnswer first{.value = (groups_ ? with_control_groups : 0) | (has_commands_ ? with_commands : 0)};
    options_.tools.native().copy(first.step, sizeof first.step - 1);
    if (!answer(first)) return;
    SpawnOrder order;
    while (auto received = receive_message(socket_, &order, sizeof order)) {
      Descriptor sent;
      const auto done = outcome(order, *received, sent);
      received->descriptors.clear();  // the box may bind the same port as soon as it has the answer
      const int descriptor = sent.get();
      if (!answer(done, {&descriptor, descriptor >= 0 ? 1u : 0u})) return;
    }
  }

 private:
  struct Agent {
    Descriptor process;
    std::string name;
  };

  bool is_of_one_agent() const { return !options_.workspace.empty(); }

  Descriptor packages_of_box() const {
    Descriptor opened(::open(options_.packages.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat about {};
    must(opened.get() >= 0 && ::fstat(opened.get(), &about) == 0, "open the packages' folder");
    admit(about.st_uid == options_.box.user, "packages that are not the box's");
    return opened;
  }

  bool answer(const SpawnAnswer& text, std::span<const int> descriptors = {}) const {
    return send_message(socket_, &text, sizeof text, descriptors);
  }

  SpawnAnswer outcome(const SpawnOrder& order, const Received& received, Descriptor& sent) {
    SpawnAnswer answer;
    try {
      admit(received.size == sizeof order && !received.is_cut, "not an order");
      admit(received.descriptors.size() == descriptors_of(order.task), "wrong number of descriptors");
      switch (order.task) {
        case SpawnTask::start:
          answer.value = start_agent(order, received.descriptors[0].get(), received.descriptors[1].get(), sent);
          break;
        case SpawnTask::command:
          answer.value = start_command(order, received.descriptors, sent);
          break;
        case SpawnTask::signal:
          signal_agent(order);
          break;
        case SpawnTask::collect:
          answer.value = collect_agent(order);
          break;
        default:
          admit(false, "an unknown order");
      }
    } catch (const std::system_error& error) {
      answer.error = error.code().value();
      // what() is the step, a colon and the message of the error, which the box adds itself.
      std::string step = error.what();
      if (const auto end = step.rfind(": " + error.code().message()); end != step.npos) step.resize(end);
      step.copy(answer.step, sizeof answer.step - 1);
    }
    return answer;
  }

  // Beneath agents/, over no links, and the box's own: it can show an agent only what it could read itself.
  Descriptor open_of_box(const fs::path& path, int flags, mode_t type) const {
    const open_how how{.flags = static_cast<unsigned>(O_PATH | O_CLOEXEC | flags),
                       .mode = 0,
                       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    Descriptor opened(static_cast<int>(::syscall(SYS_openat2, agents_.get(), path.c_str(), &how, sizeof how)));
    must(opened.get() >= 0, "open its files");
    struct stat about {};
    must(::fstat(opened.get(), &about) == 0, "open its files");
    admit((about.st_mode & S_IFMT) == type && about.st_uid == options_.box.user, "files that are not the box's");
    return opened;
  }

  static std::size_t descriptors_of(SpawnTask task) {
    return task == SpawnTask::start ? 2 : task == SpawnTask::command ? 5 : 0;
  }

  std::string checked_agent(const SpawnOrder& order) const {
    auto name = checked_name(order.agent);
    const auto users = is_of_one_agent() ? 1 : spawn_users;
    admit(order.user >= options_.first_user && order.user < options_.first_user + users &&
              order.user != options_.box.user,
          "not an agent's user");
    admit(order.niceness >= 0 && order.niceness <= max_niceness && order.oom_score >= least_score &&
              order.oom_score <= max_score,
          "precedence over others");
    admit(running_.size() < max_agents, "too many agents");
    return name;
  }

  static Limits limits_of(const SpawnOrder& order) {
    return {.memory_bytes = order.memory_bytes,
            .data_bytes = order.data_bytes,
            .file_bytes = order.file_bytes,
            .open_files = order.open_files,
            .processes = order.processes,
            .niceness = order.niceness,
            .oom_score = order.oom_score};
  }

  Descriptor join_group(const std::string& name, const SpawnOrder& order) const {
    if (!groups_) return Descriptor();
    return Descriptor(groups_->prepare(name, {.memory_bytes = order.group_memory_bytes,
                                              .processes = order.group_processes,
                                              .cores = order.group_millicores / 1'000.0}));
  }

  int note(const Started& started, const std::string& group, Descriptor& sent) {
    auto& child = running_[started.pid] = Agent{.process = Descriptor(started.process), .name = group};
    sent = Descriptor(::fcntl(child.process.get(), F_DUPFD_CLOEXEC, 0));
    return started.pid;
  }

  int start_command(const SpawnOrder& order, const std::vector<Descriptor>& given, Descriptor& sent) {
    const auto name = checked_agent(order);
    admit(has_commands_, "commands are off");
    const auto type_of = [](const Descriptor& one) {
      struct stat about {};
      return ::fstat(one.get(), &about) == 0 ? about.st_mode & S_IFMT : 0;
    };
    const auto is_stream = [&](const Descriptor& one) { return type_of(one) == S_IFIFO || ::isatty(one.get()) == 1; };
    admit(is_stream(given[0]) && is_stream(given[1]) && is_stream(given[2]) && type_of(given[3]) == S_IFREG &&
              is_spawn_socket(given[4].get()),
          "not the descriptors of a command");
    admit(order.place <= std::uint32_t(CommandPlace::browser), "an unknown place");
    const auto where = CommandPlace(order.place);
    admit(!is_of_one_agent() || where == CommandPlace::workspace, "a place that is not in the container");
    const auto files = is_of_one_agent() ? Descriptor() : mapped_files(name, where, order.user);
    const auto packages =
        packages_.get() >= 0 ? mapped_mount(packages_.get(), options_.box, order.user, true, true) : Descriptor();
    auto [program, place] = command_plan({.user = order.user,
                                          .top = options_.tools,
                                          .workspace = options_.workspace,
                                          .workspace_mount = files.get(),
                                          .temporary_bytes = order.temporary_bytes,
                                          .limits = limits_of(order),
                                          .packages = is_of_one_agent() ? options_.packages : fs::path(),
                                          .packages_mount = packages.get(),
                                          .input = given[0].get(),
                                          .output = given[1].get(),
                                          .error = given[2].get(),
                                          .text = given[3].get(),
                                          .channel = given[4].get()});
    const auto group = join_group(command_group(name, where), order);
    place.cgroup = group.get();
    return note(start(program, place), command_group(name, where), sent);
  }

  Descriptor mapped_files(const std::string& agent, CommandPlace where, uid_t user) const {
    return mapped_mount(open_of_box(fs::path(agent) / folder_of(where), O_DIRECTORY, S_IFDIR).get(), options_.box, user,
                        false, true);
  }

  int start_agent(const SpawnOrder& order, int output, int gateway, Descriptor& sent) {
    const auto name = checked_agent(order);
    admit(!is_of_one_agent(), "agents do not run in this container");
    admit(!options_.hidden.empty(), "this helper starts commands alone");
    struct stat about {};
    admit(::fstat(output, &about) == 0 && S_ISREG(about.st_mode), "its output is not a file");
    admit(is_gateway(gateway, order.listens), "not a socket that listens on the agent's port");

    const auto workspace = fs::path(name) / "workspace", boot = fs::path(name) / "run/boot.json";
    const auto files =
        mapped_mount(open_of_box(workspace, O_DIRECTORY, S_IFDIR).get(), options_.box, order.user, false);
    const auto orders = mapped_mount(open_of_box(boot, 0, S_IFREG).get(), options_.box, order.user, true);
    const auto inside = options_.agents.lexically_relative(options_.hidden);
    const auto view = empty_mount({inside / workspace, inside / boot.parent_path()}, inside / boot);
    const auto by_descriptor = [](const Descriptor& one) { return "/proc/self/fd/" + std::to_string(one.get()); };

    const Program program{.binary = options_.binary,
                          .arguments = {options_.binary, "agent", "--boot", options_.agents / boot},
                          .environment = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                          "HOME=" + (options_.agents / workspace).string(), "LANG=C.UTF-8"},
                          .folder = {},
                          .output = output,
                          .error = output,
                          .inherited = {gateway}};
    Confinement place{
        .user = order.user,
        .namespaces =
            Namespaces{.hidden = options_.hidden,
                       .visible = {},
                       .view = View{.root = view.get(),
                                    .parts = {{files.get(), inside / workspace}, {orders.get(), inside / boot}}}},
        .files = Files{.readable = {by_descriptor(orders)}, .changeable = {by_descriptor(files)}},
        .tcp = TcpPorts{.connect = {order.connects[0], order.connects[1]}, .bind = {}},
        .calls = SystemCalls{.starts_processes = false, .sockets = Sockets::tcp},
        .limits = limits_of(order),
        .ends_with_parent = true};
    const auto group = join_group(name, order);
    place.cgroup = group.get();
    return note(start(program, place), name, sent);
  }

  // Of a child that is not reaped, so that the number is still its own.
  std::map<pid_t, Agent>::iterator known(pid_t pid) {
    const auto found = running_.find(pid);
    if (found == running_.end()) fail(ESRCH, "be found among the agents");
    return found;
  }

  void signal_agent(const SpawnOrder& order) {
    admit(order.signal == SIGTERM || order.signal == SIGKILL, "not a signal for agents");
    const auto agent = known(order.pid);
    must(::syscall(SYS_pidfd_send_signal, agent->second.process.get(), order.signal, nullptr, 0) == 0, "be signalled");
  }

  // The first process of a process namespace takes all others in it along, so that nothing of it is left.
  int collect_agent(const SpawnOrder& order) {
    const auto agent = known(order.pid);
    int status = 0;
    if (::waitpid(order.pid, &status, WNOHANG) != order.pid) fail(EAGAIN, "be collected before it has ended");
    if (groups_) groups_->remove(agent->second.name);
    running_.erase(agent);
    return status;
  }

  const SpawnOptions options_;
  const int socket_;
  Descriptor agents_, packages_;
  bool has_commands_ = false;
  const std::optional<Cgroups> groups_ = Cgroups::take();
  std::map<pid_t, Agent> running_;
};

}  // namespace

bool is_spawn_socket(int descriptor) {
  return option_of(descriptor, SO_DOMAIN) == AF_UNIX && option_of(descriptor, SO_TYPE) == SOCK_SEQPACKET;
}

int connect_spawn_socket(const fs::path& path) {
  Descriptor connected(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  constexpr auto step = "connect to its socket";
  if (path.native().size() >= sizeof address.sun_path) fail(ENAMETOOLONG, step);
  path.native().copy(address.sun_path, sizeof address.sun_path - 1);
  must(connected.get() >= 0 &&
           ::connect(connected.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
       step);
  return connected.release();
}

void serve_spawn(const SpawnOptions& options, int socket) {
  try {
    SpawnServer(options, socket).serve();
  } catch (const std::system_error& error) {
    SpawnAnswer answer{.error = error.code().value() == 0 ? EIO : error.code().value()};
    std::string_view(error.what()).copy(answer.step, sizeof answer.step - 1);
    send_message(socket, &answer, sizeof answer);
  }
}

}  // namespace sandbox
