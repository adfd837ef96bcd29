#include "appliance/hosting/runtime/docker/docker_engine.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <charconv>
#include <map>
#include <set>
#include <system_error>

#include "appliance/hosting/runtime/agent_user.h"
#include "appliance/hosting/runtime/docker/container.h"
#include "appliance/hosting/runtime/docker/docker_api.h"
#include "appliance/hosting/runtime/docker/log_frames.h"
#include "appliance/hosting/runtime/run_folder.h"
#include "web/log.h"
#include "web/run_on.h"

namespace runtime {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using docker::Container;
using web::Error;
using web::Result;
using web::Task;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds answer_time_of_stop{15};  // beyond the grace
constexpr std::chrono::seconds time_to_read_a_log{30};
constexpr std::chrono::seconds time_to_make{30};  // a container, for who has asked before
constexpr std::chrono::milliseconds pause_for_a_name{200};
constexpr std::size_t disorder = 1'000;  // lines of two streams that may stand in the log before one that is older

struct Image {
  bool reads_boot = false;
};

Task<Result<Image>> find_image(docker::Api& api, std::string name) {
  const auto found = co_await api.call("GET", "/images/" + name + "/json");
  if (!found) co_return found.error();
  if (found->status == 404)
    co_return web::internal("The image " + name + " is not on this box: make it with ./dev image, or load or pull it.");
  if (found->status != 200) co_return docker::refusal("describe the image " + name, *found);
  Image image;
  boost::system::error_code absent;
  if (const auto* labels = found->body.find_pointer("/Config/Labels", absent); labels && labels->is_object())
    if (const auto* boot = labels->get_object().if_contains(docker::label::image_reads_boot))
      image.reads_boot = *boot == "file";
  co_return image;
}

// What is known of a running agent between two looks at the engine.
struct Known {
  std::string container;              // the engine's id
  std::uint64_t cpu_nanoseconds = 0;  // at the last call of stats
  Steady::time_point cpu_read_at{};
};

}  // namespace

