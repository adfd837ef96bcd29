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

// With the addresses that it had before, if it has been pruned: the agent listener is bound to its gateway.
Task<Result<json::object>> AgentNetworks::network() {
  const auto path = "/networks/" + names_.network();
  auto found = co_await api_.call("GET", path);
  if (found && found->status == 404) {
    auto wanted = network_body(names_, names_.network());
    if (!addresses_.empty()) wanted["IPAM"] = json::object{{"Config", json::array{addresses_}}};
    const auto made = co_await api_.call("POST", "/networks/create", json::value(wanted));
    if (!made) co_return made.error();
    if (made->status != 201 && made->status != 409) co_return refusal("make the agents' network", *made);
    found = co_await api_.call("GET", path);
  }
  if (!found) co_return found.error();
  if (found->status != 200 || web::string_at(found->body, "/IPAM/Config/0/Gateway").empty())
    co_return refusal("describe the agents' network", *found);
  co_return std::move(found->body.get_object());
}

Task<Result<void>> AgentNetworks::make_closed_network() {
  const auto found = co_await api_.call("GET", "/networks/" + names_.closed_network());
  if (!found) co_return found.error();
  if (found->status == 200) co_return Result<void>();
  auto wanted = network_body(names_, names_.closed_network());
  wanted["Options"].get_object()[bridge_name] = names_.closed_bridge();
  const auto made = co_await api_.call("POST", "/networks/create", json::value(wanted));
  if (!made) co_return made.error();
  if (made->status != 201 && made->status != 409) co_return refusal("make the network of closed agents", *made);
  co_return Result<void>();
}

Task<Result<std::string>> AgentNetworks::open(bool closed) {
  const auto first = co_await network();
  if (!first) co_return first.error();
  const auto gateway = web::string_at(*first, "/IPAM/Config/0/Gateway");
  std::string reason;
  try {
    listener_url_ = options_.open_agent_listener(gateway);
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  if (!reason.empty()) co_return web::internal("Agents in containers could not reach the box: " + reason);
  boost::system::error_code absent;
  addresses_ = json::value(*first).find_pointer("/IPAM/Config/0", absent)->get_object();
  if (closed) {
    const auto made = co_await make_closed_network();
    if (!made) co_return made.error();
  }
  Openings openings{.web_bridge = bridge_of(*first),
                    .closed_bridge = names_.closed_bridge(),
                    .gateway = gateway,
                    .port = port_of(*listener_url_),
                    .name_servers = {},
                    .lan_is_open = options_.lan_is_open};
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
