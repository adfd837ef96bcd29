#include "appliance/runtime/docker/command_containers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "appliance/runtime/agent_user.h"
#include "appliance/runtime/docker/container.h"
#include "appliance/runtime/docker/docker_api.h"
#include "appliance/runtime/run_folder.h"
#include "sandbox/spawn_helper.h"
#include "sandbox/system_error.h"
#include "web/json.h"
#include "web/log.h"
#include "web/run_on.h"

namespace runtime::docker {

namespace asio = boost::asio;
namespace json = boost::json;
using web::Result;
using web::Task;
using Steady = std::chrono::steady_clock;
using Helper = std::shared_ptr<sandbox::SpawnHelper>;

namespace {

constexpr std::string_view commands_label = "agentbox.commands";
constexpr std::string_view default_image = "agentbox/agent-tools:latest";
constexpr std::string_view socket_folder = "/run/agentbox";
constexpr const char* socket_name = "box.sock";
constexpr std::uint64_t helper_memory = 32u << 20;
constexpr unsigned helper_processes =
    8;  // threads that the engine starts in it, and its children before they are ready
constexpr std::chrono::seconds connect_time{30}, answer_time{10}, look_interval{10}, watch_interval{1};
constexpr std::chrono::milliseconds connect_poll{250}, others_pause{20};

// Those of the helper of RUN_AS (sandbox/spawn_server.cpp), and one to reach the socket, which is the box's own. It
// gives up all that it does not need before it serves.
constexpr std::array capabilities{"SETUID", "SETGID",          "SETPCAP",   "SYS_ADMIN",
                                  "KILL",   "DAC_READ_SEARCH", "NET_ADMIN", "DAC_OVERRIDE"};

struct CommandContainerPlan {
  std::string image, box, user;
  std::filesystem::path socket_folder, workspace, packages;
  ResourceLimits limits;
};

json::object bind_mount(const std::filesystem::path& source, std::string_view target, bool is_read_only) {
  return {{"Type", "bind"}, {"Source", source.string()}, {"Target", target}, {"ReadOnly", is_read_only}};
}

// The helper makes mounts and namespaces, which the engine's list of system calls and AppArmor's usual profile forbid;
// it enforces a list of its own. What /proc hides otherwise is hidden by the helper, which gives each command a /proc
// with its own processes.
json::object create_body_of_commands(const CommandContainerPlan& plan) {
  json::array words{"--connect",    std::string(socket_folder) + "/" + socket_name,
                    "--workspace",  workspace_path,
                    "--tools",      "/",
                    "--first-user", plan.user,
                    "--packages",   sandbox::command_packages};
  json::array mounts{bind_mount(plan.workspace, workspace_path, false),
                     bind_mount(plan.socket_folder, socket_folder, true),
                     bind_mount(plan.packages, sandbox::command_packages, true)};
  const double cores = std::max(1u, std::thread::hardware_concurrency());
  const auto memory = std::int64_t(plan.limits.memory_bytes + helper_memory);
  return {{"Image", plan.image},
          {"User", "0:0"},
          {"Entrypoint", json::array{"/usr/bin/agentbox", "spawn"}},
          {"Cmd", words},
          {"Labels", {{commands_label, plan.box}}},
          {"Healthcheck", {{"Test", json::array{"NONE"}}}},
          {"HostConfig",
           {{"NetworkMode", "none"},
            {"Mounts", mounts},
            {"ReadonlyRootfs", true},
            {"Tmpfs", {{"/tmp", "rw,noexec,nosuid,nodev,size=64k,mode=0700"}}},
            {"CapDrop", json::array{"ALL"}},
            {"CapAdd", json::array(capabilities.begin(), capabilities.end())},
            {"SecurityOpt", json::array{"no-new-privileges=true", "seccomp=unconfined", "apparmor=unconfined"}},
            {"MaskedPaths", json::array()},
            {"ReadonlyPaths", json::array()},
            {"PidsLimit", std::int64_t(plan.limits.processes + helper_processes)},
            {"Memory", memory},
            {"MemorySwap", memory},
            {"NanoCpus", std::int64_t(std::min(plan.limits.cpus, cores) * 1e9)},
            {"AutoRemove", true},
            {"RestartPolicy", {{"Name", "no"}}},
            {"LogConfig", {{"Type", "none"}, {"Config", json::object()}}}}}};
}

// So that a container sees those that are loaded after its start. Agents' users read it.
void prepare_packages(const std::filesystem::path& folder) {
  std::error_code failed;  // then the engine says that it is missing
  std::filesystem::create_directories(folder, failed);
  std::filesystem::permissions(folder, std::filesystem::perms(0755), failed);
}

// In a folder that only the box and root enter. By its descriptor, since the path may be too long for an address.
Result<files::Descriptor> listen_in(const std::filesystem::path& folder) {
  try {
    std::filesystem::create_directories(folder);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
    std::filesystem::remove(folder / socket_name);
    const files::Descriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    files::Descriptor listening(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = "/proc/self/fd/" + std::to_string(opened.get()) + "/" + socket_name;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (!opened || !listening || ::bind(listening.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listening.get(), 1) != 0)
      sandbox::throw_errno("open the socket of its commands");
    std::filesystem::permissions(folder / socket_name,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return listening;
  } catch (const std::system_error& error) {
    return web::internal("The box could not open the socket of an agent's commands: " + error.code().message() + ".");
  }
}

// Null: it has not connected yet. Blocks for a moment.
Result<Helper> accept_helper(int listening, uid_t first_user) {
  pollfd waiting{.fd = listening, .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, int(connect_poll.count())) <= 0) return Helper();
  try {
    sandbox::Descriptor accepted(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
    // A container that is paused must not hold up the commands of others.
    const timeval longest{.tv_sec = answer_time.count(), .tv_usec = 0};
    if (accepted.get() < 0 || ::setsockopt(accepted.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest) != 0)
      sandbox::throw_errno("be reached");
    return std::make_shared<sandbox::SpawnHelper>(std::move(accepted), first_user);
  } catch (const std::system_error& error) {
    return web::unavailable("The container for the agent's commands could not " + std::string(error.what()) + ".");
  }
}

}  // namespace

std::string tools_image(const std::string& setting) {
  if (setting == "off") return {};
  return setting == "system" ? std::string(default_image) : setting;
}

struct CommandContainers::State : std::enable_shared_from_this<State> {
  State(Options given, asio::io_context& home_context, asio::thread_pool& file_pool)
      : options(std::move(given)),
        names{options.box},
        home(home_context),
        files(file_pool),
        users(std::filesystem::canonical("/proc/self/exe"), options.folder),
        api(options.host) {}

  struct Place {
    Helper helper;
    int running = 0;
    Steady::time_point used = Steady::now();
  };

  const Options options;
  const Names names;
  asio::io_context& home;
  asio::thread_pool& files;
  const AgentUsers users;
  // Used on `home` only.
  Api api;
  std::set<std::string> starting;
  bool is_ready = false;  // what an earlier box has left is gone
  bool is_watching = false, is_looking = false, is_stopping = false;
  std::mutex mutex;                     // protects what follows
  std::map<std::string, Place> places;  // by agent
  std::string reason;                   // empty before the first look, too: a start looks itself
  Steady::time_point looked{};

  std::string path_of(const std::string& agent) const { return "/containers/" + names.container(agent) + "-commands"; }

  Helper helper_of(const std::string& agent) {
    const std::lock_guard lock(mutex);
    const auto found = places.find(agent);
    return found == places.end() || found->second.helper->has_ended() ? nullptr : found->second.helper;
  }
  void drop(const std::string& agent) {
    const std::lock_guard lock(mutex);
    places.erase(agent);
  }
  // Of the commands of this container, which need not be there any more.
  void count(const std::string& agent, const Helper& helper, int more) {
    const std::lock_guard lock(mutex);
    const auto found = places.find(agent);
    if (found == places.end() || found->second.helper != helper) return;
    found->second.running += more;
    found->second.used = Steady::now();
  }
  void note(std::string why) {
    const std::lock_guard lock(mutex);
    reason = std::move(why);
    looked = Steady::now();
  }

  // The rest runs on `home`.

  Task<Result<void>> look() {
    is_looking = true;
    const auto found = co_await find_tools();
    note(found ? std::string() : found.error().message);
    is_looking = false;
    co_return found;
  }

  Task<Result<void>> find_tools() {
    const auto found = co_await api.call("GET", "/images/" + options.image + "/json");
    if (!found) co_return found.error();
    if (found->status == 404)
      co_return web::unavailable("The image of agents' commands is not on this box (" + options.image +
                                 "): load it with agentbox images load.");
    if (found->status != 200) co_return refusal("describe the image " + options.image, *found);
    co_return Result<void>();
  }

  static Task<> look_again(std::shared_ptr<State> self) {
    if (!self->is_looking && !self->is_stopping) co_await self->look();
  }

  Task<Result<void>> prepare(CommandSpec spec) {
    while ((!is_ready && !is_stopping) || starting.contains(spec.agent)) co_await web::sleep_for(others_pause);
    if (is_stopping) co_return web::unavailable("The box is shutting down.");
    if (const auto helper = helper_of(spec.agent)) {
      count(spec.agent, helper, 0);  // it is not idle
      co_return Result<void>();
    }
    starting.insert(spec.agent);
    auto made = co_await make(spec);
    starting.erase(spec.agent);
    if (is_stopping) made = web::unavailable("The box is shutting down.");
    if (!made) {
      co_await remove_at(path_of(spec.agent));
      co_return web::unavailable(made.error().message);
    }
    {
      const std::lock_guard lock(mutex);
      places[spec.agent] = {.helper = std::move(*made)};
    }
    if (!is_watching) asio::co_spawn(home, watch(shared_from_this()), [](std::exception_ptr) {});
    co_return Result<void>();
  }

  Task<Result<Helper>> make(CommandSpec spec) {
    const auto looked_for = co_await look();
    if (!looked_for) co_return looked_for.error();
    const auto user = users.of(spec.port).value_or(::geteuid());
    if (user == 0) co_return web::unavailable("Agents have no users of their own here.");
    const auto folder = RunFolder(options.folder / spec.agent).path() / "commands";
    const auto open = [folder, packages = options.packages] {
      prepare_packages(packages);
      return listen_in(folder);
    };
    auto listening = co_await web::offload(files, open);
    if (!listening) co_return listening.error();
    auto removed = co_await remove_at(path_of(spec.agent));
    if (!removed) co_return removed.error();
    const CommandContainerPlan plan{.image = options.image,
                                    .box = names.box,
                                    .user = std::to_string(user),
                                    .socket_folder = folder,
                                    .workspace = spec.workspace,
                                    .packages = options.packages,
                                    .limits = spec.limits};
    const json::value body = create_body_of_commands(plan);
    const auto name = path_of(spec.agent).substr(std::string_view("/containers/").size());
    const auto created = co_await api.call("POST", "/containers/create?name=" + name, body);
    if (!created) co_return created.error();
    if (created->status != 201) co_return refusal("make the container for the agent's commands", *created);
    const auto started = co_await api.call("POST", path_of(spec.agent) + "/start");
    if (!started) co_return started.error();
    if (started->status != 204) co_return refusal("start the container for the agent's commands", *started);
    auto connected = co_await connect(spec, listening->get(), uid_t(user - spec.port));
    const auto unlink = [folder] {
      std::error_code gone;
      std::filesystem::remove(folder / socket_name, gone);
    };
    co_await web::offload(files, unlink);
    co_return connected;
  }

  Task<Result<Helper>> connect(CommandSpec spec, int listening, uid_t first_user) {
    const auto work = [listening, first_user] { return accept_helper(listening, first_user); };
    for (const auto until = Steady::now() + connect_time; Steady::now() < until && !is_stopping;) {
      auto accepted = co_await web::offload(files, work);
      if (!accepted) co_return accepted.error();
      if (*accepted && !(*accepted)->has_commands())
        co_return web::unavailable("The container for the agent's commands may not give them networks of their own.");
      if (*accepted) co_return std::move(*accepted);
      const auto seen = co_await api.call("GET", path_of(spec.agent) + "/json");
      if (!seen) co_return seen.error();
      if (seen->status != 200 || parse_container(seen->body).instance.state != runtime::State::running)
        co_return web::unavailable("The container for the agent's commands has ended instead of reaching the box: is " +
                                   options.image + " of this release, and the data folder on the engine's machine?");
    }
    co_return web::unavailable("The container for the agent's commands has not reached the box in time.");
  }

  Task<Result<void>> remove_at(std::string path) {
    constexpr std::chrono::minutes removal_time{1};
    const auto removed = co_await api.call("DELETE", path + "?force=1&v=1", {}, removal_time);
    if (!removed) co_return removed.error();
    for (const auto until = Steady::now() + connect_time; Steady::now() < until;) {  // another removal is in progress
      const auto seen = co_await api.call("GET", path + "/json");
      if (!seen) co_return seen.error();
      if (seen->status == 404) co_return Result<void>();
      co_await web::sleep_for(connect_poll);
    }
    co_return refusal("remove the former container for the agent's commands", *removed);
  }

  // While there are containers: which of them are not needed any more. Closing the connection ends one.
  static Task<> watch(std::shared_ptr<State> self) {
    self->is_watching = true;
    for (;;) {
      co_await web::sleep_for(watch_interval);
      const std::lock_guard lock(self->mutex);
      const auto now = Steady::now();
      std::erase_if(self->places, [&](const auto& one) {
        const auto& [agent, place] = one;
        if (place.helper->has_ended()) return true;
        if (place.running > 0) return false;
        return now - place.used > self->options.idle_time || (self->options.may_run && !self->options.may_run(agent));
      });
      if (self->places.empty()) break;
    }
    self->is_watching = false;
  }

  Task<> start_up() {
    if (options.image.empty()) co_return;
    const json::object wanted{{"label", json::array{std::string(commands_label) + "=" + names.box}}};
    const auto listed = co_await api.call("GET", "/containers/json?all=1&filters=" + escape(json::serialize(wanted)));
    if (listed && listed->status == 200 && listed->body.is_array())
      for (const auto& one : listed->body.get_array()) co_await remove_at("/containers/" + web::string_at(one, "/Id"));
    is_ready = true;
    co_await look();
  }
};

CommandContainers::CommandContainers(Options options, asio::io_context& home, asio::thread_pool& files)
    : state_(std::make_shared<State>(std::move(options), home, files)) {}

CommandContainers::~CommandContainers() = default;

Task<> CommandContainers::start_up() { co_await web::run_on(state_->home, state_->start_up()); }

Task<> CommandContainers::stop() {
  const auto end = [](std::shared_ptr<State> state) -> Task<> {
    state->is_stopping = true;
    const std::lock_guard lock(state->mutex);
    state->places.clear();
    co_return;
  };
  co_await web::run_on(state_->home, end(state_));
}

std::string CommandContainers::why_not() const {
  if (state_->options.image.empty()) return "AGENT_TOOLS is off.";
  if (state_->options.image.starts_with('/')) return "AGENT_TOOLS is a folder, and agents in containers need an image.";
  std::unique_lock lock(state_->mutex);
  auto reason = state_->reason;
  const bool is_due = !reason.empty() && Steady::now() - state_->looked > look_interval;
  if (is_due) state_->looked = Steady::now();
  lock.unlock();  // on `home` the look begins at once, and may note what it has found
  if (is_due) asio::co_spawn(state_->home, State::look_again(state_), [](std::exception_ptr) {});
  return reason;
}

Task<Result<void>> CommandContainers::prepare(CommandSpec spec) { return state_->prepare(std::move(spec)); }

RunningCommand CommandContainers::start(const CommandSpec& wanted) const {
  const auto helper = state_->helper_of(wanted.agent);
  if (!helper) throw std::system_error(EPIPE, std::system_category(), "be started, since its container has ended");
  auto spec = wanted;
  spec.limits.processes = 0;  // of the user, which is the agent's elsewhere too; the container has the plan's limit
  state_->count(spec.agent, helper, 1);
  try {
    auto running = start_by_helper(*helper, spec, {});
    running.helper = helper;
    return running;
  } catch (const std::system_error& error) {
    state_->count(spec.agent, helper, -1);
    if (error.code().value() != EPIPE) throw;
    state_->drop(spec.agent);
    throw std::system_error(EPIPE, std::system_category(), "be started, since its container has ended");
  }
}

void CommandContainers::signal(const RunningCommand& command, int signal) const {
  try {
    if (const auto helper = command.helper.lock()) helper->signal(command.pid, signal);
  } catch (const std::system_error& error) {  // it has ended, or its container has, which took it along
    web::log::info("command_not_signalled", {{"reason", std::string(error.what())}});
  }
}

std::optional<int> CommandContainers::collect(const RunningCommand& command, const std::string& agent,
                                              sandbox::CommandPlace) const {
  const auto helper = command.helper.lock();
  if (!helper) return std::nullopt;
  std::optional<int> code;
  try {
    code = command_exit_code(helper->collect(command.pid));
  } catch (const std::system_error&) {
    code = std::nullopt;  // the container has ended
  }
  state_->count(agent, helper, -1);
  return code;
}

}  // namespace runtime::docker
