#include "appliance/runtime/docker/docker_engine.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <charconv>
#include <map>
#include <mutex>
#include <set>
#include <system_error>

#include "appliance/runtime/agent_files.h"
#include "appliance/runtime/agent_user.h"
#include "appliance/runtime/cpu_meter.h"
#include "appliance/runtime/docker/agent_networks.h"
#include "appliance/runtime/docker/container.h"
#include "appliance/runtime/docker/container_logs.h"
#include "appliance/runtime/docker/docker_api.h"
#include "appliance/runtime/docker/image.h"
#include "appliance/runtime/run_folder.h"
#include "web/json.h"
#include "web/log.h"
#include "web/run_on.h"

namespace runtime {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using docker::Container;
using web::Result;
using web::Task;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds stop_margin{15}, name_conflict_time{30};  // after the grace; for another's request
constexpr std::chrono::milliseconds name_conflict_pause{200};

// The last known state of a running agent.
struct Known {
  std::string container;  // the engine's id
  CpuMeter cpu;
};

}  // namespace

struct DockerEngine::Impl : std::enable_shared_from_this<Impl> {
  Impl(DockerOptions docker_options, asio::io_context& home_context, asio::thread_pool& file_pool)
      : options(std::move(docker_options)),
        names{options.box},
        home(home_context),
        files(file_pool),
        api(options.host),
        networks(api, names, options, files) {
    std::filesystem::create_directories(options.folder);
    options.folder = std::filesystem::canonical(options.folder);
    users.emplace(std::filesystem::canonical("/proc/self/exe"), options.folder);
  }

  // Constant after construction; used from every thread.
  DockerOptions options;
  const docker::Names names;
  std::optional<AgentUsers> users;
  asio::io_context& home;
  asio::thread_pool& files;
  std::function<void(std::string, std::optional<int>)> report_exit;
  std::function<void()> report_back;
  std::mutex gateways_mutex;                        // protects gateways
  std::map<std::uint16_t, GatewayTraits> gateways;  // by port
  // Used on `home` only.
  docker::Api api;
  docker::AgentNetworks networks;
  std::map<std::string, Known> running;  // by agent
  std::set<std::string> starting;
  bool following = false, has_seen_all = false;  // has_seen_all: `running` is what the engine said

  RunFolder run_folder(const std::string& id) const { return RunFolder(options.folder / id); }
  std::string path_of(const std::string& id) const { return "/containers/" + names.container(id); }
  std::string former_path_of(const std::string& id) const { return "/containers/" + names.former_container(id); }

  // Runs on `files`. Creates workspace, volumes and boot file, and returns their owner, "uid:gid".
  Result<std::string> prepare_files(const AgentSpec& spec, const std::string& url, const ImageProxy* proxy) const {
    const auto user = users->of(spec.port);
    const auto boot = boot_of(spec, {.listen = "0.0.0.0:" + std::to_string(docker::gateway_port),
                                     .workspace = std::string(docker::workspace_path),
                                     .backend_url = url,
                                     .summarizer_url = url});
    try {
      runtime::prepare_files(run_folder(spec.id), spec, boot, user);
      if (proxy) run_folder(spec.id).write_proxy(proxy->authority);
    } catch (const std::system_error& error) {
      return files_not_written(error);
    }
    const auto uid = std::to_string(user.value_or(::getuid()));
    return uid + ":" + (user ? uid : std::to_string(::getgid()));
  }

  // The rest runs on `home`.

  Task<Result<std::optional<Container>>> container_at(std::string path) {
    const auto answer = co_await api.call("GET", path + "/json");
    if (!answer) co_return answer.error();
    if (answer->status == 404) co_return std::optional<Container>();
    if (answer->status != 200) co_return docker::refusal("inspect the agent's container", *answer);
    co_return std::optional(docker::parse_container(answer->body));
  }

  Task<Result<Instance>> start(AgentSpec spec) {
    if (!starting.insert(spec.id).second) co_return web::conflict("The agent is being started already.");
    auto started = co_await start_once(spec);
    starting.erase(spec.id);
    co_return started;
  }

