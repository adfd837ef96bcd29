#include "appliance/runtime/docker/container.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <thread>

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/timestamp.h"
#include "appliance/runtime/agent_files.h"
#include "appliance/runtime/docker/docker_api.h"
#include "appliance/runtime/proxy_variables.h"
#include "appliance/runtime/run_folder.h"
#include "web/json.h"

namespace runtime::docker {

namespace json = boost::json;
using namespace std::chrono;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t nanoseconds_of(seconds time) { return duration_cast<nanoseconds>(time).count(); }

constexpr std::string_view no_name_server = "192.0.2.1";  // reserved for documentation (RFC 5737)

// The engine, which is on this machine, refuses more cores than there are.
double cores() { return std::max(1u, std::thread::hardware_concurrency()); }

const json::value& at(const json::value& value, std::initializer_list<std::string_view> path) {
  static const json::value nothing;
  const auto* found = &value;
  for (const auto name : path) {
    const auto* object = found->if_object();
    found = object ? object->if_contains(name) : nullptr;
    if (!found) return nothing;
  }
  return *found;
}

std::uint64_t number(const json::value& value) {
  boost::system::error_code not_a_number;
  const auto found = value.to_number<std::uint64_t>(not_a_number);
  return not_a_number ? 0 : found;
}

std::string filters(const json::object& wanted) { return escape(json::serialize(wanted)); }

json::array label_of(const Names& names) { return {std::string(label::box) + "=" + names.box}; }

}  // namespace

std::string Names::filter() const { return filters({{"label", label_of(*this)}}); }

std::string Names::death_filter() const {
  return filters({{"label", label_of(*this)}, {"type", json::array{"container"}}, {"event", json::array{"die"}}});
}

namespace {

// For foreign images: by the first of these that the image has. One that has none of them counts as healthy, since the
// box asks the gateway in any case. Some of them, as BusyBox's wget, would ask the proxy for their own container.
std::string foreign_check(const ContainerPlan& plan) {
  constexpr std::string_view ask_it =
      "if command -v curl >/dev/null; then exec curl -fsS -m 4 -o /dev/null $u; "
      "elif command -v wget >/dev/null; then exec wget -q -T 4 -O /dev/null $u; "
      "elif command -v node >/dev/null; then "
      "exec node -e \"fetch('$u').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))\"; "
      "elif command -v python3 >/dev/null; then "
      "exec python3 -c \"import urllib.request as u; u.urlopen('$u', timeout=4)\"; fi";
  const auto path = plan.image_probe.empty() ? std::string("/healthz") : plan.image_probe;
  return "unset http_proxy HTTP_PROXY; u=http://127.0.0.1:" + std::to_string(plan.image_port) + path + "; " +
         std::string(ask_it);
}

json::object check_of(const ContainerPlan& plan) {
  const json::array own{"CMD", "/usr/bin/agentbox", "agent", "--check"}, foreign{"CMD-SHELL", foreign_check(plan)};
  return {{"Test", plan.image_reads_boot ? own : foreign},
          {"Interval", nanoseconds_of(30s)},
          {"Timeout", nanoseconds_of(5s)},
          {"StartPeriod", nanoseconds_of(20s)},
          {"Retries", 5}};
}

// "${NAME}" becomes the variable's value; other names stay.
std::string expand(std::string_view text, const std::map<std::string, std::string>& variables) {
  std::string expanded;
  for (;;) {
    const auto begin = text.find("${"), end = text.find('}', begin);
    if (begin == text.npos || end == text.npos) return expanded += text;
    const auto found = variables.find(std::string(text.substr(begin + 2, end - begin - 2)));
    expanded += text.substr(0, begin);
    expanded += found == variables.end() ? std::string(text.substr(begin, end + 1 - begin)) : found->second;
    text.remove_prefix(end + 1);
  }
}

// For clients of the listener and of programs in the container itself, no proxy is needed.
ProxyForPrograms proxy_for_programs(const ProxyAccess& access, const ImageProxy& proxy) {
  const auto gateway = proxy.address.substr(0, proxy.address.rfind(':'));
  const auto folder = std::string(proxy_folder) + "/";
  return {.url = "http://" + access.user + ":" + access.password + "@" + proxy.address,
          .except = "127.0.0.1,localhost,::1," + gateway,
          .authority = folder + RunFolder::proxy_authority,
          .authorities = folder + RunFolder::all_authorities};
}

// A foreign image reads no boot file: it gets the token of its gateway, and the box's models the way OpenAI's clients
// look for them. What its owner has handed over to it (channels' tokens) comes along, and the box's proxy with names
// of credentials, if its owner wants that.
json::array environment_of(const AgentSpec& spec, const ContainerPlan& plan) {
  std::map<std::string, std::string> variables{{"HOME", std::string(workspace_path)}};
  if (!plan.image_reads_boot) {
    variables["OPENCLAW_GATEWAY_TOKEN"] = spec.gateway_token;
    variables["OPENAI_BASE_URL"] = plan.listener_url + "/v1";
    variables["OPENAI_API_KEY"] = spec.box_token;
    if (spec.proxy && plan.proxy)
      for (auto& [name, value] : proxy_variables(proxy_for_programs(*spec.proxy, *plan.proxy)))
        variables.insert_or_assign(name, std::move(value));
    auto known = variables;
    known["AGENT_NAME"] = spec.name;
    for (const auto& [name, value] : plan.image_environment) variables.try_emplace(name, expand(value, known));
    for (const auto& [name, value] : spec.image_secrets) variables.insert_or_assign(name, value);
    if (spec.proxy && plan.proxy)
      for (const auto& [name, value] : spec.proxy->variables) variables.insert_or_assign(name, value);
  }
  json::array environment;
  for (const auto& [name, value] : variables) environment.emplace_back(name + "=" + value);
  return environment;
}

}  // namespace

