#include "appliance/runtime/docker/agent_networks.h"

#include <boost/json.hpp>
#include <charconv>

#include "web/json.h"
#include "web/log.h"
#include "web/run_on.h"

namespace runtime::docker {

namespace json = boost::json;
using web::Result;
using web::Task;

namespace {

constexpr int ambiguous = 400;  // the engine has several networks of the name
constexpr std::string_view bridge_name = "com.docker.network.bridge.name";

json::object network_body(const Names& names, const std::string& name) {
  return {{"Name", name},
          {"Driver", "bridge"},
          {"CheckDuplicate", true},
          {"Options", {{"com.docker.network.bridge.enable_icc", "false"}}},
          {"Labels", {{label::box, names.box}}}};
}

// The interface of a network, which the engine names by its id unless it was made with a name.
std::string bridge_of(const json::object& network) {
  const auto* options = network.if_contains("Options");
  const auto* given = options && options->is_object() ? options->get_object().if_contains(bridge_name) : nullptr;
  if (given && given->is_string()) return std::string(given->get_string());
  return "br-" + web::string_at(network, "/Id").substr(0, 12);
}

std::uint16_t port_of(std::string_view url) {
  const auto digits = url.substr(url.rfind(':') + 1);
  std::uint16_t port = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return port;
}

}  // namespace

AgentNetworks::AgentNetworks(Api& api, const Names& names, const DockerOptions& options,
                             boost::asio::thread_pool& files)
    : api_(api),
      names_(names),
      options_(options),
      files_(files),
      filter_(names.box),
      open_because_(options.lan_is_open ? "CONTAINER_LAN is on" : PacketFilter::why_not()) {}

Task<Result<json::object>> AgentNetworks::network(std::string name, json::object wanted, std::string purpose) {
  if (!making_) making_.emplace(co_await boost::asio::this_coro::executor, 1);
  co_await making_->take();
  const agentbox::Semaphore::Place place(*making_);
  const auto path = "/networks/" + name;
  auto found = co_await api_.call("GET", path);
  if (found && found->status == ambiguous) {
    co_await remove_unused(name);
    found = co_await api_.call("GET", path);
  }
  if (found && found->status == 404) {
    const auto made = co_await api_.call("POST", "/networks/create", json::value(std::move(wanted)));
    if (!made) co_return made.error();
    if (made->status != 201 && made->status != 409) co_return refusal("make " + purpose, *made);
    found = co_await api_.call("GET", path);
  }
  if (!found) co_return found.error();
  if (found->status != 200 || web::string_at(found->body, "/IPAM/Config/0/Gateway").empty())
    co_return refusal("describe " + purpose, *found);
  co_return std::move(found->body.get_object());
}

// Of several networks of this name, which an earlier release made, those with containers stay.
Task<> AgentNetworks::remove_unused(const std::string& name) {
  const json::value filter{{"name", json::array{name}}};
  const auto listed = co_await api_.call("GET", "/networks?filters=" + escape(json::serialize(filter)));
  if (!listed || !listed->body.is_array()) co_return;
  for (const auto& one : listed->body.get_array())
    if (web::string_at(one, "/Name") == name) [[maybe_unused]]
      const auto removed = co_await api_.call("DELETE", "/networks/" + web::string_at(one, "/Id"));
}

// With the addresses that it had before, if it has been pruned: the agent listener is bound to its gateway.
Task<Result<json::object>> AgentNetworks::main_network() {
  auto wanted = network_body(names_, names_.network());
  if (!addresses_.empty()) wanted["IPAM"] = json::object{{"Config", json::array{addresses_}}};
  return network(names_.network(), std::move(wanted), "the agents' network");
}

Task<Result<json::object>> AgentNetworks::closed_network() {
  auto wanted = network_body(names_, names_.closed_network());
  wanted["Options"].get_object()[bridge_name] = names_.closed_bridge();
  return network(names_.closed_network(), std::move(wanted), "the network of closed agents");
}

Task<Result<std::string>> AgentNetworks::open(bool closed, bool needs_proxy) {
  const auto first = co_await main_network();
  if (!first) co_return first.error();
  const auto gateway = web::string_at(*first, "/IPAM/Config/0/Gateway");
  std::string reason;
  try {
    listener_url_ = options_.open_agent_listener(gateway);
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  if (!reason.empty()) co_return web::internal("Agents in containers could not reach the box: " + reason);
  if (options_.open_proxy) {
    auto proxy = co_await options_.open_proxy(gateway, needs_proxy);
    if (!proxy && needs_proxy) co_return proxy.error();
    if (!proxy) web::log::error("image_proxy_not_opened", {{"reason", proxy.error().message}});
    if (proxy) proxy_ = std::move(*proxy);
  }
  boost::system::error_code absent;
  addresses_ = json::value(*first).find_pointer("/IPAM/Config/0", absent)->get_object();
  if (closed) {
    const auto made = co_await closed_network();
    if (!made) co_return made.error();
  }
  Openings openings{.web_bridge = bridge_of(*first),
                    .closed_bridge = names_.closed_bridge(),
                    .gateway = gateway,
                    .ports = {port_of(*listener_url_)},
                    .name_servers = {},
                    .lan_is_open = options_.lan_is_open};
  if (proxy_) openings.ports.push_back(port_of(proxy_->address));
  const auto rest = co_await close_the_rest(std::move(openings), closed);
  if (!rest) co_return rest.error();
  co_return *listener_url_;
}

Task<Result<void>> AgentNetworks::close_the_rest(Openings openings, bool closed) {
  auto reason = PacketFilter::why_not();
  if (reason.empty()) {
    auto work = [this, openings = std::move(openings)]() mutable {
      openings.name_servers = name_servers_here();
      return filter_.apply(openings);
    };
    const auto applied = co_await web::offload(files_, std::move(work));
    if (!applied) reason = applied.error().message;
  }
  note(options_.lan_is_open ? "CONTAINER_LAN is on" : reason);
  if (reason.empty()) co_return Result<void>();
  if (closed) co_return web::internal("The agent's egress cannot be closed: " + reason + ".");
  if (options_.requires_isolation && !options_.lan_is_open)
    co_return web::internal("ISOLATION is required, and the LAN cannot be closed to containers: " + reason + ".");
  co_return Result<void>();
}

void AgentNetworks::note(std::string open_because) {
  {
    const std::lock_guard lock(mutex_);
    if (open_because == open_because_) return;
    open_because_ = open_because;
  }
  if (open_because.empty())
    web::log::info("container_lan_closed");
  else
    web::log::warning("container_lan_open", {{"reason", open_because}});
}

Isolation AgentNetworks::isolation() const {
  Isolation found{.level = IsolationLevel::container, .by = {"containers of the Docker Engine"}, .lacks = {}};
  const std::lock_guard lock(mutex_);
  if (open_because_.empty())
    found.by.emplace_back("closed LAN");
  else
    found.lacks.push_back("closed LAN (" + open_because_ + ")");
  return found;
}

void AgentNetworks::remove_rules() {
  if (PacketFilter::why_not().empty()) filter_.remove();
}

}  // namespace runtime::docker