  Task<Result<Instance>> start_once(AgentSpec spec) {
    const auto image_name = spec.image.empty() ? options.image : spec.image;
    auto labels = options.image_labels ? options.image_labels(image_name) : json::object();
    const auto image = co_await docker::find_image(api, image_name, labels);
    if (!image) co_return image.error();
    spec.volumes = image->volumes;
    const auto memory_min = image_name == options.image && options.memory_min ? options.memory_min : image->memory_min;
    const auto fits = docker::has_memory_for(image_name, memory_min, spec.limits.memory_bytes);
    if (!fits) co_return fits.error();
    const bool is_closed = options.is_closed && options.is_closed(spec.id);
    const bool uses_proxy = spec.proxy && !image->reads_boot;
    const auto listener = co_await networks.open(is_closed, uses_proxy);
    if (!listener) co_return listener.error();
    const auto cleared = co_await remove_earlier_container(spec.id);
    if (!cleared) co_return cleared.error();
    const auto forgotten = co_await forget_former_secrets(spec.id, docker::secrets_digest(spec, image->reads_boot));
    if (!forgotten) co_return forgotten.error();

    auto proxy = uses_proxy ? networks.proxy() : std::nullopt;
    auto work = [self = shared_from_this(), spec, url = *listener, proxy] {
      return self->prepare_files(spec, url, proxy ? &*proxy : nullptr);
    };
    auto user = co_await web::offload(files, std::move(work));
    if (!user) co_return user.error();
    const docker::ContainerPlan plan{.names = names,
                                     .image = image_name,
                                     .image_reads_boot = image->reads_boot,
                                     .image_has_check = image->has_check,
                                     .image_port = image->port,
                                     .image_probe = image->gateway.probe_path,
                                     .image_environment = image->environment,
                                     .image_labels = std::move(labels),
                                     .boot_file = run_folder(spec.id).boot_path(),
                                     .user = *user,
                                     .listener_url = *listener,
                                     .is_closed = is_closed,
                                     .proxy = std::move(proxy),
                                     .proxy_folder = run_folder(spec.id).proxy_path()};
    const json::value body = docker::create_body(spec, plan);
    const auto path = "/containers/create?name=" + names.container(spec.id);
    auto created = co_await api.call("POST", path, body);
    // An earlier process of the box may have requested this container and the engine is still creating it: it is not
    // listed yet, but its name is taken.
    for (const auto until = Steady::now() + name_conflict_time;
         created && created->status == 409 && Steady::now() < until;) {
      co_await web::sleep_for(name_conflict_pause);
      const auto seen = co_await remove_earlier_container(spec.id);
      if (!seen) co_return seen.error();
      created = co_await api.call("POST", path, body);
    }
    if (!created) co_return created.error();
    note_gateway(spec.port, image->gateway);
    if (created->status != 201) co_return docker::refusal("make the agent's container", *created);
    running[spec.id] = {.container = web::string_at(created->body, "/Id")};  // it may end before the next answer
    const auto started = co_await api.call("POST", path_of(spec.id) + "/start");
    if (!started || started->status != 204) {
      auto error = started ? docker::refusal("start the agent's container", *started) : started.error();
      co_await remove_container(spec.id);
      co_return error;
    }
    const auto found = co_await container_at(path_of(spec.id));
    if (!found) co_return found.error();
    if (!*found) co_return web::internal("The agent's container has been removed while it was started.");
    if ((*found)->instance.state != State::running) running.erase(spec.id);
    co_return instance_of(**found);
  }

  void note_gateway(std::uint16_t port, GatewayTraits traits) {
    const std::lock_guard lock(gateways_mutex);
    gateways[port] = traits;
  }

  // Of a container in the engine's list, which an earlier process of the box may have started.
  void note_gateway(const json::value& listed) {
    boost::system::error_code absent;
    const auto* labels = listed.find_pointer("/Labels", absent);
    const auto image = docker::image_with(labels ? *labels : json::value());
    const auto* ports = listed.find_pointer("/Ports", absent);
    if (!ports || !ports->is_array()) return;
    for (const auto& one : ports->get_array()) {
      const auto* port = one.find_pointer("/PublicPort", absent);
      const auto traits = image ? image->gateway : docker::Image().gateway;
      if (port && port->is_int64()) note_gateway(static_cast<std::uint16_t>(port->get_int64()), traits);
    }
  }