struct DockerEngine::Impl : std::enable_shared_from_this<Impl> {
  Impl(DockerOptions chosen, asio::io_context& home_context, asio::thread_pool& file_pool)
      : options(std::move(chosen)), names{options.box}, home(home_context), files(file_pool), api(options.host) {
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
  std::function<void(std::string, std::optional<int>)> tell_exit;
  std::function<void()> tell_back;
  // Used on `home` only.
  docker::Api api;
  std::map<std::string, Known> running;  // by agent
  std::set<std::string> starting;
  std::optional<std::string> current_door;
  bool following = false;

  RunFolder run_folder(const std::string& id) const { return RunFolder(options.folder / id); }
  std::string path_of(const std::string& id) const { return "/containers/" + names.container(id); }

  // ---- on `files`

  // The workspace and the boot file, the agent's own; "uid:gid".
  Result<std::string> prepare_files(const AgentSpec& spec, const std::string& door) const {
    const auto folder = run_folder(spec.id);
    const auto user = users->of(spec.port);
    const Boot boot{.agent_id = spec.id,
                    .name = spec.name,
                    .model = spec.model,
                    .listen = "0.0.0.0:" + std::to_string(docker::gateway_port),
                    .workspace = std::string(docker::workspace_path),
                    .gateway_token = spec.gateway_token,
                    .box_token = spec.box_token,
                    .backend_url = door,
                    .summarizer_url = door,
                    .conduct = spec.conduct};
    try {
      folder.create();
      std::filesystem::create_directories(spec.workspace);
      std::filesystem::permissions(spec.workspace, std::filesystem::perms::owner_all);
      if (user) give_workspace(spec.workspace, *user);
      folder.write_boot(json::serialize(json::value_from(boot)), user);
    } catch (const std::system_error& error) {
      return web::internal(std::string("The agent's files cannot be written: ") + error.what());
    }
    const auto uid = std::to_string(user.value_or(::getuid()));
    return uid + ":" + (user ? uid : std::to_string(::getgid()));
  }

  // ---- on `home`

  // Where containers reach the box.
  Task<Result<std::string>> door() {
    const auto path = "/networks/" + names.network();
    auto network = co_await api.call("GET", path);
    if (network && network->status == 404) {
      const json::value wanted{{"Name", names.network()},
                               {"Driver", "bridge"},
                               {"CheckDuplicate", true},
                               {"Options", {{"com.docker.network.bridge.enable_icc", "false"}}},
                               {"Labels", {{docker::label::box, names.box}}}};
      const auto made = co_await api.call("POST", "/networks/create", wanted);
      if (!made) co_return made.error();
      if (made->status != 201 && made->status != 409) co_return docker::refusal("make the agents' network", *made);
      network = co_await api.call("GET", path);
    }
    if (!network) co_return network.error();
    boost::system::error_code absent;
    const auto* gateway = network->body.find_pointer("/IPAM/Config/0/Gateway", absent);
    if (network->status != 200 || !gateway || !gateway->is_string())
      co_return docker::refusal("describe the agents' network", *network);
    std::string reason;
    try {
      current_door = options.open_door(std::string(gateway->get_string()));
      co_return *current_door;
    } catch (const std::runtime_error& error) {
      reason = error.what();
    }
    co_return web::internal("Agents in containers could not reach the box: " + reason);
  }

  Task<Result<std::optional<Container>>> find(std::string id) {
    const auto answer = co_await api.call("GET", path_of(id) + "/json");
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
    const auto image = co_await find_image(api, image_name);
    if (!image) co_return image.error();
    const auto reachable = co_await door();
    if (!reachable) co_return reachable.error();
    const auto cleared = co_await clear_the_name(spec.id);
    if (!cleared) co_return cleared.error();

    auto self = shared_from_this();
    auto work = [self, spec, url = *reachable] { return self->prepare_files(spec, url); };
    auto user = co_await web::offload(files, std::move(work));
    if (!user) co_return user.error();
    const docker::ContainerPlan plan{.names = names,
                                     .image = image_name,
                                     .image_reads_boot = image->reads_boot,
                                     .boot_file = run_folder(spec.id).boot_path(),
                                     .user = *user,
                                     .door = *reachable};
    const json::value body = docker::create_body(spec, plan);
    const auto path = "/containers/create?name=" + names.container(spec.id);
    auto created = co_await api.call("POST", path, body);
    // A box that has died meanwhile may have asked for this container, and the engine is still at it: nobody can see
    // it, but its name is taken.
    for (const auto until = Steady::now() + time_to_make; created && created->status == 409 && Steady::now() < until;) {
      co_await web::sleep_for(pause_for_a_name);
      const auto seen = co_await clear_the_name(spec.id);
      if (!seen) co_return seen.error();
      created = co_await api.call("POST", path, body);
    }
    if (!created) co_return created.error();
    if (created->status != 201) co_return docker::refusal("make the agent's container", *created);
    boost::system::error_code absent;
    if (const auto* made = created->body.find_pointer("/Id", absent); made && made->is_string())
      running[spec.id] = {.container = std::string(made->get_string())};  // its end may come before the next answer
    const auto begun = co_await api.call("POST", path_of(spec.id) + "/start");
    if (!begun || begun->status != 204) {
      auto error = begun ? docker::refusal("start the agent's container", *begun) : begun.error();
      co_await remove_container(spec.id);
      co_return error;
    }
    const auto found = co_await find(spec.id);
    if (!found) co_return found.error();
    if (!*found) co_return web::internal("The agent's container has been removed while it was started.");
    if ((*found)->instance.state != State::running) running.erase(spec.id);
    co_return instance_of(**found);
  }

  // An earlier container of this agent goes. One that only has the name is somebody else's, and stays.
  Task<Result<void>> clear_the_name(std::string id) {
    const auto earlier = co_await find(id);
    if (!earlier) co_return earlier.error();
    if (!*earlier) co_return Result<void>();
    if ((*earlier)->agent != id || (*earlier)->box != names.box)
      co_return web::conflict("A container named " + names.container(id) +
                              " exists that is not this box's: rename or remove it.");
    if ((*earlier)->instance.state == State::running) co_return web::conflict("The agent is running already.");
    co_return co_await remove_container(id);
  }

  Task<Result<void>> remove_container(std::string id) {
    const auto removed = co_await api.call("DELETE", path_of(id) + "?force=1&v=1", {}, std::chrono::minutes(1));
    if (!removed) co_return removed.error();
    if (removed->status != 204 && removed->status != 404)
      co_return docker::refusal("remove the agent's container", *removed);
    running.erase(id);
    co_return Result<void>();
  }

  // Without the address it was given when the door it knows is not the box's any more: it has to be started anew.
  Instance instance_of(const Container& container) const {
    auto instance = container.instance;
    if (current_door && container.door != *current_door) instance.backend_url.clear();
    return instance;
  }

  Task<Result<void>> stop(std::string id, std::chrono::seconds grace) {
    const auto patience = std::chrono::milliseconds(grace + answer_time_of_stop);
    const auto stopped =
        co_await api.call("POST", path_of(id) + "/stop?t=" + std::to_string(grace.count()), {}, patience);
    if (!stopped) co_return stopped.error();
    if (stopped->status != 204 && stopped->status != 304 && stopped->status != 404)
      co_return docker::refusal("stop the agent's container", *stopped);
    co_return Result<void>();
  }

  Task<Result<Instance>> inspect(std::string id) {
    const auto found = co_await find(id);
    if (!found) co_return found.error();
    if (!*found) co_return Instance{};
    co_return instance_of(**found);
  }

  Task<Result<InstanceStats>> stats(std::string id) {
    const auto found = co_await find(id);
    if (!found) co_return found.error();
    if (!*found || (*found)->instance.state != State::running) co_return web::conflict("The agent is not running.");
    const auto answer = co_await api.call("GET", path_of(id) + "/stats?stream=false&one-shot=true");
    if (!answer) co_return answer.error();
    if (answer->status != 200) co_return docker::refusal("measure the agent's container", *answer);
    const auto sample = docker::parse_sample(answer->body);
    const auto age = std::chrono::system_clock::now() - (*found)->instance.started_at;
    const auto now = Steady::now();
    auto& known = running[id];
    if (known.container != (*found)->id) known = {.container = (*found)->id};
    const bool is_first = known.cpu_read_at == Steady::time_point{};
    const std::chrono::duration<double, std::nano> span = is_first ? age : now - known.cpu_read_at;
    const auto busy = double(sample.cpu_nanoseconds - known.cpu_nanoseconds);
    known.cpu_nanoseconds = sample.cpu_nanoseconds;
    known.cpu_read_at = now;
    co_return InstanceStats{.cpu_percent = span.count() > 0 ? 100 * busy / span.count() : 0,
                            .memory_bytes = sample.memory_bytes,
                            .uptime = std::chrono::duration_cast<std::chrono::seconds>(age),
                            .received_bytes = sample.received_bytes,
                            .sent_bytes = sample.sent_bytes};
  }

  Task<Result<std::vector<std::string>>> logs(std::string id, std::size_t count) {
    const auto lines = std::make_shared<std::vector<std::string>>();
    const auto frames =
        std::make_shared<docker::LogFrames>([lines](std::string_view line) { lines->emplace_back(line); });
    const auto path = path_of(id) + "/logs?stdout=1&stderr=1&tail=" + std::to_string(count);
    std::function<bool(std::string_view)> sink = [frames](std::string_view bytes) { return frames->take(bytes); };
    const auto read = co_await api.stream(path, std::move(sink), {}, time_to_read_a_log);
    if (!read && read.error().kind == web::Kind::unavailable) co_return read.error();
    frames->finish();
    if (lines->size() > count) lines->erase(lines->begin(), lines->end() - std::ptrdiff_t(count));
    co_return std::move(*lines);
  }

  // With the engine's times, of which ids are made: `query.after` is the time the lines come after, and the line of
  // just that time, which the engine sends along, shows that none is missing.
  Task<Result<LogPage>> read_log(std::string id, LogQuery query) {
    LogPage page{.lines = {}, .is_cut = !query.after.empty()};
    auto& lines = page.lines;
    auto take = [&page, &query](std::string_view line) {
      auto read = docker::parse_log_line(line);
      if (read.id == query.after) page.is_cut = false;
      const bool is_wanted = read.id > query.after && (!query.since || (read.at && *read.at >= *query.since)) &&
                             (!query.until || (read.at && *read.at <= *query.until));
      if (is_wanted) page.lines.push_back(std::move(read));
    };
    docker::LogFrames frames(take);
    const bool is_plain = query.after.empty() && !query.since && !query.until;
    const auto path = path_of(id) + "/logs?stdout=1&stderr=1&timestamps=1" +
                      (is_plain ? "&tail=" + std::to_string(query.limit) : docker::since_query(query.after));
    const auto enough = query.after.empty() ? SIZE_MAX : query.limit + disorder;
    std::function<bool(std::string_view)> sink = [&frames, &page, enough](std::string_view bytes) {
      return frames.take(bytes) && page.lines.size() < enough;
    };
    const auto read = co_await api.stream(path, std::move(sink), {}, time_to_read_a_log);
    if (!read && read.error().kind == web::Kind::unavailable) co_return read.error();
    if (lines.size() < enough) frames.finish();
    std::ranges::stable_sort(lines, {}, &LogLine::id);  // stdout and stderr are two streams
    if (lines.size() > query.limit) {
      const auto beyond = std::ptrdiff_t(lines.size() - query.limit);
      query.after.empty() ? lines.erase(lines.begin(), lines.begin() + beyond)
                          : lines.erase(lines.end() - beyond, lines.end());
    }
    co_return std::move(page);
  }

  Task<Result<void>> follow_log(std::string id, std::string after, LogSink sink) {
    std::vector<LogLine> fresh;
    docker::LogFrames frames([&fresh, &after](std::string_view line) {
      auto read = docker::parse_log_line(line);
      if (read.id > after) fresh.push_back(std::move(read));
    });
    const auto path = path_of(id) + "/logs?follow=1&stdout=1&stderr=1&timestamps=1" + docker::since_query(after);
    std::function<bool(std::string_view)> bytes_come = [&frames, &fresh, &sink](std::string_view bytes) {
      const bool is_readable = frames.take(bytes);
      return (fresh.empty() || sink(std::exchange(fresh, {}))) && is_readable;
    };
    co_return co_await api.stream(path, std::move(bytes_come));
  }

  Task<Result<std::vector<std::string>>> adopt() {
    follow();
    const auto reachable = co_await door();
    if (!reachable && reachable.error().kind == web::Kind::unavailable) co_return reachable.error();
    const auto looked = co_await look_at_all();
    if (!looked) co_return looked.error();
    std::vector<std::string> agents;
    for (const auto& [agent, known] : running) agents.push_back(agent);
    co_return agents;
  }

  // Takes note of what runs, and tells of what no longer does.
  Task<Result<void>> look_at_all() {
    const auto answer = co_await api.call("GET", "/containers/json?filters=" + names.filter());
    if (!answer) co_return answer.error();
    if (answer->status != 200 || !answer->body.is_array())
      co_return docker::refusal("list the agents' containers", *answer);
    std::map<std::string, Known> now;
    for (const auto& one : answer->body.get_array()) {
      boost::system::error_code absent;
      const auto* agent = one.find_pointer("/Labels/agentbox.agent", absent);
      const auto* id = one.find_pointer("/Id", absent);
      if (!agent || !id || !agent->is_string() || !id->is_string()) continue;
      now[std::string(agent->get_string())].container = std::string(id->get_string());
    }
    const auto before = std::exchange(running, now);
    for (const auto& [agent, known] : before)
      if (!now.contains(agent) && tell_exit) tell_exit(agent, std::nullopt);
    co_return Result<void>();
  }

  // ---- the engine's events

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

  // What ended while nobody was told is found by looking, once the events cannot be missed any more.
  void events_open(bool was_gone) {
    asio::co_spawn(home, look_again(shared_from_this(), was_gone), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }

  static Task<> look_again(std::shared_ptr<Impl> self, bool was_gone) {
    if (was_gone) {
      web::log::info("docker_is_back");
      co_await self->look_at_all();
      if (self->tell_back) self->tell_back();
    }
  }

  // One JSON object a line.
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
      if (tell_exit) tell_exit(std::string(agent->get_string()), exit_code);
    }
  }