std::string proxy_mark(const ImageProxy& proxy) {
  constexpr std::size_t digits = 16;
  return proxy.address + "/" + crypto::sha256_hex(proxy.authority).substr(0, digits);
}

std::string secrets_digest(const AgentSpec& spec, bool image_reads_boot) {
  if (image_reads_boot || spec.image_secrets.empty()) return {};
  std::string all;
  for (const auto& [name, value] : spec.image_secrets) all.append(name).append("=").append(value).append("\n");
  return crypto::sha256_hex(all);
}

json::object create_body(const AgentSpec& spec, const ContainerPlan& plan) {
  const std::string port = std::to_string(plan.image_port) + "/tcp";
  const auto environment = environment_of(spec, plan);
  const json::object boot_mount{
      {"Type", "bind"}, {"Source", plan.boot_file}, {"Target", boot_path}, {"ReadOnly", true}};
  const json::object workspace_mount{{"Type", "bind"}, {"Source", spec.workspace.string()}, {"Target", workspace_path}};
  const json::object published{{"HostIp", "127.0.0.1"}, {"HostPort", std::to_string(spec.port)}};
  const auto memory = std::int64_t(spec.limits.memory_bytes);
  const auto files = std::int64_t(spec.limits.open_files);
  const json::object open_files{{"Name", "nofile"}, {"Soft", files}, {"Hard", files}};
  json::object body{{"Image", plan.image},
                    {"User", plan.user},
                    {"WorkingDir", workspace_path},
                    {"Env", environment},
                    {"Labels",
                     {{label::box, plan.names.box},
                      {label::agent, spec.id},
                      {label::backend, spec.backend_url},
                      {label::summarizer, spec.summarizer_url},
                      {label::listener, plan.listener_url}}},
                    {"ExposedPorts", {{port, json::object()}}},
                    {"HostConfig",
                     {{"NetworkMode", plan.is_closed ? plan.names.closed_network() : plan.names.network()},
                      {"PortBindings", {{port, json::array{published}}}},
                      {"Mounts", json::array{workspace_mount, boot_mount}},
                      {"ReadonlyRootfs", true},
                      {"Tmpfs", {{"/tmp", "rw,noexec,nosuid,nodev,size=64m,mode=1777"}}},
                      {"CapDrop", json::array{"ALL"}},
                      {"SecurityOpt", json::array{"no-new-privileges=true"}},
                      {"PidsLimit", spec.limits.processes},
                      {"Memory", memory},
                      {"MemorySwap", memory},
                      {"NanoCpus", std::int64_t(std::min(spec.limits.cpus, cores()) * 1e9)},
                      {"Ulimits", json::array{open_files}},
                      {"RestartPolicy", {{"Name", "no"}}},
                      {"LogConfig", {{"Type", "json-file"}, {"Config", {{"max-size", "8m"}, {"max-file", "2"}}}}}}}};
  if (const auto digest = secrets_digest(spec, plan.image_reads_boot); !digest.empty())
    body["Labels"].get_object()[label::secrets] = digest;
  if (plan.proxy) {
    body["Labels"].get_object()[label::proxy] = proxy_mark(*plan.proxy);
    const json::object mount{
        {"Type", "bind"}, {"Source", plan.proxy_folder}, {"Target", proxy_folder}, {"ReadOnly", true}};
    body["HostConfig"].get_object()["Mounts"].get_array().push_back(mount);
  }
  for (const auto& [name, path] : spec.volumes) {
    const json::object mount{{"Type", "bind"}, {"Source", (volumes_of(spec) / name).string()}, {"Target", path}};
    body["HostConfig"].get_object()["Mounts"].get_array().push_back(mount);
  }
  auto& labels = body["Labels"].get_object();
  for (const auto& label : plan.image_labels) labels.emplace(label.key(), label.value());
  // The engine's resolver would ask this machine's name servers on the container's behalf.
  if (plan.is_closed) body["HostConfig"].get_object()["Dns"] = json::array{no_name_server};
  if (plan.image_reads_boot || !plan.image_has_check) body["Healthcheck"] = check_of(plan);
  return body;
}