  // Removes an earlier container of this agent. A foreign container with the same name is a conflict.
  Task<Result<void>> remove_earlier_container(std::string id) {
    const auto earlier = co_await container_at(path_of(id));
    if (!earlier) co_return earlier.error();
    if (!*earlier) co_return Result<void>();
    if ((*earlier)->agent != id || (*earlier)->box != names.box)
      co_return web::conflict("A container named " + names.container(id) +
                              " exists that is not this box's: rename or remove it.");
    if ((*earlier)->instance.state == State::running) co_return web::conflict("The agent is running already.");
    if ((*earlier)->instance.exit_code && co_await keep_for_log(id)) co_return Result<void>();
    co_return co_await remove_container(id);
  }

  // Gives the container of the last run another name, so that its log can still be read.
  Task<bool> keep_for_log(std::string id) {
    const auto removed = co_await remove_at(former_path_of(id));
    if (!removed) co_return false;
    const auto renamed = co_await api.call("POST", path_of(id) + "/rename?name=" + names.former_container(id));
    if (!renamed || renamed->status != 204) co_return false;
    running.erase(id);
    co_return true;
  }

  // A container that is kept for its log has no secret that the owner has taken back or replaced since.
  Task<Result<void>> forget_former_secrets(std::string id, std::string secrets) {
    const auto former = co_await container_at(former_path_of(id));
    if (!former) co_return former.error();
    if (!*former || (*former)->secrets.empty() || (*former)->secrets == secrets) co_return Result<void>();
    co_return co_await remove_at(former_path_of(id));
  }

  Task<Result<void>> remove_container(std::string id) {
    const auto removed = co_await remove_at(path_of(id));
    if (!removed) co_return removed.error();
    running.erase(id);
    co_return Result<void>();
  }

  // Of a container that need not exist. Waits for a removal that is in progress already (409).
  Task<Result<void>> remove_at(std::string path) {
    constexpr std::chrono::minutes removal_time{1};
    for (const auto until = Steady::now() + name_conflict_time;;) {
      const auto removed = co_await api.call("DELETE", path + "?force=1&v=1", {}, removal_time);
      if (!removed) co_return removed.error();
      if (removed->status == 204 || removed->status == 404) co_return Result<void>();
      if (removed->status != 409 || Steady::now() >= until)
        co_return docker::refusal("remove the agent's container", *removed);
      co_await web::sleep_for(name_conflict_pause);
    }
  }

  Task<Result<LogPage>> read_log(std::string id, LogQuery query) {
    auto current = co_await docker::read_log(api, path_of(id), query);
    if (!current) co_return current.error();
    const bool is_complete = query.after.empty() ? current->lines.size() >= query.limit : !current->is_truncated;
    if (is_complete) co_return std::move(*current);
    auto former = co_await docker::read_log(api, former_path_of(id), query);
    if (!former) co_return former.error();
    co_return docker::joined(std::move(*former), std::move(*current), query);
  }

  // Clears backend_url if the container was created with another listener URL or proxy, so that the agent is restarted.
  Instance instance_of(const Container& container) const {
    auto instance = container.instance;
    const auto& url = networks.listener_url();
    const auto& proxy = networks.proxy();
    const bool knows_proxy = container.proxy.empty() || (proxy && container.proxy == docker::proxy_mark(*proxy));
    if (url && (container.listener_url != *url || !knows_proxy)) instance.backend_url.clear();
    return instance;
  }

  Task<Result<void>> stop(std::string id, std::chrono::seconds grace) {
    const auto timeout = std::chrono::milliseconds(grace + stop_margin);
    const auto stopped =
        co_await api.call("POST", path_of(id) + "/stop?t=" + std::to_string(grace.count()), {}, timeout);
    if (!stopped) co_return stopped.error();
    if (stopped->status != 204 && stopped->status != 304 && stopped->status != 404)
      co_return docker::refusal("stop the agent's container", *stopped);
    co_return Result<void>();
  }

  Task<Result<Instance>> inspect(std::string id) {
    const auto found = co_await container_at(path_of(id));
    if (!found) co_return found.error();
    if (!*found) co_return Instance{};
    co_return instance_of(**found);
  }