  Task<Result<void>> remove(std::string id) {
    const auto found = co_await find(id);
    if (!found) co_return found.error();
    if (*found) {
      if ((*found)->instance.state == State::running) co_return web::conflict("The agent is running: stop it first.");
      const auto removed = co_await remove_container(id);
      if (!removed) co_return removed.error();
    }
    auto self = shared_from_this();
    auto work = [self, id]() -> std::string {
      try {
        self->run_folder(id).remove();
      } catch (const std::exception& error) {
        return error.what();
      }
      return {};
    };
    auto failure = co_await web::offload(files, std::move(work));
    if (!failure.empty()) co_return web::internal("The agent's run files cannot be removed: " + failure);
    co_return Result<void>();
  }
};

DockerEngine::DockerEngine(DockerOptions options, asio::io_context& home, asio::thread_pool& files)
    : impl_(std::make_shared<Impl>(std::move(options), home, files)) {
  impl_->tell_exit = [this](std::string id, std::optional<int> exit_code) {
    if (on_exit) on_exit(std::move(id), exit_code);
  };
  impl_->tell_back = [this] {
    if (on_back) on_back();
  };
}

DockerEngine::~DockerEngine() {
  impl_->tell_exit = nullptr;
  impl_->tell_back = nullptr;
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
  co_return co_await web::run_on(impl_->home, impl_->logs(std::move(id), lines));
}

Task<Result<LogPage>> DockerEngine::read_log(std::string id, LogQuery query) {
  co_return co_await web::run_on(impl_->home, impl_->read_log(std::move(id), std::move(query)));
}

Task<Result<std::string>> DockerEngine::log_end(std::string) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  co_return log_position(std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
}

Task<Result<void>> DockerEngine::follow_log(std::string id, std::string after, LogSink sink) {
  co_return co_await web::run_on(impl_->home, impl_->follow_log(std::move(id), std::move(after), std::move(sink)));
}

Task<Result<std::vector<std::string>>> DockerEngine::adopt(std::vector<std::string>) {
  co_return co_await web::run_on(impl_->home, impl_->adopt());
}

Task<Result<void>> DockerEngine::remove(std::string id) {
  co_return co_await web::run_on(impl_->home, impl_->remove(std::move(id)));
}

Task<Result<void>> docker_is_usable(std::string host, std::string image) {
  docker::Api api(host);
  const auto found = co_await find_image(api, std::move(image));
  if (!found) co_return found.error();
  co_return Result<void>();
}

}  // namespace runtime