Container parse_container(const json::value& inspected) {
  const auto& state = at(inspected, {"State"});
  const auto& labels = at(inspected, {"Config", "Labels"});
  const auto label_named = [&labels](std::string_view name) { return web::string_or_empty(&at(labels, {name})); };
  const auto status = web::string_or_empty(&at(state, {"Status"}));
  Container found{.id = web::string_or_empty(&at(inspected, {"Id"})),
                  .agent = label_named(label::agent),
                  .box = label_named(label::box),
                  .listener_url = label_named(label::listener),
                  .secrets = label_named(label::secrets),
                  .proxy = label_named(label::proxy),
                  .instance = {}};
  auto& instance = found.instance;
  instance.image = web::string_or_empty(&at(inspected, {"Image"}));
  if (status == "running" || status == "paused" || status == "restarting") {
    instance.state = State::running;
    instance.pid = std::int64_t(number(at(state, {"Pid"})));
    instance.started_at = parse_time(web::string_or_empty(&at(state, {"StartedAt"}))).value_or(instance.started_at);
    instance.backend_url = label_named(label::backend);
    instance.summarizer_url = label_named(label::summarizer);
  } else {
    instance.state = State::exited;
    if (status == "exited" || status == "dead") instance.exit_code = int(number(at(state, {"ExitCode"})));
    instance.out_of_memory = at(state, {"OOMKilled"}) == json::value(true);
  }
  const auto health = web::string_or_empty(&at(state, {"Health", "Status"}));
  if (instance.state == State::exited)
    instance.health = Health::stopped;
  else if (status != "running")
    instance.health = Health::unhealthy;
  else if (health == "healthy")
    instance.health = Health::healthy;
  return found;
}

Sample parse_sample(const json::value& stats) {
  const auto& memory = at(stats, {"memory_stats"});
  const auto used = number(at(memory, {"usage"}));
  // cgroup v2 and v1 name it differently.
  const auto cache =
      std::max(number(at(memory, {"stats", "inactive_file"})), number(at(memory, {"stats", "total_inactive_file"})));
  Sample sample{.cpu_nanoseconds = number(at(stats, {"cpu_stats", "cpu_usage", "total_usage"})),
                .memory_bytes = used - std::min(used, cache)};
  if (const auto* networks = at(stats, {"networks"}).if_object())
    for (const auto& [name, network] : *networks) {
      sample.received_bytes += number(at(network, {"rx_bytes"}));
      sample.sent_bytes += number(at(network, {"tx_bytes"}));
    }
  return sample;
}

std::optional<sys_time<milliseconds>> parse_time(std::string_view text) {
  const auto time = agentbox::parse_timestamp(text);
  return time && time->time_since_epoch().count() >= 0 ? time : std::nullopt;
}

}  // namespace runtime::docker