  Task<Result<InstanceStats>> stats(std::string id) {
    const auto found = co_await container_at(path_of(id));
    if (!found) co_return found.error();
    if (!*found || (*found)->instance.state != State::running) co_return web::conflict("The agent is not running.");
    const auto answer = co_await api.call("GET", path_of(id) + "/stats?stream=false&one-shot=true");
    if (!answer) co_return answer.error();
    if (answer->status != 200) co_return docker::refusal("measure the agent's container", *answer);
    const auto sample = docker::parse_sample(answer->body);
    const auto age = std::chrono::system_clock::now() - (*found)->instance.started_at;
    auto& known = running[id];
    if (known.container != (*found)->id) known = {.container = (*found)->id, .cpu = {}};
    const std::chrono::duration<double, std::nano> used(double(sample.cpu_nanoseconds));
    co_return InstanceStats{.cpu_percent = known.cpu.percent(used, age),
                            .memory_bytes = sample.memory_bytes,
                            .uptime = std::chrono::duration_cast<std::chrono::seconds>(age),
                            .received_bytes = sample.received_bytes,
                            .sent_bytes = sample.sent_bytes};
  }

  Task<Result<std::vector<std::string>>> adopt() {
    follow();
    const auto listener = co_await networks.open(false, false);
    if (!listener && listener.error().kind == web::Kind::unavailable) co_return listener.error();
    const auto refreshed = co_await refresh_running();
    if (!refreshed) co_return refreshed.error();
    std::vector<std::string> agents;
    for (const auto& [agent, known] : running) agents.push_back(agent);
    co_return agents;
  }

  // Updates `running` from the engine and reports agents that have ended.
  Task<Result<void>> refresh_running() {
    const auto answer = co_await api.call("GET", "/containers/json?filters=" + names.filter());
    if (!answer) co_return answer.error();
    if (answer->status != 200 || !answer->body.is_array())
      co_return docker::refusal("list the agents' containers", *answer);
    std::map<std::string, Known> now;
    for (const auto& one : answer->body.get_array()) {
      const auto agent = web::string_at(one, "/Labels/agentbox.agent"), id = web::string_at(one, "/Id");
      if (agent.empty() || id.empty()) continue;
      now[agent].container = id;
      note_gateway(one);
    }
    const auto before = std::exchange(running, now);
    has_seen_all = true;
    for (const auto& [agent, known] : before)
      if (!now.contains(agent) && report_exit) report_exit(agent, std::nullopt);
    co_return Result<void>();
  }

  // The engine's events.

  void follow() {
    if (std::exchange(following, true)) return;
    asio::co_spawn(home, follow_events(weak_from_this()), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }

  static Task<> follow_events(std::weak_ptr<Impl> weak) {
    bool was_gone = false;
    auto pause = std::chrono::milliseconds(0);
    for (;;) {
      auto self = weak.lock();
      if (!self) co_return;
      const auto buffer = std::make_shared<std::string>();
      const auto opened = std::make_shared<bool>(false);
      auto on_open = [weak, opened, was_gone] {
        *opened = true;
        if (auto impl = weak.lock()) impl->events_open(was_gone);
      };
      auto sink = [weak, buffer](std::string_view bytes) {
        auto impl = weak.lock();
        if (impl) impl->read_events(*buffer, bytes);
        return impl != nullptr;
      };
      const auto path = "/events?filters=" + self->names.death_filter();
      const auto ended = co_await self->api.stream(path, std::move(sink), std::move(on_open));
      if (!was_gone || *opened)
        web::log::warning("docker_events_ended", {{"reason", ended ? "the stream ended" : ended.error().message}});
      was_gone = true;
      pause = *opened ? self->options.first_pause
                      : std::min(2 * pause + self->options.first_pause, self->options.longest_pause);
      self.reset();
      co_await web::sleep_for(pause);
    }
  }

  // After an interruption: once events are received again, lists the containers to find those that ended meanwhile.
  void events_open(bool was_gone) {
    asio::co_spawn(home, refresh_after_reconnect(shared_from_this(), was_gone), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }

  static Task<> refresh_after_reconnect(std::shared_ptr<Impl> self, bool was_gone) {
    if (was_gone) {
      web::log::info("docker_is_back");
      co_await self->refresh_running();
      if (self->report_back) self->report_back();
    }
  }

  // One JSON object per line.
  void read_events(std::string& buffer, std::string_view bytes) {
    buffer.append(bytes);
    for (std::size_t end = 0; (end = buffer.find('\n')) != std::string::npos; buffer.erase(0, end + 1)) {
      boost::system::error_code malformed;
      const auto event = json::parse(std::string_view(buffer).substr(0, end), malformed);
      if (malformed) continue;
      const auto* container = event.find_pointer("/Actor/ID", malformed);
      const auto* agent = event.find_pointer("/Actor/Attributes/agentbox.agent", malformed);
      const auto* code = event.find_pointer("/Actor/Attributes/exitCode", malformed);
      if (!container || !agent || !container->is_string() || !agent->is_string()) continue;
      const auto known = running.find(std::string(agent->get_string()));
      if (known == running.end() || known->second.container != container->get_string()) continue;
      running.erase(known);
      std::optional<int> exit_code;
      if (int number = 0; code && code->is_string()) {
        const std::string_view text = code->get_string();
        if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc()) exit_code = number;
      }
      if (report_exit) report_exit(std::string(agent->get_string()), exit_code);
    }
  }

  Task<Result<void>> remove(std::string id) {
    const auto found = co_await container_at(path_of(id));
    if (!found) co_return found.error();
    if (*found) {
      if ((*found)->instance.state == State::running) co_return web::conflict("The agent is running: stop it first.");
      const auto removed = co_await remove_container(id);
      if (!removed) co_return removed.error();
    }
    const auto former = co_await remove_at(former_path_of(id));
    if (!former) co_return former.error();
    if (!has_seen_all) co_await refresh_running();  // not adopted: the agents are moved to another engine
    co_return co_await remove_run_files(run_folder(id), files);
  }
};

DockerEngine::DockerEngine(DockerOptions options, asio::io_context& home, asio::thread_pool& files)
    : impl_(std::make_shared<Impl>(std::move(options), home, files)) {
  impl_->report_exit = [this](std::string id, std::optional<int> exit_code) {
    if (on_exit) on_exit(std::move(id), exit_code);
  };
  impl_->report_back = [this] {
    if (on_back) on_back();
  };
}

Isolation DockerEngine::isolation() const { return impl_->networks.isolation(); }

DockerEngine::~DockerEngine() {
  // Containers that go on without the box keep its rules.
  if (impl_->has_seen_all && impl_->running.empty()) impl_->networks.remove_rules();
  impl_->report_exit = nullptr;
  impl_->report_back = nullptr;
}

// Each call hops to `home` and back to its caller's io_context.

Task<Result<Instance>> DockerEngine::start(const AgentSpec& spec) {
  co_return co_await web::run_on(impl_->home, impl_->start(spec));
}

Task<Result<void>> DockerEngine::stop(std::string id, std::chrono::seconds grace) {
  co_return co_await web::run_on(impl_->home, impl_->stop(std::move(id), grace));
}

Task<Result<Instance>> DockerEngine::inspect(std::string id) {
  co_return co_await web::run_on(impl_->home, impl_->inspect(std::move(id)));
}

Task<Result<InstanceStats>> DockerEngine::stats(std::string id) {
  co_return co_await web::run_on(impl_->home, impl_->stats(std::move(id)));
}

Task<Result<std::vector<std::string>>> DockerEngine::logs(std::string id, std::size_t lines) {
  co_return co_await web::run_on(impl_->home, docker::last_lines(impl_->api, impl_->path_of(id), lines));
}

Task<Result<LogPage>> DockerEngine::read_log(std::string id, LogQuery query) {
  co_return co_await web::run_on(impl_->home, impl_->read_log(std::move(id), std::move(query)));
}

Task<Result<std::string>> DockerEngine::log_end(std::string) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  co_return log_position(std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
}

Task<Result<void>> DockerEngine::follow_log(std::string id, std::string after, LogSink sink) {
  co_return co_await web::run_on(impl_->home,
                                 docker::follow_log(impl_->api, impl_->path_of(id), std::move(after), std::move(sink)));
}

Task<Result<std::vector<std::string>>> DockerEngine::adopt(std::vector<std::string>) {
  co_return co_await web::run_on(impl_->home, impl_->adopt());
}

Task<Result<void>> DockerEngine::remove(std::string id) {
  co_return co_await web::run_on(impl_->home, impl_->remove(std::move(id)));
}

GatewayTraits DockerEngine::gateway_traits(std::uint16_t port) const {
  const std::lock_guard lock(impl_->gateways_mutex);
  if (const auto found = impl_->gateways.find(port); found != impl_->gateways.end()) return found->second;
  return docker::Image().gateway;
}

}  // namespace runtime
